// Fused kernels: several results, an operand that is also a result, no operands; names in a body may repeat outer names.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// CHECK-LABEL: func.func @fused
func.func @fused(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // CHECK-NEXT: %y = graph.fused (%a = %x, %f = %w) {
  // CHECK-NEXT: %c = graph.conv %a, %f : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
  // CHECK-NEXT: %r = graph.relu %c : tensor<1x4x6x6xf32>
  // CHECK-NEXT: graph.yield %r
  // CHECK-NEXT: }
  %y = graph.fused (%a = %x, %f = %w) {
    %c = graph.conv %a, %f : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>
    %r = graph.relu %c : tensor<1x4x6x6xf32>
    graph.yield %r
  }
  // CHECK-NEXT: %two, %three = graph.fused (%x_1 = %x) {
  // CHECK-NEXT: %y_1 = graph.exp %x_1 : tensor<1x3x8x8xf32>
  // CHECK-NEXT: graph.yield %x_1, %y_1
  // CHECK-NEXT: }
  %two, %three = graph.fused (%x = %x) {
    %y = graph.exp %x : tensor<1x3x8x8xf32>
    graph.yield %x, %y
  }
  // CHECK-NEXT: %none = graph.fused () {
  // CHECK-NEXT: %c = graph.constant 1.0 : tensor<f32>
  // CHECK-NEXT: graph.yield %c
  // CHECK-NEXT: }
  %none = graph.fused () {
    %c = graph.constant 1.0 : tensor<f32>
    graph.yield %c
  }
  func.return
}
