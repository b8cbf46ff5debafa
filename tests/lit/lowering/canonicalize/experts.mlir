// Products of rows with matrices that were gathered for them, as exporters write a mixture of experts: the chosen experts alone are read, and
// their matrices stay as they are stored.
// RUN: ndp-opt %s -p canonicalize | filecheck %s

// A token's row, repeated for each of its choices, and a bias for each expert.
// CHECK-LABEL: func.func @up
func.func @up(%x: tensor<8x16xf32>, %w: tensor<4x32x16xf32>, %b: tensor<4x32xf32>, %ids: tensor<8x2xi64>) -> tensor<16x32xf32> {
  // CHECK-NEXT: [[ROWS:%.*]] = graph.reshape %x : tensor<8x16xf32> -> tensor<8x1x16xf32>
  // CHECK-NEXT: [[Y:%.*]] = graph.grouped_matmul [[ROWS]], %w, %ids, %b transpose_b : tensor<8x1x16xf32>, tensor<4x32x16xf32>, tensor<8x2xi64>, tensor<4x32xf32>
  // CHECK-NEXT: graph.reshape [[Y]] : tensor<8x2x32xf32> -> tensor<16x32xf32>
  %one = graph.reshape %x : tensor<8x16xf32> -> tensor<8x1x16xf32>
  %each = graph.broadcast %one : tensor<8x1x16xf32> -> tensor<8x2x16xf32>
  %columns = graph.reshape %each : tensor<8x2x16xf32> -> tensor<16x16x1xf32>
  %at = graph.reshape %ids : tensor<8x2xi64> -> tensor<16x1xi64>
  %matrices = graph.gather_nd %w, %at : tensor<4x32x16xf32>, tensor<16x1xi64>
  %p = graph.matmul %matrices, %columns : tensor<16x32x16xf32>, tensor<16x16x1xf32>
  %flat = graph.reshape %p : tensor<16x32x1xf32> -> tensor<16x32xf32>
  %biases = graph.gather_nd %b, %at : tensor<4x32xf32>, tensor<16x1xi64>
  %y = graph.add %flat, %biases : tensor<16x32xf32>
  func.return %y : tensor<16x32xf32>
}

// Weights of 4 bits with a scale for each 32 elements: gathered or not, they stay small.
// CHECK-LABEL: func.func @small
func.func @small(%x: tensor<6x64xbf16>, %w: tensor<4x64x64xi4>, %s: tensor<4x2x64xbf16>, %ids: tensor<6xi32>) -> tensor<6x1x64xbf16> {
  // CHECK:      [[W:%.*]] = graph.dequantize %w, %s axis = 1, block = 32 : tensor<4x64x64xi4>, tensor<4x2x64xbf16>
  // CHECK-NEXT: graph.grouped_matmul %x, [[W]], %ids : tensor<6x64xbf16>, tensor<4x64x64xbf16>, tensor<6xi32>
  %wide = graph.dequantize %w, %s axis = 1, block = 32 : tensor<4x64x64xi4>, tensor<4x2x64xbf16>
  %matrices = graph.gather %wide, %ids : tensor<4x64x64xbf16>, tensor<6xi32>
  %rows = graph.reshape %x : tensor<6x64xbf16> -> tensor<6x1x64xbf16>
  %y = graph.matmul %rows, %matrices : tensor<6x1x64xbf16>, tensor<6x64x64xbf16>
  func.return %y : tensor<6x1x64xbf16>
}

// Several rows for each matrix are a batch of products, as written.
// CHECK-LABEL: func.func @many
func.func @many(%x: tensor<6x3x64xf32>, %w: tensor<4x64x64xf32>, %ids: tensor<6xi32>) -> tensor<6x3x64xf32> {
  // CHECK: graph.gather
  // CHECK: graph.matmul
  %matrices = graph.gather %w, %ids : tensor<4x64x64xf32>, tensor<6xi32>
  %y = graph.matmul %x, %matrices : tensor<6x3x64xf32>, tensor<6x64x64xf32>
  func.return %y : tensor<6x3x64xf32>
}
