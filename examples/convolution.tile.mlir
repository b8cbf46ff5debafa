// A convolution as a program of thread blocks: a product over a view of the image (implicit GEMM). Rows are output
// pixels; the loops run over rows and columns of the 3 x 3 window and over 32 channels at a time; edges read as 0.
// Run it:      ndp-opt examples/convolution.tile.mlir -t values
// Pipeline it: ndp-opt examples/convolution.tile.mlir -p pipeline-buffers -t timeline
hw.device @gpu = "a100"
tile.kernel @conv on @gpu (%x: memref<8x28x28x128xf16>, %w: memref<3x3x128x128xf16>, %bias: memref<128xf16>) -> (%y: memref<8x28x28x128xf16>) {
  %windows = tile.view %x (n, p, q, c) -> (n floordiv 784, n floordiv 28 mod 28 + p - 1, n mod 28 + q - 1, c)
    : memref<8x28x28x128xf16> to memref<6272x3x3x128xf16>
  %pixels = tile.view %y (n, c) -> (n floordiv 784, n floordiv 28 mod 28, n mod 28, c)
    : memref<8x28x28x128xf16> to memref<6272x128xf16>
  tile.blocks %i = 0 to 98, %j = 0 to 2 warps 2, 2 {
    %xs = tile.buffer shared swizzled stages 3 : memref<64x32xf16>
    %ws = tile.buffer shared swizzled stages 3 : memref<32x64xf16>
    %xf = tile.buffer register : memref<64x16xf16>
    %wf = tile.buffer register : memref<16x64xf16>
    %sum = tile.buffer register : memref<64x64xf32>
    %b = tile.buffer register : memref<1x64xf16>
    tile.fill %sum with 0.0
    tile.for %p = 0 to 3 {
      tile.for %q = 0 to 3 {
        tile.for %c = 0 to 4 {
          tile.copy async padded %windows[%i * 64 : 64, %p, %q, %c * 32 : 32] to %xs
          tile.copy async %w[%p, %q, %c * 32 : 32, %j * 64 : 64] to %ws
          tile.commit
          tile.wait 0
          tile.barrier
          tile.for %t = 0 to 2 {
            tile.copy %xs[0 : 64, %t * 16 : 16] to %xf
            tile.copy %ws[%t * 16 : 16] to %wf
            tile.mma %xf, %wf into %sum
          }
          tile.barrier
        }
      }
    }
    tile.copy %bias[%j * 64 : 64] to %b[0]
    %sums = tile.read %sum
    %biases = tile.read %b
    %wide = graph.cast %biases : tensor<1x64xf16> -> tensor<1x64xf32>
    %with = graph.add %sums, %wide : tensor<64x64xf32>, tensor<1x64xf32>
    %active = graph.relu %with : tensor<64x64xf32>
    tile.write %active to %sum
    tile.copy padded %sum to %pixels[%i * 64 : 64, %j * 64 : 64]
  }
}
func.func @main(%x: tensor<8x28x28x128xf16>, %w: tensor<3x3x128x128xf16>, %b: tensor<128xf16>) -> tensor<8x28x28x128xf16> {
  %y = tile.launch @conv (%x, %w, %b) : (tensor<8x28x28x128xf16>, tensor<3x3x128x128xf16>, tensor<128xf16>) -> tensor<8x28x28x128xf16>
  func.return %y : tensor<8x28x28x128xf16>
}
