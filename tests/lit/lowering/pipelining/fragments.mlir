// Only fragments are pipelined: their pipeline starts again for each tile.
// RUN: ndp-opt %s -p pipeline-buffers | filecheck %s --check-prefix CHECK

// CHECK:      %as = tile.buffer shared : memref<32x32xf16>
// CHECK-NEXT: %bs = tile.buffer shared : memref<32x32xf16>
// CHECK-NEXT: %af = tile.buffer register rotating : memref<2x32x16xf16>
// CHECK-NEXT: %bf = tile.buffer register rotating : memref<2x16x32xf16>
// CHECK:      tile.for %k = 0 to 4 {
// CHECK-NEXT:   tile.copy async %a[0 : 32, %k * 32 : 32] to %as
// CHECK-NEXT:   tile.copy async %b[%k * 32 : 32] to %bs
// CHECK-NEXT:   tile.commit
// CHECK-NEXT:   tile.wait 0
// CHECK-NEXT:   tile.barrier
// CHECK-NEXT:   tile.for %p = 0 to 1 {
// CHECK-NEXT:     tile.copy %as[0 : 32, %p * 16 : 16] to %af[%p]
// CHECK-NEXT:     tile.copy %bs[%p * 16 : 16] to %bf[%p]
// CHECK-NEXT:   }
// CHECK-NEXT:   tile.for %t = 0 to 2 {
// CHECK-NEXT:     tile.copy %as[0 : 32, ((%t + 1) mod 2) * 16 : 16] to %af[(%t + 1) mod 2]
// CHECK-NEXT:     tile.copy %bs[((%t + 1) mod 2) * 16 : 16] to %bf[(%t + 1) mod 2]
// CHECK-NEXT:     tile.mma %af[%t mod 2], %bf[%t mod 2] into %sum
// CHECK-NEXT:   }
// CHECK-NEXT:   tile.barrier
tile.kernel @gemm on @gpu (%a: memref<32x128xf16>, %b: memref<128x32xf16>) -> (%c: memref<32x32xf32>) {
  tile.blocks %i = 0 to 1 warps 2, 1 {
    %as = tile.buffer shared : memref<32x32xf16>
    %bs = tile.buffer shared : memref<32x32xf16>
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
