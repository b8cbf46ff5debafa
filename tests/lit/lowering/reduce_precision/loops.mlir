// RUN: ndp-opt %s -p 'reduce-precision{to=f16}' --check 2>%t | filecheck %s

// A loop's carried values have the new type from the start, and so have its other operands; the counter and integers stay.
// CHECK-LABEL: func.func @main
// CHECK: %x_1 = graph.cast %x : tensor<2x4xf32> -> tensor<2x4xf16>
// CHECK: %h, %n = graph.repeat %i = 0 to 3 (%a = %x_1, %k = %m, %layers = %w_1) {
// CHECK: graph.gather %layers, %i : tensor<3x4x4xf16>, tensor<i32>
// CHECK: graph.constant 2.0 : tensor<f16>
// CHECK: graph.yield %{{.*}}, %{{.*}}
// CHECK: graph.cast %h : tensor<2x4xf16> -> tensor<2x4xf32>
func.func @main(%x: tensor<2x4xf32>, %w: tensor<3x4x4xf32>, %m: tensor<2x4xi32>) -> (tensor<2x4xf32>, tensor<2x4xi32>) {
  %h, %n = graph.repeat %i = 0 to 3 (%a = %x, %k = %m, %layers = %w) {
    %w1 = graph.gather %layers, %i : tensor<3x4x4xf32>, tensor<i32>
    %two = graph.constant 2.0 : tensor<f32>
    %0 = graph.matmul %a, %w1 : tensor<2x4xf32>, tensor<4x4xf32>
    %1 = graph.mul %0, %two : tensor<2x4xf32>, tensor<f32>
    %2 = graph.add %k, %i : tensor<2x4xi32>, tensor<i32>
    graph.yield %1, %2
  }
  func.return %h, %n : tensor<2x4xf32>, tensor<2x4xi32>
}
