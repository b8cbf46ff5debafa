// Errors of the clock, at the op.
// RUN: ndp-opt %s -t timeline --verify-diagnostics --split-input-file | filecheck %s --allow-empty
// CHECK-NOT: makespan

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<4xi32>>) -> !task.on<@pim, tensor<4xi32>> {
  %y = task.run @pim (%a = %x) {
    // expected-error @+1 {{@pim (toy_pim) can't run graph.add: lanes compute floating-point numbers, not i32; place it on another device}}
    %0 = graph.add %a, %a : tensor<4xi32>
    task.yield %0
  }
  func.return %y : !task.on<@pim, tensor<4xi32>>
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@gpu, tensor<4xf32>>) -> !task.on<@pim, tensor<4xf32>> {
  // expected-error @+1 {{no link joins @gpu and @pim; declare one (hw.link @gpu to @pim = "SHEET")}}
  %y = task.copy %x to @pim
  func.return %y : !task.on<@pim, tensor<4xf32>>
}

// -----

// expected-error @+1 {{there is no data sheet `toy_gpuu`; did you mean `toy_gpu`?}}
hw.device @gpu = "toy_gpuu"
func.func @main(%x: !task.on<@gpu, tensor<4xf32>>) -> !task.on<@gpu, tensor<4xf32>> {
  %y = task.run @gpu (%a = %x) {
    %0 = graph.relu %a : tensor<4xf32>
    task.yield %0
  }
  func.return %y : !task.on<@gpu, tensor<4xf32>>
}
