// Two levels of pipelines: tiles in shared memory, and fragments of them in registers.
// RUN: ndp-opt %s -p detect-pipelines,coalesce-nests,enlarge-buffers | filecheck %s --check-prefix ENLARGE
// RUN: ndp-opt %s -p detect-pipelines,coalesce-nests,enlarge-buffers,shift-copies | filecheck %s --check-prefix SHIFT
// RUN: ndp-opt %s -p detect-pipelines,coalesce-nests,enlarge-buffers,shift-copies,wrap-indices | filecheck %s --check-prefix WRAP
// RUN: ndp-opt %s -p detect-pipelines,coalesce-nests,enlarge-buffers,shift-copies,wrap-indices,copy-first-stages | filecheck %s --check-prefix FIRST
// RUN: ndp-opt %s -p detect-pipelines,coalesce-nests,enlarge-buffers,shift-copies,wrap-indices,copy-first-stages,wait-for-stages | filecheck %s --check-prefix WAIT

// Buffers of both levels get slots.
// ENLARGE:      %as = tile.buffer shared stages 3 rotating : memref<3x32x32xf16>
// ENLARGE-NEXT: %bs = tile.buffer shared stages 3 rotating : memref<3x32x32xf16>
// ENLARGE-NEXT: %af = tile.buffer register stages 2 rotating : memref<2x32x16xf16>
// ENLARGE-NEXT: %bf = tile.buffer register stages 2 rotating : memref<2x16x32xf16>

// Copies of each level run ahead by the number of its stages.
// SHIFT:      tile.copy async %a[0 : 32, %k * 32 + 64 : 32] to %as[%k + 2] {unwrapped}
// SHIFT:      tile.for %t = 0 to 2 {
// SHIFT-NEXT:   tile.copy %as[%k, 0 : 32, %t * 16 + 16 : 16] to %af[%t + 1] {unwrapped}
// SHIFT-NEXT:   tile.copy %bs[%k, %t * 16 + 16 : 16] to %bf[%t + 1] {unwrapped}
// SHIFT-NEXT:   tile.mma %af[%t], %bf[%t] into %sum {unwrapped}

// The last iterations of the inner loop copy fragments of the tile that the next iteration of the outer loop uses.
// WRAP:      tile.for %t = 0 to 2 {
// WRAP-NEXT:   tile.copy %as[(%k + (%t + 1) floordiv 2) mod 3, 0 : 32, ((%t + 1) mod 2) * 16 : 16] to %af[(%t + 1) mod 2]
// WRAP-NEXT:   tile.copy %bs[(%k + (%t + 1) floordiv 2) mod 3, ((%t + 1) mod 2) * 16 : 16] to %bf[(%t + 1) mod 2]
// WRAP-NEXT:   tile.mma %af[%t mod 2], %bf[%t mod 2] into %sum

// The first fragments are copied once, before the outer loop, after one wait for the first tile.
// FIRST:      tile.for %p = 0 to 2 {
// FIRST-NEXT:   tile.copy async %a[0 : 32, %p * 32 : 32] to %as[%p]
// FIRST-NEXT:   tile.copy async %b[%p * 32 : 32] to %bs[%p]
// FIRST-NEXT:   tile.commit
// FIRST-NEXT: }
// FIRST:      tile.wait 1
// FIRST-NEXT: tile.barrier
// FIRST-NEXT: tile.for %p = 0 to 1 {
// FIRST-NEXT:   tile.copy %as[0, 0 : 32, %p * 16 : 16] to %af[%p]
// FIRST-NEXT:   tile.copy %bs[0, %p * 16 : 16] to %bf[%p]
// FIRST-NEXT: }
// FIRST:      tile.for %k = 0 to 4 {

// The wait for the next tile is in the iteration that first reads it; the wait for the current tile is removed, and
// so is the barrier after the inner loop, since no iteration reads the current slot later.
// WAIT:      %af = tile.buffer register rotating : memref<2x32x16xf16>
// WAIT-NEXT: %bf = tile.buffer register rotating : memref<2x16x32xf16>
// WAIT:      tile.for %k = 0 to 4 {
// WAIT-NEXT:   tile.copy async %a[0 : 32, ((%k + 2) mod 4) * 32 : 32] to %as[(%k + 2) mod 3]
// WAIT-NEXT:   tile.copy async %b[((%k + 2) mod 4) * 32 : 32] to %bs[(%k + 2) mod 3]
// WAIT-NEXT:   tile.commit
// WAIT-NEXT:   tile.for %t = 0 to 2 {
// WAIT-NEXT:     tile.when (%t + 1) mod 2 {
// WAIT-NEXT:       tile.wait 1
// WAIT-NEXT:       tile.barrier
// WAIT-NEXT:     }
// WAIT-NEXT:     tile.copy %as[(%k + (%t + 1) floordiv 2) mod 3, 0 : 32, ((%t + 1) mod 2) * 16 : 16] to %af[(%t + 1) mod 2]
// WAIT-NEXT:     tile.copy %bs[(%k + (%t + 1) floordiv 2) mod 3, ((%t + 1) mod 2) * 16 : 16] to %bf[(%t + 1) mod 2]
// WAIT-NEXT:     tile.mma %af[%t mod 2], %bf[%t mod 2] into %sum
// WAIT-NEXT:   }
// WAIT-NEXT: }
// WAIT-NEXT: tile.wait 0
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
