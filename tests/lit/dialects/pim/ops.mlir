// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// A kernel for channel 0 only, with all forms of its commands.
//      CHECK: pim.kernel @one on @pim (%x: memref<2x8xf32>, %w: memref<1x3x2x2x4xf32> at row 0, %v: memref<1x1x2x2x4xf32> at row 3) -> (%y: memref<4x2xf32>, %z: memref<2xf32>) attributes {test.note = 1 : i64} {
// CHECK-NEXT:   pim.load %x[0]
// CHECK-NEXT:   pim.load %x[1, 0 to 8] at 2
// CHECK-NEXT:   pim.for %r = 0 to 3 {
// CHECK-NEXT:     pim.act all row %r
// CHECK-NEXT:     pim.for %b = 0 to 2 {
// CHECK-NEXT:       pim.mac bank %b columns 0 to 2
// CHECK-NEXT:     }
// CHECK-NEXT:     pim.mac all columns 0 to 2 buffer 2 into 1
// CHECK-NEXT:     pim.drain all to %y[%r]
// CHECK-NEXT:     pim.drain all from 1 add to %z
// CHECK-NEXT:     pim.pre all
// CHECK-NEXT:   }
// CHECK-NEXT:   pim.for %r = 0 to 1 {
// CHECK-NEXT:     pim.act group %r row -%r + 3
// CHECK-NEXT:     pim.mac group 0 columns %r * 2 to %r * 2 + 2 buffer %r
// CHECK-NEXT:     pim.drain bank 0 to %y[3, 0 to 1]
// CHECK-NEXT:     pim.drain bank 1 to %y[3, 1 to 2]
// CHECK-NEXT:     pim.pre group %r
// CHECK-NEXT:   }
// CHECK-NEXT: }
pim.kernel @one on @pim (%x: memref<2x8xf32>, %w: memref<1x3x2x2x4xf32> at row 0, %v: memref<1x1x2x2x4xf32> at row 3) -> (%y: memref<4x2xf32>, %z: memref<2xf32>) attributes {test.note = 1} {
  pim.load %x[0] at 0
  pim.load %x[1, 0 to 8] at 2
  pim.for %r = 0 to 3 {
    pim.act all row %r
    pim.for %b = 0 to 2 {
      pim.mac bank %b columns 0 to 2
    }
    pim.mac all columns 0 to 2 buffer 2 into 1
    pim.drain all to %y[%r]
    pim.drain all from 1 add to %z
    pim.pre all
  }
  pim.for %r = 0 to 1 {
    pim.act group %r row 3 - %r
    pim.mac group 0 columns 2 * %r to 2 + %r * 2 buffer %r
    pim.drain bank 0 to %y[3, 0 to 1]
    pim.drain bank 1 to %y[3, 1 to 2]
    pim.pre group %r
  }
}

// Channels that run the same commands share a region; separate regions may reuse names.
//      CHECK: pim.kernel @many on @pim (%x: memref<6x4xf32>, %w: memref<6x1x2x1x4xf32> at row 0) -> (%y: memref<6x2xf32>) {
// CHECK-NEXT:   pim.channels %g = 0 to 2, %c = 0 to 2 as %g * 3 + %c {
// CHECK-NEXT:     pim.load %x[%g * 3 + %c]
//      CHECK:     pim.drain all to %y[%g * 3 + %c]
//      CHECK:   pim.channels %c = 2 to 3 {
//      CHECK:   pim.channels %g = 1 to 2 as %g * 3 + 2 {
pim.kernel @many on @pim (%x: memref<6x4xf32>, %w: memref<6x1x2x1x4xf32> at row 0) -> (%y: memref<6x2xf32>) {
  pim.channels %g = 0 to 2, %c = 0 to 2 as %c + 3 * %g {
    pim.load %x[%g * 3 + %c]
    pim.act all row 0
    pim.mac all columns 0 to 1
    pim.drain all to %y[%g * 3 + %c]
  }
  pim.channels %c = 2 to 3 {
    pim.load %x[%c]
    pim.act all row 0
    pim.mac all columns 0 to 1
    pim.drain all to %y[%c]
  }
  pim.channels %g = 1 to 2 as %g * 3 + 2 {
    pim.load %x[5]
    pim.act all row 0
    pim.mac all columns 0 to 1
    pim.drain all to %y[5]
  }
}

//      CHECK: func.func @main
// CHECK-NEXT:   %{{.*}}, %{{.*}} = pim.launch @one (%x, %w, %v) {test.note = "kept"} : (tensor<2x8xf32>, tensor<1x3x2x2x4xf32>, tensor<1x1x2x2x4xf32>) -> (tensor<4x2xf32>, tensor<2xf32>)
// CHECK-NEXT:   %{{.*}} = pim.launch @many (%a, %b) : (tensor<6x4xf32>, tensor<6x1x2x1x4xf32>) -> tensor<6x2xf32>
func.func @main(%x: tensor<2x8xf32>, %w: tensor<1x3x2x2x4xf32>, %v: tensor<1x1x2x2x4xf32>, %a: tensor<6x4xf32>, %b: tensor<6x1x2x1x4xf32>) -> tensor<6x2xf32> {
  %y, %z = pim.launch @one (%x, %w, %v) {test.note = "kept"} : (tensor<2x8xf32>, tensor<1x3x2x2x4xf32>, tensor<1x1x2x2x4xf32>) -> (tensor<4x2xf32>, tensor<2xf32>)
  %m = pim.launch @many (%a, %b) : (tensor<6x4xf32>, tensor<6x1x2x1x4xf32>) -> tensor<6x2xf32>
  func.return %m : tensor<6x2xf32>
}
