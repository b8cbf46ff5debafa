// The text of kernels of thread blocks, read and printed again, in both forms.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// An unpipelined product fits a screen.
// CHECK:      tile.kernel @gemm on @gpu (%a: memref<256x128xf16>, %b: memref<128x256xf16>) -> (%c: memref<256x256xf16>) {
// CHECK-NEXT:   tile.blocks %i = 0 to 2, %j = 0 to 2 warps 4, 2 order 2 {
// CHECK-NEXT:     %as = tile.buffer shared pad 8 stages 3 : memref<128x32xf16>
// CHECK-NEXT:     %bs = tile.buffer shared swizzled : memref<32x128xf16>
// CHECK-NEXT:     %af = tile.buffer register : memref<128x16xf16>
// CHECK-NEXT:     %bf = tile.buffer register : memref<16x128xf16>
// CHECK-NEXT:     %sum = tile.buffer register : memref<128x128xf32>
// CHECK-NEXT:     tile.fill %sum with 0.0
// CHECK-NEXT:     tile.for %k = 0 to 4 {
// CHECK-NEXT:       tile.copy async %a[%i * 128 : 128, %k * 32 : 32] to %as
// CHECK-NEXT:       tile.copy async padded %b[%k * 32 : 32, %j * 128 : 128] to %bs
// CHECK-NEXT:       tile.commit
// CHECK-NEXT:       tile.wait 0
// CHECK-NEXT:       tile.barrier
// CHECK-NEXT:       tile.for %t = 0 to 2 {
// CHECK-NEXT:         tile.copy %as[0 : 128, %t * 16 : 16] to %af
// CHECK-NEXT:         tile.copy %bs[%t * 16 : 16] to %bf
// CHECK-NEXT:         tile.mma %af, %bf into %sum
// CHECK-NEXT:       }
// CHECK-NEXT:       tile.when (%k + 3) mod 4 {
// CHECK-NEXT:         tile.barrier
// CHECK-NEXT:       }
// CHECK-NEXT:       tile.barrier
// CHECK-NEXT:     }
// CHECK-NEXT:     %v = tile.read %sum
// CHECK-NEXT:     %r = graph.relu %v : tensor<128x128xf32>
// CHECK-NEXT:     tile.write %r to %sum
// CHECK-NEXT:     tile.copy %sum to %c[%i * 128 : 128, %j * 128 : 128]
// CHECK-NEXT:   }
// CHECK-NEXT: }
tile.kernel @gemm on @gpu (%a: memref<256x128xf16>, %b: memref<128x256xf16>) -> (%c: memref<256x256xf16>) {
  tile.blocks %i = 0 to 2, %j = 0 to 2 warps 4, 2 order 2 {
    %as = tile.buffer shared pad 8 stages 3 : memref<128x32xf16>
    %bs = tile.buffer shared swizzled : memref<32x128xf16>
    %af = tile.buffer register : memref<128x16xf16>
    %bf = tile.buffer register : memref<16x128xf16>
    %sum = tile.buffer register : memref<128x128xf32>
    tile.fill %sum with 0.0
    tile.for %k = 0 to 4 {
      tile.copy async %a[%i * 128 : 128, %k * 32 : 32] to %as
      tile.copy async padded %b[%k * 32 : 32, %j * 128 : 128] to %bs
      tile.commit
      tile.wait 0
      tile.barrier
      tile.for %t = 0 to 2 {
        tile.copy %as[0 : 128, %t * 16 : 16] to %af
        tile.copy %bs[%t * 16 : 16] to %bf
        tile.mma %af, %bf into %sum
      }
      tile.when (%k + 3) mod 4 {
        tile.barrier
      }
      tile.barrier
    }
    %v = tile.read %sum
    %r = graph.relu %v : tensor<128x128xf32>
    tile.write %r to %sum
    tile.copy %sum to %c[%i * 128 : 128, %j * 128 : 128]
  }
}

// Slots of a pipelined buffer, a factor that is read across, and indices of all kinds.
// CHECK:      tile.kernel @kinds on @gpu (%a: memref<4x16x16xf16>) -> (%c: memref<16x16xf32>) attributes {mine.note = "kept"} {
// CHECK-NEXT:   tile.blocks %i = 0 to 1 warps 1, 1 {
// CHECK:          tile.copy %a[(%k * 2 + 1) mod 4] to %x[%k floordiv 2]
// CHECK:          tile.copy %a[3 - %k] to %y
// CHECK:          tile.mma %x[%k floordiv 2], across %y into %sum
tile.kernel @kinds on @gpu (%a: memref<4x16x16xf16>) -> (%c: memref<16x16xf32>) attributes {mine.note = "kept"} {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %x = tile.buffer register : memref<2x16x16xf16>
    %y = tile.buffer register : memref<16x16xf16>
    %sum = tile.buffer register : memref<16x16xf32>
    tile.fill %sum with 0.0
    tile.for %k = 0 to 4 {
      tile.copy %a[(2 * %k + 1) mod 4] to %x[%k floordiv 2]
      tile.copy %a[3 - %k] to %y
      tile.mma %x[%k floordiv 2], across %y into %sum
    }
    tile.copy %sum to %c
  }
}

// A kernel has views of its memories, and memory of its own between grids; a mask depends on where elements stand.
// CHECK:      tile.kernel @windows on @gpu (%x: memref<2x8x8x16xf16>, %w: memref<16x32xf16>) -> (%y: memref<128x32xf32>) {
// CHECK-NEXT:   %v = tile.view %x (d0, d1, d2, d3) -> (d0 floordiv 64, (d0 floordiv 8) mod 8 + d1 - 1, d0 mod 8 + d2 * 2 - 1, d3) : memref<2x8x8x16xf16> to memref<128x3x3x16xf16>
// CHECK-NEXT:   %sums = tile.buffer global : memref<128x32xf32>
// CHECK-NEXT:   tile.blocks %i = 0 to 8 warps 1, 1 {
// CHECK-NEXT:     %a = tile.buffer register : memref<16x16xf16>
// CHECK-NEXT:     %b = tile.buffer register : memref<16x32xf16>
// CHECK-NEXT:     %s = tile.buffer register : memref<16x32xf32>
// CHECK-NEXT:     tile.copy padded %v[%i * 16 : 16, 1, 1] to %a
// CHECK-NEXT:     tile.copy %w to %b
// CHECK-NEXT:     tile.fill %s with 0.0
// CHECK-NEXT:     tile.mma turned %a, %b into %s
// CHECK-NEXT:     %r = tile.read %s
// CHECK-NEXT:     %rows = tile.iota %i * 16 - 3 : tensor<16x1xi32>
// CHECK-NEXT:     %columns = tile.iota 0 : tensor<1x32xi32>
tile.kernel @windows on @gpu (%x: memref<2x8x8x16xf16>, %w: memref<16x32xf16>) -> (%y: memref<128x32xf32>) {
  %v = tile.view %x (n, p, q, c) -> (n floordiv 64, n floordiv 8 mod 8 + p - 1, n mod 8 + 2 * q - 1, c)
    : memref<2x8x8x16xf16> to memref<128x3x3x16xf16>
  %sums = tile.buffer global : memref<128x32xf32>
  tile.blocks %i = 0 to 8 warps 1, 1 {
    %a = tile.buffer register : memref<16x16xf16>
    %b = tile.buffer register : memref<16x32xf16>
    %s = tile.buffer register : memref<16x32xf32>
    tile.copy padded %v[%i * 16 : 16, 1, 1] to %a
    tile.copy %w to %b
    tile.fill %s with 0.0
    tile.mma turned %a, %b into %s
    %r = tile.read %s
    %rows = tile.iota %i * 16 - 3 : tensor<16x1xi32>
    %columns = tile.iota 0 : tensor<1x32xi32>
    %seen = graph.compare le %columns, %rows : tensor<1x32xi32>, tensor<16x1xi32>
    %zero = graph.constant 0 : tensor<f32>
    %t = graph.select %seen, %r, %zero : tensor<16x32xi1>, tensor<16x32xf32>, tensor<f32>
    tile.write %t to %s
    tile.copy %s to %sums[%i * 16 : 16]
  }
  tile.blocks %i = 0 to 4 warps 1, 1 {
    tile.copy %sums[%i * 32 : 32] to %y[%i * 32 : 32]
  }
}
