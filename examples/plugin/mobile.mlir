// A layer with a plugin's ops: an activation that fuses into the product before it, a normalisation that is split by rows.
func.func @main(%x: tensor<64x1024xf16>) -> tensor<64x4096xf16> {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<1024x4096xf16>
  %0 = graph.matmul %x, %w : tensor<64x1024xf16>, tensor<1024x4096xf16>
  %1 = mobile.hard_swish %0 : tensor<64x4096xf16>
  %y = mobile.log_softmax %1 : tensor<64x4096xf16>
  func.return %y : tensor<64x4096xf16>
}
