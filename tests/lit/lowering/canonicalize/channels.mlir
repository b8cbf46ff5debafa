// RUN: ndp-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @batch_norm(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<4x3x3x3xf32>
// CHECK-NEXT: %s = graph.weight "s" = uniform(-0.1, 0.1, 2) : tensor<4xf32>
// CHECK-NEXT: %b = graph.weight "b" = uniform(-0.1, 0.1, 3) : tensor<4xf32>
// CHECK-NEXT: %m = graph.weight "m" = uniform(-0.1, 0.1, 4) : tensor<4xf32>
// CHECK-NEXT: %v = graph.weight "v" = uniform(0.1, 0.2, 5) : tensor<4xf32>
// CHECK-NEXT: %0 = graph.constant 1.0e-05 : tensor<f32>
// CHECK-NEXT: %1 = graph.add %v, %0 : tensor<4xf32>, tensor<f32>
// CHECK-NEXT: %2 = graph.sqrt %1 : tensor<4xf32>
// CHECK-NEXT: %3 = graph.div %s, %2 : tensor<4xf32>
// CHECK-NEXT: %4 = graph.mul %m, %3 : tensor<4xf32>
// CHECK-NEXT: %5 = graph.sub %b, %4 : tensor<4xf32>
// CHECK-NEXT: %6 = graph.reshape %3 : tensor<4xf32> -> tensor<4x1x1x1xf32>
// CHECK-NEXT: %7 = graph.mul %w, %6 : tensor<4x3x3x3xf32>, tensor<4x1x1x1xf32>
// CHECK-NEXT: %y = graph.conv %x, %7, %5 : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>
// CHECK-NEXT: func.return %y : tensor<1x4x6x6xf32>
func.func @batch_norm(%x: tensor<1x3x8x8xf32>) -> tensor<1x4x6x6xf32> {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<4x3x3x3xf32>
  %s = graph.weight "s" = uniform(-0.1, 0.1, 2) : tensor<4xf32>
  %b = graph.weight "b" = uniform(-0.1, 0.1, 3) : tensor<4xf32>
  %m = graph.weight "m" = uniform(-0.1, 0.1, 4) : tensor<4xf32>
  %v = graph.weight "v" = uniform(0.1, 0.2, 5) : tensor<4xf32>
  %c = graph.conv %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  %y = graph.batch_norm %c, %s, %b, %m, %v : tensor<1x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  func.return %y : tensor<1x4x6x6xf32>
}

// 16-bit weights are scaled in f32 and rounded once; the conv already has a bias.
// CHECK-LABEL: func.func @narrow(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<4x3x3x3xf16>
// CHECK-NEXT: %b = graph.weight "b" = uniform(-0.1, 0.1, 3) : tensor<4xf16>
// CHECK-NEXT: %f = graph.weight "f" = uniform(-0.1, 0.1, 4) : tensor<4x1x1xf16>
// CHECK-NEXT: %0 = graph.reshape %f : tensor<4x1x1xf16> -> tensor<4xf16>
// CHECK-NEXT: %1 = graph.cast %0 : tensor<4xf16> -> tensor<4xf32>
// CHECK-NEXT: %2 = graph.cast %w : tensor<4x3x3x3xf16> -> tensor<4x3x3x3xf32>
// CHECK-NEXT: %3 = graph.reshape %1 : tensor<4xf32> -> tensor<4x1x1x1xf32>
// CHECK-NEXT: %4 = graph.mul %2, %3 : tensor<4x3x3x3xf32>, tensor<4x1x1x1xf32>
// CHECK-NEXT: %5 = graph.cast %b : tensor<4xf16> -> tensor<4xf32>
// CHECK-NEXT: %6 = graph.mul %5, %1 : tensor<4xf32>
// CHECK-NEXT: %7 = graph.cast %6 : tensor<4xf32> -> tensor<4xf16>
// CHECK-NEXT: %8 = graph.cast %4 : tensor<4x3x3x3xf32> -> tensor<4x3x3x3xf16>
// CHECK-NEXT: %y = graph.conv %x, %8, %7 : tensor<1x3x8x8xf16>, tensor<4x3x3x3xf16>, tensor<4xf16>
// CHECK-NEXT: func.return %y : tensor<1x4x6x6xf16>
func.func @narrow(%x: tensor<1x3x8x8xf16>) -> tensor<1x4x6x6xf16> {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<4x3x3x3xf16>
  %b = graph.weight "b" = uniform(-0.1, 0.1, 3) : tensor<4xf16>
  %c = graph.conv %x, %w, %b : tensor<1x3x8x8xf16>, tensor<4x3x3x3xf16>, tensor<4xf16>
  %f = graph.weight "f" = uniform(-0.1, 0.1, 4) : tensor<4x1x1xf16>
  %y = graph.mul %f, %c : tensor<4x1x1xf16>, tensor<1x4x6x6xf16>
  func.return %y : tensor<1x4x6x6xf16>
}

// The form that Caffe2's exporter writes: a batch norm, then a factor and an offset per channel.
// CHECK-LABEL: func.func @affine(
// CHECK-NEXT: %s = graph.weight "s" = uniform(-0.1, 0.1, 2) : tensor<4xf32>
// CHECK-NEXT: %f = graph.weight "f" = uniform(-0.1, 0.1, 6) : tensor<4x1x1xf32>
// CHECK-NEXT: %g = graph.weight "g" = uniform(-0.1, 0.1, 7) : tensor<1x4x1x1xf32>
// CHECK-NEXT: %0 = graph.reshape %f : tensor<4x1x1xf32> -> tensor<4xf32>
// CHECK-NEXT: %1 = graph.mul %s, %0 : tensor<4xf32>
// CHECK-NEXT: %2 = graph.reshape %g : tensor<1x4x1x1xf32> -> tensor<4xf32>
// CHECK-NEXT: %3 = graph.add %1, %2 : tensor<4xf32>
// CHECK-NEXT: %a = graph.batch_norm %x, %1, %3, %s, %s : tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: func.return %a : tensor<2x4x6x6xf32>
func.func @affine(%x: tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32> {
  %s = graph.weight "s" = uniform(-0.1, 0.1, 2) : tensor<4xf32>
  %f = graph.weight "f" = uniform(-0.1, 0.1, 6) : tensor<4x1x1xf32>
  %g = graph.weight "g" = uniform(-0.1, 0.1, 7) : tensor<1x4x1x1xf32>
  %y = graph.batch_norm %x, %s, %s, %s, %s : tensor<2x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  %z = graph.mul %y, %f : tensor<2x4x6x6xf32>, tensor<4x1x1xf32>
  %a = graph.add %g, %z : tensor<1x4x1x1xf32>, tensor<2x4x6x6xf32>
  func.return %a : tensor<2x4x6x6xf32>
}

// Statistics that are arguments can't be folded, and a conv with another reader stays.
// CHECK-LABEL: func.func @not_constant(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<4x3x3x3xf32>
// CHECK-NEXT: %half = graph.constant 0.5 : tensor<f32>
// CHECK-NEXT: %c = graph.conv %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
// CHECK-NEXT: %y = graph.batch_norm %c, %s, %s, %s, %s : tensor<1x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: %z = graph.mul %c, %half : tensor<1x4x6x6xf32>, tensor<f32>
// CHECK-NEXT: func.return %y, %z : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>
func.func @not_constant(%x: tensor<1x3x8x8xf32>, %s: tensor<4xf32>) -> (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<4x3x3x3xf32>
  %half = graph.constant 0.5 : tensor<f32>
  %c = graph.conv %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  %y = graph.batch_norm %c, %s, %s, %s, %s : tensor<1x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  %z = graph.mul %c, %half : tensor<1x4x6x6xf32>, tensor<f32>
  func.return %y, %z : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>
}

// CHECK-LABEL: func.func @matmul(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<8x4xf32>
// CHECK-NEXT: %t = graph.weight "t" = uniform(-0.1, 0.1, 1) : tensor<4x8xf32>
// CHECK-NEXT: %s = graph.weight "s" = uniform(0.1, 0.2, 2) : tensor<4xf32>
// CHECK-NEXT: %0 = graph.constant 1.0e-05 : tensor<f32>
// CHECK-NEXT: %1 = graph.add %s, %0 : tensor<4xf32>, tensor<f32>
// CHECK-NEXT: %2 = graph.sqrt %1 : tensor<4xf32>
// CHECK-NEXT: %3 = graph.div %s, %2 : tensor<4xf32>
// CHECK-NEXT: %4 = graph.mul %s, %3 : tensor<4xf32>
// CHECK-NEXT: %5 = graph.sub %s, %4 : tensor<4xf32>
// CHECK-NEXT: %6 = graph.mul %w, %3 : tensor<8x4xf32>, tensor<4xf32>
// CHECK-NEXT: %7 = graph.add %4, %5 : tensor<4xf32>
// CHECK-NEXT: %y = graph.matmul %x, %6, %7 : tensor<3x8xf32>, tensor<8x4xf32>, tensor<4xf32>
// CHECK-NEXT: %8 = graph.reshape %3 : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %9 = graph.mul %t, %8 : tensor<4x8xf32>, tensor<4x1xf32>
// CHECK-NEXT: %z = graph.matmul %x, %9, %5 transpose_b : tensor<3x8xf32>, tensor<4x8xf32>, tensor<4xf32>
// CHECK-NEXT: func.return %y, %z : tensor<3x4xf32>, tensor<3x4xf32>
func.func @matmul(%x: tensor<3x8xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<8x4xf32>
  %t = graph.weight "t" = uniform(-0.1, 0.1, 1) : tensor<4x8xf32>
  %s = graph.weight "s" = uniform(0.1, 0.2, 2) : tensor<4xf32>
  %c = graph.matmul %x, %w, %s : tensor<3x8xf32>, tensor<8x4xf32>, tensor<4xf32>
  %y = graph.batch_norm %c, %s, %s, %s, %s : tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  %d = graph.matmul %x, %t transpose_b : tensor<3x8xf32>, tensor<4x8xf32>
  %z = graph.batch_norm %d, %s, %s, %s, %s : tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  func.return %y, %z : tensor<3x4xf32>, tensor<3x4xf32>
}
