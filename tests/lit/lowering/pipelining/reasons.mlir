// Notes say why buffers are not pipelined; copies that can't be asynchronous stay synchronous.
// RUN: ndp-opt %s -p detect-pipelines | filecheck %s --check-prefix WHY

// WHY:      %narrow = tile.buffer shared {tile.why = "its rows let a thread copy 2 bytes at once, but asynchronous copies need 4, 8 or 16"} : memref<16x33xf16>
// WHY-NEXT: %after = tile.buffer shared {tile.why = "it is read outside of the loop that fills it"} : memref<16x64xf16>
// WHY-NEXT: %part = tile.buffer shared {tile.why = "an iteration fills only a part of it"} : memref<64x64xf16>
// WHY-NEXT: %late = tile.buffer shared {tile.why = "the copy to it is not asynchronous"} : memref<16x64xf16>
// WHY-NEXT: %rounded = tile.buffer register {tile.why = "the copy to it converts the element type"} : memref<16x64xf32>
// WHY-NEXT: %same = tile.buffer register {tile.why = "the source of its copy is written in the same loop"} : memref<16x64xf16>
// WHY-NEXT: %two = tile.buffer shared {tile.why = "its loop fills another buffer with a different number of stages"} : memref<16x64xf16>
// WHY-NEXT: %three = tile.buffer shared {tile.why = "its loop fills another buffer with a different number of stages"} : memref<16x64xf16>
// WHY-NEXT: %inner = tile.buffer shared {tile.why = "the loop that fills it contains loops that wait for copies"} : memref<16x64xf16>
// WHY-NEXT: %good = tile.buffer shared stages 2 : memref<16x64xf16>
// WHY-NEXT: %once = tile.buffer shared {tile.why = "the waits of its loop count only the groups of pipelined copies"} : memref<16x64xf16>
// WHY:      tile.copy %odd[%k * 16 : 16] to %narrow
// WHY:      tile.copy async %x[%k * 16 : 16] to %good
// WHY-NEXT: tile.copy %x[%k * 16 : 16] to %once
tile.kernel @why on @gpu (%x: memref<64x64xf16>, %odd: memref<64x33xf16>, %w: memref<64x64xf32>) -> (%y: memref<64x64xf32>, %z: memref<64x64xf16>) {
  tile.blocks %i = 0 to 1 warps 4, 1 {
    %narrow = tile.buffer shared stages 2 : memref<16x33xf16>
    %after = tile.buffer shared stages 2 : memref<16x64xf16>
    %part = tile.buffer shared stages 2 : memref<64x64xf16>
    %late = tile.buffer shared stages 2 : memref<16x64xf16>
    %rounded = tile.buffer register stages 2 : memref<16x64xf32>
    %same = tile.buffer register stages 2 : memref<16x64xf16>
    %two = tile.buffer shared stages 2 : memref<16x64xf16>
    %three = tile.buffer shared stages 3 : memref<16x64xf16>
    %inner = tile.buffer shared stages 2 : memref<16x64xf16>
    %good = tile.buffer shared stages 2 : memref<16x64xf16>
    %once = tile.buffer shared : memref<16x64xf16>
    %r = tile.buffer register : memref<16x64xf16>
    %n = tile.buffer register : memref<16x33xf16>
    tile.for %k = 0 to 4 {
      tile.copy async %odd[%k * 16 : 16] to %narrow
      tile.copy async %x[%k * 16 : 16] to %after
      tile.copy async %x[%k * 16 : 16] to %part[%k * 16 : 16]
      tile.commit
      tile.wait 0
      tile.barrier
      tile.copy %narrow to %n
      tile.copy %part[%k * 16 : 16] to %r
      tile.copy %after to %rounded
      tile.copy %rounded to %y[%k * 16 : 16]
      tile.copy %part[%k * 16 : 16] to %same
      tile.copy %same to %r
      tile.barrier
    }
    tile.copy %after to %r
    tile.for %k = 0 to 4 {
      tile.copy async %x[%k * 16 : 16] to %two
      tile.copy async %x[%k * 16 : 16] to %three
      tile.commit
      tile.wait 0
      tile.barrier
      tile.copy %two to %r
      tile.copy %three to %r
      tile.barrier
    }
    tile.for %k = 0 to 4 {
      tile.copy async %x[%k * 16 : 16] to %inner
      tile.for %l = 0 to 2 {
        tile.commit
        tile.wait 0
        tile.barrier
        tile.copy %inner to %r
        tile.barrier
      }
    }
    tile.copy %x[0 : 16] to %late
    tile.for %k = 0 to 4 {
      tile.copy async %x[%k * 16 : 16] to %good
      tile.copy async %x[%k * 16 : 16] to %once
      tile.commit
      tile.wait 0
      tile.barrier
      tile.copy %good to %r
      tile.copy %once to %r
      tile.copy %r to %z[%k * 16 : 16]
      tile.barrier
    }
    tile.copy %late to %r
  }
}
