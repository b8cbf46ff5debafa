// RUN: ndp-opt %s --verify-diagnostics --split-input-file

pim.kernel @k on @pim (%x: memref<2x4xf32>) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{pim.bias must read an input in host memory, not %y}}
  pim.bias all from %y
}

// -----

pim.kernel @k on @pim (%x: memref<2x4xf32>) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{pim.bias: entry 2 of axis 0 lies outside memref<2x4xf32>}}
  pim.bias all from %x[2]
}

// -----

pim.kernel @k on @pim (%x: memref<2x4xf32>) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{pim.activated must write an output, not %x}}
  pim.activated all to %x
}

// -----

pim.kernel @k on @pim (%x: memref<2x4xf32>) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{the name of an activation table ("gelu") is expected here in pim.activate, but `gelu` is met}}
  pim.activate all gelu
}

// -----

pim.kernel @k on @pim (%x: memref<2x4xf32>) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{pim.ewmul works on whole groups (all, group N), not on `same`}}
  pim.ewmul same 0 columns 0 to 2
}

// -----

pim.kernel @k on @pim (%x: memref<2x4xf32>) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{pim.fetch takes columns from one bank (bank N), not from `all`}}
  pim.fetch all columns 0 to 2
}

// -----

pim.kernel @k on @pim (%x: memref<2x4xf32>) -> (%y: memref<2xf32>) {
  pim.for %i = 0 to 2 {
    // expected-error @+1 {{pim.store: entry can be -1; it must be at least 0}}
    pim.store bank 0 columns 0 to 2 buffer %i - 1
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x4xf32>) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{pim.collect: entry can be -2; it must be at least 0}}
  pim.collect all at -2
}

// -----

pim.kernel @k on @pim (%x: memref<2x4xf32>) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{the length of a range must be a positive constant}}
  pim.softmax entries 2 to 2
}

// -----

pim.kernel @k on @pim (%x: memref<2x4xf32>) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{pim.set: registers and their values are 0 to 1099511627776, not -1}}
  pim.set 0 = -1
}

// -----

pim.kernel @k on @pim (%x: memref<2x4xf32>) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{pim.step: the text must be one non-empty line in the vendor's syntax}}
  pim.step " "
}

// -----

pim.kernel @k on @pim (%x: memref<2x4xf32>) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{an instruction in quotes ("W GPR 0") is expected here in pim.step, but `SYNC` is met}}
  pim.step SYNC
}

// -----

// expected-error @+1 {{pim.kernel: pim.softmax is outside of pim.channels; move it into one}}
pim.kernel @k on @pim (%x: memref<8xf32>) -> (%y: memref<2xf32>) {
  pim.softmax
  pim.channels %c = 0 to 1 {
    pim.pre all
  }
}

// -----

"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -1>}> ({
^bb0(%x: memref<8xf32>, %y: memref<2xf32>):
  // expected-error @+1 {{pim.softmax: the range of entries is empty; it needs at least one element}}
  "pim.softmax"() <{entry = array<i64: 0>, count = -1 : i64}> : () -> ()
}) : () -> ()

// -----

"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -1>}> ({
^bb0(%x: memref<8xf32>, %y: memref<2xf32>):
  // expected-error @+1 {{pim.spread: the range of entries is empty; it needs at least one element}}
  "pim.spread"() <{scope = "all", unit = array<i64: 0>, first = array<i64: 0>, count = 0 : i64, entry = array<i64: 0>}> : () -> ()
}) : () -> ()
