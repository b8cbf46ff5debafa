// RUN: ndp-opt %s -t timeline | filecheck %s

// toy_managed: the controller opens and closes rows. load, bias and drain need the mode `register`, mac the normal mode; a mode change
// is a command and takes 100 cycles. act -> mac 10, mac -> drain 10, mac -> pre 10, act -> pre 100, pre -> act 10; 100 ns of launch.

hw.device @pim = "toy_managed"

// MODE 1; load 101, 102; bias 103. The multiply needs a row, which needs the normal mode: MODE 104; ACT 204; mac
// 214, 215. drain could issue in 225: MODE 225; drain 325, complete in 326.
// CHECK:      0 ns  426 ns  426 ns  pim  @one_row
pim.kernel @one_row on @pim (%x: memref<8xf32>, %b: memref<2xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.bias all from %b
  pim.act all row 0
  pim.mac all columns 0 to 2
  pim.drain all to %y
}

// The program names rows ahead; the first command that needs a row opens it, after the other row is closed. MODE 1; load 101, 102; bias
// 103; MODE 104; ACT 204; mac 214; PRE 304 (100 after ACT); ACT 314; mac 324; the row stays open: mac 325; MODE 335; drain 435: 436.
// CHECK-NEXT: 426 ns  962 ns  536 ns  pim  @two_rows
pim.kernel @two_rows on @pim (%x: memref<8xf32>, %b: memref<2xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.bias all from %b
  pim.for %r = 0 to 2 {
    pim.act all row %r
    pim.mac all columns 0 to 1
  }
  pim.act all row 1
  pim.mac all columns 1 to 2
  pim.drain all to %y
}

// Half a million multiplies from cycle 214 on, with refreshes in between, due every 100000 cycles: the last multiply before the first
// one is in 99999, PRE 100009, REF 100019, ACT 101019, and multiplies continue in 101029 instead of 100000. With five refreshes, the
// last multiply is in 214 + 499999 + 5 * 1029 = 505358, MODE 505368, drain 505468, complete in 505469; 100 ns of launch.
// CHECK-NEXT: 962 ns  506.53 us  505.57 us  pim  @long
pim.kernel @long on @pim (%x: memref<8xf32>, %b: memref<2xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.bias all from %b
  pim.act all row 0
  pim.for %i = 0 to 250000 {
    pim.mac all columns 0 to 2
  }
  pim.drain all to %y
}
