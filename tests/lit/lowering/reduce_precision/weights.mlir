// RUN: ndp-opt %s -p 'reduce-precision{to=f16}' | filecheck %s

// The signature stays; random weights are rounded to the new type; values computed from weights stay f32, and so do weights in files.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %x_1 = graph.cast %x : tensor<1x8xf32> -> tensor<1x8xf16>
// CHECK-NEXT: %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<8x4xf32>
// CHECK-NEXT: %w_1 = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<8x4xf16>
// CHECK-NEXT: %f = graph.weight "f" = file("f.weights", 0) : tensor<4x4xf32>
// CHECK-NEXT: %f_1 = graph.cast %f : tensor<4x4xf32> -> tensor<4x4xf16>
// CHECK-NEXT: %s = graph.abs %w : tensor<8x4xf32>
// CHECK-NEXT: %u = graph.sqrt %s : tensor<8x4xf32>
// CHECK-NEXT: %u_1 = graph.cast %u : tensor<8x4xf32> -> tensor<8x4xf16>
// CHECK-NEXT: %c = graph.constant [0.1, 0.2, inf, -65504.0] : tensor<4xf16>
// CHECK-NEXT: %a = graph.matmul %x_1, %w_1 : tensor<1x8xf16>, tensor<8x4xf16>
// CHECK-NEXT: %b = graph.matmul %x_1, %u_1, %c : tensor<1x8xf16>, tensor<8x4xf16>, tensor<4xf16>
// CHECK-NEXT: %d = graph.matmul %b, %f_1 : tensor<1x4xf16>, tensor<4x4xf16>
// CHECK-NEXT: %e = graph.add %a, %d : tensor<1x4xf16>
// CHECK-NEXT: %e_1 = graph.cast %e : tensor<1x4xf16> -> tensor<1x4xf32>
// CHECK-NEXT: func.return %e_1, %u : tensor<1x4xf32>, tensor<8x4xf32>
func.func @main(%x: tensor<1x8xf32>) -> (tensor<1x4xf32>, tensor<8x4xf32>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<8x4xf32>
  %f = graph.weight "f" = file("f.weights", 0) : tensor<4x4xf32>
  %s = graph.abs %w : tensor<8x4xf32>
  %u = graph.sqrt %s : tensor<8x4xf32>
  %c = graph.constant [0.1, 0.2, inf, -1.0e+06] : tensor<4xf32>
  %a = graph.matmul %x, %w : tensor<1x8xf32>, tensor<8x4xf32>
  %b = graph.matmul %x, %u, %c : tensor<1x8xf32>, tensor<8x4xf32>, tensor<4xf32>
  %d = graph.matmul %b, %f : tensor<1x4xf32>, tensor<4x4xf32>
  %e = graph.add %a, %d : tensor<1x4xf32>
  func.return %e, %u : tensor<1x4xf32>, tensor<8x4xf32>
}
