// An exported ONNX model is read as the same program: groups are exported as their ops, weights with their numbers.
// RUN: ndp-opt %s -t onnx -o %t.onnx && ndp-opt %t.onnx | filecheck %s
// RUN: ndp-opt %s -t 'onnx{wide=true}' -o %t.onnx && ndp-opt %t.onnx | filecheck %s --check-prefix=WIDE
// RUN: not ndp-opt %s -t 'onnx{entry=ints}' 2>&1 | filecheck %s --check-prefix=INTS

// CHECK:      func.func @main(%x: tensor<1x4xf16>) -> tensor<1x2xf16> {
// CHECK-NEXT:   %w = graph.constant [[0.1332, 0.4915], [0.942, -0.11127], [-0.11145, 0.526], [0.755, 0.04614]] : tensor<4x2xf16>
// CHECK-NEXT:   %matmul = graph.matmul %x, %w : tensor<1x4xf16>, tensor<4x2xf16>
// CHECK-NEXT:   %relu = graph.relu %matmul : tensor<1x2xf16>
// CHECK:        func.return %

// WIDE: func.func @main(%x: tensor<1x4xf32>) -> tensor<1x2xf32> {
// WIDE: graph.relu %{{.*}} : tensor<1x2xf32>
func.func @main(%x: tensor<1x4xf16>) -> tensor<1x2xf16> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x2xf16>
  %y = graph.fused (%a = %x, %b = %w) {
    %0 = graph.matmul %a, %b : tensor<1x4xf16>, tensor<4x2xf16>
    %1 = graph.relu %0 : tensor<1x2xf16>
    graph.yield %1
  }
  func.return %y : tensor<1x2xf16>
}

// INTS: onnx.mlir:[[# @LINE + 2]]:8: error: graph.pool can't be written as ONNX: ONNX's pooling supports 8-bit integers and floating-point elements, not i32
func.func @ints(%x: tensor<1x1x4xi32>) -> tensor<1x1x3xi32> {
  %y = graph.pool max %x kernel = [2] : tensor<1x1x4xi32>
  func.return %y : tensor<1x1x3xi32>
}
