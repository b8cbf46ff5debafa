// Each complaint about kernels of thread blocks.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// expected-error @+1 {{tile.kernel expects static, contiguous memrefs of numbers, not memref<?xf16>}}
tile.kernel @k on @gpu (%x: memref<?xf16>) -> (%y: memref<8xf16>) {
}

// -----

// expected-error @+1 {{tile.kernel has no output; name at least one}}
tile.kernel @k on @gpu (%x: memref<8xf16>) -> () {
}

// -----

// expected-error @+1 {{tile.kernel @k has no grid of thread blocks; add a tile.blocks to it}}
tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  // expected-error @+1 {{tile.buffer must be directly in tile.blocks, not in tile.kernel}}
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
    // expected-error @+1 {{tile.kernel may hold tile ops, constants, and graph ops that work element by element, move elements or reduce them, but not graph.matmul}}
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
  // expected-error @+1 {{tile.blocks: the body is empty; add at least one op}}
  tile.blocks %i = 0 to 1 warps 1, 1 {
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  // expected-error @+1 {{tile.blocks: `warps` must be rows and columns of 1 to 32 warps in all (`warps 4, 2`), not [8, 8]}}
  tile.blocks %i = 0 to 1 warps 8, 8 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  // expected-error @+1 {{tile.blocks: `order` must be a positive number of blocks, not 0}}
  tile.blocks %i = 0 to 1 warps 1, 1 order 0 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.for expects one variable; nest loops for more}}
    tile.for %k = 0 to 2, %l = 0 to 2 {
      tile.copy %x to %y
    }
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{the scope of a buffer must be shared, register, global, not local}}
    %t = tile.buffer local : memref<8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.buffer makes a static, contiguous memref of numbers, not memref<0xf16>}}
    %t = tile.buffer shared : memref<0xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.buffer: only shared buffers can be padded or swizzled, not register buffers}}
    %t = tile.buffer register pad 8 : memref<8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.buffer: `pad` must be 0 or more elements, not -1}}
    %t = tile.buffer shared pad -1 : memref<8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.buffer: `stages` must be 1 or more, not 0}}
    %t = tile.buffer shared stages 0 : memref<8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.buffer: a rotating buffer needs at least two slots and a further axis (memref<2x16xf16>), not memref<8xf16>}}
    %t = tile.buffer register rotating : memref<8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer register rotating : memref<2x8xf16>
    // expected-error @+1 {{tile.copy: %t is a rotating buffer; access one slot of it at a time (%t[%k mod 2])}}
    tile.copy %t to %y[0 : 2]
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 2 warps 1, 1 {
    // expected-error @+1 {{tile.copy: axis 0 of %x has 8 elements, but the box spans elements 0 to 16; shrink or move the box}}
    tile.copy %x[%i * 8 : 8] to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.copy: source and target must have one shape, not 8 x 8 and 8}}
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.copy: %y is both source and target; copy through another buffer}}
    tile.copy %y to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.copy: %x is an input of the kernel, and inputs can't be written; write to an output or a buffer}}
    tile.copy %y to %x
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.copy: an asynchronous copy must go from global to shared memory, not from global to global; remove `async`}}
    tile.copy async %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer shared : memref<8xf32>
    // expected-error @+1 {{tile.copy: an asynchronous copy can't change the element type from f16 to f32; remove `async`}}
    tile.copy async %x to %t
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer shared : memref<8xf16>
    // expected-error @+1 {{tile.copy: a bulk copy must be asynchronous; write `async bulk`}}
    tile.copy bulk %x to %t
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.read expects a register buffer, but %x is global memory; copy it to a register buffer first (tile.copy)}}
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
    // expected-error @+1 {{tile.write: tensor<8xf16> does not have the shape of the box, 4}}
    tile.write %v to %t
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer register : memref<8x8xf16>
    // expected-error @+1 {{tile.mma expects register buffers, but %x is global memory; copy it to a register buffer first (tile.copy)}}
    tile.mma %x, %t into %t
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer register : memref<8x8xf16>
    %u = tile.buffer register : memref<4x8xf16>
    // expected-error @+1 {{tile.mma: the product of 8 x 8 and 4 x 8 does not have the sum's shape, 8 x 8; shapes must be M x K, K x N and M x N}}
    tile.mma %t, %u into %t
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %t = tile.buffer register : memref<8x8xf16>
    %u = tile.buffer register : memref<8x8xf32>
    // expected-error @+1 {{tile.mma: both factors must have one element type, not f16 and f32}}
    tile.mma %t, %u into %u
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8xf16>) -> (%y: memref<8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.wait: the number of pending groups must be 0 or more, not -1}}
    tile.wait -1
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1, %j = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{a variable may be multiplied only by a number, not by another variable}}
    tile.copy %x[%i * %j : 8] to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{`mod` must be followed by a positive number, as in `%i mod 2`}}
    tile.copy %x[%i mod 0 : 8] to %y
  }
}

// -----

func.func @main() {
  // expected-error @+1 {{tile.barrier must be in tile.blocks, not in func.func}}
  tile.barrier
  func.return
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.buffer global must be directly in tile.kernel, not in tile.blocks}}
    %t = tile.buffer global : memref<8x8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  // expected-error @+1 {{tile.buffer: only shared and register buffers have stages, not global buffers; remove `stages`}}
  %t = tile.buffer global stages 2 : memref<8x8xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.view must be directly in tile.kernel, not in tile.blocks}}
    %v = tile.view %x (n) -> (n, n) : memref<8x8xf16> to memref<8xf16>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  %v = tile.view %x (n) -> (n, n) : memref<8x8xf16> to memref<8xf16>
  // expected-error @+1 {{tile.view: %v is itself a view; view its memory, with both maps composed}}
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
  // expected-error @+1 {{tile.view makes a static, contiguous memref of numbers, not memref<?xf16>}}
  %v = tile.view %x (n) -> (n, n) : memref<8x8xf16> to memref<?xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  // expected-error @+1 {{tile.view: %x is memref<8x8xf16>, but is written here as memref<4xf16>}}
  %v = tile.view %x (n) -> (n, n) : memref<4xf16> to memref<8xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  // expected-error @+1 {{tile.view can't change the element type from f16 to f32; keep the type}}
  %v = tile.view %x (n) -> (n, n) : memref<8x8xf16> to memref<8xf32>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  %v = tile.view %x (n, m) -> (n + 1, m) : memref<8x8xf16> to memref<8x8xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.copy: %v is a view with elements outside of its memory; write `tile.copy padded` to read these as zeros}}
    tile.copy %v to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  %v = tile.view %x (n, m) -> (m, n) : memref<8x8xf16> to memref<8x8xf16>
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.copy: %v is an input of the kernel, and inputs can't be written; write to an output or a buffer}}
    tile.copy %y to %v
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %s = tile.buffer register : memref<8x8xf32>
    %a = tile.buffer register : memref<8x4xf16>
    // expected-error @+1 {{tile.mma: the product of 8 x 4 (turned) and 8 x 4 (across) does not have the sum's shape, 8 x 8; shapes must be M x K, K x N and M x N}}
    tile.mma turned %a, across %a into %s
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.iota makes a tensor of i32 or i64, not tensor<8x1xf32>}}
    %n = tile.iota %i : tensor<8x1xf32>
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf16>) -> (%y: memref<8x8xf16>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    // expected-error @+1 {{tile.iota numbers elements along one axis, but tensor<8x8xi32> has several axes with more than 1 element}}
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
  // expected-error @+1 {{tile.iota must be in tile.blocks, not in tile.kernel}}
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
    // expected-error @+1 {{tile.mma: `vectors` needs `threads`; write how many threads share M and N (`threads 16, 8`)}}
    tile.mma vectors 2, 2 %a, %a into %s
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 2 {
    %s = tile.buffer register : memref<8x8xf32>
    %a = tile.buffer register : memref<8x8xf32>
    // expected-error @+1 {{tile.mma: `threads` and `vectors` each need two positive numbers, one for M and one for N (`threads 16, 8 vectors 4, 2`)}}
    tile.mma threads 8, 0 %a, %a into %s
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 2 {
    %s = tile.buffer register : memref<8x8xf32>
    %a = tile.buffer register : memref<8x8xf32>
    // expected-error @+1 {{tile.mma: 8 threads with vectors of 2 can't share the 8 elements of N; expected a multiple of 16}}
    tile.mma threads 8, 8 vectors 1, 2 %a, %a into %s
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %s = tile.buffer register : memref<8x8xf32>
    %a = tile.buffer register : memref<8x8xf32>
    // expected-error @+1 {{tile.mma: `threads` is 8 x 8, but the block has 32 threads (32 for each warp)}}
    tile.mma threads 8, 8 %a, %a into %s
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %a = tile.buffer register : memref<8x8xf32>
    // expected-error @+1 {{tile.copy: `threads` is only for copies of matrices from global to shared memory, not of 8 x 8 from global to register memory; remove `threads`}}
    tile.copy threads 8 %x to %a
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %a = tile.buffer shared : memref<8x8xf32>
    // expected-error @+1 {{tile.copy: 4 threads with vectors of 4 can't share a row of 8 elements evenly}}
    tile.copy threads 4 vector 4 %x to %a
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %a = tile.buffer shared : memref<8x8xf32>
    // expected-error @+1 {{tile.copy: the block's 32 threads, 2 for each row, can't share 8 rows evenly}}
    tile.copy threads 2 %x to %a
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<8x8xf32>) -> (%y: memref<8x8xf32>) {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    %a = tile.buffer shared : memref<8x8xf32>
    // expected-error @+1 {{tile.copy: `vector` needs `threads`; write how many threads share a row (`threads 8 vector 4`)}}
    "tile.copy"(%x, %a) <{vector = 4 : i64, starts = affine_map<() -> (0, 0, 0, 0)>, sizes = array<i64: 8, 8, 8, 8>, operandSegmentSizes = array<i32: 2, 0>}> : (memref<8x8xf32>, memref<8x8xf32>) -> ()
    tile.copy %x to %y
  }
}

// -----

tile.kernel @k on @gpu (%x: memref<4x8xf32>) -> (%y: memref<32xf32>) {
  // expected-error @+1 {{tile.view: an index may be divided (floordiv, mod) only by positive numbers, not by 0}}
  %v = tile.view %x (n) -> (n floordiv 0, n mod 8) : memref<4x8xf32> to memref<32xf32>
  tile.blocks %i = 0 to 4 warps 1, 1 {
    tile.copy %v[%i * 8 : 8] to %y[%i * 8 : 8]
  }
}

// -----

// expected-error @+1 {{tile.kernel @k: tile.launch_scale needs tile.scale; add it}}
tile.kernel @k on @gpu (%x: memref<8xf32>) -> (%y: memref<8xf32>) attributes {tile.launch_scale = 0.5 : f64} {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}

// -----

// expected-error @+1 {{tile.kernel @k: tile.launch_scale must be a positive number (tile.launch_scale = 1.25 : f64), not 0}}
tile.kernel @k on @gpu (%x: memref<8xf32>) -> (%y: memref<8xf32>) attributes {tile.scale = 0.5 : f64, tile.launch_scale = 0.0 : f64} {
  tile.blocks %i = 0 to 1 warps 1, 1 {
    tile.copy %x to %y
  }
}
