// RUN: ndp-opt %s -p to-tile | filecheck %s

// Products without a template stay with the GPU's library, and a note says why.
hw.device @gpu = "a100"
func.func @main(%a: tensor<32x64xf32>, %m: tensor<2x16x64xf16>) -> (tensor<32x32xf32>, tensor<32x16xf16>) {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<64x32xf32>
  %v = graph.weight "v" = uniform(-0.1, 0.1, 2) : tensor<64x16xf16>
  // CHECK: graph.matmul {{.*}}tile.why = "factors of f32 are left to the GPU's library; reduce their precision first (reduce-precision{to=f16})"
  %0 = graph.matmul %a, %w : tensor<32x64xf32>, tensor<64x32xf32>
  // A group with an op that can't be applied to a tile is taken apart, so that its product becomes a kernel.
  // CHECK:      tile.launch @matmul_32x16x64_f16 (
  // CHECK:      graph.reshape
  // CHECK-NEXT: graph.relu
  %1 = graph.fused (%p = %m, %q = %v) {
    %2 = graph.matmul %p, %q : tensor<2x16x64xf16>, tensor<64x16xf16>
    %3 = graph.reshape %2 : tensor<2x16x16xf16> -> tensor<32x16xf16>
    %4 = graph.relu %3 : tensor<32x16xf16>
    graph.yield %4
  }
  func.return %0, %1 : tensor<32x32xf32>, tensor<32x16xf16>
}
