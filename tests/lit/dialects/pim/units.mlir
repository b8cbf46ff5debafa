// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// Commands to arithmetic units, the global buffer and the softmax buffer.
//      CHECK: pim.kernel @units on @pim
// CHECK-NEXT:   pim.set 2 = 17
// CHECK-NEXT:   pim.step "W GPR \220\22"
// CHECK-NEXT:   pim.for %i = 0 to 2 {
// CHECK-NEXT:     pim.load same %i %x[%i]
// CHECK-NEXT:     pim.load %x[%i] at 2 {test.note = "kept"}
// CHECK-NEXT:     pim.bias all from %b into %i
// CHECK-NEXT:     pim.bias bank %i from %b[%i to %i + 1]
// CHECK-NEXT:     pim.act same %i row %i * 2 + 1
// CHECK-NEXT:     pim.mac same %i columns 0 to 2
// CHECK-NEXT:     pim.activate all "gelu"
// CHECK-NEXT:     pim.activate group 0 "leaky_relu" from %i
// CHECK-NEXT:     pim.activated all to %y[%i]
// CHECK-NEXT:     pim.ewmul all columns %i to %i + 2
// CHECK-NEXT:     pim.fetch bank %i columns 0 to 2
// CHECK-NEXT:     pim.fetch bank 1 columns 0 to 2 buffer 1
// CHECK-NEXT:     pim.store same 1 columns 0 to 2 buffer %i
// CHECK-NEXT:     pim.collect same %i
// CHECK-NEXT:     pim.collect all from 1 at %i * 2
// CHECK-NEXT:     pim.softmax
// CHECK-NEXT:     pim.softmax entries %i to %i + 2
// CHECK-NEXT:     pim.spread all entries 0 to 5
// CHECK-NEXT:     pim.spread group 0 entries %i to %i + 5 at 2
// CHECK-NEXT:     pim.write all columns 0 to 1 from %x {host}
// CHECK-NEXT:     pim.read bank 0 columns 0 to 1 to %z {host}
// CHECK-NEXT:     pim.barrier {test.note = 1 : i64}
// CHECK-NEXT:   }
// CHECK-NEXT: }
pim.kernel @units on @pim (%x: memref<2x4xf32>, %b: memref<2xf32>) -> (%y: memref<2x2xf32>, %z: memref<4xf32>) {
  pim.set 2 = 0x11
  pim.step "W GPR \"0\""
  pim.for %i = 0 to 2 {
    pim.load same %i %x[%i]
    pim.load all %x[%i] at 2 {test.note = "kept"}
    pim.bias all from %b into %i
    pim.bias bank %i from %b[%i to %i + 1] into 0
    pim.act same %i row 1 + 2 * %i
    pim.mac same %i columns 0 to 2
    pim.activate all "gelu"
    pim.activate group 0 "leaky_relu" from %i
    pim.activated all to %y[%i]
    pim.ewmul all columns %i to %i + 2
    pim.fetch bank %i columns 0 to 2 buffer 0
    pim.fetch bank 1 columns 0 to 2 buffer 1
    pim.store same 1 columns 0 to 2 buffer %i
    pim.collect same %i
    pim.collect all from 1 at %i * 2
    pim.softmax
    pim.softmax entries %i to %i + 2
    pim.spread all entries 0 to 5
    pim.spread group 0 entries %i to %i + 5 at 2
    pim.write all columns 0 to 1 from %x {host}
    pim.read bank 0 columns 0 to 1 to %z {host}
    pim.barrier {test.note = 1}
  }
}

// A channel may be in several regions, loops may contain regions, and barriers stand between them.
//      CHECK: pim.kernel @turns on @pim
// CHECK-NEXT:   pim.channels %c = 0 to 4 {
//      CHECK:   pim.barrier
// CHECK-NEXT:   pim.for %i = 0 to 3 {
// CHECK-NEXT:     pim.channels %c = 0 to 2 as %c * 2 {
// CHECK-NEXT:       pim.load %x[%i + %c] at %i
// CHECK-NEXT:     }
// CHECK-NEXT:     pim.step "EWADD 1 0 0"
// CHECK-NEXT:     pim.channels %c = 2 to 4 {
// CHECK-NEXT:       pim.load %x[%i + %c] at %i
//      CHECK:     }
//      CHECK:   }
pim.kernel @turns on @pim (%x: memref<8x4xf32>) -> (%y: memref<4x2xf32>) {
  pim.channels %c = 0 to 4 {
    pim.act all row 0
  }
  pim.barrier
  pim.for %i = 0 to 3 {
    pim.channels %c = 0 to 2 as %c * 2 {
      pim.load %x[%i + %c] at %i
    }
    pim.step "EWADD 1 0 0"
    pim.channels %c = 2 to 4 {
      pim.load %x[%i + %c] at %i
      pim.barrier
    }
  }
  pim.channels %c = 0 to 4 {
    pim.drain all to %y[%c]
  }
}
