// RUN: not ndp-opt %s -p 'reduce-precision{to=f8}' 2>&1 | filecheck %s
// CHECK: -p:1:18: error: option `to` of reduce-precision must be one of auto, keep, f16, bf16, f32, but is f8

// RUN: ndp-opt %s -p reduce-precision 2>&1 | filecheck %s --check-prefix NO-PIM
// NO-PIM-NOT: note
// NO-PIM: %y = graph.matmul %x, %x : tensor<8x8xf32>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = graph.matmul %x, %x : tensor<8x8xf32>
  func.return %y : tensor<8x8xf32>
}
