// The parts of a training step become kernels of their kind, unless the option for that kind is off.
// RUN: ndp-opt %s -p fuse --check | filecheck %s
// RUN: ndp-opt %s -p 'fuse{without=adam,sgd_momentum,softmax_grad,layer_norm,gelu,log_softmax}' | filecheck %s --check-prefix=OFF
// RUN: not ndp-opt %s -p 'fuse{without=softmax_gard}' 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: fuse: option `without` names the unknown pattern `softmax_gard`; did you mean `softmax_grad`?

// One kernel reads p, m, v and g once, and writes p, m and v once.
// CHECK-LABEL: func.func @adam(
// CHECK-NEXT: %m1, %v1, %p1 = graph.fused adam (
// CHECK: graph.yield %{{.*}}, %{{.*}}, %{{.*}}
// OFF-LABEL: func.func @adam(
// OFF-NOT: fused adam
// OFF: func.return
func.func @adam(%p: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %b1 = graph.constant 0.9 : tensor<f32>
  %c1 = graph.constant 0.1 : tensor<f32>
  %b2 = graph.constant 0.999 : tensor<f32>
  %c2 = graph.constant 0.001 : tensor<f32>
  %eps = graph.constant 1.0e-08 : tensor<f32>
  %ma = graph.mul %m, %b1 : tensor<8xf32>, tensor<f32>
  %mb = graph.mul %g, %c1 : tensor<8xf32>, tensor<f32>
  %m1 = graph.add %ma, %mb : tensor<8xf32>
  %va = graph.mul %v, %b2 : tensor<8xf32>, tensor<f32>
  %g2 = graph.mul %g, %g : tensor<8xf32>
  %vb = graph.mul %g2, %c2 : tensor<8xf32>, tensor<f32>
  %v1 = graph.add %va, %vb : tensor<8xf32>
  %r = graph.sqrt %v1 : tensor<8xf32>
  %d = graph.add %r, %eps : tensor<8xf32>, tensor<f32>
  %s = graph.mul %m1, %c2 : tensor<8xf32>, tensor<f32>
  %u = graph.div %s, %d : tensor<8xf32>
  %p1 = graph.sub %p, %u : tensor<8xf32>
  func.return %p1, %m1, %v1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Moments are in f32, parameters in bf16; the ops of weight decay are part of the kernel.
// CHECK-LABEL: func.func @mixed(
// CHECK: graph.fused adam (
// CHECK-NOT: graph.fused
// CHECK: func.return
func.func @mixed(%p: tensor<8xbf16>, %m: tensor<8xf32>, %v: tensor<8xf32>, %h: tensor<8xbf16>) -> (tensor<8xbf16>, tensor<8xf32>, tensor<8xf32>) {
  %b1 = graph.constant 0.9 : tensor<f32>
  %c1 = graph.constant 0.1 : tensor<f32>
  %eps = graph.constant 1.0e-08 : tensor<f32>
  %g = graph.cast %h : tensor<8xbf16> -> tensor<8xf32>
  %ma = graph.mul %m, %b1 : tensor<8xf32>, tensor<f32>
  %mb = graph.mul %g, %c1 : tensor<8xf32>, tensor<f32>
  %m1 = graph.add %ma, %mb : tensor<8xf32>
  %va = graph.mul %v, %b1 : tensor<8xf32>, tensor<f32>
  %g2 = graph.mul %g, %g : tensor<8xf32>
  %vb = graph.mul %g2, %c1 : tensor<8xf32>, tensor<f32>
  %v1 = graph.add %va, %vb : tensor<8xf32>
  %r = graph.sqrt %v1 : tensor<8xf32>
  %d = graph.add %r, %eps : tensor<8xf32>, tensor<f32>
  %q = graph.div %m1, %d : tensor<8xf32>
  %w = graph.cast %p : tensor<8xbf16> -> tensor<8xf32>
  %decay = graph.mul %w, %c1 : tensor<8xf32>, tensor<f32>
  %u = graph.add %q, %decay : tensor<8xf32>
  %s = graph.mul %u, %c1 : tensor<8xf32>, tensor<f32>
  %n = graph.sub %w, %s : tensor<8xf32>
  %p1 = graph.cast %n : tensor<8xf32> -> tensor<8xbf16>
  func.return %p1, %m1, %v1 : tensor<8xbf16>, tensor<8xf32>, tensor<8xf32>
}

// No Adam: the mean of squares is over another value than the mean.
// CHECK-LABEL: func.func @other_squares(
// CHECK-NOT: fused adam
// CHECK: func.return
func.func @other_squares(%p: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %eps = graph.constant 1.0e-08 : tensor<f32>
  %m1 = graph.add %m, %g : tensor<8xf32>
  %g2 = graph.mul %p, %p : tensor<8xf32>
  %v1 = graph.add %v, %g2 : tensor<8xf32>
  %r = graph.sqrt %v1 : tensor<8xf32>
  %d = graph.add %r, %eps : tensor<8xf32>, tensor<f32>
  %u = graph.div %m1, %d : tensor<8xf32>
  %p1 = graph.sub %p, %u : tensor<8xf32>
  func.return %p1, %m1, %v1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// No Adam: ε is inside of the root.
// CHECK-LABEL: func.func @epsilon_under_root(
// CHECK-NOT: fused adam
// CHECK: func.return
func.func @epsilon_under_root(%p: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %eps = graph.constant 1.0e-08 : tensor<f32>
  %m1 = graph.add %m, %g : tensor<8xf32>
  %g2 = graph.mul %g, %g : tensor<8xf32>
  %v1 = graph.add %v, %g2 : tensor<8xf32>
  %d = graph.add %v1, %eps : tensor<8xf32>, tensor<f32>
  %r = graph.sqrt %d : tensor<8xf32>
  %u = graph.div %m1, %r : tensor<8xf32>
  %p1 = graph.sub %p, %u : tensor<8xf32>
  func.return %p1, %m1, %v1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// The kernel that sums the gradient does not take in any part of the update.
// CHECK-LABEL: func.func @momentum(
// CHECK-NEXT: %g = graph.reduce
// CHECK-NEXT: %v1, %p1 = graph.fused sgd_momentum (
// CHECK: func.return %p1, %v1
// OFF-LABEL: func.func @momentum(
// OFF-NOT: sgd_momentum
func.func @momentum(%p: tensor<8xf32>, %v: tensor<8xf32>, %x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %mu = graph.constant 0.9 : tensor<f32>
  %lr = graph.constant 0.1 : tensor<f32>
  %g = graph.reduce sum %x axes = [0] : tensor<4x8xf32>
  %a = graph.mul %v, %mu : tensor<8xf32>, tensor<f32>
  %v1 = graph.add %a, %g : tensor<8xf32>
  %u = graph.mul %v1, %lr : tensor<8xf32>, tensor<f32>
  %p1 = graph.sub %p, %u : tensor<8xf32>
  func.return %p1, %v1 : tensor<8xf32>, tensor<8xf32>
}

// A softmax and its gradient in the form that JAX prints: the gradient reads the result, not exponentials and sums.
// CHECK-LABEL: func.func @softmax(
// CHECK: %y = graph.softmax %x
// CHECK: graph.fused softmax_grad (
// OFF-LABEL: func.func @softmax(
// OFF-NOT: softmax_grad
func.func @softmax(%x: tensor<4x8xf32>, %dy: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %one = graph.constant 1.0 : tensor<f32>
  %m = graph.reduce max %x axes = [1] : tensor<4x8xf32>
  %mk = graph.reshape %m : tensor<4xf32> -> tensor<4x1xf32>
  %d = graph.sub %x, %mk : tensor<4x8xf32>, tensor<4x1xf32>
  %e = graph.exp %d : tensor<4x8xf32>
  %s = graph.reduce sum %e axes = [1] : tensor<4x8xf32>
  %sk = graph.reshape %s : tensor<4xf32> -> tensor<4x1xf32>
  %y = graph.div %e, %sk : tensor<4x8xf32>, tensor<4x1xf32>
  %s2 = graph.mul %sk, %sk : tensor<4x1xf32>
  %i = graph.div %one, %s2 : tensor<f32>, tensor<4x1xf32>
  %t = graph.mul %dy, %i : tensor<4x8xf32>, tensor<4x1xf32>
  %te = graph.mul %t, %e : tensor<4x8xf32>
  %r = graph.reduce sum %te axes = [1] : tensor<4x8xf32>
  %rk = graph.reshape %r : tensor<4xf32> -> tensor<4x1xf32>
  %q = graph.div %dy, %sk : tensor<4x8xf32>, tensor<4x1xf32>
  %w = graph.sub %q, %rk : tensor<4x8xf32>, tensor<4x1xf32>
  %dx = graph.mul %w, %e : tensor<4x8xf32>
  func.return %y, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}

// With dropout after the softmax, the incoming gradient is a product with a mask and a scale.
// CHECK-LABEL: func.func @dropped(
// CHECK: %y = graph.softmax %x
// CHECK: graph.fused softmax_grad (
// OFF-LABEL: func.func @dropped(
// OFF-NOT: softmax_grad
func.func @dropped(%x: tensor<4x8xf32>, %dz: tensor<4x8xf32>, %keep: tensor<4x8xi1>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = graph.constant 0.0 : tensor<f32>
  %one = graph.constant 1.0 : tensor<f32>
  %kept = graph.constant 0.9 : tensor<f32>
  %m = graph.reduce max %x axes = [1], keep_dims : tensor<4x8xf32>
  %d = graph.sub %x, %m : tensor<4x8xf32>, tensor<4x1xf32>
  %e = graph.exp %d : tensor<4x8xf32>
  %s = graph.reduce sum %e axes = [1], keep_dims : tensor<4x8xf32>
  %y = graph.div %e, %s : tensor<4x8xf32>, tensor<4x1xf32>
  %ys = graph.div %y, %kept : tensor<4x8xf32>, tensor<f32>
  %z = graph.select %keep, %ys, %zero : tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>
  %dzk = graph.select %keep, %dz, %zero : tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>
  %dy = graph.div %dzk, %kept : tensor<4x8xf32>, tensor<f32>
  %s2 = graph.mul %s, %s : tensor<4x1xf32>
  %i = graph.div %one, %s2 : tensor<f32>, tensor<4x1xf32>
  %t = graph.mul %dy, %i : tensor<4x8xf32>, tensor<4x1xf32>
  %te = graph.mul %t, %e : tensor<4x8xf32>
  %r = graph.reduce sum %te axes = [1], keep_dims : tensor<4x8xf32>
  %q = graph.div %dy, %s : tensor<4x8xf32>, tensor<4x1xf32>
  %w = graph.sub %q, %r : tensor<4x8xf32>, tensor<4x1xf32>
  %dx = graph.mul %w, %e : tensor<4x8xf32>
  func.return %z, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}

// Not the gradient of a softmax: only one of both terms is scaled.
// CHECK-LABEL: func.func @scaled_once(
// CHECK-NOT: = graph.softmax
// CHECK: func.return
func.func @scaled_once(%x: tensor<4x8xf32>, %dz: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %one = graph.constant 1.0 : tensor<f32>
  %kept = graph.constant 0.9 : tensor<f32>
  %m = graph.reduce max %x axes = [1], keep_dims : tensor<4x8xf32>
  %d = graph.sub %x, %m : tensor<4x8xf32>, tensor<4x1xf32>
  %e = graph.exp %d : tensor<4x8xf32>
  %s = graph.reduce sum %e axes = [1], keep_dims : tensor<4x8xf32>
  %y = graph.div %e, %s : tensor<4x8xf32>, tensor<4x1xf32>
  %dy = graph.div %dz, %kept : tensor<4x8xf32>, tensor<f32>
  %s2 = graph.mul %s, %s : tensor<4x1xf32>
  %i = graph.div %one, %s2 : tensor<f32>, tensor<4x1xf32>
  %t = graph.mul %dz, %i : tensor<4x8xf32>, tensor<4x1xf32>
  %te = graph.mul %t, %e : tensor<4x8xf32>
  %r = graph.reduce sum %te axes = [1], keep_dims : tensor<4x8xf32>
  %q = graph.div %dy, %s : tensor<4x8xf32>, tensor<4x1xf32>
  %w = graph.sub %q, %r : tensor<4x8xf32>, tensor<4x1xf32>
  %dx = graph.mul %w, %e : tensor<4x8xf32>
  func.return %y, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}

// Not the gradient of a softmax: the sum is over another power of the denominator.
// CHECK-LABEL: func.func @other_power(
// CHECK-NOT: softmax_grad
// CHECK: func.return
func.func @other_power(%x: tensor<4x8xf32>, %dy: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %m = graph.reduce max %x axes = [1], keep_dims : tensor<4x8xf32>
  %d = graph.sub %x, %m : tensor<4x8xf32>, tensor<4x1xf32>
  %e = graph.exp %d : tensor<4x8xf32>
  %s = graph.reduce sum %e axes = [1], keep_dims : tensor<4x8xf32>
  %y = graph.div %e, %s : tensor<4x8xf32>, tensor<4x1xf32>
  %q = graph.div %dy, %s : tensor<4x8xf32>, tensor<4x1xf32>
  %t = graph.mul %q, %e : tensor<4x8xf32>
  %r = graph.reduce sum %t axes = [1], keep_dims : tensor<4x8xf32>
  %w = graph.sub %q, %r : tensor<4x8xf32>, tensor<4x1xf32>
  %dx = graph.mul %w, %e : tensor<4x8xf32>
  func.return %y, %dx : tensor<4x8xf32>, tensor<4x8xf32>
}

// A norm whose statistics have other readers is one kernel; a norm whose statistics have none becomes one op.
// CHECK-LABEL: func.func @layer_norm(
// CHECK: graph.fused layer_norm (
// CHECK: func.return
// OFF-LABEL: func.func @layer_norm(
// OFF-NOT: layer_norm
// OFF: func.return
func.func @layer_norm(%x: tensor<4x6xf32>, %g: tensor<6xf32>, %b: tensor<6xf32>) -> (tensor<4x6xf32>, tensor<4x1xf32>) {
  %n = graph.constant 6.0 : tensor<f32>
  %eps = graph.constant 1.0e-05 : tensor<f32>
  %s = graph.reduce sum %x axes = [1] : tensor<4x6xf32>
  %sk = graph.reshape %s : tensor<4xf32> -> tensor<4x1xf32>
  %m = graph.div %sk, %n : tensor<4x1xf32>, tensor<f32>
  %c = graph.sub %x, %m : tensor<4x6xf32>, tensor<4x1xf32>
  %c2 = graph.mul %c, %c : tensor<4x6xf32>
  %v = graph.reduce sum %c2 axes = [1] : tensor<4x6xf32>
  %vk = graph.reshape %v : tensor<4xf32> -> tensor<4x1xf32>
  %var = graph.div %vk, %n : tensor<4x1xf32>, tensor<f32>
  %u = graph.add %var, %eps : tensor<4x1xf32>, tensor<f32>
  %r = graph.rsqrt %u : tensor<4x1xf32>
  %h = graph.mul %c, %r : tensor<4x6xf32>, tensor<4x1xf32>
  %hg = graph.mul %h, %g : tensor<4x6xf32>, tensor<6xf32>
  %y = graph.add %hg, %b : tensor<4x6xf32>, tensor<6xf32>
  func.return %y, %r : tensor<4x6xf32>, tensor<4x1xf32>
}

// CHECK-LABEL: func.func @inference(
// CHECK-NEXT: %y = graph.layer_norm %x, %g, %b :
// CHECK-NEXT: func.return
func.func @inference(%x: tensor<4x6xf32>, %g: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %n = graph.constant 6.0 : tensor<f32>
  %eps = graph.constant 1.0e-05 : tensor<f32>
  %s = graph.reduce sum %x axes = [1] : tensor<4x6xf32>
  %sk = graph.reshape %s : tensor<4xf32> -> tensor<4x1xf32>
  %m = graph.div %sk, %n : tensor<4x1xf32>, tensor<f32>
  %c = graph.sub %x, %m : tensor<4x6xf32>, tensor<4x1xf32>
  %c2 = graph.mul %c, %c : tensor<4x6xf32>
  %v = graph.reduce sum %c2 axes = [1] : tensor<4x6xf32>
  %vk = graph.reshape %v : tensor<4xf32> -> tensor<4x1xf32>
  %var = graph.div %vk, %n : tensor<4x1xf32>, tensor<f32>
  %u = graph.add %var, %eps : tensor<4x1xf32>, tensor<f32>
  %r = graph.rsqrt %u : tensor<4x1xf32>
  %h = graph.mul %c, %r : tensor<4x6xf32>, tensor<4x1xf32>
  %hg = graph.mul %h, %g : tensor<4x6xf32>, tensor<6xf32>
  %y = graph.add %hg, %b : tensor<4x6xf32>, tensor<6xf32>
  func.return %y : tensor<4x6xf32>
}

// No mean: a sum of 6 elements is divided by 5.
// CHECK-LABEL: func.func @other_denominator(
// CHECK-NOT: graph.layer_norm
// CHECK-NOT: reduce mean
// CHECK: func.return
func.func @other_denominator(%x: tensor<4x6xf32>) -> tensor<4x1xf32> {
  %n = graph.constant 5.0 : tensor<f32>
  %s = graph.reduce sum %x axes = [1] : tensor<4x6xf32>
  %sk = graph.reshape %s : tensor<4xf32> -> tensor<4x1xf32>
  %m = graph.div %sk, %n : tensor<4x1xf32>, tensor<f32>
  func.return %m : tensor<4x1xf32>
}

// 1 - erf(-x / √2) is recognized, since erf is odd.
// CHECK-LABEL: func.func @gelu(
// CHECK-NEXT: %y = graph.gelu %x
// CHECK-NEXT: func.return
func.func @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
  %half = graph.constant 0.5 : tensor<f32>
  %one = graph.constant 1.0 : tensor<f32>
  %root = graph.constant 0.70710677 : tensor<f32>
  %h = graph.mul %half, %x : tensor<f32>, tensor<8xf32>
  %n = graph.neg %x : tensor<8xf32>
  %u = graph.mul %n, %root : tensor<8xf32>, tensor<f32>
  %e = graph.erf %u : tensor<8xf32>
  %c = graph.sub %one, %e : tensor<f32>, tensor<8xf32>
  %y = graph.mul %h, %c : tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// The form that JAX prints: erfc(-x / √2).
// CHECK-LABEL: func.func @gelu_by_erfc(
// CHECK-NEXT: %y = graph.gelu %x
// CHECK-NEXT: func.return
func.func @gelu_by_erfc(%x: tensor<8xf32>) -> tensor<8xf32> {
  %half = graph.constant 0.5 : tensor<f32>
  %root = graph.constant 0.70710677 : tensor<f32>
  %h = graph.mul %half, %x : tensor<f32>, tensor<8xf32>
  %n = graph.neg %x : tensor<8xf32>
  %u = graph.mul %n, %root : tensor<8xf32>, tensor<f32>
  %c = graph.erfc %u : tensor<8xf32>
  %y = graph.mul %h, %c : tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// The logarithms of a cross entropy, from which values are gathered.
// CHECK-LABEL: func.func @log_softmax(
// CHECK: graph.fused log_softmax (
// OFF-LABEL: func.func @log_softmax(
// OFF-NOT: log_softmax
// OFF: func.return
func.func @log_softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = graph.reduce max %x axes = [1], keep_dims : tensor<4x8xf32>
  %d = graph.sub %x, %m : tensor<4x8xf32>, tensor<4x1xf32>
  %e = graph.exp %d : tensor<4x8xf32>
  %s = graph.reduce sum %e axes = [1], keep_dims : tensor<4x8xf32>
  %l = graph.log %s : tensor<4x1xf32>
  %y = graph.sub %d, %l : tensor<4x8xf32>, tensor<4x1xf32>
  func.return %y : tensor<4x8xf32>
}

// Gradients of weights are transposed: the product is computed with swapped operands.
// CHECK-LABEL: func.func @transposed(
// CHECK-NEXT: %t = graph.matmul %y, %x transpose_a :
// CHECK-NEXT: func.return
func.func @transposed(%x: tensor<8x6xf32>, %y: tensor<8x4xf32>) -> tensor<4x6xf32> {
  %p = graph.matmul %x, %y transpose_a : tensor<8x6xf32>, tensor<8x4xf32>
  %t = graph.transpose %p permutation = [1, 0] : tensor<6x4xf32>
  func.return %t : tensor<4x6xf32>
}
