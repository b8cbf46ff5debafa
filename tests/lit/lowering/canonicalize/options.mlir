// RUN: ndp-opt %s -p 'canonicalize{fold=false cse=false dce=false}' | filecheck %s
// RUN: ndp-opt %s -p 'canonicalize{cse=false dce=false}' | filecheck %s --check-prefix FOLD
// RUN: ndp-opt %s -p 'canonicalize{fold=false dce=false}' | filecheck %s --check-prefix CSE
// RUN: ndp-opt %s -p 'canonicalize{fold=false cse=false}' | filecheck %s --check-prefix DCE

// CHECK:      %c = graph.constant 2.0 : tensor<f32>
// CHECK-NEXT: %d = graph.add %c, %c : tensor<f32>
// CHECK-NEXT: %e = graph.mul %x, %d : tensor<4xf32>, tensor<f32>
// CHECK-NEXT: %f = graph.mul %x, %d : tensor<4xf32>, tensor<f32>
// CHECK-NEXT: %g = graph.sin %x : tensor<4xf32>
// CHECK-NEXT: %h = graph.sub %e, %f : tensor<4xf32>

// FOLD:      %c = graph.constant 2.0 : tensor<f32>
// FOLD-NEXT: %d = graph.constant 4.0 : tensor<f32>
// FOLD-NEXT: %e = graph.mul %x, %d : tensor<4xf32>, tensor<f32>
// FOLD-NEXT: %f = graph.mul %x, %d : tensor<4xf32>, tensor<f32>
// FOLD-NEXT: %g = graph.sin

// CSE:      %d = graph.add %c, %c : tensor<f32>
// CSE-NEXT: %e = graph.mul %x, %d : tensor<4xf32>, tensor<f32>
// CSE-NEXT: %g = graph.sin %x : tensor<4xf32>
// CSE-NEXT: %h = graph.sub %e, %e : tensor<4xf32>

// DCE:      %e = graph.mul %x, %d : tensor<4xf32>, tensor<f32>
// DCE-NEXT: %f = graph.mul %x, %d : tensor<4xf32>, tensor<f32>
// DCE-NEXT: %h = graph.sub %e, %f : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = graph.constant 2.0 : tensor<f32>
  %d = graph.add %c, %c : tensor<f32>
  %e = graph.mul %x, %d : tensor<4xf32>, tensor<f32>
  %f = graph.mul %x, %d : tensor<4xf32>, tensor<f32>
  %g = graph.sin %x : tensor<4xf32>
  %h = graph.sub %e, %f : tensor<4xf32>
  func.return %h : tensor<4xf32>
}
