// RUN: ndp-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.load: entry 2 of axis 0 lies outside memref<2x8xf32>}}
  pim.load %x[2]
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.load: entry 8 of axis 1 lies outside memref<2x8xf32>}}
  pim.load %x[0, 4 to 9]
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.load: entry -1 of axis 0 lies outside memref<2x8xf32>}}
  pim.load %x[-1]
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.load: memref<2x8xf32> takes at most 2 subscripts, not 3}}
  pim.load %x[0, 0, 0]
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{the length of a range must be a positive constant, as in `%i * 4 to %i * 4 + 4`}}
  pim.load %x[0, 4 to 4]
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.load must read an input in host memory, not %w}}
  pim.load %w
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.load must read an input in host memory, not %y}}
  pim.load %y
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{%z is not defined above}}
  pim.load %z
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{%x is a memref<2x8xf32>, not a loop variable}}
  pim.load %x[%x]
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.load: entry can be -1; it must be at least 0}}
  pim.load %x at 0 - 1
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{2000000000000 is too large for an index (at most 1099511627776)}}
  pim.load %x[0] at 2000000000000
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{an index expression of numbers and loop variables (%i * 4 + 2) is expected here in pim.load, but `zero` is met}}
  pim.load %x[zero]
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.drain must write an output, not %x}}
  pim.drain all to %x
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{%y is a memref<2x2xf32>, not a loop variable}}
  pim.drain all to %y[%y]
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{a scope is `all`, `group N`, `same N`, `twin N` or `bank N`, not `some`}}
  pim.act some row 0
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.act: unit can be -1; it must be at least 0}}
  pim.act bank 0 - 1 row 0
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{the length of a range must be a positive constant}}
  pim.mac all columns 3 to 1
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  pim.for %i = 0 to 2 {
  // expected-error @+1 {{pim.act: row can be -1; it must be at least 0}}
    pim.act all row %i - 1
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  pim.for %i = 0 to 2 {
  // expected-error @+1 {{an index expression must be linear; multiply a variable only by a number, not by another variable}}
    pim.act all row %i * %i
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  pim.for %i = 0 to 2 {
  // expected-error @+1 {{the length of a range must be a positive constant}}
    pim.mac all columns 0 to %i
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  pim.for %i = 0 to 2 {
  // expected-error @+1 {{%i is of type index, not a memref of the kernel}}
    pim.load %i
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.for: the range 2 to 2 is empty}}
  pim.for %i = 2 to 2 {
    pim.pre all
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.for: the body is empty; write commands into it}}
  pim.for %i = 0 to 2 {
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{2000000000000 is too large for a range (at most 1099511627776)}}
  pim.for %i = 0 to 2000000000000 {
    pim.pre all
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  pim.channels %c = 0 to 2 {
  // expected-error @+1 {{pim.act: row depends on the channel; only subscripts of host memory may depend on it, since all channels of a pim.channels issue the same commands}}
    pim.act all row %c
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.channels: for several variables, an expression must state the channel's number (`as %g * 4 + %c`)}}
  pim.channels %g = 0 to 2, %c = 0 to 2 {
    pim.pre all
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.channels: the variables have 4 combinations, but the expression after `as` has only 3 different values; each combination must give a different channel number}}
  pim.channels %g = 0 to 2, %c = 0 to 2 as %g + %c {
    pim.pre all
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.channels: the channel's number can be -1; it must be at least 0}}
  pim.channels %c = 0 to 2 as %c - 1 {
    pim.pre all
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.channels: the ranges give 70000 channels, but no device has more than 65536; shorten the ranges}}
  pim.channels %c = 0 to 70000 {
    pim.pre all
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  // expected-error @+1 {{pim.channels: the range 0 to 0 is empty}}
  pim.channels %c = 0 to 0 {
    pim.pre all
  }
}

// -----

pim.kernel @k on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  pim.channels %c = 0 to 2 {
    pim.for %i = 0 to 2 {
    // expected-error @+1 {{pim.channels must be in a pim.kernel, directly or inside of pim.for loops, not in pim.channels}}
      pim.channels %d = 0 to 2 {
        pim.pre all
      }
    }
  }
}

// -----

// expected-error @+1 {{pim.kernel: %x is a memref<0xf32>, which has no elements; remove this memref}}
pim.kernel @k on @pim (%x: memref<0xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
}

// -----

// expected-error @+1 {{pim.kernel takes static memrefs of numbers, not memref<?x8xf32>}}
pim.kernel @k on @pim (%x: memref<?x8xf32>) -> (%y: memref<2xf32>) {
  pim.pre all
}

// -----

// expected-error @+1 {{pim.kernel takes static memrefs of numbers, not tensor<8xf32>}}
pim.kernel @k on @pim (%x: tensor<8xf32>) -> (%y: memref<2xf32>) {
  pim.pre all
}

// -----

// expected-error @+1 {{pim.kernel takes static memrefs of numbers, not memref<8xindex>}}
pim.kernel @k on @pim (%x: memref<8xindex>) -> (%y: memref<2xf32>) {
  pim.pre all
}

// -----

// expected-error @+1 {{pim.kernel has no output; name at least one (`-> (%y: memref<…>)`)}}
pim.kernel @k on @pim (%x: memref<8xf32>) -> () {
  pim.pre all
}

// -----

// expected-error @+1 {{pim.kernel: %w is in the banks, so it must have the shape [channels, rows, banks, columns, lanes], not memref<2x2xf32>}}
pim.kernel @k on @pim (%w: memref<2x2xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.pre all
}

// -----

// expected-error @+1 {{pim.kernel: %w and %v both take row 5; move one of them}}
pim.kernel @k on @pim (%v: memref<1x4x2x2x4xf32> at row 2, %w: memref<1x2x2x2x4xf32> at row 5) -> (%y: memref<2xf32>) {
  pim.pre all
}

// -----

// expected-error @+1 {{pim.kernel @k is empty; write commands or pim.channels into its body}}
pim.kernel @k on @pim (%x: memref<8xf32>) -> (%y: memref<2xf32>) {
}

// -----

// expected-error @+1 {{pim.kernel: pim.pre is outside of pim.channels; move it into one}}
pim.kernel @k on @pim (%x: memref<8xf32>) -> (%y: memref<2xf32>) {
  pim.channels %c = 0 to 1 {
    pim.pre all
  }
  pim.pre all
}

// -----

// expected-error @+1 {{pim.kernel: pim.load is outside of pim.channels; move it into one}}
pim.kernel @k on @pim (%x: memref<8xf32>) -> (%y: memref<2xf32>) {
  pim.for %i = 0 to 2 {
    pim.barrier
    pim.channels %c = 0 to 2 {
      pim.pre all
    }
    pim.load %x
  }
}

// -----

// expected-error @+1 {{pim.kernel: an output is in host memory, so it can't have `at row`; remove `at row`}}
pim.kernel @k on @pim (%x: memref<8xf32>) -> (%y: memref<2xf32> at row 0) {
  pim.pre all
}

// -----

// expected-error @+1 {{pim.pre must be in a pim.kernel, not in builtin.module}}
pim.pre all

// -----

// expected-error @+1 {{pim.for must be in a pim.kernel, not in builtin.module}}
pim.for %i = 0 to 2 {
  "test.op"() : () -> ()
}

// -----

pim.kernel @k on @pim (%x: memref<8xf32>) -> (%y: memref<2xf32>) {
  pim.load %x
}
func.func @main(%x: tensor<8xf32>) {
  // expected-error @+1 {{pim.launch: there is no pim.kernel @none}}
  %y = pim.launch @none (%x) : (tensor<8xf32>) -> tensor<2xf32>
  func.return
}

// -----

pim.kernel @k on @pim (%x: memref<8xf32>) -> (%y: memref<2xf32>) {
  pim.load %x
}
func.func @main(%x: tensor<8xf32>) {
  // expected-error @+1 {{pim.launch: @k takes 1 memrefs, but the launch states 2 tensors}}
  %y = pim.launch @k (%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<2xf32>
  func.return
}

// -----

pim.kernel @k on @pim (%x: memref<8xf32>) -> (%y: memref<2xf32>) {
  pim.load %x
}
func.func @main(%x: tensor<8xf32>) {
  // expected-error @+1 {{pim.launch: @k gives %y: memref<2xf32>, but the launch states tensor<3xf32>; shapes and element types must be equal}}
  %y = pim.launch @k (%x) : (tensor<8xf32>) -> tensor<3xf32>
  func.return
}

// -----

pim.kernel @k on @pim (%x: memref<8xf32>) -> (%y: memref<2xf32>) {
  pim.load %x
}
func.func @main(%x: tensor<8xf32>) {
  // expected-error @+1 {{pim.launch: @k gives 1 memrefs, but the launch states 2 tensors}}
  %y, %z = pim.launch @k (%x) : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
pim.kernel @k on @pim (%x: memref<8xf32>) -> (%y: memref<2xf32>) {
  pim.load %x
}
func.func @main(%x: !task.on<@gpu, tensor<8xf32>>) -> !task.on<@gpu, tensor<2xf32>> {
  %y = task.run @gpu (%a = %x) {
    // expected-error @+1 {{pim.launch: @k is written for @pim, but its task runs on @gpu}}
    %0 = pim.launch @k (%a) : (tensor<8xf32>) -> tensor<2xf32>
    task.yield %0
  }
  func.return %y : !task.on<@gpu, tensor<2xf32>>
}

// -----

"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -1>}> ({
^bb0(%x: memref<8xf32>, %y: memref<2xf32>):
  // expected-error @+1 {{pim.mac: the range of columns is empty; it needs at least one element}}
  "pim.mac"() <{scope = "all", unit = array<i64: 0>, column = array<i64: 0>, count = 0 : i64, entry = array<i64: 0>, accumulator = array<i64: 0>}> : () -> ()
}) : () -> ()

// -----

"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -1>}> ({
^bb0(%x: memref<8xf32>, %y: memref<2xf32>):
  // expected-error @+1 {{pim.pre: `unit` must be one index expression over 0 variables}}
  "pim.pre"() <{scope = "all", unit = array<i64: 0, 1>}> : () -> ()
}) : () -> ()

// -----

"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -1>}> ({
^bb0(%x: memref<8xf32>, %y: memref<2xf32>):
  // expected-error @+1 {{pim.load: a range has -3 entries; it needs at least one}}
  "pim.load"(%x) <{scope = "all", unit = array<i64: 0>, subscripts = array<i64: 0>, extents = array<i64: -3>, entry = array<i64: 0>}> : (memref<8xf32>) -> ()
}) : () -> ()

// -----

"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -1>}> ({
^bb0(%x: memref<8xf32>, %y: memref<2xf32>):
  // expected-error @+1 {{pim.for must bind one index variable to each range (`pim.for %i = 0 to 8`)}}
  "pim.for"() <{bounds = array<i64: 0>}> ({
  ^bb1(%i: index):
    "pim.pre"() <{scope = "all", unit = array<i64: 0>}> : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -1>}> ({
^bb0(%x: memref<8xf32>, %y: memref<2xf32>):
  // expected-error @+1 {{pim.for has one variable; nest loops for more}}
  "pim.for"() <{bounds = array<i64: 0, 1, 0, 1>}> ({
  ^bb1(%i: index, %j: index):
    "pim.pre"() <{scope = "all", unit = array<i64: 0>}> : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -1>}> ({
^bb0(%x: memref<8xf32>, %y: memref<2xf32>):
  // expected-error @+1 {{pim.channels: the channel's number must be one expression of the 1 variables (2 numbers), not 1 numbers}}
  "pim.channels"() <{bounds = array<i64: 0, 1>, number = array<i64: 0>}> ({
  ^bb1(%i: index):
    "pim.pre"() <{scope = "all", unit = array<i64: 0>}> : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -1>}> ({
^bb0(%x: memref<8xf32>, %y: memref<2xf32>):
  %i = "test.op"() : () -> index
  // expected-error @+1 {{%i is not a loop variable; an index expression may use only the variables of pim.for and pim.channels}}
  "pim.act"(%i) <{scope = "all", unit = array<i64: 0, 0>, row = array<i64: 0, 1>}> : (index) -> ()
}) : () -> ()

// -----

// expected-error @+1 {{pim.kernel @k: there are 2 base rows, but only 1 memrefs; give at most one base row for each memref}}
"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -1, -1>}> ({
^bb0(%x: memref<8xf32>):
  "pim.pre"() <{scope = "all", unit = array<i64: 0>}> : () -> ()
}) : () -> ()

// -----

// expected-error @+1 {{pim.kernel: %w must start at row 0 or later, not at -2}}
"pim.kernel"() <{sym_name = "k", device = @pim, base_rows = array<i64: -2>}> ({
^bb0(%w: memref<1x2x2x2x4xf32>, %y: memref<2xf32>):
  "pim.pre"() <{scope = "all", unit = array<i64: 0>}> : () -> ()
}) : () -> ()

// -----

pim.kernel @k on @pim (%x: memref<8xf32>) -> (%y: memref<2xf32>) {
  pim.channels %c = 0 to 1 {
    pim.load %x
  }
  // expected-error @+1 {{pim.channels: a region marked `joined` must hold one command, the same as the previous op, which must also be a pim.channels with one command; change the command, or remove `joined`}}
  pim.channels %c = 1 to 2 attributes {joined} {
    pim.drain all to %y
  }
}

// -----

// expected-error @+1 {{pim.mapping: buffer, row, sum are expected here, not `column`}}
func.func private @f() attributes {pim.plan = #pim.mapping<column>}

// -----

// expected-error @+1 {{pim.mapping: tiles must be at least 1, not 0}}
func.func private @f() attributes {pim.plan = #pim.mapping<row, tiles = 0>}

// -----

// expected-error @+1 {{pim.mapping: `tiles` is given twice; keep one}}
func.func private @f() attributes {pim.plan = #pim.mapping<row, tiles = 2, tiles = 3>}

// -----

// expected-error @+1 {{pim.mapping: parts, groups, splits, rows, tiles, held are expected here, not `lanes`}}
func.func private @f() attributes {pim.plan = #pim.mapping<row, lanes = 2>}

// -----

// expected-error @+1 {{pim.lanes: kept, written are expected here, not `row`}}
func.func private @f() attributes {pim.plan = #pim.lanes<row>}
