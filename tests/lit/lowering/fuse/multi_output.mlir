// Kernels with several results, by the numbered rules of lowering/graph/multi_output.py.
// RUN: ndp-opt %s -p fuse --check | filecheck %s
// RUN: ndp-opt %s -p 'fuse{join=false}' | filecheck %s --check-prefix=APART

// 1. A value with two readers becomes a result of one kernel, which also takes in the second reader.
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

// Not if another op lies between them: the kernel would depend on itself.
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

// 2. A thread block holds a row, so ops over the same rows form one kernel, including statistics.
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

// Its result is not read in the kernel through another value, either.
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

// 3. A value that is cheap to recompute is not stored: the second kernel reads %x, not 2 · x.
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

// 4. Sums over the same axes form one kernel, which reads their common input once.
// CHECK-LABEL: func.func @sums(
// CHECK-NEXT: %a, %c = graph.fused (%x_1 = %x, %y_1 = %y) {
// CHECK: func.return
func.func @sums(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = graph.reduce sum %x axes = [0] : tensor<4x8xf32>
  %b = graph.mul %x, %y : tensor<4x8xf32>
  %c = graph.reduce sum %b axes = [0] : tensor<4x8xf32>
  func.return %a, %c : tensor<8xf32>, tensor<8xf32>
}

// Sums of x and of its squares form one kernel that also computes the variance: neither sum needs the other's result.
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

// A sum of squared differences from the mean needs the mean: it stays a separate kernel.
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

// 3. A product in f16 is stored in f16, not in the f32 of its two readers: each reader repeats the cast.
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

// A sum over columns of a value that is also returned is not part of a variance.
// CHECK-LABEL: func.func @returned(
// CHECK: graph.reduce sum
func.func @returned(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  %e = graph.exp %x : tensor<4x8xf32>
  %s = graph.reduce sum %e axes = [0] : tensor<4x8xf32>
  func.return %e, %s : tensor<4x8xf32>, tensor<8xf32>
}
