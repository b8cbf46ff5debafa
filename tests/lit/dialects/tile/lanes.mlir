// Products whose threads multiply alone, read and printed again, in both forms.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// CHECK:      tile.kernel @gemm on @gpu (%a: memref<32x64xf32>, %b: memref<32x128xf32>) -> (%c: memref<64x128xf32>) {
// CHECK:          tile.copy threads 16 vector 4 %a to %as
// CHECK-NEXT:     tile.copy padded threads 32 vector 1 %b to %bs
// CHECK:            tile.mma threads 16, 8 vectors 4, 2 turned %af, %bf into %sum
// CHECK:            tile.mma threads 16, 8 turned %af, %bf into %sum
tile.kernel @gemm on @gpu (%a: memref<32x64xf32>, %b: memref<32x128xf32>) -> (%c: memref<64x128xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 4 {
    %as = tile.buffer shared : memref<32x64xf32>
    %bs = tile.buffer shared : memref<32x128xf32>
    %af = tile.buffer register : memref<4x64xf32>
    %bf = tile.buffer register : memref<4x128xf32>
    %sum = tile.buffer register : memref<64x128xf32>
    tile.fill %sum with 0.0
    tile.copy threads 16 vector 4 %a to %as
    tile.copy padded threads 32 %b to %bs
    tile.barrier
    tile.for %t = 0 to 8 {
      tile.copy %as[%t * 4 : 4] to %af
      tile.copy %bs[%t * 4 : 4] to %bf
      tile.mma threads 16, 8 vectors 4, 2 turned %af, %bf into %sum
      tile.mma threads 16, 8 turned %af, %bf into %sum
    }
    tile.copy %sum to %c
  }
}
