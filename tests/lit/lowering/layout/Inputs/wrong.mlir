hw.device @gpu = "toy_gpu"
func.func @main(%x: tensor<4x3xf32>) -> tensor<1x3xf32> {
  %y = graph.slice %x starts = [0, 0], ends = [1, 3] {order = array<i64: 0, 0>} : tensor<4x3xf32>
  func.return %y : tensor<1x3xf32>
}
