// SLOW
// RUN: ndp-opt %s -p to-tile -o %t.tile.mlir
// RUN: filecheck %s --input-file %t.tile.mlir
// RUN: ndp-opt %s -p 'to-tile{space=unpipelined}' | filecheck %s --check-prefix=PLAIN
// RUN: not ndp-opt %s -p 'to-tile{space=large}' 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: ndp-opt %s -p to-tile,fuse,layout --check -o %t 2>&1 | filecheck %s --check-prefix=EQUAL
// RUN: ndp-opt %s -p pipeline-kernels -o %t.pipelined.mlir
// RUN: filecheck %s --check-prefix=PIPELINED --input-file %t.pipelined.mlir
// RUN: ndp-opt %t.tile.mlir -t values > %t.plain
// RUN: ndp-opt %t.pipelined.mlir -t values > %t.pipelined
// RUN: diff %t.plain %t.pipelined

// Products become launches; equal products share a kernel, and the rows of a batch that share the second factor
// become rows of one product.
hw.device @gpu = "a100"

// CHECK:     tile.kernel @matmul_64x96x128_f16 on @gpu
// CHECK:     tile.kernel @matmul_64x128x96_f16 on @gpu
// CHECK:     tile.kernel @conv_98x32x576_f16_relu on @gpu
// CHECK-NOT: tile.kernel

// PLAIN:     tile.kernel @matmul_64x96x128_f16
// PLAIN-NOT: stages

// PIPELINED: tile.kernel @matmul_64x96x128_f16
// PIPELINED: tile.wait {{[1-9]}}

// LARGE: error: option `space` of to-tile must be one of ours, published, unpipelined, but is large
// EQUAL: check: to-tile: 3 results equal
func.func @main(%x: tensor<2x32x128xf16>, %image: tensor<2x64x7x7xf16>) -> (tensor<2x32x96xf16>, tensor<2x32x96xf16>, tensor<2x32x7x7xf16>) {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<128x96xf16>
  %v = graph.weight "v" = uniform(-0.1, 0.1, 2) : tensor<32x64x3x3xf16>

  // CHECK: tile.launch @matmul_64x96x128_f16 (
  %0 = graph.matmul %x, %w : tensor<2x32x128xf16>, tensor<128x96xf16>
  // CHECK: tile.launch @matmul_64x128x96_f16 (
  %1 = graph.matmul %0, %w transpose_b : tensor<2x32x96xf16>, tensor<128x96xf16>
  // CHECK: tile.launch @matmul_64x96x128_f16 (
  %2 = graph.matmul %1, %w : tensor<2x32x128xf16>, tensor<128x96xf16>

  // A group becomes one kernel, in which images have channels last.
  // CHECK:      graph.transpose %image permutation = [0, 2, 3, 1]
  // CHECK:      tile.launch @conv_98x32x576_f16_relu ({{.*}}) : (tensor<2x7x7x64xf16>, tensor<32x3x3x64xf16>) -> tensor<2x7x7x32xf16>
  // CHECK-NEXT: graph.transpose {{.*}} permutation = [0, 3, 1, 2]
  %3 = graph.fused (%i = %image, %f = %v) {
    %4 = graph.conv %i, %f pads = [1, 1, 1, 1] : tensor<2x64x7x7xf16>, tensor<32x64x3x3xf16>
    %5 = graph.relu %4 : tensor<2x32x7x7xf16>
    graph.yield %5
  }
  func.return %0, %2, %3 : tensor<2x32x96xf16>, tensor<2x32x96xf16>, tensor<2x32x7x7xf16>
}
