// A product of dequantized factors is a product of the small factors; moves and repeated conversions are done on small elements.
// RUN: ndp-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @product
func.func @product(%a: tensor<2x4xui8>, %b: tensor<3x4xi8>, %p: tensor<ui8>, %t: tensor<3x1xf32>, %bias: tensor<3xf32>) -> tensor<2x3xui8> {
  %s = graph.constant 0.5 : tensor<f32>
  // CHECK:      %[[Z:.*]] = graph.constant 0 : tensor<i8>
  // CHECK-NEXT: %[[SUMS:.*]] = graph.qmatmul %a, %b, %p, %[[Z]] transpose_b : tensor<2x4xui8>, tensor<3x4xi8>, tensor<ui8>, tensor<i8>
  // CHECK-NEXT: %[[T:.*]] = graph.reshape %t : tensor<3x1xf32> -> tensor<1x3xf32>
  // CHECK-NEXT: %[[SCALE:.*]] = graph.mul %[[S:.*]], %[[T]]
  // CHECK-NEXT: %[[Y:.*]] = graph.dequantize %[[SUMS]], %[[SCALE]] : tensor<2x3xi32>, tensor<1x3xf32>
  // CHECK-NEXT: %[[WITH:.*]] = graph.add %[[Y]], %bias
  // CHECK-NEXT: graph.quantize %[[WITH]], %[[S]], %p
  %x = graph.dequantize %a, %s, %p : tensor<2x4xui8>, tensor<f32>, tensor<ui8>
  %w = graph.dequantize %b, %t : tensor<3x4xi8>, tensor<3x1xf32>
  %y = graph.matmul %x, %w, %bias transpose_b : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3xf32>
  %q = graph.quantize %y, %s, %p : tensor<2x3xf32>, tensor<f32>, tensor<ui8> -> tensor<2x3xui8>
  func.return %q : tensor<2x3xui8>
}

// Scales that differ along the sums stay with the factor: its kernel dequantizes it.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: tensor<2x4xf32>, %b: tensor<3x4xui4>, %t: tensor<3x2xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: %w = graph.dequantize
  // CHECK-NEXT: graph.matmul %x, %w transpose_b
  %w = graph.dequantize %b, %t axis = 1, block = 2 : tensor<3x4xui4>, tensor<3x2xf32>
  %y = graph.matmul %x, %w transpose_b : tensor<2x4xf32>, tensor<3x4xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @conv
func.func @conv(%a: tensor<1x2x5x5xui8>, %b: tensor<4x2x3x3xi8>, %p: tensor<ui8>, %s: tensor<f32>, %t: tensor<4x1x1x1xf32>, %bias: tensor<4xf32>) -> tensor<1x4x5x5xf32> {
  // CHECK:      %[[SUMS:.*]] = graph.qconv %a, %b, %p, %{{.*}} pads = [1, 1, 1, 1] : tensor<1x2x5x5xui8>, tensor<4x2x3x3xi8>, tensor<ui8>, tensor<i8>
  // CHECK-NEXT: %[[T:.*]] = graph.reshape %t : tensor<4x1x1x1xf32> -> tensor<4x1x1xf32>
  // CHECK:      graph.dequantize %[[SUMS]], %{{.*}} : tensor<1x4x5x5xi32>, tensor<4x1x1xf32>
  // CHECK-NEXT: graph.add
  %x = graph.dequantize %a, %s, %p : tensor<1x2x5x5xui8>, tensor<f32>, tensor<ui8>
  %w = graph.dequantize %b, %t : tensor<4x2x3x3xi8>, tensor<4x1x1x1xf32>
  %y = graph.conv %x, %w, %bias pads = [1, 1, 1, 1] : tensor<1x2x5x5xf32>, tensor<4x2x3x3xf32>, tensor<4xf32>
  func.return %y : tensor<1x4x5x5xf32>
}

// CHECK-LABEL: func.func @moves
func.func @moves(%a: tensor<2x3x4xi8>, %s: tensor<f32>, %t: tensor<3x1xf32>, %i: tensor<5xi64>) -> (tensor<3x2x4xi8>, tensor<3x2x4xf32>, tensor<5x3x4xf32>) {
  // CHECK-NEXT: %[[Q:.*]] = graph.transpose %a permutation = [1, 0, 2] : tensor<2x3x4xi8>
  // CHECK-NEXT: %[[R:.*]] = graph.reshape %t : tensor<3x1xf32> -> tensor<3x1x1xf32>
  // CHECK-NEXT: %[[Y:.*]] = graph.dequantize %[[Q]], %[[R]] : tensor<3x2x4xi8>, tensor<3x1x1xf32>
  // CHECK-NEXT: %[[G:.*]] = graph.gather %a, %i : tensor<2x3x4xi8>, tensor<5xi64>
  // CHECK-NEXT: %[[H:.*]] = graph.dequantize %[[G]], %s
  // CHECK-NEXT: return %[[Q]], %[[Y]], %[[H]]
  %x = graph.dequantize %a, %s : tensor<2x3x4xi8>, tensor<f32>
  %turned = graph.transpose %x permutation = [1, 0, 2] : tensor<2x3x4xf32>
  %again = graph.quantize %turned, %s : tensor<3x2x4xf32>, tensor<f32> -> tensor<3x2x4xi8>
  %z = graph.dequantize %a, %t : tensor<2x3x4xi8>, tensor<3x1xf32>
  %turned2 = graph.transpose %z permutation = [1, 0, 2] : tensor<2x3x4xf32>
  %rows = graph.gather %x, %i : tensor<2x3x4xf32>, tensor<5xi64>
  func.return %again, %turned2, %rows : tensor<3x2x4xi8>, tensor<3x2x4xf32>, tensor<5x3x4xf32>
}

// Each iteration of a loop dequantizes what it reads.
// CHECK-LABEL: func.func @loop
func.func @loop(%h: tensor<1x4xf32>, %q: tensor<4x4xi8>, %t: tensor<4xf32>) -> tensor<1x4xf32> {
  // CHECK-NEXT: graph.repeat %{{.*}} = 0 to 3 (%{{.*}} = %h, %{{.*}} = %q, %{{.*}} = %t) {
  // CHECK-NEXT:   graph.dequantize
  // CHECK-NEXT:   graph.matmul
  %w = graph.dequantize %q, %t : tensor<4x4xi8>, tensor<4xf32>
  %y = graph.repeat %i = 0 to 3 (%a = %h, %b = %w) {
    %0 = graph.matmul %a, %b : tensor<1x4xf32>, tensor<4x4xf32>
    graph.yield %0
  }
  func.return %y : tensor<1x4xf32>
}

// A scale of each row and one of each column multiply the sums one after the other, not as a table of their products.
// CHECK-LABEL: func.func @rows_and_columns
func.func @rows_and_columns(%a: tensor<2x4xf8E4M3FN>, %b: tensor<3x4xf8E4M3FN>, %s: tensor<2x1xf32>, %t: tensor<3x1xf32>) -> tensor<2x3xf32> {
  // CHECK-DAG:  %[[SUMS:.*]] = graph.qmatmul %a, %b transpose_b
  // CHECK-DAG:  %[[T:.*]] = graph.reshape %t : tensor<3x1xf32> -> tensor<{{.*}}3xf32>
  // CHECK:      %[[ROWS:.*]] = graph.mul %[[SUMS]], %s : tensor<2x3xf32>, tensor<2x1xf32>
  // CHECK-NEXT: %[[Y:.*]] = graph.mul %[[ROWS]], %[[T]]
  // CHECK-NEXT: func.return %[[Y]]
  %x = graph.dequantize %a, %s : tensor<2x4xf8E4M3FN>, tensor<2x1xf32>
  %w = graph.dequantize %b, %t : tensor<3x4xf8E4M3FN>, tensor<3x1xf32>
  %y = graph.matmul %x, %w transpose_b : tensor<2x4xf32>, tensor<3x4xf32>
  func.return %y : tensor<2x3xf32>
}
