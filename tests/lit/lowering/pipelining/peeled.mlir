// Peeled last iterations: they copy nothing, and wait for fewer groups in each iteration, at last for none.
// RUN: ndp-opt %s -p pipeline-buffers,peel-last-turns | filecheck %s --check-prefix TURNS

// TURNS:      tile.for %k = 0 to 2 {
// TURNS-NEXT:   tile.copy async %a[0 : 32, %k * 32 + 64 : 32] to %as[(%k + 2) mod 3]
// TURNS-NEXT:   tile.copy async %b[%k * 32 + 64 : 32] to %bs[(%k + 2) mod 3]
// TURNS-NEXT:   tile.commit
// TURNS-NEXT:   tile.for %t = 0 to 2 {
// TURNS-NEXT:     tile.when (%t + 1) mod 2 {
// TURNS-NEXT:       tile.wait 1
// TURNS-NEXT:       tile.barrier
// TURNS-NEXT:     }
// TURNS-NEXT:     tile.copy %as[%k + (%t + 1) floordiv 2, 0 : 32, ((%t + 1) mod 2) * 16 : 16] to %af[(%t + 1) mod 2]
// TURNS-NEXT:     tile.copy %bs[%k + (%t + 1) floordiv 2, ((%t + 1) mod 2) * 16 : 16] to %bf[(%t + 1) mod 2]
// TURNS-NEXT:     tile.mma %af[%t], %bf[%t] into %sum
// TURNS-NEXT:   }
// TURNS-NEXT: }
// TURNS-NEXT: tile.for %t = 0 to 2 {
// TURNS-NEXT:   tile.when (%t + 1) mod 2 {
// TURNS-NEXT:     tile.wait 0
// TURNS-NEXT:     tile.barrier
// TURNS-NEXT:   }
// TURNS-NEXT:   tile.copy %as[((%t + 1) floordiv 2 + 2) mod 3, 0 : 32, ((%t + 1) mod 2) * 16 : 16] to %af[(%t + 1) mod 2]
// TURNS-NEXT:   tile.copy %bs[((%t + 1) floordiv 2 + 2) mod 3, ((%t + 1) mod 2) * 16 : 16] to %bf[(%t + 1) mod 2]
// TURNS-NEXT:   tile.mma %af[%t], %bf[%t] into %sum
// TURNS-NEXT: }
// TURNS-NEXT: tile.for %t = 0 to 1 {
// TURNS-NEXT:   tile.copy %as[0, 0 : 32, %t * 16 + 16 : 16] to %af[%t + 1]
// TURNS-NEXT:   tile.copy %bs[0, %t * 16 + 16 : 16] to %bf[%t + 1]
// TURNS-NEXT:   tile.mma %af[%t], %bf[%t] into %sum
// TURNS-NEXT: }
// TURNS-NEXT: tile.mma %af[1], %bf[1] into %sum
tile.kernel @gemm on @gpu (%a: memref<32x128xf16>, %b: memref<128x32xf16>) -> (%c: memref<32x32xf32>) {
  tile.blocks %i = 0 to 1 warps 2, 1 {
    %as = tile.buffer shared stages 3 : memref<32x32xf16>
    %bs = tile.buffer shared stages 3 : memref<32x32xf16>
    %af = tile.buffer register stages 2 : memref<32x16xf16>
    %bf = tile.buffer register stages 2 : memref<16x32xf16>
    %sum = tile.buffer register : memref<32x32xf32>
    tile.fill %sum with 0.0
    tile.for %k = 0 to 4 {
      tile.copy async %a[0 : 32, %k * 32 : 32] to %as
      tile.copy async %b[%k * 32 : 32] to %bs
      tile.commit
      tile.wait 0
      tile.barrier
      tile.for %t = 0 to 2 {
        tile.copy %as[0 : 32, %t * 16 : 16] to %af
        tile.copy %bs[%t * 16 : 16] to %bf
        tile.mma %af, %bf into %sum
      }
      tile.barrier
    }
    tile.copy %sum to %c
  }
}
