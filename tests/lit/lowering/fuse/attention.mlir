// RUN: ndp-opt %s -p 'fuse{attention=true}' | filecheck %s

// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %m = graph.constant
// CHECK-NEXT: %e = graph.attention %q, %k, %v, %m : tensor<1x2x2x16xf32>, tensor<1x2x3x16xf32>, tensor<1x2x3x8xf32>, tensor<2x3xf32>
// CHECK-NEXT: func.return %e : tensor<1x2x2x8xf32>
func.func @main(%q: tensor<1x2x2x16xf32>, %k: tensor<1x2x3x16xf32>, %v: tensor<1x2x3x8xf32>) -> tensor<1x2x2x8xf32> {
  %m = graph.constant [[0.0, 0.0, -inf], [0.0, 0.0, 0.0]] : tensor<2x3xf32>
  %scale = graph.constant 0.25 : tensor<f32>
  %a = graph.matmul %q, %k transpose_b : tensor<1x2x2x16xf32>, tensor<1x2x3x16xf32>
  %b = graph.mul %a, %scale : tensor<1x2x2x3xf32>, tensor<f32>
  %c = graph.add %b, %m : tensor<1x2x2x3xf32>, tensor<2x3xf32>
  %d = graph.softmax %c : tensor<1x2x2x3xf32>
  %e = graph.matmul %d, %v : tensor<1x2x2x3xf32>, tensor<1x2x3x8xf32>
  func.return %e : tensor<1x2x2x8xf32>
}

// A mask that may hide all keys of a query: written out that gives nan, graph.attention would give zeros.
// CHECK-LABEL: func.func @masked(
// CHECK-NOT: graph.attention
// CHECK: func.return
func.func @masked(%q: tensor<1x2x2x16xf32>, %k: tensor<1x2x3x16xf32>, %v: tensor<1x2x3x8xf32>, %m: tensor<2x3xf32>) -> tensor<1x2x2x8xf32> {
  %a = graph.matmul %q, %k transpose_b : tensor<1x2x2x16xf32>, tensor<1x2x3x16xf32>
  %c = graph.add %a, %m : tensor<1x2x2x3xf32>, tensor<2x3xf32>
  %d = graph.softmax %c : tensor<1x2x2x3xf32>
  %e = graph.matmul %d, %v : tensor<1x2x2x3xf32>, tensor<1x2x3x8xf32>
  func.return %e : tensor<1x2x2x8xf32>
}

// Keys that come transposed, a scale of one, no mask.
// CHECK-LABEL: func.func @bare(
// CHECK-NEXT: %0 = graph.transpose %k permutation = [0, 1, 3, 2] : tensor<1x2x16x6xf32>
// CHECK-NEXT: %e = graph.attention %q, %0, %v scale = 1.0 : tensor<1x2x4x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x8xf32>
// CHECK-NEXT: func.return %e : tensor<1x2x4x8xf32>
func.func @bare(%q: tensor<1x2x4x16xf32>, %k: tensor<1x2x16x6xf32>, %v: tensor<1x2x6x8xf32>) -> tensor<1x2x4x8xf32> {
  %a = graph.matmul %q, %k : tensor<1x2x4x16xf32>, tensor<1x2x16x6xf32>
  %d = graph.softmax %a : tensor<1x2x4x6xf32>
  %e = graph.matmul %d, %v : tensor<1x2x4x6xf32>, tensor<1x2x6x8xf32>
  func.return %e : tensor<1x2x4x8xf32>
}
