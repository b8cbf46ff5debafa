// Kernels that are certain to access global memory wrongly are refused before they are timed, printed or run.
// RUN: ndp-opt %s -t timeline --split-input-file --verify-diagnostics | filecheck %s --allow-empty
// RUN: ndp-opt %s -t 'timeline{json}' --split-input-file --verify-diagnostics | filecheck %s --allow-empty
// RUN: ndp-opt %s -t triton --split-input-file --verify-diagnostics | filecheck %s --allow-empty
// RUN: ndp-opt %s -t values --split-input-file --verify-diagnostics | filecheck %s --allow-empty
// CHECK-NOT: {{makespan|torch|result}}

hw.device @gpu = "a100"
tile.kernel @same_columns on @gpu (%x: memref<64x64xf16>) -> (%y: memref<64x64xf16>) {
  tile.blocks %i = 0 to 2, %j = 0 to 2 warps 1, 1 {
    // expected-error @+1 {{tile.copy: two thread blocks of one grid write to the same elements of %y; give each block its own elements}}
    tile.copy %x[%i * 32 : 32, %j * 32 : 32] to %y[%i * 32 : 32, 0 : 32]
  }
}

// -----

hw.device @gpu = "a100"
tile.kernel @overlapping_rows on @gpu (%x: memref<64x64xf16>) -> (%y: memref<64x64xf16>) {
  tile.blocks %i = 0 to 3 warps 1, 1 {
    // expected-error @+1 {{tile.copy: two thread blocks of one grid write to the same elements of %y; give each block its own elements}}
    tile.copy %x[%i * 16 : 32] to %y[%i * 16 : 32]
  }
}

// -----

hw.device @gpu = "a100"
tile.kernel @through_a_view on @gpu (%x: memref<64xf16>) -> (%y: memref<8x8xf16>) {
  %pixels = tile.view %y (n) -> (n floordiv 8, n mod 8) : memref<8x8xf16> to memref<64xf16>
  tile.blocks %i = 0 to 4 warps 1, 1 {
    tile.for %k = 0 to 2 {
      // expected-error @+1 {{tile.copy: two thread blocks of one grid write to the same elements of %y; give each block its own elements}}
      tile.copy %x[%i * 16 + %k * 8 : 8] to %pixels[%i * 8 + %k * 8 : 8]
    }
  }
}

// -----

hw.device @gpu = "a100"
// expected-error @+1 {{tile.kernel: 1024 elements of %y are never written, the first of them %y[0, 32]; the grids must write all elements of each output}}
tile.kernel @one_quarter on @gpu (%x: memref<64x64xf16>) -> (%y: memref<64x64xf16>) {
  tile.blocks %i = 0 to 2, %j = 0 to 2 warps 1, 1 {
    tile.when %i - %j {
      tile.copy %x[%i * 32 : 32, %j * 32 : 32] to %y[%i * 32 : 32, %j * 32 : 32]
    }
    tile.when %i - %j - 1 {
      tile.copy %x[%i * 32 : 32, %j * 32 : 32] to %y[%i * 32 : 32, %j * 32 : 32]
    }
  }
}

// -----

hw.device @gpu = "a100"
tile.kernel @of_another_block on @gpu (%x: memref<64x64xf16>) -> (%y: memref<64x64xf16>) {
  %parts = tile.buffer global : memref<64x64xf16>
  tile.blocks %i = 0 to 2 warps 1, 1 {
    tile.copy %x[%i * 32 : 32] to %parts[%i * 32 : 32]
    tile.barrier
    // expected-error @+1 {{tile.copy reads elements of %parts that another thread block of the same grid writes; move the reading ops to a grid of their own (tile.blocks)}}
    tile.copy %parts[32 - %i * 32 : 32] to %y[%i * 32 : 32]
  }
}

// -----

hw.device @gpu = "a100"
tile.kernel @written_later on @gpu (%x: memref<64x64xf16>) -> (%y: memref<64x64xf16>) {
  %parts = tile.buffer global : memref<64x64xf16>
  tile.blocks %i = 0 to 2 warps 1, 1 {
    tile.copy %x[%i * 32 : 32] to %parts[%i * 32 : 32]
  }
  tile.blocks %i = 0 to 2 warps 1, 1 {
    // expected-error @+1 {{tile.copy reads elements of %parts that another thread block of the same grid writes; move the reading ops to a grid of their own (tile.blocks)}}
    tile.copy %parts[0 : 32] to %y[%i * 32 : 32]
    tile.barrier
    tile.copy %x[%i * 32 : 32] to %parts[%i * 32 : 32]
  }
}

// -----

hw.device @gpu = "a100"
tile.kernel @never_written on @gpu (%x: memref<64x64xf16>) -> (%y: memref<64x64xf16>) {
  %parts = tile.buffer global : memref<64x64xf16>
  tile.blocks %i = 0 to 2 warps 1, 1 {
    tile.copy %x[%i * 32 : 32, 0 : 32] to %parts[%i * 32 : 32, 0 : 32]
  }
  tile.blocks %i = 0 to 2 warps 1, 1 {
    // expected-error @+1 {{tile.copy reads elements of %parts that were never written; write them in an earlier grid}}
    tile.copy %parts[%i * 32 : 32] to %y[%i * 32 : 32]
  }
}

// -----

hw.device @gpu = "a100"
tile.kernel @twice_through_a_view on @gpu (%x: memref<16xf32>) -> (%y: memref<8xf32>) {
  %pairs = tile.view %y (n) -> (n floordiv 2) : memref<8xf32> to memref<16xf32>
  tile.blocks %i = 0 to 2 warps 1, 1 {
    // expected-error @+1 {{tile.copy writes elements of %y more than once through %pairs; a view that is written must contain each element at most once}}
    tile.copy %x[%i * 8 : 8] to %pairs[%i * 8 : 8]
  }
}
