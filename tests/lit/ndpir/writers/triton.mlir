// Kernels of thread blocks in Triton's language. A kernel's requested stages become Triton's `num_stages`, loops
// over fragments become one product, and comments describe what Triton can't express.
// RUN: ndp-opt %s -t triton | filecheck %s
// RUN: not ndp-opt %s -p pipeline-buffers -t triton 2>&1 | filecheck %s --check-prefix=SLOTS
// RUN: not ndp-opt %S/Inputs/odd_tile.mlir -t triton 2>&1 | filecheck %s --check-prefix=ODD
// RUN: not ndp-opt %S/../reports/Inputs/fits.mlir -t triton 2>&1 | filecheck %s --check-prefix=NONE

// Two products of 100x64 by 64x64; rows beyond 100 are filled with zeros, and not stored.
tile.kernel @product on @gpu (%a: memref<2x100x64xf16>, %b: memref<2x64x64xf16>) -> (%c: memref<2x100x64xf16>) {
  tile.blocks %n = 0 to 2, %i = 0 to 4, %j = 0 to 4 warps 2, 1 order 2 {
    %as = tile.buffer shared pad 8 stages 3 : memref<32x32xf16>
    %bs = tile.buffer shared stages 3 swizzled : memref<32x16xf16>
    %af = tile.buffer register stages 2 : memref<32x16xf16>
    %bf = tile.buffer register stages 2 : memref<16x16xf16>
    %sum = tile.buffer register : memref<32x16xf32>
    tile.fill %sum with 0.0
    tile.for %k = 0 to 2 {
      tile.copy async padded %a[%n, %i * 32 : 32, %k * 32 : 32] to %as
      tile.copy async %b[%n, %k * 32 : 32, %j * 16 : 16] to %bs
      tile.commit
      tile.wait 0
      tile.barrier
      tile.for %t = 0 to 2 {
        tile.copy %as[0 : 32, %t * 16 : 16] to %af
        tile.copy %bs[%t * 16 : 16] to %bf
        tile.mma %af, %bf into %sum
      }
      tile.barrier
    }
    tile.copy padded %sum to %c[%n, %i * 32 : 32, %j * 16 : 16]
  }
}
// CHECK-LABEL: def product_blocks(a, b, c):
// CHECK:         # Triton lays out its warps itself: 2 rows by 1 columns are not said.
// CHECK-NEXT:    # Triton has no word for %as: rows padded by 8 elements.
// CHECK-NEXT:    # Triton has no word for %bs: rows swizzled.
// CHECK-NEXT:    # Triton has no word for %af: 2 stages of registers.
// CHECK-NEXT:    # Triton has no word for %bf: 2 stages of registers.
// CHECK-NEXT:    pid = tl.program_id(0)
// CHECK-NEXT:    first = (pid % 16) // 8 * 2
// CHECK-NEXT:    width = min(2, 4 - first)
// CHECK-NEXT:    n = pid // 16
// CHECK-NEXT:    i = ((pid % 16) % 8) // width
// CHECK-NEXT:    j = first + ((pid % 16) % 8) % width
// CHECK-NEXT:    sum_ = tl.full((32, 16), 0.0, tl.float32)
// CHECK-NEXT:    for k in tl.range(0, 2, num_stages=3):
// CHECK-NEXT:        as_1 = (i * 32 + tl.arange(0, 32))[:, None]
// CHECK-NEXT:        as_2 = (k * 32 + tl.arange(0, 32))[None, :]
// CHECK-NEXT:        as_ = tl.load(a + n * 6400 + as_1 * 64 + as_2, mask=(as_1 < 100), other=0.0)
// CHECK:             sum_ = tl.dot(as_, bs, sum_)
// CHECK-NEXT:    c_to_1 =
// CHECK:         tl.store(c + n * 6400 + c_to_1 * 64 + c_to_2, sum_.to(tl.float16), mask=(c_to_1 < 100))
// CHECK-LABEL: def product(a, b):
// CHECK-NEXT:    """Launch it on contiguous tensors of a GPU: a 2x100x64 f16, b 2x64x64 f16."""
// CHECK-NEXT:    c = torch.empty((2, 100, 64), dtype=torch.float16, device=a.device)
// CHECK-NEXT:    product_blocks[(32,)](a, b, c, num_warps=2)
// CHECK-NEXT:    return c

// SLOTS: triton.mlir:{{[0-9]+:[0-9]+}}: error: triton: it can't take a part of %as, since a tile is one value there; leave loops over stages to Triton (print the kernel before pipeline-buffers), and let boxes be whole buffers

// Graph ops on registers: a row minus its maximum, exponentials; element types narrower than f32 are computed in f32.
tile.kernel @rows on @gpu (%x: memref<64x32xf16>) -> (%y: memref<64x32xf16>) {
  tile.blocks %i = 0 to 2 warps 4, 1 {
    %t = tile.buffer register : memref<32x32xf16>
    tile.copy %x[%i * 32 : 32] to %t
    %v = tile.read %t
    %m = graph.reduce max %v axes = [1], keep_dims : tensor<32x32xf16>
    %d = graph.sub %v, %m : tensor<32x32xf16>, tensor<32x1xf16>
    %e = graph.exp %d : tensor<32x32xf16>
    tile.write %e to %t
    tile.copy %t to %y[%i * 32 : 32]
  }
}
// CHECK-LABEL: def rows_blocks(x, y):
// CHECK:     v = t
// CHECK-NEXT: m = tl.max(v, axis=1, keep_dims=True)
// CHECK-NEXT: d = (v.to(tl.float32) - m.to(tl.float32)).to(tl.float16)
// CHECK-NEXT: e = (tl.exp(d.to(tl.float32))).to(tl.float16)
// CHECK-NEXT: t = e
// ODD: odd_tile.mlir:5:5: error: triton: extents of its tiles are powers of two, not 32x24; choose others
// NONE: error: triton: the program has no tile.kernel to print
