// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// Commands that write, compute on and read rows; the printer leaves out what equals the default.
//      CHECK: pim.kernel @lanes on @pim (%x: memref<3x2x16xf32>, %w: memref<1x3x2x2x4xf32> at row 0) -> (%y: memref<3x2x16xf32>, %z: memref<16xf32>) {
// CHECK-NEXT:   pim.for %r = 0 to 3 {
// CHECK-NEXT:     pim.act all row %r
// CHECK-NEXT:     pim.for %b = 0 to 2 {
// CHECK-NEXT:       pim.write bank %b columns 2 to 6 from %x[%r, %b]
// CHECK-NEXT:     }
// CHECK-NEXT:     pim.write group 0 columns %r to %r + 4 from %x[%r, 0 to 2, 0 to 16]
// CHECK-NEXT:     pim.add all columns 2 to 4 and 0
// CHECK-NEXT:     pim.sub bank 1 columns 2 to 4 and 0 into %r * 2
// CHECK-NEXT:     pim.mul group 0 columns %r to %r + 1 and -%r + 4 {test.note = "kept"}
// CHECK-NEXT:     pim.relu all columns 4 to 6 into 2
// CHECK-NEXT:     pim.relu all columns 4 to 6
// CHECK-NEXT:     pim.for %b = 0 to 2 {
// CHECK-NEXT:       pim.read bank %b columns 2 to 6 to %y[%r, %b]
// CHECK-NEXT:     }
// CHECK-NEXT:     pim.pre all
// CHECK-NEXT:   }
// CHECK-NEXT:   pim.act bank 0 row 7
// CHECK-NEXT:   pim.write bank 0 columns 0 to 4 from %x[0, 0] {test.note}
// CHECK-NEXT:   pim.read bank 0 columns 0 to 4 to %z {test.note}
// CHECK-NEXT: }
pim.kernel @lanes on @pim (%x: memref<3x2x16xf32>, %w: memref<1x3x2x2x4xf32> at row 0) -> (%y: memref<3x2x16xf32>, %z: memref<16xf32>) {
  pim.for %r = 0 to 3 {
    pim.act all row %r
    pim.for %b = 0 to 2 {
      pim.write bank %b columns 2 to 6 from %x[%r, %b]
    }
    pim.write group 0 columns %r to 4 + %r from %x[%r, 0 to 2, 0 to 16]
    pim.add all columns 2 to 4 and 0 into 2
    pim.sub bank 1 columns 2 to 4 and 0 into 2 * %r
    pim.mul group 0 columns %r to %r + 1 and 4 - %r {test.note = "kept"}
    pim.relu all columns 4 to 6 into 2
    pim.relu all columns 4 to 6 into 4
    pim.for %b = 0 to 2 {
      pim.read bank %b columns 2 to 6 to %y[%r, %b]
    }
    pim.pre all
  }
  pim.act bank 0 row 7
  pim.write bank 0 columns 0 to 4 from %x[0, 0] {test.note}
  pim.read bank 0 columns 0 to 4 to %z {test.note}
}
