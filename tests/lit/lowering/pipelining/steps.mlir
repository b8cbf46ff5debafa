// The steps of pipelining, one by one.
// RUN: ndp-opt %s -p detect-pipelines | filecheck %s --check-prefix DETECT
// RUN: ndp-opt %s -p detect-pipelines,enlarge-buffers | filecheck %s --check-prefix ENLARGE
// RUN: ndp-opt %s -p detect-pipelines,enlarge-buffers,shift-copies | filecheck %s --check-prefix SHIFT
// RUN: ndp-opt %s -p detect-pipelines,enlarge-buffers,shift-copies,wrap-indices | filecheck %s --check-prefix WRAP
// RUN: ndp-opt %s -p detect-pipelines,enlarge-buffers,shift-copies,wrap-indices,copy-first-stages | filecheck %s --check-prefix FIRST
// RUN: ndp-opt %s -p detect-pipelines,enlarge-buffers,shift-copies,wrap-indices,copy-first-stages,wait-for-stages | filecheck %s --check-prefix WAIT

// Notes say why buffers that are filled synchronously, or outside of a loop, are not pipelined; other buffers have
// at most as many stages as the loop has iterations.
// DETECT:      %t = tile.buffer shared stages 4 : memref<16x64xf16>
// DETECT-NEXT: %s = tile.buffer shared {tile.why = "the copy to it is not asynchronous"} : memref<64x64xf16>
// DETECT-NEXT: %o = tile.buffer shared {tile.why = "the copy to it is not in a loop"} : memref<64x64xf16>

// ENLARGE: %t = tile.buffer shared stages 4 rotating : memref<4x16x64xf16>
// ENLARGE: tile.copy async %x[%k * 16 : 16] to %t[0]
// ENLARGE: tile.copy %t[0] to %y[%k * 16 : 16]

// SHIFT: tile.copy async %x[%k * 16 + 48 : 16] to %t[%k + 3] {unwrapped}
// SHIFT: tile.copy %t[%k] to %y[%k * 16 : 16] {unwrapped}

// WRAP: tile.copy async %x[((%k + 3) mod 4) * 16 : 16] to %t[(%k + 3) mod 4]
// WRAP: tile.copy %t[%k mod 4] to %y[%k * 16 : 16]

// FIRST:      tile.for %p = 0 to 3 {
// FIRST-NEXT:   tile.copy async %x[%p * 16 : 16] to %t[%p]
// FIRST-NEXT:   tile.commit
// FIRST-NEXT: }
// FIRST-NEXT: tile.for %k = 0 to 4 {

// WAIT:      %t = tile.buffer shared rotating : memref<4x16x64xf16>
// WAIT:      tile.for %k = 0 to 4 {
// WAIT-NEXT:   tile.copy async %x[((%k + 3) mod 4) * 16 : 16] to %t[(%k + 3) mod 4]
// WAIT-NEXT:   tile.commit
// WAIT-NEXT:   tile.wait 3
// WAIT-NEXT:   tile.barrier
// WAIT-NEXT:   tile.copy %t[%k mod 4] to %y[%k * 16 : 16]
// WAIT-NEXT:   tile.barrier
// WAIT-NEXT: }
// WAIT-NEXT: tile.wait 0
tile.kernel @copy on @gpu (%x: memref<64x64xf16>) -> (%y: memref<64x64xf16>, %z: memref<64x64xf16>) {
  tile.blocks %i = 0 to 1 warps 4, 1 {
    %t = tile.buffer shared stages 8 : memref<16x64xf16>
    %s = tile.buffer shared stages 2 : memref<64x64xf16>
    %o = tile.buffer shared stages 2 : memref<64x64xf16>
    tile.copy async %x to %o
    tile.commit
    tile.for %k = 0 to 4 {
      tile.copy async %x[%k * 16 : 16] to %t
      tile.commit
      tile.wait 0
      tile.barrier
      tile.copy %t to %y[%k * 16 : 16]
      tile.barrier
    }
    tile.for %k = 0 to 1 {
      tile.copy %x to %s
      tile.barrier
      tile.copy %s to %z
    }
  }
}
