// Bank programs that are certain to store to an entry of an output twice, or never, are refused before they are timed or run.
// RUN: ndp-opt %s -t timeline --split-input-file --verify-diagnostics | filecheck %s --allow-empty
// RUN: ndp-opt %s -t banks --split-input-file --verify-diagnostics | filecheck %s --allow-empty
// RUN: ndp-opt %s -t values --split-input-file --verify-diagnostics | filecheck %s --allow-empty
// CHECK-NOT: {{makespan|cycles|result}}

hw.device @pim = "toy_pim"
pim.kernel @one_row on @pim (%x: memref<4xf32>, %w: memref<1x3x2x1x4xf32> at row 0) -> (%y: memref<3x2xf32>) {
  pim.load %x
  pim.for %r = 0 to 3 {
    pim.act all row %r
    pim.mac all columns 0 to 1
    // expected-error @+1 {{pim.drain: an earlier command stored to %y[0, 0]; write `add to` to sum the two}}
    pim.drain all to %y[0]
    pim.pre all
  }
}

// -----

hw.device @pim = "toy_pim"
// expected-error @+1 {{pim.kernel @two_of_three: %y[2, 0] is never written; each entry of an output must be written (pim.drain, pim.read)}}
pim.kernel @two_of_three on @pim (%x: memref<4xf32>, %w: memref<1x3x2x1x4xf32> at row 0) -> (%y: memref<3x2xf32>) {
  pim.load %x
  pim.for %r = 0 to 2 {
    pim.act all row %r
    pim.mac all columns 0 to 1
    pim.drain all to %y[%r]
    pim.pre all
  }
}

// -----

hw.device @pim = "toy_pim" {channels = 2}
pim.kernel @both_channels on @pim (%x: memref<4xf32>, %w: memref<2x1x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.channels %c = 0 to 2 {
    pim.load %x
    pim.act all row 0
    pim.mac all columns 0 to 1
    // expected-error @+1 {{pim.drain: several channels store to the same entries; write `add to` to sum them}}
    pim.drain all to %y
    pim.pre all
  }
}

// -----

hw.device @pim = "toy_pim"
pim.kernel @store_after_sum on @pim (%x: memref<4xf32>, %w: memref<1x2x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.act all row 0
  pim.mac all columns 0 to 1
  pim.drain all add to %y
  pim.mac all columns 0 to 1
  // expected-error @+1 {{pim.drain: an earlier command stored to %y[0]; write `add to` to sum the two}}
  pim.drain all to %y
  pim.pre all
}
