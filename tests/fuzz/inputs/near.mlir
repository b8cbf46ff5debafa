hw.device @gpu = "toy_gpu"
hw.device @ndp = "my_ndp"
hw.link @gpu to @ndp = "toy_link"
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.add %x, %y : tensor<64x64xf32>
  %1 = graph.relu %0 : tensor<64x64xf32>
  %2 = graph.mul %1, %x : tensor<64x64xf32>
  func.return %2 : tensor<64x64xf32>
}
