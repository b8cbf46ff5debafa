// RUN: ndp-opt %s -p 'fuse{group=false}' | filecheck %s

// CHECK-LABEL: func.func @matmul(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x4xf32>
// CHECK-NEXT: %c = graph.weight "c" = uniform(-0.5, 0.5, 2) : tensor<1x4xf32>
// CHECK-NEXT: %z = graph.matmul %x, %w, %b : tensor<2x8xf32>, tensor<8x4xf32>, tensor<4xf32>
// CHECK-NEXT: %0 = graph.reshape %c : tensor<1x4xf32> -> tensor<4xf32>
// CHECK-NEXT: %v = graph.matmul %x, %w, %0 : tensor<2x8xf32>, tensor<8x4xf32>, tensor<4xf32>
// CHECK-NEXT: func.return %z, %v : tensor<2x4xf32>, tensor<2x4xf32>
func.func @matmul(%x: tensor<2x8xf32>, %b: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x4xf32>
  %c = graph.weight "c" = uniform(-0.5, 0.5, 2) : tensor<1x4xf32>
  %y = graph.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32>
  %z = graph.add %b, %y : tensor<4xf32>, tensor<2x4xf32>
  %u = graph.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32>
  %v = graph.add %u, %c : tensor<2x4xf32>, tensor<1x4xf32>
  func.return %z, %v : tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @conv(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<4x3x3x3xf32>
// CHECK-NEXT: %b = graph.weight "b" = uniform(-0.5, 0.5, 2) : tensor<4xf32>
// CHECK-NEXT: %c = graph.weight "c" = uniform(-0.5, 0.5, 2) : tensor<4x1x1xf32>
// CHECK-NEXT: %0 = graph.reshape %c : tensor<4x1x1xf32> -> tensor<4xf32>
// CHECK-NEXT: %1 = graph.add %b, %0 : tensor<4xf32>
// CHECK-NEXT: %z = graph.conv %x, %w, %1 : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>
// CHECK-NEXT: func.return %z : tensor<1x4x6x6xf32>
func.func @conv(%x: tensor<1x3x8x8xf32>) -> tensor<1x4x6x6xf32> {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<4x3x3x3xf32>
  %b = graph.weight "b" = uniform(-0.5, 0.5, 2) : tensor<4xf32>
  %c = graph.weight "c" = uniform(-0.5, 0.5, 2) : tensor<4x1x1xf32>
  %y = graph.conv %x, %w, %b : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>
  %z = graph.add %y, %c : tensor<1x4x6x6xf32>, tensor<4x1x1xf32>
  func.return %z : tensor<1x4x6x6xf32>
}

// A row of activations is a residual, not a bias; a vector along the rows is no bias, either.
// CHECK-LABEL: func.func @residual(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x4xf32>
// CHECK-NEXT: %a = graph.matmul %x, %w : tensor<1x8xf32>, tensor<8x4xf32>
// CHECK-NEXT: %b = graph.add %a, %r : tensor<1x4xf32>
// CHECK-NEXT: %c = graph.matmul %y, %w : tensor<4x8xf32>, tensor<8x4xf32>
// CHECK-NEXT: %d = graph.add %c, %s : tensor<4x4xf32>, tensor<4x1xf32>
// CHECK-NEXT: func.return %b, %d : tensor<1x4xf32>, tensor<4x4xf32>
func.func @residual(%x: tensor<1x8xf32>, %r: tensor<1x4xf32>, %y: tensor<4x8xf32>, %s: tensor<4x1xf32>) -> (tensor<1x4xf32>, tensor<4x4xf32>) {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x4xf32>
  %a = graph.matmul %x, %w : tensor<1x8xf32>, tensor<8x4xf32>
  %b = graph.add %a, %r : tensor<1x4xf32>
  %c = graph.matmul %y, %w : tensor<4x8xf32>, tensor<8x4xf32>
  %d = graph.add %c, %s : tensor<4x4xf32>, tensor<4x1xf32>
  func.return %b, %d : tensor<1x4xf32>, tensor<4x4xf32>
}
