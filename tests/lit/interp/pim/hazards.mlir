// Programs whose results would be wrong on the device are refused by both the clock and the interpreter, with the same message.
// RUN: ndp-opt %s -t timeline --split-input-file --verify-diagnostics | filecheck %s --allow-empty
// RUN: ndp-opt %s -t values --split-input-file --verify-diagnostics | filecheck %s --allow-empty
// CHECK-NOT: makespan

hw.device @pim = "toy_pim"
pim.kernel @closed on @pim (%x: memref<4xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.act bank 0 row 0
  // expected-error @+1 {{pim.mac: no row is open in bank 1; activate one first (pim.act)}}
  pim.mac all columns 0 to 1
}

// -----

hw.device @pim = "toy_pim"
pim.kernel @open on @pim (%x: memref<4xf32>, %w: memref<1x2x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.for %r = 0 to 2 {
    // expected-error @+1 {{pim.act: a row is open in bank 0; toy_pim needs it closed first (pim.pre)}}
    pim.act all row %r
  }
}

// -----

hw.device @pim = "toy_pim"
pim.kernel @unloaded on @pim (%x: memref<4xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.act all row 0
  // expected-error @+1 {{pim.mac: column 1 of the global buffer was never loaded; load it first (pim.load)}}
  pim.mac all columns 0 to 2
}

// -----

hw.device @pim = "toy_pim"
pim.kernel @too_much on @pim (%x: memref<9x4xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{pim.load: entry 8 is out of range; toy_pim has 8 columns of the global buffer (0 to 7)}}
  pim.load %x
}

// -----

hw.device @pim = "toy_pim"
pim.kernel @nothing on @pim (%x: memref<4xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.act all row 7
  // expected-error @+1 {{pim.mac: row 7 is open, but it holds neither an operand of the kernel nor data that the kernel has written; write to the row first (pim.write)}}
  pim.mac all columns 0 to 1
}

// -----

hw.device @pim = "toy_pim"
pim.kernel @rows on @pim (%x: memref<4xf32>, %w: memref<1x3x2x1x4xf32> at row 0) -> (%y: memref<4x2xf32>) {
  pim.load %x
  pim.for %r = 0 to 4 {
    pim.act all row %r
    // expected-error @+1 {{pim.mac: row 3 is open, but it holds neither an operand of the kernel nor data that the kernel has written; write to the row first (pim.write)}}
    pim.mac all columns 0 to 1
    pim.drain all to %y[%r]
    pim.pre all
  }
}

// -----

hw.device @pim = "toy_pim"
pim.kernel @columns on @pim (%x: memref<8xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.act all row 0
  // expected-error @+1 {{pim.mac: the operand in row 0 has 1 column, so column 1 holds no weight; use column 0}}
  pim.mac all columns 0 to 2
}

// -----

hw.device @pim = "toy_pim" {channels = 2}
pim.kernel @channels on @pim (%x: memref<4xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  pim.channels %c = 0 to 2 {
    pim.load %x
    pim.act all row 0
    // expected-error @+1 {{pim.mac: channel 1 uses row 0, but the operand in this row has only channel 0; leave out the others}}
    pim.mac all columns 0 to 1
    pim.drain all to %y[%c]
  }
}

// -----

hw.device @pim = "toy_simd"
pim.kernel @unwritten on @pim (%x: memref<4xf32>) -> (%y: memref<8xf32>) {
  pim.act bank 1 row 0
  pim.write bank 1 columns 0 to 1 from %x
  // expected-error @+1 {{pim.relu: column 1 of row 0 was never written in bank 1; write it first (pim.write)}}
  pim.relu bank 1 columns 0 to 2
}

// -----

hw.device @pim = "toy_simd"
pim.kernel @weights on @pim (%x: memref<4xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<8xf32>) {
  pim.act bank 1 row 0
  // expected-error @+1 {{pim.write: column 1 of row 0 holds a weight of the kernel, which must not be overwritten; write to column 2 or later, or to another row}}
  pim.write bank 1 columns 1 to 2 from %x
}

// -----

hw.device @pim = "toy_pim"
pim.kernel @no_sum on @pim (%x: memref<4xf32>) -> (%y: memref<2xf32>) {
  // expected-error @+1 {{pim.drain: an accumulator of the addressed banks holds no sum; multiply first (pim.mac)}}
  pim.drain all to %y
}

// -----

hw.device @pim = "toy_pim"
// expected-error @+1 {{pim.kernel @left ends with a sum in accumulator 0 of bank 0 that was never read; read it (pim.drain)}}
pim.kernel @left on @pim (%x: memref<4xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.act all row 0
  pim.mac all columns 0 to 1
}

// -----

hw.device @pim = "aim"
pim.kernel @overwritten on @pim (%b: memref<16xbf16>, %x: memref<16xbf16>, %w: memref<1x1x16x1x16xbf16> at row 0) -> (%y: memref<16xf32>) {
  pim.bias all from %b
  pim.load %x
  pim.act all row 0
  pim.mac all columns 0 to 1
  // expected-error @+1 {{pim.bias: accumulator 0 of bank 0 holds a sum that was never read; read it first (pim.drain)}}
  pim.bias all from %b
}

// -----

hw.device @pim = "aim"
pim.kernel @continued on @pim (%b: memref<16xbf16>, %x: memref<16xbf16>, %w: memref<1x1x16x1x16xbf16> at row 0) -> (%y: memref<2x16xf32>) {
  pim.bias all from %b
  pim.load %x
  pim.act all row 0
  pim.for %i = 0 to 2 {
    // expected-error @+1 {{pim.mac: accumulator 0 of bank 0 still holds a sum that was read already; set the accumulator to a new value first (pim.bias)}}
    pim.mac all columns 0 to 1
    pim.drain all to %y[%i]
  }
}

// -----

hw.device @pim = "aim"
pim.kernel @unfilled on @pim (%b: memref<16xbf16>) -> (%y: memref<16xf32>) {
  // expected-error @+1 {{pim.activated: the activation register of bank 0 was never filled; fill it first (pim.activate)}}
  pim.activated all to %y
}

// -----

hw.device @pim = "aim"
pim.kernel @closes on @pim (%b: memref<16xbf16>) -> (%y: memref<16xf32>) {
  // expected-error @+1 {{pim.pre: on aim the channel's controller closes rows by itself; remove pim.pre}}
  pim.pre all
}

// -----

hw.device @pim = "aim"
pim.kernel @unknown on @pim (%b: memref<16xbf16>) -> (%y: memref<16xf32>) {
  pim.bias all from %b
  // expected-error @+1 {{pim.activate: there is no activation function `cosine`; there are relu, leaky_relu, sigmoid, tanh, gelu, silu}}
  pim.activate all "cosine"
}

// -----

hw.device @pim = "aim" {banks = 2}
pim.kernel @small_groups on @pim (%b: memref<16xbf16>) -> (%y: memref<16xf32>) {
  pim.act all row 0
  // expected-error @+1 {{pim.ewmul multiplies bank 0 with bank 1 into bank 2, but a group of aim has 2 banks}}
  pim.ewmul all columns 0 to 1
}

// -----

hw.device @pim = "attacc"
pim.kernel @uncollected on @pim (%q: memref<16xf16>, %w: memref<1x1x64x1x16xf16> at row 0) -> (%y: memref<64xf16>) {
  pim.load %q
  pim.act all row 0
  pim.mac all columns 0 to 1
  pim.collect all
  // expected-error @+1 {{pim.softmax: entry 64 of the softmax buffer was never filled; collect sums into it first (pim.collect)}}
  pim.softmax entries 0 to 65
}

// -----

hw.device @pim = "attacc"
pim.kernel @empty on @pim (%q: memref<16xf16>) -> (%y: memref<64xf16>) {
  // expected-error @+1 {{pim.softmax: the softmax buffer is empty; collect sums first (pim.collect)}}
  pim.softmax
}

// -----

hw.device @pim = "attacc"
pim.kernel @unspread on @pim (%q: memref<16xf16>) -> (%y: memref<64xf16>) {
  // expected-error @+1 {{pim.spread: entry 0 of the softmax buffer was never filled; collect sums into it first (pim.collect)}}
  pim.spread all entries 0 to 16
}
