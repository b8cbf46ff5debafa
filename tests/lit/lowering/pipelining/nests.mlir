// Loops of a perfect nest become one loop, through which the pipeline runs without draining; zero padding around an image stays.
// RUN: ndp-opt %s -p detect-pipelines,coalesce-nests | filecheck %s --check-prefix COALESCE
// RUN: ndp-opt %s -p pipeline-buffers | filecheck %s --check-prefix WAIT

// COALESCE:      tile.for %rs = 0 to 6 {
// COALESCE-NEXT:   tile.copy async padded %x[%rs floordiv 2 + (%rs mod 2) * 3 - 1] to %xs
// COALESCE-NEXT:   tile.copy async %w[%rs floordiv 2, %rs mod 2] to %ws
// COALESCE-NEXT:   tile.commit

// WAIT:      tile.for %p = 0 to 2 {
// WAIT-NEXT:   tile.copy async padded %x[%p * 3 - 1] to %xs[%p]
// WAIT-NEXT:   tile.copy async %w[0, %p] to %ws[%p]
// WAIT-NEXT:   tile.commit
// WAIT-NEXT: }
// WAIT:      tile.for %rs = 0 to 6 {
// WAIT-NEXT:   tile.copy async padded %x[((%rs + 2) mod 6) floordiv 2 + (((%rs + 2) mod 6) mod 2) * 3 - 1] to %xs[(%rs + 2) mod 3]
// WAIT-NEXT:   tile.copy async %w[((%rs + 2) mod 6) floordiv 2, ((%rs + 2) mod 6) mod 2] to %ws[(%rs + 2) mod 3]
// WAIT-NEXT:   tile.commit
// WAIT-NEXT:   tile.wait 2
// WAIT-NEXT:   tile.barrier
// WAIT-NEXT:   tile.copy %xs[%rs mod 3] to %xf
// WAIT-NEXT:   tile.copy %ws[%rs mod 3] to %wf
// WAIT-NEXT:   tile.mma %xf, %wf into %sum
// WAIT-NEXT:   tile.barrier
// WAIT-NEXT: }
tile.kernel @windows on @gpu (%x: memref<6x32x32xf16>, %w: memref<3x2x32x32xf16>) -> (%y: memref<32x32xf32>) {
  tile.blocks %i = 0 to 1 warps 2, 1 {
    %xs = tile.buffer shared stages 3 : memref<32x32xf16>
    %ws = tile.buffer shared stages 3 : memref<32x32xf16>
    %xf = tile.buffer register : memref<32x32xf16>
    %wf = tile.buffer register : memref<32x32xf16>
    %sum = tile.buffer register : memref<32x32xf32>
    tile.fill %sum with 0.0
    tile.for %r = 0 to 3 {
      tile.for %s = 0 to 2 {
        tile.copy async padded %x[%r + %s * 3 - 1] to %xs
        tile.copy async %w[%r, %s] to %ws
        tile.commit
        tile.wait 0
        tile.barrier
        tile.copy %xs to %xf
        tile.copy %ws to %wf
        tile.mma %xf, %wf into %sum
        tile.barrier
      }
    }
    tile.copy %sum to %y
  }
}
