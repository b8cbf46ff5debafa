// RUN: ndp-opt %s -p 'reduce-precision{to=f16}' | filecheck %s

// Kernels are converted inside: weights and data are passed in the new type; the f32 part of a mask stays f32.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %x_1 = graph.cast %x : tensor<4x8xf32> -> tensor<4x8xf16>
// CHECK-NEXT: %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8x8xf16>
// CHECK-NEXT: %y = graph.fused (%a = %x_1, %b = %w, %k = %keep) {
// CHECK-NEXT: %zero = graph.constant 0.0 : tensor<f32>
// CHECK-NEXT: %fill = graph.constant -inf : tensor<f32>
// CHECK-NEXT: %0 = graph.matmul %a, %b : tensor<4x8xf16>, tensor<8x8xf16>
// CHECK-NEXT: %1 = graph.select %k, %zero, %fill : tensor<4x8xi1>, tensor<f32>, tensor<f32>
// CHECK-NEXT: %2 = graph.cast %1 : tensor<4x8xf32> -> tensor<4x8xf16>
// CHECK-NEXT: %3 = graph.add %0, %2 : tensor<4x8xf16>
// CHECK-NEXT: graph.yield %3
// CHECK-NEXT: }
// CHECK-NEXT: %z = graph.fused (%a = %y) {
// CHECK-NEXT: %0 = graph.softmax %a : tensor<4x8xf16>
// CHECK-NEXT: graph.yield %0
// CHECK-NEXT: }
// CHECK-NEXT: %z_1 = graph.cast %z : tensor<4x8xf16> -> tensor<4x8xf32>
// CHECK-NEXT: func.return %z_1 : tensor<4x8xf32>
func.func @main(%x: tensor<4x8xf32>, %keep: tensor<4x8xi1>) -> tensor<4x8xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %y = graph.fused (%a = %x, %b = %w, %k = %keep) {
    %zero = graph.constant 0.0 : tensor<f32>
    %fill = graph.constant -inf : tensor<f32>
    %0 = graph.matmul %a, %b : tensor<4x8xf32>, tensor<8x8xf32>
    %1 = graph.select %k, %zero, %fill : tensor<4x8xi1>, tensor<f32>, tensor<f32>
    %2 = graph.add %0, %1 : tensor<4x8xf32>
    graph.yield %2
  }
  %z = graph.fused (%a = %y) {
    %0 = graph.cast %a : tensor<4x8xf32> -> tensor<4x8xf16>
    %1 = graph.cast %0 : tensor<4x8xf16> -> tensor<4x8xf32>
    %2 = graph.softmax %1 : tensor<4x8xf32>
    graph.yield %2
  }
  func.return %z : tensor<4x8xf32>
}
