// RUN: ndp-opt %s -p to-tile | filecheck %s
// RUN: ndp-opt %s -p 'to-tile{pipelined=false}' | filecheck %s --check-prefix=PLAIN
// RUN: ndp-opt %s -p inline,canonicalize,to-tile,fuse,layout --check -o %t 2>&1 | filecheck %s --check-prefix=EQUAL
// RUN: ndp-opt %s -p to-tile -t values > %t.plain
// RUN: ndp-opt %s -p pipeline-kernels -t values > %t.pipelined
// RUN: diff %t.plain %t.pipelined
// RUN: ndp-opt %s -p pipeline-kernels | filecheck %s --check-prefix=PIPELINED

// Products become launches; equal ones share a kernel, rows of a batch with one second factor are rows of one product,
// and each pixel of a convolution of one pixel's window is a row.
hw.device @gpu = "a100"

// CHECK:         tile.kernel @matmul_64x96x128_f16 on @gpu (%a: memref<64x128xf16>, %b: memref<128x96xf16>) -> (%c: memref<64x96xf16>)
// CHECK:         tile.buffer shared pad 8 stages
// CHECK-NOT:     tile.kernel @matmul_64x96x128_f16
// CHECK:         tile.kernel @matmul_98x32x64_f16

// PLAIN:     tile.kernel @matmul_64x96x128_f16
// PLAIN-NOT: stages

// PIPELINED:     tile.kernel @matmul_64x96x128_f16
// PIPELINED:     tile.wait {{[1-9]}}

// EQUAL: check: to-tile: 3 results equal
func.func @main(%x: tensor<2x32x128xf16>, %image: tensor<2x64x7x7xf16>) -> (tensor<2x32x96xf16>, tensor<64x96xf16>, tensor<2x32x7x7xf16>) {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<128x96xf16>
  %v = graph.weight "v" = uniform(-0.1, 0.1, 2) : tensor<32x64x1x1xf16>

  // CHECK:      graph.reshape %x : tensor<2x32x128xf16> -> tensor<64x128xf16>
  // CHECK-NEXT: tile.launch @matmul_64x96x128_f16
  // CHECK-NEXT: graph.reshape
  %0 = graph.matmul %x, %w : tensor<2x32x128xf16>, tensor<128x96xf16>
  %1 = graph.reshape %x : tensor<2x32x128xf16> -> tensor<64x128xf16>
  // CHECK: tile.launch @matmul_64x96x128_f16
  %2 = graph.matmul %1, %w : tensor<64x128xf16>, tensor<128x96xf16>

  // A group is taken apart for its product.
  // CHECK:      graph.transpose %image permutation = [0, 2, 3, 1]
  // CHECK:      tile.launch @matmul_98x32x64_f16
  // CHECK:      graph.relu
  %3 = graph.fused (%i = %image, %f = %v) {
    %4 = graph.conv %i, %f : tensor<2x64x7x7xf16>, tensor<32x64x1x1xf16>
    %5 = graph.relu %4 : tensor<2x32x7x7xf16>
    graph.yield %5
  }
  func.return %0, %2, %3 : tensor<2x32x96xf16>, tensor<64x96xf16>, tensor<2x32x7x7xf16>
}
