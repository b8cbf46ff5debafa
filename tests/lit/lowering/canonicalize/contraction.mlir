// RUN: ndp-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @transposed(
// CHECK-NEXT: %x = graph.matmul %a, %b transpose_b : tensor<2x4x8xf32>, tensor<2x16x8xf32>
// CHECK-NEXT: %y = graph.matmul %c, %b transpose_a, transpose_b : tensor<8x4xf32>, tensor<2x16x8xf32>
// CHECK-NEXT: func.return %x, %y : tensor<2x4x16xf32>, tensor<2x4x16xf32>
func.func @transposed(%a: tensor<2x4x8xf32>, %b: tensor<2x16x8xf32>, %c: tensor<8x4xf32>) -> (tensor<2x4x16xf32>, tensor<2x4x16xf32>) {
  %t = graph.transpose %b permutation = [0, 2, 1] : tensor<2x16x8xf32>
  %x = graph.matmul %a, %t : tensor<2x4x8xf32>, tensor<2x8x16xf32>
  %u = graph.transpose %c permutation = [1, 0] : tensor<8x4xf32>
  %y = graph.matmul %u, %b transpose_b : tensor<4x8xf32>, tensor<2x16x8xf32>
  func.return %x, %y : tensor<2x4x16xf32>, tensor<2x4x16xf32>
}

// A conv takes over zero padding, a maximum padding with -inf; neither takes over padding of channels.
// CHECK-LABEL: func.func @padded(
// CHECK-NEXT: %a = graph.conv %x, %w pads = [2, 1, 2, 1] : tensor<1x2x6x6xf32>, tensor<3x2x3x3xf32>
// CHECK-NEXT: %b = graph.pool max %x kernel = [3, 3], strides = [2, 2], pads = [1, 1, 0, 0] : tensor<1x2x6x6xf32>
// CHECK-NEXT: %r = graph.pad %x low = [0, 1, 0, 0], high = [0, 0, 0, 0] : tensor<1x2x6x6xf32>
// CHECK-NEXT: %c = graph.conv %r, %v : tensor<1x3x6x6xf32>, tensor<3x3x3x3xf32>
// CHECK-NEXT: func.return %a, %b, %c : tensor<1x3x8x6xf32>, tensor<1x2x3x3xf32>, tensor<1x3x4x4xf32>
func.func @padded(%x: tensor<1x2x6x6xf32>, %w: tensor<3x2x3x3xf32>, %v: tensor<3x3x3x3xf32>) -> (tensor<1x3x8x6xf32>, tensor<1x2x3x3xf32>, tensor<1x3x4x4xf32>) {
  %p = graph.pad %x low = [0, 0, 1, 0], high = [0, 0, 1, 0] : tensor<1x2x6x6xf32>
  %a = graph.conv %p, %w pads = [1, 1, 1, 1] : tensor<1x2x8x6xf32>, tensor<3x2x3x3xf32>
  %q = graph.pad %x low = [0, 0, 1, 1], high = [0, 0, 0, 0], value = -inf : tensor<1x2x6x6xf32>
  %b = graph.pool max %q kernel = [3, 3], strides = [2, 2] : tensor<1x2x7x7xf32>
  %r = graph.pad %x low = [0, 1, 0, 0], high = [0, 0, 0, 0] : tensor<1x2x6x6xf32>
  %c = graph.conv %r, %v : tensor<1x3x6x6xf32>, tensor<3x3x3x3xf32>
  func.return %a, %b, %c : tensor<1x3x8x6xf32>, tensor<1x2x3x3xf32>, tensor<1x3x4x4xf32>
}

// Grouped-query attention: 8 heads share 2 heads of keys, which the program repeats; afterwards, each key head is multiplied with 4 rows.
// CHECK-LABEL: func.func @shared_heads(
// CHECK-NEXT: %0 = graph.reshape %q : tensor<1x8x1x16xf16> -> tensor<1x2x4x16xf16>
// CHECK-NEXT: %1 = graph.matmul %0, %k transpose_b : tensor<1x2x4x16xf16>, tensor<1x2x32x16xf16>
// CHECK-NEXT: %d = graph.reshape %1 : tensor<1x2x4x32xf16> -> tensor<1x8x1x32xf16>
// CHECK-NEXT: func.return %d : tensor<1x8x1x32xf16>
func.func @shared_heads(%q: tensor<1x8x1x16xf16>, %k: tensor<1x2x32x16xf16>) -> tensor<1x8x1x32xf16> {
  %a = graph.reshape %k : tensor<1x2x32x16xf16> -> tensor<1x2x1x32x16xf16>
  %b = graph.broadcast %a : tensor<1x2x1x32x16xf16> -> tensor<1x2x4x32x16xf16>
  %c = graph.reshape %b : tensor<1x2x4x32x16xf16> -> tensor<1x8x32x16xf16>
  %d = graph.matmul %q, %c transpose_b : tensor<1x8x1x16xf16>, tensor<1x8x32x16xf16>
  func.return %d : tensor<1x8x1x32xf16>
}

// Exporters flatten the input of a Gemm, and unflatten its output.
// CHECK-LABEL: func.func @flat(
// CHECK-NEXT: %d = graph.matmul %x, %w, %b : tensor<1x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>
// CHECK-NEXT: func.return %d : tensor<1x4x16xf32>
func.func @flat(%x: tensor<1x4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<1x4x16xf32> {
  %a = graph.reshape %x : tensor<1x4x8xf32> -> tensor<4x8xf32>
  %c = graph.matmul %a, %w, %b : tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>
  %d = graph.reshape %c : tensor<4x16xf32> -> tensor<1x4x16xf32>
  func.return %d : tensor<1x4x16xf32>
}
