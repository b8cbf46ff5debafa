// Ops on the bits of a number, and the values before and after them, keep the type that the program was written for.
// RUN: ndp-opt %s -p 'reduce-precision{to=f16}' --check 2>&1 | filecheck %s
// CHECK: check: reduce-precision: 1 result equal within
// CHECK: %y = graph.matmul {{.*}} : tensor<4x4xf16>
// CHECK-NEXT: %0 = graph.cast %y : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK-NEXT: %b = graph.bitcast %0 : tensor<4x4xf32> -> tensor<4x4xui32>
// CHECK: %f = graph.bitcast %m : tensor<4x4xui32> -> tensor<4x4xf32>
// CHECK-NEXT: %f_1 = graph.cast %f : tensor<4x4xf32> -> tensor<4x4xf16>
// CHECK-NEXT: %z = graph.add %y, %f_1 : tensor<4x4xf16>
// The same holds in a group and in a loop.
// CHECK: graph.bitcast {{.*}} : tensor<4x4xf32> -> tensor<4x4xui32>
// CHECK: graph.bitcast {{.*}} : tensor<4x4xf32> -> tensor<4x4xui32>
func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = graph.matmul %x, %w : tensor<4x4xf32>
  %b = graph.bitcast %y : tensor<4x4xf32> -> tensor<4x4xui32>
  %c = graph.constant 4292870144 : tensor<ui32>
  %m = graph.and %b, %c : tensor<4x4xui32>, tensor<ui32>
  %f = graph.bitcast %m : tensor<4x4xui32> -> tensor<4x4xf32>
  %z = graph.add %y, %f : tensor<4x4xf32>
  %u = graph.fused (%a = %z) {
    %0 = graph.bitcast %a : tensor<4x4xf32> -> tensor<4x4xui32>
    %1 = graph.bitcast %0 : tensor<4x4xui32> -> tensor<4x4xf32>
    graph.yield %1
  }
  %v = graph.repeat %i = 0 to 2 (%a = %u) {
    %0 = graph.bitcast %a : tensor<4x4xf32> -> tensor<4x4xui32>
    %1 = graph.bitcast %0 : tensor<4x4xui32> -> tensor<4x4xf32>
    graph.yield %1
  }
  func.return %v : tensor<4x4xf32>
}
