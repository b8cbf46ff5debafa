// Kernels with several results, by the rules that lowering/graph/multi_output.py states.
// RUN: ndp-opt %s -p fuse --check | filecheck %s
// RUN: ndp-opt %s -p 'fuse{join=false}' | filecheck %s --check-prefix=APART

// 1. What two read is a result of one kernel, which the second joins.
// CHECK-LABEL: func.func @both(
// CHECK-NEXT: %a, %b = graph.fused (%x_1 = %x) {
// CHECK: graph.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return %a, %b
// APART-LABEL: func.func @both(
// APART-NOT: graph.fused
// APART: func.return
func.func @both(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = graph.exp %x : tensor<4x8xf32>
  %b = graph.sqrt %a : tensor<4x8xf32>
  func.return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}

// Not where something else stands between them: the kernel would wait for itself.
// CHECK-LABEL: func.func @around(
// CHECK-NEXT: %a = graph.tanh
// CHECK-NEXT: %b = graph.matmul
func.func @around(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = graph.tanh %x : tensor<4x4xf32>
  %b = graph.matmul %a, %x : tensor<4x4xf32>
  %c = graph.matmul %b, %b : tensor<4x4xf32>
  %d = graph.softmax %c : tensor<4x4xf32>
  %e = graph.add %a, %d : tensor<4x4xf32>
  func.return %e : tensor<4x4xf32>
}

// 2. A block of threads keeps a row, so what goes over the same rows is one kernel, statistics and all.
// CHECK-LABEL: func.func @rows(
// CHECK-NEXT: %m, %v, %y = graph.fused (%x_1 = %x) {
// CHECK: graph.yield %m_1, %v_1, %y_1
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// APART-LABEL: func.func @rows(
// APART: %m = graph.reduce
// APART: %d = graph.sub
func.func @rows(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %m = graph.reduce max %x axes = [1], keep_dims : tensor<4x8xf32>
  %d = graph.sub %x, %m : tensor<4x8xf32>, tensor<4x1xf32>
  %s = graph.mul %d, %d : tensor<4x8xf32>
  %v = graph.reduce sum %s axes = [1], keep_dims : tensor<4x8xf32>
  %y = graph.mul %d, %v : tensor<4x8xf32>, tensor<4x1xf32>
  func.return %y, %m, %v : tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// A reduction across rows ends its kernel.
// CHECK-LABEL: func.func @columns(
// CHECK-NEXT: %m = graph.reduce
// CHECK-NEXT: %y = graph.sub
func.func @columns(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = graph.reduce max %x axes = [0], keep_dims : tensor<4x8xf32>
  %y = graph.sub %x, %m : tensor<4x8xf32>, tensor<1x8xf32>
  func.return %y : tensor<4x8xf32>
}

// Not even by way of another value of that kernel.
// CHECK-LABEL: func.func @ended(
// CHECK: graph.fused
// CHECK: graph.reduce max
// CHECK: graph.yield
// CHECK-NEXT: }
// CHECK-NEXT: graph.fused
func.func @ended(%x: tensor<4x8xf32>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %e = graph.exp %x : tensor<4x8xf32>
  %m = graph.reduce max %e axes = [0], keep_dims : tensor<4x8xf32>
  %y = graph.sub %e, %m : tensor<4x8xf32>, tensor<1x8xf32>
  %t = graph.tanh %y : tensor<4x8xf32>
  func.return %t, %e : tensor<4x8xf32>, tensor<4x8xf32>
}

// 3. What costs little to compute again is not stored: the second kernel reads %x, not 2 · x.
// CHECK-LABEL: func.func @again(
// CHECK: %e = graph.fused (%b_1 = %b, %x_1 = %x) {
// CHECK: graph.mul %x_1, %{{.*}}
func.func @again(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %two = graph.constant 2.0 : tensor<f32>
  %a = graph.mul %x, %two : tensor<4x4xf32>, tensor<f32>
  %h = graph.tanh %a : tensor<4x4xf32>
  %b = graph.matmul %h, %x : tensor<4x4xf32>
  %c = graph.softmax %b : tensor<4x4xf32>
  %d = graph.mul %a, %c : tensor<4x4xf32>
  %e = graph.abs %d : tensor<4x4xf32>
  func.return %e : tensor<4x4xf32>
}

// 4. Sums over the same axes of what is read once.
// CHECK-LABEL: func.func @sums(
// CHECK-NEXT: %a, %c = graph.fused (%x_1 = %x, %y_1 = %y) {
// CHECK: func.return
func.func @sums(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = graph.reduce sum %x axes = [0] : tensor<4x8xf32>
  %b = graph.mul %x, %y : tensor<4x8xf32>
  %c = graph.reduce sum %b axes = [0] : tensor<4x8xf32>
  func.return %a, %c : tensor<8xf32>, tensor<8xf32>
}

// Sums of x and of its squares are one kernel, too, which makes the variance of both: neither sums what the other made.
// CHECK-LABEL: func.func @statistics(
// CHECK-NEXT: %m, %v = graph.fused batch_norm_stats (%x_1 = %x) {
// CHECK: func.return
func.func @statistics(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %m = graph.reduce mean %x axes = [0] : tensor<4x8xf32>
  %s = graph.mul %x, %x : tensor<4x8xf32>
  %q = graph.reduce mean %s axes = [0] : tensor<4x8xf32>
  %p = graph.mul %m, %m : tensor<8xf32>
  %v = graph.sub %q, %p : tensor<8xf32>
  func.return %m, %v : tensor<8xf32>, tensor<8xf32>
}

// A sum of squares less the mean does: it stays a kernel of its own.
// CHECK-LABEL: func.func @centred(
// CHECK: graph.reduce mean
// CHECK: graph.fused batch_norm_stats (
func.func @centred(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %m = graph.reduce mean %x axes = [0] : tensor<4x8xf32>
  %d = graph.sub %x, %m : tensor<4x8xf32>, tensor<8xf32>
  %s = graph.mul %d, %d : tensor<4x8xf32>
  %v = graph.reduce mean %s axes = [0] : tensor<4x8xf32>
  func.return %m, %v : tensor<8xf32>, tensor<8xf32>
}

// 3. A product in f16 is stored as that, not in the f32 that two others read: each casts it again.
// CHECK-LABEL: func.func @narrow(
// CHECK-NEXT: %{{.*}} = graph.matmul %x, %w : tensor<4x4xf16>
// CHECK-NEXT: graph.fused
// CHECK: graph.cast
// CHECK: graph.yield
// CHECK: graph.fused
// CHECK: graph.cast
// CHECK: graph.yield
func.func @narrow(%x: tensor<4x4xf16>, %w: tensor<4x4xf16>) -> (tensor<4xf32>, tensor<4x4xf32>) {
  %a = graph.matmul %x, %w : tensor<4x4xf16>
  %c = graph.cast %a : tensor<4x4xf16> -> tensor<4x4xf32>
  %s = graph.reduce sum %c axes = [0] : tensor<4x4xf32>
  %e = graph.exp %c : tensor<4x4xf32>
  %y = graph.div %e, %s : tensor<4x4xf32>, tensor<4xf32>
  func.return %s, %y : tensor<4xf32>, tensor<4x4xf32>
}

// A sum over columns of what is returned, too, is no part of a variance.
// CHECK-LABEL: func.func @returned(
// CHECK: graph.reduce sum
func.func @returned(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  %e = graph.exp %x : tensor<4x8xf32>
  %s = graph.reduce sum %e axes = [0] : tensor<4x8xf32>
  func.return %e, %s : tensor<4x8xf32>, tensor<8xf32>
}
