// A matrix-vector product, scaled by an op of the plugin mine.py.
func.func @main(%x: tensor<1x1024xf16>) -> tensor<1x4096xf16> {
  %w = graph.weight "w" = uniform(-0.05, 0.05, 1) : tensor<1024x4096xf16>
  %y = graph.matmul %x, %w : tensor<1x1024xf16>, tensor<1024x4096xf16>
  %z = mine.scale %y by 0.125 : tensor<1x4096xf16>
  func.return %z : tensor<1x4096xf16>
}
