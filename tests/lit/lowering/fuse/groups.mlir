// RUN: ndp-opt %s -p fuse | filecheck %s

// A conv with its activation and a residual, which is an input of the kernel.
// CHECK-LABEL: func.func @residual_block(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<4x4x3x3xf32>
// CHECK-NEXT: %v = graph.weight "v" = uniform(-0.5, 0.5, 2) : tensor<4x4x3x3xf32>
// CHECK-NEXT: %b = graph.fused (%x_1 = %x, %w_1 = %w) {
// CHECK-NEXT: %a = graph.conv %x_1, %w_1 pads = [1, 1, 1, 1] : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>
// CHECK-NEXT: %b_1 = graph.clip %a min = 0.0, max = 6.0 : tensor<1x4x8x8xf32>
// CHECK-NEXT: graph.yield %b_1
// CHECK-NEXT: }
// CHECK-NEXT: %e = graph.fused (%b_1 = %b, %v_1 = %v, %x_1 = %x) {
// CHECK-NEXT: %c = graph.conv %b_1, %v_1 pads = [1, 1, 1, 1] : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>
// CHECK-NEXT: %d = graph.add %c, %x_1 : tensor<1x4x8x8xf32>
// CHECK-NEXT: %e_1 = graph.relu %d : tensor<1x4x8x8xf32>
// CHECK-NEXT: graph.yield %e_1
// CHECK-NEXT: }
// CHECK-NEXT: func.return %e : tensor<1x4x8x8xf32>
func.func @residual_block(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<4x4x3x3xf32>
  %v = graph.weight "v" = uniform(-0.5, 0.5, 2) : tensor<4x4x3x3xf32>
  %a = graph.conv %x, %w pads = [1, 1, 1, 1] : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>
  %b = graph.clip %a min = 0.0, max = 6.0 : tensor<1x4x8x8xf32>
  %c = graph.conv %b, %v pads = [1, 1, 1, 1] : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>
  %d = graph.add %c, %x : tensor<1x4x8x8xf32>
  %e = graph.relu %d : tensor<1x4x8x8xf32>
  func.return %e : tensor<1x4x8x8xf32>
}

// Both operands are matmuls: the later one joins the kernel. A single number is an immediate of the kernel, a vector is an input.
// CHECK-LABEL: func.func @gated(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x4xf32>
// CHECK-NEXT: %v = graph.weight "v" = uniform(-0.5, 0.5, 2) : tensor<8x4xf32>
// CHECK-NEXT: %row = graph.constant [1.0, 2.0, 3.0, 4.0] : tensor<4xf32>
// CHECK-NEXT: %b = graph.fused (%x_1 = %x, %w_1 = %w) {
// CHECK-NEXT: %a = graph.matmul %x_1, %w_1 : tensor<2x8xf32>, tensor<8x4xf32>
// CHECK-NEXT: %b_1 = graph.silu %a : tensor<2x4xf32>
// CHECK-NEXT: graph.yield %b_1
// CHECK-NEXT: }
// CHECK-NEXT: %f = graph.fused (%x_1 = %x, %v_1 = %v, %b_1 = %b, %row_1 = %row) {
// CHECK-NEXT: %half = graph.constant 0.5 : tensor<f32>
// CHECK-NEXT: %c = graph.matmul %x_1, %v_1 : tensor<2x8xf32>, tensor<8x4xf32>
// CHECK-NEXT: %d = graph.mul %b_1, %c : tensor<2x4xf32>
// CHECK-NEXT: %e = graph.mul %d, %half : tensor<2x4xf32>, tensor<f32>
// CHECK-NEXT: %f_1 = graph.mul %e, %row_1 : tensor<2x4xf32>, tensor<4xf32>
// CHECK-NEXT: graph.yield %f_1
// CHECK-NEXT: }
// CHECK-NEXT: func.return %f : tensor<2x4xf32>
func.func @gated(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x4xf32>
  %v = graph.weight "v" = uniform(-0.5, 0.5, 2) : tensor<8x4xf32>
  %half = graph.constant 0.5 : tensor<f32>
  %row = graph.constant [1.0, 2.0, 3.0, 4.0] : tensor<4xf32>
  %a = graph.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32>
  %b = graph.silu %a : tensor<2x4xf32>
  %c = graph.matmul %x, %v : tensor<2x8xf32>, tensor<8x4xf32>
  %d = graph.mul %b, %c : tensor<2x4xf32>
  %e = graph.mul %d, %half : tensor<2x4xf32>, tensor<f32>
  %f = graph.mul %e, %row : tensor<2x4xf32>, tensor<4xf32>
  func.return %f : tensor<2x4xf32>
}

// A value with another reader ends a kernel, unless all its readers are in the kernel.
// CHECK-LABEL: func.func @diamond(
// CHECK-NEXT: %d = graph.fused (%x_1 = %x) {
// CHECK-NEXT: %zero = graph.constant 0.0 : tensor<f32>
// CHECK-NEXT: %a = graph.softmax %x_1 : tensor<2x8xf32>
// CHECK-NEXT: %b = graph.isnan %a : tensor<2x8xf32>
// CHECK-NEXT: %c = graph.select %b, %zero, %a : tensor<2x8xi1>, tensor<f32>, tensor<2x8xf32>
// CHECK-NEXT: %d_1 = graph.exp %c : tensor<2x8xf32>
// CHECK-NEXT: graph.yield %d_1
// CHECK-NEXT: }
// CHECK-NEXT: %e = graph.neg %d : tensor<2x8xf32>
// CHECK-NEXT: func.return %d, %e : tensor<2x8xf32>, tensor<2x8xf32>
func.func @diamond(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %a = graph.softmax %x : tensor<2x8xf32>
  %b = graph.isnan %a : tensor<2x8xf32>
  %zero = graph.constant 0.0 : tensor<f32>
  %c = graph.select %b, %zero, %a : tensor<2x8xi1>, tensor<f32>, tensor<2x8xf32>
  %d = graph.exp %c : tensor<2x8xf32>
  %e = graph.neg %d : tensor<2x8xf32>
  func.return %d, %e : tensor<2x8xf32>, tensor<2x8xf32>
}

// Only element-wise ops and ops that move elements between them: a rotary embedding.
// CHECK-LABEL: func.func @rotary(
// CHECK-NEXT: %g = graph.fused (%q_1 = %q, %cos_1 = %cos, %sin_1 = %sin) {
// CHECK-NEXT: %a = graph.mul %q_1, %cos_1 : tensor<1x2x1x8xf32>, tensor<1x1x1x8xf32>
// CHECK-NEXT: %b = graph.slice %q_1 starts = [0, 0, 0, 0], ends = [1, 2, 1, 4] : tensor<1x2x1x8xf32>
// CHECK-NEXT: %c = graph.slice %q_1 starts = [0, 0, 0, 4], ends = [1, 2, 1, 8] : tensor<1x2x1x8xf32>
// CHECK-NEXT: %d = graph.neg %c : tensor<1x2x1x4xf32>
// CHECK-NEXT: %e = graph.concat %d, %b axis = 3 : tensor<1x2x1x4xf32>
// CHECK-NEXT: %f = graph.mul %e, %sin_1 : tensor<1x2x1x8xf32>, tensor<1x1x1x8xf32>
// CHECK-NEXT: %g_1 = graph.add %a, %f : tensor<1x2x1x8xf32>
// CHECK-NEXT: graph.yield %g_1
// CHECK-NEXT: }
// CHECK-NEXT: func.return %g : tensor<1x2x1x8xf32>
func.func @rotary(%q: tensor<1x2x1x8xf32>, %cos: tensor<1x1x1x8xf32>, %sin: tensor<1x1x1x8xf32>) -> tensor<1x2x1x8xf32> {
  %a = graph.mul %q, %cos : tensor<1x2x1x8xf32>, tensor<1x1x1x8xf32>
  %b = graph.slice %q starts = [0, 0, 0, 0], ends = [1, 2, 1, 4] : tensor<1x2x1x8xf32>
  %c = graph.slice %q starts = [0, 0, 0, 4], ends = [1, 2, 1, 8] : tensor<1x2x1x8xf32>
  %d = graph.neg %c : tensor<1x2x1x4xf32>
  %e = graph.concat %d, %b axis = 3 : tensor<1x2x1x4xf32>
  %f = graph.mul %e, %sin : tensor<1x2x1x8xf32>, tensor<1x1x1x8xf32>
  %g = graph.add %a, %f : tensor<1x2x1x8xf32>
  func.return %g : tensor<1x2x1x8xf32>
}

// A view between two ops of a kernel is part of it; a view before or after them stays outside.
// CHECK-LABEL: func.func @views(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x4xf32>
// CHECK-NEXT: %c = graph.reshape %r : tensor<8xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT: %d = graph.fused (%x_1 = %x, %w_1 = %w, %c_1 = %c) {
// CHECK-NEXT: %a = graph.matmul %x_1, %w_1 : tensor<2x8xf32>, tensor<8x4xf32>
// CHECK-NEXT: %b = graph.reshape %a : tensor<2x4xf32> -> tensor<1x2x4xf32>
// CHECK-NEXT: %d_1 = graph.add %b, %c_1 : tensor<1x2x4xf32>
// CHECK-NEXT: graph.yield %d_1
// CHECK-NEXT: }
// CHECK-NEXT: %e = graph.reshape %d : tensor<1x2x4xf32> -> tensor<8xf32>
// CHECK-NEXT: func.return %e : tensor<8xf32>
func.func @views(%x: tensor<2x8xf32>, %r: tensor<8xf32>) -> tensor<8xf32> {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x4xf32>
  %a = graph.matmul %x, %w : tensor<2x8xf32>, tensor<8x4xf32>
  %b = graph.reshape %a : tensor<2x4xf32> -> tensor<1x2x4xf32>
  %c = graph.reshape %r : tensor<8xf32> -> tensor<1x2x4xf32>
  %d = graph.add %b, %c : tensor<1x2x4xf32>
  %e = graph.reshape %d : tensor<1x2x4xf32> -> tensor<8xf32>
  func.return %e : tensor<8xf32>
}

// A norm or reduction takes in ops that are computed only for it, but no matmul; a pool does not, as it would compute them once per window.
// CHECK-LABEL: func.func @prologue(
// CHECK-NEXT: %b = graph.fused (%x_1 = %x) {
// CHECK-NEXT: %a = graph.exp %x_1 : tensor<1x2x8x8xf32>
// CHECK-NEXT: %b_1 = graph.reduce mean %a axes = [2, 3], keep_dims : tensor<1x2x8x8xf32>
// CHECK-NEXT: graph.yield %b_1
// CHECK-NEXT: }
// CHECK-NEXT: %c = graph.sin %x : tensor<1x2x8x8xf32>
// CHECK-NEXT: %d = graph.pool max %c kernel = [2, 2], strides = [2, 2] : tensor<1x2x8x8xf32>
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x8xf32>
// CHECK-NEXT: %f = graph.fused (%y_1 = %y, %w_1 = %w) {
// CHECK-NEXT: %e = graph.matmul %y_1, %w_1 : tensor<2x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: %f_1 = graph.abs %e : tensor<2x8xf32>
// CHECK-NEXT: graph.yield %f_1
// CHECK-NEXT: }
// CHECK-NEXT: %g = graph.softmax %f : tensor<2x8xf32>
// CHECK-NEXT: func.return %b, %d, %g : tensor<1x2x1x1xf32>, tensor<1x2x4x4xf32>, tensor<2x8xf32>
func.func @prologue(%x: tensor<1x2x8x8xf32>, %y: tensor<2x8xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x4x4xf32>, tensor<2x8xf32>) {
  %a = graph.exp %x : tensor<1x2x8x8xf32>
  %b = graph.reduce mean %a axes = [2, 3], keep_dims : tensor<1x2x8x8xf32>
  %c = graph.sin %x : tensor<1x2x8x8xf32>
  %d = graph.pool max %c kernel = [2, 2], strides = [2, 2] : tensor<1x2x8x8xf32>
  %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x8xf32>
  %e = graph.matmul %y, %w : tensor<2x8xf32>, tensor<8x8xf32>
  %f = graph.abs %e : tensor<2x8xf32>
  %g = graph.softmax %f : tensor<2x8xf32>
  func.return %b, %d, %g : tensor<1x2x1x1xf32>, tensor<1x2x4x4xf32>, tensor<2x8xf32>
}

// A value that would be recomputed for each row is computed once, before the kernel.
// CHECK-LABEL: func.func @repeated(
// CHECK-NEXT: %a = graph.exp %x : tensor<4xf32>
// CHECK-NEXT: %b = graph.add %y, %a : tensor<2x8x4xf32>, tensor<4xf32>
// CHECK-NEXT: %d = graph.fused (%y_1 = %y) {
// CHECK-NEXT: %c = graph.reduce max %y_1 axes = [2], keep_dims : tensor<2x8x4xf32>
// CHECK-NEXT: %d_1 = graph.neg %c : tensor<2x8x1xf32>
// CHECK-NEXT: graph.yield %d_1
// CHECK-NEXT: }
// CHECK-NEXT: func.return %b, %d : tensor<2x8x4xf32>, tensor<2x8x1xf32>
func.func @repeated(%x: tensor<4xf32>, %y: tensor<2x8x4xf32>) -> (tensor<2x8x4xf32>, tensor<2x8x1xf32>) {
  %a = graph.exp %x : tensor<4xf32>
  %b = graph.add %y, %a : tensor<2x8x4xf32>, tensor<4xf32>
  %c = graph.reduce max %y axes = [2], keep_dims : tensor<2x8x4xf32>
  %d = graph.neg %c : tensor<2x8x1xf32>
  func.return %b, %d : tensor<2x8x4xf32>, tensor<2x8x1xf32>
}

// Values that depend on weights alone are computed ahead of time, not in a kernel.
// CHECK-LABEL: func.func @ahead_of_time(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x8xf32>
// CHECK-NEXT: %v = graph.abs %w : tensor<8x8xf32>
// CHECK-NEXT: %u = graph.sqrt %v : tensor<8x8xf32>
// CHECK-NEXT: %a = graph.matmul %x, %u : tensor<2x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: func.return %a : tensor<2x8xf32>
func.func @ahead_of_time(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x8xf32>
  %v = graph.abs %w : tensor<8x8xf32>
  %u = graph.sqrt %v : tensor<8x8xf32>
  %a = graph.matmul %x, %u : tensor<2x8xf32>, tensor<8x8xf32>
  func.return %a : tensor<2x8xf32>
}
