// More reasons why buffers are not pipelined.
// RUN: ndp-opt %s -p detect-pipelines | filecheck %s --check-prefix WHY

// WHY:      %twice = tile.buffer shared {tile.why = "more or less than one copy fills it"} : memref<16x64xf16>
// WHY-NEXT: %before = tile.buffer shared {tile.why = "the copy to it is not in a loop"} : memref<16x64xf16>
// WHY-NEXT: %early = tile.buffer shared {tile.why = "an iteration reads it before it fills it"} : memref<16x64xf16>
// WHY-NEXT: %single = tile.buffer shared {tile.why = "the loop that fills it has only one iteration"} : memref<16x64xf16>
// WHY-NEXT: %tile = tile.buffer shared stages 2 : memref<16x64xf16>
// WHY-NEXT: %both = tile.buffer register {tile.why = "the loop that fills it contains waits or barriers"} : memref<16x64xf16>
// WHY-NEXT: %meets = tile.buffer register {tile.why = "the loop that fills it contains waits or barriers"} : memref<16x64xf16>
// WHY-NEXT: %turns = tile.buffer shared rotating {tile.why = "it is already a rotating buffer"} : memref<2x16x64xf16>
// WHY-NEXT: %made = tile.buffer shared {tile.why = "the source of its copy is written in the same loop"} : memref<16x64xf16>
tile.kernel @more on @gpu (%x: memref<64x64xf16>, %y: memref<64x64xf16>) -> (%z: memref<64x64xf16>, %o: memref<64x64xf16>) {
  tile.blocks %i = 0 to 1 warps 4, 1 {
    %twice = tile.buffer shared stages 2 : memref<16x64xf16>
    %before = tile.buffer shared stages 2 : memref<16x64xf16>
    %early = tile.buffer shared stages 2 : memref<16x64xf16>
    %single = tile.buffer shared stages 2 : memref<16x64xf16>
    %tile = tile.buffer shared stages 2 : memref<16x64xf16>
    %both = tile.buffer register stages 2 : memref<16x64xf16>
    %meets = tile.buffer register stages 2 : memref<16x64xf16>
    %turns = tile.buffer shared stages 2 rotating : memref<2x16x64xf16>
    %made = tile.buffer shared stages 2 : memref<16x64xf16>
    %r = tile.buffer register : memref<16x64xf16>
    tile.fill %r with 0.0
    tile.copy %r to %twice
    tile.copy async %x[0 : 16] to %before
    tile.commit
    tile.wait 0
    tile.barrier
    tile.for %k = 0 to 4 {
      tile.copy %before to %r
      tile.copy %early to %r
      tile.copy async %x[%k * 16 : 16] to %early
      tile.copy async %x[%k * 16 : 16] to %twice
      tile.copy async %x[%k * 16 : 16] to %turns[%k mod 2]
      tile.copy async %z[%k * 16 : 16] to %made
      tile.copy %r to %z[%k * 16 : 16]
      tile.commit
      tile.wait 0
      tile.barrier
      tile.copy %twice to %r
      tile.copy %turns[%k mod 2] to %r
      tile.copy %made to %r
      tile.barrier
      tile.copy %y[%k * 16 : 16] to %meets
      tile.copy %meets to %r
    }
    tile.for %k = 0 to 1 {
      tile.copy async %x[%k * 16 : 16] to %single
      tile.commit
      tile.wait 0
      tile.barrier
      tile.copy %single to %r
    }
    tile.for %k = 0 to 4 {
      tile.copy async %x[%k * 16 : 16] to %tile
      tile.commit
      tile.wait 0
      tile.barrier
      tile.copy %y[%k * 16 : 16] to %both
      tile.copy %tile to %r
      tile.copy %both to %o[%k * 16 : 16]
      tile.barrier
    }
  }
}
