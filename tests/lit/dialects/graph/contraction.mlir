// Matrix products, convolutions of one to three spatial axes, unfolding, attention.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// CHECK-LABEL: func.func @contraction
func.func @contraction(%v: tensor<1x4xf16>, %w: tensor<4x8xf16>, %wt: tensor<8x4xf16>, %bias: tensor<8xf16>, %b3: tensor<2x1x3x4xf16>,
    %w4: tensor<5x4x8xf16>, %i: tensor<3x3xi32>, %x: tensor<1x4x8x8xf32>, %f: tensor<6x4x3x3xf32>, %m: tensor<6xf32>,
    %d: tensor<4x1x3x3xf32>, %x1: tensor<2x3x9xf32>, %f1: tensor<4x3x3xf32>, %x3: tensor<1x1x4x4x4xf32>,
    %f3: tensor<1x1x2x2x2xf32>, %q: tensor<1x4x2x8xf32>, %k: tensor<1x2x5x8xf32>, %val: tensor<1x2x5x3xf32>,
    %keep: tensor<2x5xi1>, %tokens: tensor<7x4xf16>, %experts: tensor<3x4x8xf16>, %sizes: tensor<3xi32>,
    %ids: tensor<7xi32>, %of_experts: tensor<3x4xf16>) {
  // CHECK-NEXT: %vector = graph.matmul %v, %w : tensor<1x4xf16>, tensor<4x8xf16>
  %vector = graph.matmul %v, %w : tensor<1x4xf16>, tensor<4x8xf16>
  // CHECK-NEXT: %biased = graph.matmul %v, %wt, %bias transpose_b : tensor<1x4xf16>, tensor<8x4xf16>, tensor<8xf16>
  %biased = graph.matmul %v, %wt, %bias transpose_b : tensor<1x4xf16>, tensor<8x4xf16>, tensor<8xf16>
  // CHECK-NEXT: %turned = graph.matmul %w, %v transpose_a, transpose_b : tensor<4x8xf16>, tensor<1x4xf16>
  %turned = graph.matmul %w, %v transpose_a, transpose_b : tensor<4x8xf16>, tensor<1x4xf16>
  // CHECK-NEXT: %batch = graph.matmul %b3, %w4 : tensor<2x1x3x4xf16>, tensor<5x4x8xf16>
  %batch = graph.matmul %b3, %w4 : tensor<2x1x3x4xf16>, tensor<5x4x8xf16>
  // CHECK-NEXT: %whole = graph.matmul %i, %i : tensor<3x3xi32>
  %whole = graph.matmul %i, %i : tensor<3x3xi32>
  // CHECK-NEXT: %rows_of = graph.ragged_matmul %tokens, %experts, %sizes : tensor<7x4xf16>, tensor<3x4x8xf16>, tensor<3xi32>
  %rows_of = graph.ragged_matmul %tokens, %experts, %sizes : tensor<7x4xf16>, tensor<3x4x8xf16>, tensor<3xi32>
  // CHECK-NEXT: %chosen = graph.grouped_matmul %tokens, %experts, %ids experts = 12, skew = 1.2 : tensor<7x4xf16>, tensor<3x4x8xf16>, tensor<7xi32>
  %chosen = graph.grouped_matmul %tokens, %experts, %ids experts = 12, skew = 1.2 : tensor<7x4xf16>, tensor<3x4x8xf16>, tensor<7xi32>
  // CHECK-NEXT: %down = graph.grouped_matmul %chosen, %experts, %ids, %of_experts transpose_b : tensor<7x8xf16>, tensor<3x4x8xf16>, tensor<7xi32>, tensor<3x4xf16>
  %down = graph.grouped_matmul %chosen, %experts, %ids, %of_experts transpose_b : tensor<7x8xf16>, tensor<3x4x8xf16>, tensor<7xi32>, tensor<3x4xf16>
  // CHECK-NEXT: %sums_of = graph.ragged_matmul %tokens, %rows_of, %sizes transpose_a : tensor<7x4xf16>, tensor<7x8xf16>, tensor<3xi32>
  %sums_of = graph.ragged_matmul %tokens, %rows_of, %sizes transpose_a : tensor<7x4xf16>, tensor<7x8xf16>, tensor<3xi32>
  // CHECK-NEXT: %conv = graph.conv %x, %f : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>
  %conv = graph.conv %x, %f : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>
  // CHECK-NEXT: %full = graph.conv %x, %f, %m strides = [2, 1], pads = [1, 2, 0, 1], dilations = [1, 2] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>
  %full = graph.conv %x, %f, %m strides = [2, 1], pads = [1, 2, 0, 1], dilations = [1, 2] : tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>
  // CHECK-NEXT: %depthwise = graph.conv %x, %d groups = 4, pads = [1, 1, 1, 1] : tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>
  %depthwise = graph.conv %x, %d groups = 4, pads = [1, 1, 1, 1] : tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>
  // CHECK-NEXT: %line = graph.conv %x1, %f1 : tensor<2x3x9xf32>, tensor<4x3x3xf32>
  %line = graph.conv %x1, %f1 : tensor<2x3x9xf32>, tensor<4x3x3xf32>
  // CHECK-NEXT: %volume = graph.conv %x3, %f3 : tensor<1x1x4x4x4xf32>, tensor<1x1x2x2x2xf32>
  %volume = graph.conv %x3, %f3 : tensor<1x1x4x4x4xf32>, tensor<1x1x2x2x2xf32>
  // CHECK-NEXT: %rows = graph.im2col %x kernel = [3, 3], groups = 2, pads = [1, 1, 1, 1] : tensor<1x4x8x8xf32>
  %rows = graph.im2col %x kernel = [3, 3], groups = 2, pads = [1, 1, 1, 1] : tensor<1x4x8x8xf32>
  // CHECK-NEXT: %attend = graph.attention %q, %k, %val causal : tensor<1x4x2x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x3xf32>
  %attend = graph.attention %q, %k, %val causal : tensor<1x4x2x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x3xf32>
  // CHECK-NEXT: %masked = graph.attention %q, %k, %val, %keep scale = 0.25, softcap = 50.0 : tensor<1x4x2x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x3xf32>, tensor<2x5xi1>
  %masked = graph.attention %q, %k, %val, %keep scale = 0.25, softcap = 50.0 : tensor<1x4x2x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x3xf32>, tensor<2x5xi1>
  %valid = graph.constant [4] : tensor<1xi64>
  // CHECK: %limited = graph.attention %q, %k, %val, %keep, %valid causal, window = 3, unseen = nans : tensor<1x4x2x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x3xf32>, tensor<2x5xi1>, tensor<1xi64>
  %limited = graph.attention %q, %k, %val, %keep, %valid causal, window = 3, unseen = nans : tensor<1x4x2x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x3xf32>, tensor<2x5xi1>, tensor<1xi64>
  // CHECK-NEXT: %counted = graph.attention %q, %k, %val, %valid unseen = mean : tensor<1x4x2x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x3xf32>, tensor<1xi64>
  %counted = graph.attention %q, %k, %val, %valid unseen = mean : tensor<1x4x2x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x3xf32>, tensor<1xi64>
  %heads = graph.constant [0.5, -1.0, 0.0, 2.0] : tensor<4xf32>
  // CHECK: %sunk = graph.attention %q, %k, %val, %heads causal, window = 3, sinks : tensor<1x4x2x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x3xf32>, tensor<4xf32>
  %sunk = graph.attention %q, %k, %val, %heads causal, window = 3, sinks : tensor<1x4x2x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x3xf32>, tensor<4xf32>
  // CHECK-NEXT: %all = graph.attention %q, %k, %val, %keep, %valid, %heads sinks : tensor<1x4x2x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x3xf32>, tensor<2x5xi1>, tensor<1xi64>, tensor<4xf32>
  %all = graph.attention %q, %k, %val, %keep, %valid, %heads sinks : tensor<1x4x2x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x3xf32>, tensor<2x5xi1>, tensor<1xi64>, tensor<4xf32>
  func.return
}
