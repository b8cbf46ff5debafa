// C = A^T B in f32, multiplied by single threads (CUDA cores): 16 x 8 threads compute a tile of 64 x 128, each of them
// 4 x 16 elements. A read has 4 elements of A or 2 of B; all threads copy tiles to shared memory together.
hw.device @gpu = "rtx3090"

tile.kernel @gemm on @gpu (%a: memref<1024x1024xf32>, %b: memref<1024x1024xf32>) -> (%c: memref<1024x1024xf32>) {
  tile.blocks %j = 0 to 8, %i = 0 to 16 warps 1, 4 {
    %af = tile.buffer register : memref<4x64xf32>
    %as = tile.buffer shared : memref<32x64xf32>
    %bf = tile.buffer register : memref<4x128xf32>
    %bs = tile.buffer shared : memref<32x128xf32>
    %sum = tile.buffer register : memref<64x128xf32>
    tile.fill %sum with 0.0
    tile.for %k = 0 to 32 {
      tile.copy threads 16 vector 4 %a[%k * 32 : 32, %i * 64 : 64] to %as
      tile.copy threads 32 vector 2 %b[%k * 32 : 32, %j * 128 : 128] to %bs
      tile.barrier
      tile.for %t = 0 to 8 {
        tile.copy %as[%t * 4 : 4] to %af
        tile.copy %bs[%t * 4 : 4] to %bf
        tile.mma threads 16, 8 vectors 4, 2 turned %af, %bf into %sum
      }
      tile.barrier
    }
    tile.copy %sum to %c[%i * 64 : 64, %j * 128 : 128]
  }
}
func.func @main(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %c = tile.launch @gemm (%a, %b) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  func.return %c : tensor<1024x1024xf32>
}
