// A row times a matrix, which all devices of a100-newton-fixed support.
func.func @main(%x: tensor<1x8192xf16>) -> tensor<1x16384xf16> {
  %w = graph.weight "w" = uniform(-0.05, 0.05, 1) : tensor<8192x16384xf16>
  %y = graph.matmul %x, %w : tensor<1x8192xf16>, tensor<8192x16384xf16>
  func.return %y : tensor<1x16384xf16>
}
