// Two chained products: keys and values are read by different ops, so each has its own commit, wait and barrier,
// and the first product does not wait for values.
// RUN: ndp-opt %s -p detect-pipelines | filecheck %s --check-prefix DETECT
// RUN: ndp-opt %s -p pipeline-buffers | filecheck %s --check-prefix WAIT

// DETECT:      %ks = tile.buffer shared stages 2 : memref<16x16xf16>
// DETECT-NEXT: %vs = tile.buffer shared stages 2 {tile.group = 1 : i64} : memref<16x16xf16>

// WAIT:      tile.for %p_1 = 0 to 1 {
// WAIT-NEXT:   tile.copy async %k[%p_1 * 16 : 16] to %ks[%p_1]
// WAIT-NEXT:   tile.commit
// WAIT-NEXT:   tile.copy async %v[%p_1 * 16 : 16] to %vs[%p_1]
// WAIT-NEXT:   tile.commit
// WAIT-NEXT: }
// WAIT:      tile.for %j = 0 to 4 {
// WAIT-NEXT:   tile.copy async %k[((%j + 1) mod 4) * 16 : 16] to %ks[(%j + 1) mod 2]
// WAIT-NEXT:   tile.commit
// WAIT-NEXT:   tile.copy async %v[((%j + 1) mod 4) * 16 : 16] to %vs[(%j + 1) mod 2]
// WAIT-NEXT:   tile.commit
// WAIT-NEXT:   tile.wait 3
// WAIT-NEXT:   tile.barrier
// WAIT-NEXT:   tile.fill %s with 0.0
// WAIT-NEXT:   tile.copy %ks[%j mod 2] to %kf
// WAIT-NEXT:   tile.mma %qf, across %kf into %s
// WAIT-NEXT:   tile.copy %s to %p
// WAIT-NEXT:   tile.wait 2
// WAIT-NEXT:   tile.barrier
// WAIT-NEXT:   tile.copy %vs[%j mod 2] to %vf
// WAIT-NEXT:   tile.mma %p, %vf into %o_1
// WAIT-NEXT:   tile.barrier
// WAIT-NEXT: }
// WAIT:      tile.wait 0
tile.kernel @chained on @gpu (%q: memref<16x16xf16>, %k: memref<64x16xf16>, %v: memref<64x16xf16>) -> (%o: memref<16x16xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %ks = tile.buffer shared stages 2 : memref<16x16xf16>
    %vs = tile.buffer shared stages 2 : memref<16x16xf16>
    %qf = tile.buffer register : memref<16x16xf16>
    %kf = tile.buffer register : memref<16x16xf16>
    %vf = tile.buffer register : memref<16x16xf16>
    %s = tile.buffer register : memref<16x16xf32>
    %p = tile.buffer register : memref<16x16xf16>
    %o_1 = tile.buffer register : memref<16x16xf32>
    tile.fill %o_1 with 0.0
    tile.copy %q to %qf
    tile.for %j = 0 to 4 {
      tile.copy async %k[%j * 16 : 16] to %ks
      tile.copy async %v[%j * 16 : 16] to %vs
      tile.commit
      tile.wait 0
      tile.barrier
      tile.fill %s with 0.0
      tile.copy %ks to %kf
      tile.mma %qf, across %kf into %s
      tile.copy %s to %p
      tile.copy %vs to %vf
      tile.mma %p, %vf into %o_1
      tile.barrier
    }
    tile.copy %o_1 to %o
  }
}
