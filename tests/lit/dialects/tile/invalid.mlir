// Each complaint about kernels of thread blocks.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// expected-error @+1 {{tile.kernel takes static memrefs of numbers in order, not memref<?xf16>}}
tile.kernel @k on @gpu (%x: memref<?xf16>) -> (%y: memref<8xf16>) {
}

// -----

// expected-error @+1 {{tile.kernel has no output; name at least one}}
tile.kernel @k on @gpu (%x: memref<8xf16>) -> () {
}

// -----

// expected-error @+1 {{tile.kernel @k does nothing; write tile.blocks into it}}
tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  // expected-error @+1 {{tile.buffer stands in tile.blocks, in no loop, not in tile.kernel}}
  %t = tile.buffer shared : memref<8xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>, %w: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer register : memref<8x8xf16>
    tile.copy %x to %t
    %v = tile.read %t
    // expected-error @+1 {{tile.kernel holds tile ops, constants, and graph ops that work element by element, move elements or reduce them, not graph.matmul}}
    %r = graph.matmul %v, %v : tensor<8x8xf16>, tensor<8x8xf16>
    tile.copy %t to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  // expected-error @+1 {{tile.blocks: the range 0 to 0 is empty}}
  tile.blocks %i = 0 to 0 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  // expected-error @+1 {{tile.blocks: the body is empty; write commands into it}}
  tile.blocks %i = 0 to 1 warps 1, 1 {
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  // expected-error @+1 {{tile.blocks: a block has 1 to 32 warps, as rows and columns (`warps 4, 2`), not [8, 8]}}
  tile.blocks %i = 0 to 1 warps 8, 8 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  // expected-error @+1 {{tile.blocks: `order` is a positive number of blocks, not 0}}
  tile.blocks %i = 0 to 1 warps 1, 1 order 0 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.for has one variable; nest loops for more}}
    tile.for %k = 0 to 2, %l = 0 to 2 {
      tile.copy %x to %y
    }
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{a buffer is shared, register, global, not local}}
    %t = tile.buffer local : memref<8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.buffer makes a static memref of numbers in order, not memref<0xf16>}}
    %t = tile.buffer shared : memref<0xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.buffer: rows of shared memory are padded or swizzled, not register ones}}
    %t = tile.buffer register pad 8 : memref<8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.buffer: rows are padded by 0 elements or more, not by -1}}
    %t = tile.buffer shared pad -1 : memref<8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.buffer: a buffer has 1 stage or more, not 0}}
    %t = tile.buffer shared stages 0 : memref<8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.buffer: a rotating buffer has two slots or more and an axis behind them (memref<2x16xf16>), not memref<8xf16>}}
    %t = tile.buffer register rotating : memref<8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer register rotating : memref<2x8xf16>
    // expected-error @+1 {{tile.copy: %t is rotating; access one slot of it (%t[%k mod 2])}}
    tile.copy %t to %y[0 : 2]
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 2 warps 1, 1 {
    // expected-error @+1 {{tile.copy: axis 0 of %x has 8 elements, but the box reaches from 0 to 16}}
    tile.copy %x[%i * 8 : 8] to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.copy: a box of 8 x 8 does not go to one of 8}}
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.copy: %y is source and target; copy by way of another}}
    tile.copy %y to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.copy: %x is an input of the kernel; write to an output or a buffer}}
    tile.copy %y to %x
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.copy: an asynchronous copy goes from global to shared memory, not from global to global; leave `async` out}}
    tile.copy async %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer shared : memref<8xf32>
    // expected-error @+1 {{tile.copy: an asynchronous copy rounds nothing; leave `async` out}}
    tile.copy async %x to %t
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer shared : memref<8xf16>
    // expected-error @+1 {{tile.copy: a bulk copy is asynchronous; write `async bulk`}}
    tile.copy bulk %x to %t
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.read: arithmetic is on registers, and %x is global memory; tile.copy it to a register buffer}}
    %v = tile.read %x
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer register : memref<4xf16>
    %u = tile.buffer register : memref<8xf16>
    tile.copy %x to %u
    %v = tile.read %u
    // expected-error @+1 {{tile.write: tensor<8xf16> does not fit a box of 4}}
    tile.write %v to %t
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer register : memref<8x8xf16>
    // expected-error @+1 {{tile.mma works on registers, and %x is global memory; tile.copy it to a register buffer}}
    tile.mma %x, %t into %t
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer register : memref<8x8xf16>
    %u = tile.buffer register : memref<4x8xf16>
    // expected-error @+1 {{tile.mma: 8 x 8 times 4 x 8 does not give 8 x 8}}
    tile.mma %t, %u into %t
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer register : memref<8x8xf16>
    %u = tile.buffer register : memref<8x8xf32>
    // expected-error @+1 {{tile.mma: both factors have one element type, not f16 and f32}}
    tile.mma %t, %u into %u
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.wait leaves 0 groups or more pending, not -1}}
    tile.wait -1
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1, %j = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{an index multiplies a variable by a number, not by a variable}}
    tile.copy %x[%i * %j : 8] to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{`mod` takes a positive number}}
    tile.copy %x[%i mod 0 : 8] to %y
  }
}

// -----

func.func @main() {
  // expected-error @+1 {{tile.barrier stands in tile.blocks, not in func.func}}
  tile.barrier
  func.return
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.buffer global stands in tile.kernel, beside the grids, not in tile.blocks}}
    %t = tile.buffer global : memref<8x8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  // expected-error @+1 {{tile.buffer: stages are of shared memory and registers, not of global memory}}
  %t = tile.buffer global stages 2 : memref<8x8xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.view stands in tile.kernel, beside the grids, not in tile.blocks}}
    %v = tile.view %x (n) -> (n, n) : memref<8x8xf16> to memref<8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  %v = tile.view %x (n) -> (n, n) : memref<8x8xf16> to memref<8xf16>
  // expected-error @+1 {{tile.view: %v is a view itself; say both maps at once}}
  %w = tile.view %v (n) -> (n) : memref<8xf16> to memref<8xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  // expected-error @+1 {{tile.view: the map has 1 dimensions and 1 expressions, but memref<8xf16> has 1 axes and memref<8x8xf16> has 2}}
  %v = tile.view %x (n) -> (n) : memref<8x8xf16> to memref<8xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  // expected-error @+1 {{tile.view makes a static memref of numbers in order, not memref<?xf16>}}
  %v = tile.view %x (n) -> (n, n) : memref<8x8xf16> to memref<?xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  // expected-error @+1 {{%x is memref<8x8xf16>, not memref<4xf16>}}
  %v = tile.view %x (n) -> (n, n) : memref<4xf16> to memref<8xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  // expected-error @+1 {{tile.view: elements of f16 are not seen as f32; keep the type}}
  %v = tile.view %x (n) -> (n, n) : memref<8x8xf16> to memref<8xf32>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  %v = tile.view %x (n, m) -> (n + 1, m) : memref<8x8xf16> to memref<8x8xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.copy: %v is a view that reaches beyond what it is of; say that zeros are read there (tile.copy padded)}}
    tile.copy %v to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  %v = tile.view %x (n, m) -> (m, n) : memref<8x8xf16> to memref<8x8xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.copy: %v is an input of the kernel; write to an output or a buffer}}
    tile.copy %y to %v
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %s = tile.buffer register : memref<8x8xf32>
    %a = tile.buffer register : memref<8x4xf16>
    // expected-error @+1 {{tile.mma: 8 x 4 (turned) times 8 x 4 (across) does not give 8 x 8}}
    tile.mma turned %a, across %a into %s
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.iota numbers elements as i32 or i64, not as tensor<8x1xf32>}}
    %n = tile.iota %i : tensor<8x1xf32>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.iota numbers elements along one axis, and tensor<8x8xi32> has several}}
    %n = tile.iota %i : tensor<8x8xi32>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.iota makes a tensor, not memref<8xi32>}}
    %n = tile.iota %i : memref<8xi32>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  // expected-error @+1 {{tile.iota stands in tile.blocks, not in tile.kernel}}
  %n = tile.iota 3 : tensor<8xi32>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 2 {
    %s = tile.buffer register : memref<8x8xf32>
    %a = tile.buffer register : memref<8x8xf32>
    // expected-error @+1 {{tile.mma: `vectors` are read by `threads`; say how many share M and N}}
    tile.mma vectors 2, 2 %a, %a into %s
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 2 {
    %s = tile.buffer register : memref<8x8xf32>
    %a = tile.buffer register : memref<8x8xf32>
    // expected-error @+1 {{tile.mma: `threads` and `vectors` are two positive numbers each, for M and for N (`threads 16, 8 vectors 4, 2`)}}
    tile.mma threads 8, 0 %a, %a into %s
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 2 {
    %s = tile.buffer register : memref<8x8xf32>
    %a = tile.buffer register : memref<8x8xf32>
    // expected-error @+1 {{tile.mma: 8 elements of N can't be shared by 8 threads in vectors of 2}}
    tile.mma threads 8, 8 vectors 1, 2 %a, %a into %s
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %s = tile.buffer register : memref<8x8xf32>
    %a = tile.buffer register : memref<8x8xf32>
    // expected-error @+1 {{tile.mma: 8 x 8 threads are not the 32 of the block; its warps have 32 each}}
    tile.mma threads 8, 8 %a, %a into %s
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %a = tile.buffer register : memref<8x8xf32>
    // expected-error @+1 {{tile.copy: `threads` share the rows of a matrix that goes from global to shared memory; leave them out}}
    tile.copy threads 8 %x to %a
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %a = tile.buffer shared : memref<8x8xf32>
    // expected-error @+1 {{tile.copy: a row of 8 can't be shared by 4 threads in vectors of 4}}
    tile.copy threads 4 vector 4 %x to %a
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %a = tile.buffer shared : memref<8x8xf32>
    // expected-error @+1 {{tile.copy: 8 rows can't be shared by a block's 32 threads, 2 a row}}
    tile.copy threads 2 %x to %a
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %a = tile.buffer shared : memref<8x8xf32>
    // expected-error @+1 {{tile.copy: a vector is what one thread moves at once; say `threads` that share a row}}
    "tile.copy"(%x, %a) <{vector = 4 : i64, starts = affine_map<() -> (0, 0, 0, 0)>, sizes = array<i64: 8, 8, 8, 8>, operandSegmentSizes = array<i32: 2, 0>}> : (memref<8x8xf32>, memref<8x8xf32>) -> ()
    tile.copy %x to %y
  }
}
