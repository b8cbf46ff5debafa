// Attention of a decode step: a projection, scores of all positions, a softmax, and the weighted sum of values.
func.func @main(%x: tensor<1x4096xf16>, %keys: tensor<32x128x4096xf16>) -> tensor<32x1x4096xf16> {
  %w = graph.weight "w" = uniform(-0.05, 0.05, 1) : tensor<4096x4096xf16>
  %q = graph.matmul %x, %w : tensor<1x4096xf16>, tensor<4096x4096xf16>
  %h = graph.reshape %q : tensor<1x4096xf16> -> tensor<32x1x128xf16>
  %s = graph.matmul %h, %keys : tensor<32x1x128xf16>, tensor<32x128x4096xf16>
  %p = graph.softmax %s axis = 2 : tensor<32x1x4096xf16>
  func.return %p : tensor<32x1x4096xf16>
}
