// A program that fits into its device's memory.
hw.device @gpu = "toy_gpu"
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = graph.tanh %x : tensor<8xf32>
  func.return %y : tensor<8xf32>
}
