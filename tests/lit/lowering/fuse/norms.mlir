// RUN: ndp-opt %s -p 'fuse{group=false}' | filecheck %s

// The form in which Llama is exported in f32.
// CHECK-LABEL: func.func @rms_norm(
// CHECK-NEXT: %w = graph.weight "w" = uniform(0.5, 1.5, 1) : tensor<8xf32>
// CHECK-NEXT: %g = graph.rms_norm %x, %w epsilon = 1.0e-06 : tensor<1x4x8xf32>, tensor<8xf32>
// CHECK-NEXT: func.return %g : tensor<1x4x8xf32>
func.func @rms_norm(%x: tensor<1x4x8xf32>) -> tensor<1x4x8xf32> {
  %w = graph.weight "w" = uniform(0.5, 1.5, 1) : tensor<8xf32>
  %two = graph.constant 2.0 : tensor<f32>
  %eps = graph.constant 1.0e-06 : tensor<f32>
  %a = graph.pow %x, %two : tensor<1x4x8xf32>, tensor<f32>
  %b = graph.reduce mean %a axes = [-1], keep_dims : tensor<1x4x8xf32>
  %c = graph.add %b, %eps : tensor<1x4x1xf32>, tensor<f32>
  %d = graph.sqrt %c : tensor<1x4x1xf32>
  %e = graph.reciprocal %d : tensor<1x4x1xf32>
  %f = graph.mul %x, %e : tensor<1x4x8xf32>, tensor<1x4x1xf32>
  %g = graph.mul %w, %f : tensor<8xf32>, tensor<1x4x8xf32>
  func.return %g : tensor<1x4x8xf32>
}

// The form in f16, with statistics in f32, as norms compute in any case.
// CHECK-LABEL: func.func @rms_norm_f16(
// CHECK-NEXT: %w = graph.weight "w" = uniform(0.5, 1.5, 1) : tensor<8xf16>
// CHECK-NEXT: %g = graph.rms_norm %x, %w epsilon = 1.0e-06 : tensor<1x4x8xf16>, tensor<8xf16>
// CHECK-NEXT: func.return %g : tensor<1x4x8xf16>
func.func @rms_norm_f16(%x: tensor<1x4x8xf16>) -> tensor<1x4x8xf16> {
  %w = graph.weight "w" = uniform(0.5, 1.5, 1) : tensor<8xf16>
  %eps = graph.constant 1.0e-06 : tensor<f32>
  %y = graph.cast %x : tensor<1x4x8xf16> -> tensor<1x4x8xf32>
  %a = graph.mul %y, %y : tensor<1x4x8xf32>
  %b = graph.reduce mean %a axes = [2], keep_dims : tensor<1x4x8xf32>
  %c = graph.add %eps, %b : tensor<f32>, tensor<1x4x1xf32>
  %d = graph.rsqrt %c : tensor<1x4x1xf32>
  %f = graph.mul %y, %d : tensor<1x4x8xf32>, tensor<1x4x1xf32>
  %h = graph.cast %f : tensor<1x4x8xf32> -> tensor<1x4x8xf16>
  %g = graph.mul %h, %w : tensor<1x4x8xf16>, tensor<8xf16>
  func.return %g : tensor<1x4x8xf16>
}

// CHECK-LABEL: func.func @layer_norm(
// CHECK-NEXT: %w = graph.weight "w" = uniform(0.5, 1.5, 1) : tensor<8xf32>
// CHECK-NEXT: %b = graph.weight "b" = uniform(-0.5, 0.5, 2) : tensor<8xf32>
// CHECK-NEXT: %y = graph.layer_norm %x, %w, %b : tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT: func.return %y : tensor<2x8xf32>
func.func @layer_norm(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %w = graph.weight "w" = uniform(0.5, 1.5, 1) : tensor<8xf32>
  %b = graph.weight "b" = uniform(-0.5, 0.5, 2) : tensor<8xf32>
  %two = graph.constant 2.0 : tensor<f32>
  %eps = graph.constant 1.0e-05 : tensor<f32>
  %m = graph.reduce mean %x axes = [1], keep_dims : tensor<2x8xf32>
  %d = graph.sub %x, %m : tensor<2x8xf32>, tensor<2x1xf32>
  %p = graph.pow %d, %two : tensor<2x8xf32>, tensor<f32>
  %v = graph.reduce mean %p axes = [1], keep_dims : tensor<2x8xf32>
  %e = graph.add %v, %eps : tensor<2x1xf32>, tensor<f32>
  %r = graph.sqrt %e : tensor<2x1xf32>
  %n = graph.div %d, %r : tensor<2x8xf32>, tensor<2x1xf32>
  %s = graph.mul %n, %w : tensor<2x8xf32>, tensor<8xf32>
  %y = graph.add %s, %b : tensor<2x8xf32>, tensor<8xf32>
  func.return %y : tensor<2x8xf32>
}

// A norm over two axes, without scale or bias.
// CHECK-LABEL: func.func @two_axes(
// CHECK-NEXT: %0 = graph.constant 1.0 : tensor<4x8xf32>
// CHECK-NEXT: %n = graph.layer_norm %x, %0 axis = -2, epsilon = 0.0 : tensor<2x4x8xf32>, tensor<4x8xf32>
// CHECK-NEXT: func.return %n : tensor<2x4x8xf32>
func.func @two_axes(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %m = graph.reduce mean %x axes = [1, 2], keep_dims : tensor<2x4x8xf32>
  %d = graph.sub %x, %m : tensor<2x4x8xf32>, tensor<2x1x1xf32>
  %p = graph.mul %d, %d : tensor<2x4x8xf32>
  %v = graph.reduce mean %p axes = [1, 2], keep_dims : tensor<2x4x8xf32>
  %r = graph.sqrt %v : tensor<2x1x1xf32>
  %n = graph.div %d, %r : tensor<2x4x8xf32>, tensor<2x1x1xf32>
  func.return %n : tensor<2x4x8xf32>
}

// Not over the last axes, so no norm; and a norm scaled by a value that is no parameter, so a norm and a product.
// CHECK-LABEL: func.func @not_norm(
// CHECK-NEXT: %p = graph.mul %x, %x : tensor<2x8xf32>
// CHECK-NEXT: %v = graph.reduce mean %p axes = [0], keep_dims : tensor<2x8xf32>
// CHECK-NEXT: %r = graph.rsqrt %v : tensor<1x8xf32>
// CHECK-NEXT: %n = graph.mul %x, %r : tensor<2x8xf32>, tensor<1x8xf32>
// CHECK-NEXT: %0 = graph.constant 1.0 : tensor<8xf32>
// CHECK-NEXT: %o = graph.rms_norm %y, %0 epsilon = 0.0 : tensor<2x8xf32>, tensor<8xf32>
// CHECK-NEXT: %z = graph.mul %o, %x : tensor<2x8xf32>
// CHECK-NEXT: func.return %n, %z : tensor<2x8xf32>, tensor<2x8xf32>
func.func @not_norm(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %p = graph.mul %x, %x : tensor<2x8xf32>
  %v = graph.reduce mean %p axes = [0], keep_dims : tensor<2x8xf32>
  %r = graph.rsqrt %v : tensor<1x8xf32>
  %n = graph.mul %x, %r : tensor<2x8xf32>, tensor<1x8xf32>
  %q = graph.mul %y, %y : tensor<2x8xf32>
  %w = graph.reduce mean %q axes = [1], keep_dims : tensor<2x8xf32>
  %s = graph.rsqrt %w : tensor<2x1xf32>
  %o = graph.mul %y, %s : tensor<2x8xf32>, tensor<2x1xf32>
  %z = graph.mul %o, %x : tensor<2x8xf32>
  func.return %n, %z : tensor<2x8xf32>, tensor<2x8xf32>
}
