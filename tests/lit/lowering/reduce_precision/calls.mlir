// RUN: ndp-opt %s -p 'reduce-precision{to=f16}' | filecheck %s

// A call's operands and results have the types of the callee's signature; each function is converted separately.
// CHECK-LABEL: func.func @inner(
// CHECK-NEXT: %y = graph.exp %x : tensor<4x4xf32>
// CHECK-NEXT: func.return %y : tensor<4x4xf32>
func.func @inner(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = graph.exp %x : tensor<4x4xf32>
  func.return %y : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %x_1 = graph.cast %x : tensor<4x4xf32> -> tensor<4x4xf16>
// CHECK-NEXT: %a = graph.matmul %x_1, %x_1 : tensor<4x4xf16>
// CHECK-NEXT: %0 = graph.cast %a : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK-NEXT: %b = func.call @inner(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: %b_1 = graph.cast %b : tensor<4x4xf32> -> tensor<4x4xf16>
// CHECK-NEXT: %c = graph.matmul %b_1, %a : tensor<4x4xf16>
// CHECK-NEXT: %c_1 = graph.cast %c : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK-NEXT: func.return %c_1 : tensor<4x4xf32>
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = graph.matmul %x, %x : tensor<4x4xf32>
  %b = func.call @inner(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = graph.matmul %b, %a : tensor<4x4xf32>
  func.return %c : tensor<4x4xf32>
}
