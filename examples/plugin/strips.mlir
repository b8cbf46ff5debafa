// max(a * b + c, 0) on the GPU, and a separate difference.
hw.device @gpu = "toy_gpu"

func.func @main(%a: tensor<4x64xf32>, %b: tensor<4x64xf32>, %c: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  %0 = graph.mul %a, %b : tensor<4x64xf32>
  %1 = graph.add %0, %c : tensor<4x64xf32>
  %2 = graph.relu %1 : tensor<4x64xf32>
  %3 = graph.sub %a, %c : tensor<4x64xf32>
  func.return %2, %3 : tensor<4x64xf32>, tensor<4x64xf32>
}
