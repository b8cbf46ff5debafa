// Optimizers keep their types: squares of gradients of 1e-4 underflow in f16, and their roots would be divisors of zero.
// RUN: ndp-opt %s -p 'reduce-precision{to=f16}' --check 2>&1 | filecheck %s
// CHECK: check: reduce-precision: 4 results equal within
// CHECK: func.func @main
// CHECK: %g = graph.matmul {{.*}} : tensor<4x8xf16>, tensor<8x4xf16>
// CHECK: graph.mul %m, %b1 : tensor<4x4xf32>
// CHECK: %g2 = graph.mul %{{.*}} : tensor<4x4xf32>
// CHECK: %v1 = graph.add %vb, %gb : tensor<4x4xf32>
// CHECK: %p1 = graph.sub %p, %d : tensor<4x4xf32>
// All ops but the optimizer's are converted, including a residual sum.
// CHECK: %y = graph.add {{.*}} : tensor<4x4xf16>
// CHECK: func.return %p1, %m1, %v1, %y_1
func.func @main(%x: tensor<4x8xf32>, %r: tensor<8x4xf32> {graph.fill = array<f64: 0.0, 1.0e-4>},
    %p: tensor<4x4xf32>, %m: tensor<4x4xf32> {graph.fill = array<f64: 0.0, 1.0e-5>},
    %v: tensor<4x4xf32> {graph.fill = array<f64: 0.0, 1.0e-9>}, %h: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %g = graph.matmul %x, %r : tensor<4x8xf32>, tensor<8x4xf32>
  %b1 = graph.constant 0.9 : tensor<f32>
  %a1 = graph.constant 0.1 : tensor<f32>
  %b2 = graph.constant 0.999 : tensor<f32>
  %a2 = graph.constant 0.001 : tensor<f32>
  %small = graph.constant 1.0e-8 : tensor<f32>
  %rate = graph.constant 0.001 : tensor<f32>
  %square = graph.mul %g, %g : tensor<4x4xf32>
  %sum = graph.reduce sum %square axes = [0, 1] : tensor<4x4xf32>
  %norm = graph.sqrt %sum : tensor<f32>
  %more = graph.add %norm, %small : tensor<f32>
  %clip = graph.div %small, %more : tensor<f32>
  %one = graph.constant 1.0 : tensor<f32>
  %times = graph.add %clip, %one : tensor<f32>
  %c = graph.mul %g, %times : tensor<4x4xf32>, tensor<f32>
  %mb = graph.mul %m, %b1 : tensor<4x4xf32>, tensor<f32>
  %ga = graph.mul %c, %a1 : tensor<4x4xf32>, tensor<f32>
  %m1 = graph.add %mb, %ga : tensor<4x4xf32>
  %vb = graph.mul %v, %b2 : tensor<4x4xf32>, tensor<f32>
  %g2 = graph.mul %c, %c : tensor<4x4xf32>
  %gb = graph.mul %g2, %a2 : tensor<4x4xf32>, tensor<f32>
  %v1 = graph.add %vb, %gb : tensor<4x4xf32>
  %root = graph.sqrt %v1 : tensor<4x4xf32>
  %under = graph.add %root, %small : tensor<4x4xf32>, tensor<f32>
  %step = graph.div %m1, %under : tensor<4x4xf32>
  %d = graph.mul %step, %rate : tensor<4x4xf32>, tensor<f32>
  %p1 = graph.sub %p, %d : tensor<4x4xf32>
  %w = graph.matmul %h, %h : tensor<4x4xf32>
  %y = graph.add %w, %h : tensor<4x4xf32>
  func.return %p1, %m1, %v1, %y : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
