// RUN: ndp-opt %s -t timing-variants | filecheck %s
// RUN: ndp-opt %s -t timing-variants --set pim.tRP=20 | filecheck %s --check-prefix=SET

// The mode changes for the load, which issues in 101, and back in 103, when a row could be opened; the row opens in 203, is multiplied in
// 213, and its sum could be read in 223, so it is read in 323, after another mode change. From drain to drain: 100 + 10 (close) + 10 (open)
// + 10 + 100, and 2 for the bias and the change: 232. So the third drain issues in 323 + 2 * 232 = 787, and its data arrives a cycle later.
// CHECK:      @rows on @pim
// CHECK-NEXT: cycles delta sheet lines source
// CHECK-NEXT: 788 toy_managed as the standard specifies
// CHECK-NEXT: +0 refresh none an example: refresh is left out
// CHECK-NEXT: -10 timing tRP 5 an example: rows close earlier than specified
// CHECK-NEXT: +4 decoder queue 4 waits drain an example: one instruction is decoded per cycle
// CHECK-NEXT: 782 -6 toy_simulated an example

// SET:      808 toy_managed
// SET-NEXT: +0 refresh none
// SET-NEXT: +4 decoder
// SET-NEXT: 812 +4 toy_simulated

hw.device @pim = "toy_managed"
pim.kernel @rows on @pim (%x: memref<4xf32>, %b: memref<2xf32>, %w: memref<1x3x2x1x4xf32> at row 0) -> (%y: memref<3x2xf32>) {
  pim.load %x
  pim.for %r = 0 to 3 {
    pim.bias all from %b
    pim.act all row %r
    pim.mac all columns 0 to 1
    pim.drain all to %y[%r]
  }
}
