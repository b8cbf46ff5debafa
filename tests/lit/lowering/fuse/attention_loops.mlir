// A loop over layers stacks attention weights and exponentials of each iteration for the loop of the gradient. After fusion, the second
// loop recomputes them from other stacked values and the maxima of rows, and the stacks of weights are removed. Results stay the same.
// RUN: ndp-opt %s -p 'fuse{attention=true}' --check | filecheck %s
// RUN: ndp-opt %s -p fuse | filecheck %s --check-prefix=OFF

// CHECK-LABEL: func.func @scan(
// CHECK-NOT: tensor<3x4x6x6x
// CHECK: graph.fused attention (
// CHECK: graph.dynamic_update_slice {{.*}} : tensor<3x4x6x1xf32>
// CHECK-NOT: tensor<3x4x6x6x
// CHECK: graph.fused attention_grad (
// CHECK-NOT: tensor<3x4x6x6x
// CHECK: func.return
// OFF-LABEL: func.func @scan(
// OFF-NOT: attention
// OFF: graph.dynamic_slice {{.*}} : tensor<3x4x6x6xf32>
// OFF: func.return
func.func @scan(%x: tensor<4x6x8xf16>, %seen: tensor<6xi1>, %dy: tensor<4x6x8xf16>) -> (tensor<4x6x8xf16>, tensor<4x6x8xf16>) {
  %xs = graph.constant 0.0 : tensor<3x4x6x8xf16>
  %es = graph.constant 0.0 : tensor<3x4x6x6xf32>
  %zs = graph.constant 0.0 : tensor<3x4x6x1xf32>
  %ps = graph.constant 0.0 : tensor<3x4x6x6xf16>
  %y, %xs1, %es1, %zs1, %ps1 = graph.repeat %i = 0 to 3 (%a = %x, %b0 = %xs, %b1 = %es, %b2 = %zs, %b3 = %ps, %mask = %seen) {
    %zero = graph.constant 0 : tensor<i32>
    %hidden = graph.constant -1.0e9 : tensor<f32>
    %sh = graph.matmul %a, %a transpose_b : tensor<4x6x8xf16>
    %s = graph.cast %sh : tensor<4x6x6xf16> -> tensor<4x6x6xf32>
    %c = graph.select %mask, %s, %hidden : tensor<6xi1>, tensor<4x6x6xf32>, tensor<f32>
    %m = graph.reduce max %c axes = [2], keep_dims : tensor<4x6x6xf32>
    %d = graph.sub %c, %m : tensor<4x6x6xf32>, tensor<4x6x1xf32>
    %e = graph.exp %d : tensor<4x6x6xf32>
    %z = graph.reduce sum %e axes = [2] : tensor<4x6x6xf32>
    %z1 = graph.reshape %z : tensor<4x6xf32> -> tensor<4x6x1xf32>
    %p = graph.div %e, %z1 : tensor<4x6x6xf32>, tensor<4x6x1xf32>
    %ph = graph.cast %p : tensor<4x6x6xf32> -> tensor<4x6x6xf16>
    %n = graph.matmul %ph, %a : tensor<4x6x6xf16>, tensor<4x6x8xf16>
    %u0 = graph.reshape %a : tensor<4x6x8xf16> -> tensor<1x4x6x8xf16>
    %w0 = graph.dynamic_update_slice %b0, %u0, %i, %zero, %zero, %zero : tensor<3x4x6x8xf16>, tensor<1x4x6x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %u1 = graph.reshape %e : tensor<4x6x6xf32> -> tensor<1x4x6x6xf32>
    %w1 = graph.dynamic_update_slice %b1, %u1, %i, %zero, %zero, %zero : tensor<3x4x6x6xf32>, tensor<1x4x6x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %u2 = graph.reshape %z1 : tensor<4x6x1xf32> -> tensor<1x4x6x1xf32>
    %w2 = graph.dynamic_update_slice %b2, %u2, %i, %zero, %zero, %zero : tensor<3x4x6x1xf32>, tensor<1x4x6x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %u3 = graph.reshape %ph : tensor<4x6x6xf16> -> tensor<1x4x6x6xf16>
    %w3 = graph.dynamic_update_slice %b3, %u3, %i, %zero, %zero, %zero : tensor<3x4x6x6xf16>, tensor<1x4x6x6xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    graph.yield %n, %w0, %w1, %w2, %w3
  }
  %dx = graph.repeat %i = 0 to 3 (%da = %dy, %b0 = %xs1, %b1 = %es1, %b2 = %zs1, %b3 = %ps1, %mask = %seen) {
    %zero = graph.constant 0 : tensor<i32>
    %two = graph.constant 2 : tensor<i32>
    %none = graph.constant 0.0 : tensor<f32>
    %j = graph.sub %two, %i : tensor<i32>
    %u0 = graph.dynamic_slice %b0, %j, %zero, %zero, %zero sizes = [1, 4, 6, 8] : tensor<3x4x6x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %a = graph.reshape %u0 : tensor<1x4x6x8xf16> -> tensor<4x6x8xf16>
    %u1 = graph.dynamic_slice %b1, %j, %zero, %zero, %zero sizes = [1, 4, 6, 6] : tensor<3x4x6x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %e = graph.reshape %u1 : tensor<1x4x6x6xf32> -> tensor<4x6x6xf32>
    %u2 = graph.dynamic_slice %b2, %j, %zero, %zero, %zero sizes = [1, 4, 6, 1] : tensor<3x4x6x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %z1 = graph.reshape %u2 : tensor<1x4x6x1xf32> -> tensor<4x6x1xf32>
    %u3 = graph.dynamic_slice %b3, %j, %zero, %zero, %zero sizes = [1, 4, 6, 6] : tensor<3x4x6x6xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %ph = graph.reshape %u3 : tensor<1x4x6x6xf16> -> tensor<4x6x6xf16>
    %dv = graph.matmul %ph, %da transpose_a : tensor<4x6x6xf16>, tensor<4x6x8xf16>
    %dh = graph.matmul %da, %a transpose_b : tensor<4x6x8xf16>
    %dp = graph.cast %dh : tensor<4x6x6xf16> -> tensor<4x6x6xf32>
    %q0 = graph.div %dp, %z1 : tensor<4x6x6xf32>, tensor<4x6x1xf32>
    %q1 = graph.div %q0, %z1 : tensor<4x6x6xf32>, tensor<4x6x1xf32>
    %q2 = graph.mul %q1, %e : tensor<4x6x6xf32>
    %q3 = graph.reduce sum %q2 axes = [2], keep_dims : tensor<4x6x6xf32>
    %q4 = graph.sub %q0, %q3 : tensor<4x6x6xf32>, tensor<4x6x1xf32>
    %q5 = graph.mul %q4, %e : tensor<4x6x6xf32>
    %q6 = graph.select %mask, %q5, %none : tensor<6xi1>, tensor<4x6x6xf32>, tensor<f32>
    %q7 = graph.cast %q6 : tensor<4x6x6xf32> -> tensor<4x6x6xf16>
    %dq = graph.matmul %q7, %a : tensor<4x6x6xf16>, tensor<4x6x8xf16>
    %dk = graph.matmul %q7, %a transpose_a : tensor<4x6x6xf16>, tensor<4x6x8xf16>
    %r0 = graph.add %dq, %dk : tensor<4x6x8xf16>
    %r1 = graph.add %r0, %dv : tensor<4x6x8xf16>
    graph.yield %r1
  }
  func.return %y, %dx : tensor<4x6x8xf16>, tensor<4x6x8xf16>
}

// Weights with another reader stay: here they are a result.
// CHECK-LABEL: func.func @given(
// CHECK-NOT: attention
// CHECK: func.return
func.func @given(%x: tensor<4x6x8xf16>, %seen: tensor<6xi1>, %dy: tensor<4x6x8xf16>) -> (tensor<4x6x8xf16>, tensor<4x6x8xf16>, tensor<3x4x6x6xf16>) {
  %xs = graph.constant 0.0 : tensor<3x4x6x8xf16>
  %es = graph.constant 0.0 : tensor<3x4x6x6xf32>
  %zs = graph.constant 0.0 : tensor<3x4x6x1xf32>
  %ps = graph.constant 0.0 : tensor<3x4x6x6xf16>
  %y, %xs1, %es1, %zs1, %ps1 = graph.repeat %i = 0 to 3 (%a = %x, %b0 = %xs, %b1 = %es, %b2 = %zs, %b3 = %ps, %mask = %seen) {
    %zero = graph.constant 0 : tensor<i32>
    %hidden = graph.constant -1.0e9 : tensor<f32>
    %sh = graph.matmul %a, %a transpose_b : tensor<4x6x8xf16>
    %s = graph.cast %sh : tensor<4x6x6xf16> -> tensor<4x6x6xf32>
    %c = graph.select %mask, %s, %hidden : tensor<6xi1>, tensor<4x6x6xf32>, tensor<f32>
    %m = graph.reduce max %c axes = [2], keep_dims : tensor<4x6x6xf32>
    %d = graph.sub %c, %m : tensor<4x6x6xf32>, tensor<4x6x1xf32>
    %e = graph.exp %d : tensor<4x6x6xf32>
    %z = graph.reduce sum %e axes = [2] : tensor<4x6x6xf32>
    %z1 = graph.reshape %z : tensor<4x6xf32> -> tensor<4x6x1xf32>
    %p = graph.div %e, %z1 : tensor<4x6x6xf32>, tensor<4x6x1xf32>
    %ph = graph.cast %p : tensor<4x6x6xf32> -> tensor<4x6x6xf16>
    %n = graph.matmul %ph, %a : tensor<4x6x6xf16>, tensor<4x6x8xf16>
    %u0 = graph.reshape %a : tensor<4x6x8xf16> -> tensor<1x4x6x8xf16>
    %w0 = graph.dynamic_update_slice %b0, %u0, %i, %zero, %zero, %zero : tensor<3x4x6x8xf16>, tensor<1x4x6x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %u1 = graph.reshape %e : tensor<4x6x6xf32> -> tensor<1x4x6x6xf32>
    %w1 = graph.dynamic_update_slice %b1, %u1, %i, %zero, %zero, %zero : tensor<3x4x6x6xf32>, tensor<1x4x6x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %u2 = graph.reshape %z1 : tensor<4x6x1xf32> -> tensor<1x4x6x1xf32>
    %w2 = graph.dynamic_update_slice %b2, %u2, %i, %zero, %zero, %zero : tensor<3x4x6x1xf32>, tensor<1x4x6x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %u3 = graph.reshape %ph : tensor<4x6x6xf16> -> tensor<1x4x6x6xf16>
    %w3 = graph.dynamic_update_slice %b3, %u3, %i, %zero, %zero, %zero : tensor<3x4x6x6xf16>, tensor<1x4x6x6xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    graph.yield %n, %w0, %w1, %w2, %w3
  }
  %dx = graph.repeat %i = 0 to 3 (%da = %dy, %b0 = %xs1, %b1 = %es1, %b2 = %zs1, %b3 = %ps1, %mask = %seen) {
    %zero = graph.constant 0 : tensor<i32>
    %two = graph.constant 2 : tensor<i32>
    %none = graph.constant 0.0 : tensor<f32>
    %j = graph.sub %two, %i : tensor<i32>
    %u0 = graph.dynamic_slice %b0, %j, %zero, %zero, %zero sizes = [1, 4, 6, 8] : tensor<3x4x6x8xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %a = graph.reshape %u0 : tensor<1x4x6x8xf16> -> tensor<4x6x8xf16>
    %u1 = graph.dynamic_slice %b1, %j, %zero, %zero, %zero sizes = [1, 4, 6, 6] : tensor<3x4x6x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %e = graph.reshape %u1 : tensor<1x4x6x6xf32> -> tensor<4x6x6xf32>
    %u2 = graph.dynamic_slice %b2, %j, %zero, %zero, %zero sizes = [1, 4, 6, 1] : tensor<3x4x6x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %z1 = graph.reshape %u2 : tensor<1x4x6x1xf32> -> tensor<4x6x1xf32>
    %u3 = graph.dynamic_slice %b3, %j, %zero, %zero, %zero sizes = [1, 4, 6, 6] : tensor<3x4x6x6xf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
    %ph = graph.reshape %u3 : tensor<1x4x6x6xf16> -> tensor<4x6x6xf16>
    %dv = graph.matmul %ph, %da transpose_a : tensor<4x6x6xf16>, tensor<4x6x8xf16>
    %dh = graph.matmul %da, %a transpose_b : tensor<4x6x8xf16>
    %dp = graph.cast %dh : tensor<4x6x6xf16> -> tensor<4x6x6xf32>
    %q0 = graph.div %dp, %z1 : tensor<4x6x6xf32>, tensor<4x6x1xf32>
    %q1 = graph.div %q0, %z1 : tensor<4x6x6xf32>, tensor<4x6x1xf32>
    %q2 = graph.mul %q1, %e : tensor<4x6x6xf32>
    %q3 = graph.reduce sum %q2 axes = [2], keep_dims : tensor<4x6x6xf32>
    %q4 = graph.sub %q0, %q3 : tensor<4x6x6xf32>, tensor<4x6x1xf32>
    %q5 = graph.mul %q4, %e : tensor<4x6x6xf32>
    %q6 = graph.select %mask, %q5, %none : tensor<6xi1>, tensor<4x6x6xf32>, tensor<f32>
    %q7 = graph.cast %q6 : tensor<4x6x6xf32> -> tensor<4x6x6xf16>
    %dq = graph.matmul %q7, %a : tensor<4x6x6xf16>, tensor<4x6x8xf16>
    %dk = graph.matmul %q7, %a transpose_a : tensor<4x6x6xf16>, tensor<4x6x8xf16>
    %r0 = graph.add %dq, %dk : tensor<4x6x8xf16>
    %r1 = graph.add %r0, %dv : tensor<4x6x8xf16>
    graph.yield %r1
  }
  func.return %y, %dx, %ps1 : tensor<4x6x8xf16>, tensor<4x6x8xf16>, tensor<3x4x6x6xf16>
}
