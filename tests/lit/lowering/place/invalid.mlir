// RUN: ndp-opt %s -p place{effort=1} --split-input-file --verify-diagnostics | filecheck %s --allow-empty
// RUN: not ndp-opt %s -p 'place{policy=bets}' --split-input-file 2>&1 | filecheck %s --check-prefix=POLICY
// RUN: not ndp-opt %s -p 'place{polcy=gpu}' 2>&1 | filecheck %s --check-prefix=OPTION

// CHECK-NOT: task.run

// POLICY: -p:1:7: error: option `policy` of place must be one of gpu, pim-first, priority, greedy, path{{.*}}, optimal, but is bets
// OPTION: place has no option `polcy`; did you mean `policy`?

hw.device @gpu = "toy_gpu"
// expected-error @+1 {{@main needs 2 GB on @gpu (0 B of weights and constants, 2 GB of live values), but toy_gpu holds 1.0737 GB; take a device with more memory or a smaller model}}
func.func @main(%x: tensor<250000000xf32>) -> tensor<250000000xf32> {
  %a = graph.relu %x : tensor<250000000xf32>
  func.return %a : tensor<250000000xf32>
}

// -----

hw.device @pim = "toy_pim"
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{no device can run graph.relu of tensor<8xf32>: @pim (toy_pim) can't; declare a device that can (hw.device)}}
  %a = graph.relu %x : tensor<8xf32>
  func.return %a : tensor<8xf32>
}

// -----

hw.device @gpu = "toy_gpu"
// expected-error @+1 {{@main is placed already; place takes functions of graph ops on plain tensors}}
func.func @main(%x: !task.on<@gpu, tensor<8xf32>>) {
  func.return
}

// -----

// Only the second device can run the op, and no link leads to it. (If another device can run it, a note says that
// nothing is placed on a device without a link.)
hw.device @home = "toy_pim"
hw.device @gpu = "toy_gpu"
func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  // expected-error @+1 {{no link joins @home and @gpu; declare one (hw.link @home to @gpu = "SHEET")}}
  %a = graph.exp %x : tensor<1x32xf32>
  func.return %a : tensor<1x32xf32>
}

// -----

hw.device @gpu = "toy_gpu"
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{func.call: @main calls itself; inlining needs calls without recursion; remove this call}}
  %a = func.call @main(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %a : tensor<8xf32>
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
// expected-error @+1 {{@main has loops, so its arguments are on the primary device when it starts, and %x can't be marked for another one; remove `task.on` from it}}
func.func @main(%x: tensor<8xf32> {task.on = @pim}) -> tensor<8xf32> {
  %y = graph.repeat %i = 0 to 3 (%a = %x) {
    %b = graph.relu %a : tensor<8xf32>
    graph.yield %b
  }
  func.return %y : tensor<8xf32>
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
// expected-error @+1 {{no link joins @gpu and @pim; declare one (hw.link @gpu to @pim = "SHEET")}}
func.func @main(%x: tensor<8xf32> {task.on = @pim}) -> tensor<8xf32> {
  %y = graph.relu %x : tensor<8xf32>
  func.return %y : tensor<8xf32>
}
