// RUN: ndp-opt %s -p 'fuse{group=false}' | filecheck %s

// CHECK-LABEL: func.func @silu(
// CHECK-NEXT: %b = graph.silu %x : tensor<4xf32>
// CHECK-NEXT: %c = graph.silu %y : tensor<4xf32>
// CHECK-NEXT: %a2 = graph.sigmoid %x : tensor<4xf32>
// CHECK-NEXT: %f = graph.mul %a2, %y : tensor<4xf32>
// CHECK-NEXT: func.return %b, %c, %f : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
func.func @silu(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = graph.constant 1.0 : tensor<f32>
  %a = graph.sigmoid %x : tensor<4xf32>
  %b = graph.mul %a, %x : tensor<4xf32>
  %n = graph.neg %y : tensor<4xf32>
  %e = graph.exp %n : tensor<4xf32>
  %d = graph.add %e, %one : tensor<4xf32>, tensor<f32>
  %c = graph.div %y, %d : tensor<4xf32>
  %a2 = graph.sigmoid %x : tensor<4xf32>
  %f = graph.mul %a2, %y : tensor<4xf32>
  func.return %b, %c, %f : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @sigmoid(
// CHECK-NEXT: %d = graph.sigmoid %x : tensor<4xf32>
// CHECK-NEXT: %h = graph.sigmoid %y : tensor<4xf32>
// CHECK-NEXT: func.return %d, %h : tensor<4xf32>, tensor<4xf32>
func.func @sigmoid(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = graph.constant 1.0 : tensor<f32>
  %a = graph.neg %x : tensor<4xf32>
  %b = graph.exp %a : tensor<4xf32>
  %c = graph.add %one, %b : tensor<f32>, tensor<4xf32>
  %d = graph.reciprocal %c : tensor<4xf32>
  %e = graph.neg %y : tensor<4xf32>
  %f = graph.exp %e : tensor<4xf32>
  %g = graph.add %one, %f : tensor<f32>, tensor<4xf32>
  %h = graph.div %one, %g : tensor<f32>, tensor<4xf32>
  func.return %d, %h : tensor<4xf32>, tensor<4xf32>
}

// Exporters use two orders of multiplication: (x · (1 + erf)) · ½, and (½ x) · (1 + erf).
// CHECK-LABEL: func.func @gelu(
// CHECK-NEXT: %e = graph.gelu %x : tensor<4xf32>
// CHECK-NEXT: %j = graph.gelu %x : tensor<4xf32>
// CHECK-NEXT: func.return %e, %j : tensor<4xf32>, tensor<4xf32>
func.func @gelu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = graph.constant 1.0 : tensor<f32>
  %half = graph.constant 0.5 : tensor<f32>
  %root = graph.constant 1.4142135 : tensor<f32>
  %inverse = graph.constant 0.70710677 : tensor<f32>
  %a = graph.div %x, %root : tensor<4xf32>, tensor<f32>
  %b = graph.erf %a : tensor<4xf32>
  %c = graph.add %b, %one : tensor<4xf32>, tensor<f32>
  %d = graph.mul %x, %c : tensor<4xf32>
  %e = graph.mul %d, %half : tensor<4xf32>, tensor<f32>
  %f = graph.mul %x, %inverse : tensor<4xf32>, tensor<f32>
  %g = graph.erf %f : tensor<4xf32>
  %h = graph.add %one, %g : tensor<f32>, tensor<4xf32>
  %i = graph.mul %half, %x : tensor<f32>, tensor<4xf32>
  %j = graph.mul %i, %h : tensor<4xf32>
  func.return %e, %j : tensor<4xf32>, tensor<4xf32>
}

// √(2/π) (x + 0.044715 x³), written with a power; and √(2/π) x (1 + 0.044715 x²), written with products.
// CHECK-LABEL: func.func @gelu_tanh(
// CHECK-NEXT: %h = graph.gelu %x approximate = tanh : tensor<4xf16>
// CHECK-NEXT: %r = graph.gelu %x approximate = tanh : tensor<4xf16>
// CHECK-NEXT: func.return %h, %r : tensor<4xf16>, tensor<4xf16>
func.func @gelu_tanh(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %one = graph.constant 1.0 : tensor<f16>
  %half = graph.constant 0.5 : tensor<f16>
  %three = graph.constant 3.0 : tensor<f16>
  %k = graph.constant 0.0447 : tensor<f16>
  %root = graph.constant 0.798 : tensor<f16>
  %a = graph.pow %x, %three : tensor<4xf16>, tensor<f16>
  %b = graph.mul %a, %k : tensor<4xf16>, tensor<f16>
  %c = graph.add %x, %b : tensor<4xf16>
  %d = graph.mul %c, %root : tensor<4xf16>, tensor<f16>
  %e = graph.tanh %d : tensor<4xf16>
  %f = graph.add %e, %one : tensor<4xf16>, tensor<f16>
  %g = graph.mul %x, %half : tensor<4xf16>, tensor<f16>
  %h = graph.mul %g, %f : tensor<4xf16>
  %i = graph.mul %x, %k : tensor<4xf16>, tensor<f16>
  %j = graph.mul %x, %i : tensor<4xf16>
  %l = graph.add %j, %one : tensor<4xf16>, tensor<f16>
  %m = graph.mul %x, %root : tensor<4xf16>, tensor<f16>
  %n = graph.mul %m, %l : tensor<4xf16>
  %o = graph.tanh %n : tensor<4xf16>
  %p = graph.add %one, %o : tensor<f16>, tensor<4xf16>
  %q = graph.mul %p, %half : tensor<4xf16>, tensor<f16>
  %r = graph.mul %x, %q : tensor<4xf16>
  func.return %h, %r : tensor<4xf16>, tensor<4xf16>
}

// With another constant it is another function: these stay as they are.
// CHECK-LABEL: func.func @not_gelu(
// CHECK-NEXT: %one = graph.constant 1.0 : tensor<f32>
// CHECK-NEXT: %half = graph.constant 0.5 : tensor<f32>
// CHECK-NEXT: %inverse = graph.constant 0.7 : tensor<f32>
// CHECK-NEXT: %root = graph.constant 0.7978846 : tensor<f32>
// CHECK-NEXT: %f = graph.mul %x, %inverse : tensor<4xf32>, tensor<f32>
// CHECK-NEXT: %g = graph.erf %f : tensor<4xf32>
// CHECK-NEXT: %h = graph.add %one, %g : tensor<f32>, tensor<4xf32>
// CHECK-NEXT: %i = graph.mul %half, %x : tensor<f32>, tensor<4xf32>
// CHECK-NEXT: %j = graph.mul %i, %h : tensor<4xf32>
// CHECK-NEXT: %k = graph.mul %x, %root : tensor<4xf32>, tensor<f32>
// CHECK-NEXT: %l = graph.tanh %k : tensor<4xf32>
// CHECK-NEXT: %m = graph.add %l, %one : tensor<4xf32>, tensor<f32>
// CHECK-NEXT: %n = graph.mul %m, %i : tensor<4xf32>
// CHECK-NEXT: func.return %j, %n : tensor<4xf32>, tensor<4xf32>
func.func @not_gelu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = graph.constant 1.0 : tensor<f32>
  %half = graph.constant 0.5 : tensor<f32>
  %inverse = graph.constant 0.7 : tensor<f32>
  %root = graph.constant 0.7978846 : tensor<f32>
  %f = graph.mul %x, %inverse : tensor<4xf32>, tensor<f32>
  %g = graph.erf %f : tensor<4xf32>
  %h = graph.add %one, %g : tensor<f32>, tensor<4xf32>
  %i = graph.mul %half, %x : tensor<f32>, tensor<4xf32>
  %j = graph.mul %i, %h : tensor<4xf32>
  %k = graph.mul %x, %root : tensor<4xf32>, tensor<f32>
  %l = graph.tanh %k : tensor<4xf32>
  %m = graph.add %l, %one : tensor<4xf32>, tensor<f32>
  %n = graph.mul %m, %i : tensor<4xf32>
  func.return %j, %n : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @softmax(
// CHECK-NEXT: %e = graph.softmax %x : tensor<2x8xf32>
// CHECK-NEXT: func.return %e : tensor<2x8xf32>
func.func @softmax(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %a = graph.reduce max %x axes = [1], keep_dims : tensor<2x8xf32>
  %b = graph.sub %x, %a : tensor<2x8xf32>, tensor<2x1xf32>
  %c = graph.exp %b : tensor<2x8xf32>
  %d = graph.reduce sum %c axes = [1], keep_dims : tensor<2x8xf32>
  %e = graph.div %c, %d : tensor<2x8xf32>, tensor<2x1xf32>
  func.return %e : tensor<2x8xf32>
}
