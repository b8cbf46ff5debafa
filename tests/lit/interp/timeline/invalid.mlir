// RUN: ndp-opt %s -t timeline --split-input-file --verify-diagnostics | filecheck %s --allow-empty

// CHECK-NOT: makespan

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{no link joins @gpu and @pim; declare one (hw.link @gpu to @pim = "SHEET")}}
  %y = task.copy %x to @pim
  func.return
}

// -----

hw.device @gpu = "toy_gpu"
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{func.call: @main calls itself; a timeline needs calls that end}}
  %y = func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
