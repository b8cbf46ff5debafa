// A matrix product as a program of thread blocks: not pipelined yet; each tile's buffer requests three stages.
// Run it:      ndp-opt examples/gemm.tile.mlir -t values
// Pipeline it: ndp-opt examples/gemm.tile.mlir -p pipeline-buffers -t timeline
hw.device @gpu = "a100"
tile.kernel @gemm on @gpu (%a: memref<2048x1024xf16>, %b: memref<1024x2048xf16>) -> (%c: memref<2048x2048xf16>) {
  tile.blocks %i = 0 to 16, %j = 0 to 16 warps 4, 2 {
    %as = tile.buffer shared pad 8 stages 3 : memref<128x32xf16>
    %bs = tile.buffer shared pad 8 stages 3 : memref<32x128xf16>
    %af = tile.buffer register : memref<128x16xf16>
    %bf = tile.buffer register : memref<16x128xf16>
    %sum = tile.buffer register : memref<128x128xf32>
    tile.fill %sum with 0.0
    tile.for %k = 0 to 32 {
      tile.copy async %a[%i * 128 : 128, %k * 32 : 32] to %as
      tile.copy async %b[%k * 32 : 32, %j * 128 : 128] to %bs
      tile.commit
      tile.wait 0
      tile.barrier
      tile.for %t = 0 to 2 {
        tile.copy %as[0 : 128, %t * 16 : 16] to %af
        tile.copy %bs[%t * 16 : 16] to %bf
        tile.mma %af, %bf into %sum
      }
      tile.barrier
    }
    tile.copy %sum to %c[%i * 128 : 128, %j * 128 : 128]
  }
}
func.func @main(%a: tensor<2048x1024xf16>, %b: tensor<1024x2048xf16>) -> tensor<2048x2048xf16> {
  %c = tile.launch @gemm (%a, %b) : (tensor<2048x1024xf16>, tensor<1024x2048xf16>) -> tensor<2048x2048xf16>
  func.return %c : tensor<2048x2048xf16>
}
