// No device can run a marked op in any form of the program: `choose-form` predicts nothing and notes nothing, and
// `place` names the op.
// RUN: ndp-opt %s -p choose-form 2>&1 | filecheck %s
// RUN: not ndp-opt %s -p offload 2>&1 | filecheck %s --check-prefix=PLACE

hw.device @gpu = "toy_gpu"
hw.device @pim = "newton"
hw.link @gpu to @pim = "on_board"

// CHECK-NOT: note:
// CHECK: graph.softmax
// PLACE-NOT: is compiled in form
// PLACE: no_form.mlir:17:8: error: the op is marked for @pim (newton), which can't run graph.softmax
func.func @main(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<64x64xf32>
  %y = graph.matmul %x, %w : tensor<1x64xf32>, tensor<64x64xf32>
  %z = graph.softmax %y axis = 1 {task.on = @pim} : tensor<1x64xf32>
  func.return %z : tensor<1x64xf32>
}
