// RUN: ndp-opt %s --verify-diagnostics --split-input-file

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{pim.write must read an input in host memory, not %w}}
  pim.write all columns 0 to 2 from %w
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{pim.write must read an input in host memory, not %y}}
  pim.write all columns 0 to 2 from %y
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{pim.write: entry 2 of axis 0 lies outside memref<2x8xf32>}}
  pim.write all columns 0 to 2 from %x[2]
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{the length of a range must be a positive constant, as in `%i * 4 to %i * 4 + 4`}}
  pim.write all columns 2 to 2 from %x
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{`from` is expected here in pim.write, but the line ends}}
  pim.write all columns 0 to 2
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{a scope is `all`, `group N`, `same N`, `twin N` or `bank N`, not `every`}}
  pim.write every columns 0 to 2 from %x
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{pim.read must write an output, not %x}}
  pim.read all columns 0 to 2 to %x
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{pim.read: entry 8 of axis 1 lies outside memref<2x8xf32>}}
  pim.read all columns 0 to 2 to %y[0, 4 to 9]
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{`and` is expected here in pim.add, but the line ends}}
  pim.add all columns 0 to 2
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{pim.add: other can be -1; it must be at least 0}}
  pim.add all columns 0 to 2 and 0 - 1
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{pim.add: the 2 result columns begin 1 columns away from an operand's and overlap them; put the results exactly on an operand or outside of it}}
  pim.add all columns 0 to 2 and 4 into 1
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{pim.sub: the 3 result columns begin 2 columns away from an operand's and overlap them; put the results exactly on an operand or outside of it}}
  pim.sub all columns 4 to 7 and 0 into 2
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{pim.relu: the 2 result columns begin 1 columns away from an operand's and overlap them; put the results exactly on an operand or outside of it}}
  pim.relu all columns 1 to 3 into 0
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
  // expected-error @+1 {{%x is a memref<2x8xf32>, not a loop variable}}
  pim.relu all columns 0 to 2 into %x
}

// -----

"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -1>}> ({
^bb0(%x: memref<8xf32>, %y: memref<2xf32>):
  // expected-error @+1 {{pim.relu: the range of columns is empty; it needs at least one element}}
  "pim.relu"() <{scope = "all", unit = array<i64: 0>, column = array<i64: 0>, target = array<i64: 0>, count = 0 : i64}> : () -> ()
}) : () -> ()

// -----

"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -1>}> ({
^bb0(%x: memref<8xf32>, %y: memref<2xf32>):
  // expected-error @+1 {{pim.write: the range of columns is empty; it needs at least one element}}
  "pim.write"(%x) <{scope = "all", unit = array<i64: 0>, column = array<i64: 0>, count = 0 : i64, subscripts = array<i64>, extents = array<i64>}> : (memref<8xf32>) -> ()
}) : () -> ()

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>) -> (%y: memref<2x8xf32>) {
  pim.channels %c = 0 to 2 {
    // expected-error @+1 {{pim.add: other depends on the channel; only subscripts of host memory may depend on it, since all channels of a pim.channels issue the same commands}}
    pim.add all columns 0 to 1 and %c
  }
}
