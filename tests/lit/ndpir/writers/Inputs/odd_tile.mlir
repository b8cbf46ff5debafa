// A tile whose number of columns is no power of two.
tile.kernel @odd on @gpu (%x: memref<64x24xf16>) -> (%y: memref<64x24xf16>) {
  tile.blocks %i = 0 to 2 warps 4, 1 {
    %t = tile.buffer register : memref<32x24xf16>
    tile.copy %x[%i * 32 : 32] to %t
    tile.copy %t to %y[%i * 32 : 32]
  }
}
