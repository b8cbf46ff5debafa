// An argument keeps its mark whether the passes before `choose-form` are those that the baseline shares or not.
// RUN: ndp-opt %s -p 'choose-form,place{effort=1}' | filecheck %s
// RUN: ndp-opt %s -p 'inline,canonicalize,choose-form,place{effort=1}' | filecheck %s
// RUN: ndp-opt %s -p optimal | filecheck %s

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK: func.func @main(%x: {{.*}}, %c: !task.on<@pim, tensor<4x256xf32>> {task.state = "overwritten, result 1"})
func.func @main(%x: tensor<4x256xf32>, %c: tensor<4x256xf32> {task.on = @pim, task.state = "overwritten, result 1"}) -> (tensor<4x256xf32>, tensor<4x256xf32>) {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<256x256xf32>
  %y = graph.matmul %x, %w : tensor<4x256xf32>, tensor<256x256xf32>
  %z = graph.add %y, %c : tensor<4x256xf32>
  %r = graph.relu %z : tensor<4x256xf32>
  func.return %r, %z : tensor<4x256xf32>, tensor<4x256xf32>
}
