// RUN: ndp-opt %s -p canonicalize | filecheck %s

// Unused operands and results of a kernel are removed.
// CHECK-LABEL: func.func @unused(
// CHECK-NEXT: %a = graph.fused (%p = %x) {
// CHECK-NEXT: %0 = graph.exp %p : tensor<4xf32>
// CHECK-NEXT: %1 = graph.sin %0 : tensor<4xf32>
// CHECK-NEXT: graph.yield %1
// CHECK-NEXT: }
// CHECK-NEXT: func.return %a : tensor<4xf32>
func.func @unused(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a, %b = graph.fused (%p = %x, %q = %y) {
    %0 = graph.exp %p : tensor<4xf32>
    %1 = graph.sin %0 : tensor<4xf32>
    %2 = graph.cos %q : tensor<4xf32>
    graph.yield %1, %2
  }
  func.return %a : tensor<4xf32>
}

// A kernel of one op becomes that op.
// CHECK-LABEL: func.func @single(
// CHECK-NEXT: %half = graph.constant 0.5 : tensor<f32>
// CHECK-NEXT: %a = graph.mul %x, %half : tensor<4xf32>, tensor<f32>
// CHECK-NEXT: func.return %a, %a : tensor<4xf32>, tensor<4xf32>
func.func @single(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = graph.fused (%p = %x) {
    %half = graph.constant 0.5 : tensor<f32>
    %0 = graph.mul %p, %half : tensor<4xf32>, tensor<f32>
    graph.yield %0
  }
  %b = graph.fused (%p = %a) {
    %0 = graph.neg %p : tensor<4xf32>
    %1 = graph.neg %0 : tensor<4xf32>
    graph.yield %1
  }
  func.return %a, %b : tensor<4xf32>, tensor<4xf32>
}
