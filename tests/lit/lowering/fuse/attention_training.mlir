// Attention in a training step becomes two kernels that store no weights: the forward kernel returns the maximum and the sum
// of each row, the backward kernel recomputes the weights. Results stay the same; without the option, the ops are not fused.
// RUN: ndp-opt %s -p 'fuse{attention=true}' --check | filecheck %s
// RUN: ndp-opt %s -p fuse | filecheck %s --check-prefix=OFF
// RUN: ndp-opt %s -p 'fuse{attention=true without=attention}' | filecheck %s --check-prefix=OFF
// RUN: ndp-opt %s -p 'fuse{attention=true without=attention_grad}' | filecheck %s --check-prefix=FORWARD

// OFF-NOT: attention

// FORWARD-LABEL: func.func @step(
// FORWARD-NOT: attention
// FORWARD-LABEL: func.func @dropped(
// FORWARD: causal_attention_grad
// FORWARD-LABEL: func.func @masked(
// FORWARD: fused attention

// The form that JAX prints: products in bf16, softmax in f32, a scale, and a mask that is known at run time only.
// CHECK-LABEL: func.func @step(
// CHECK-NEXT: %{{.*}}, %{{.*}}, %y = graph.fused attention (
// CHECK: graph.matmul %{{.*}} transpose_b : tensor<4x6x8xf32>, tensor<4x5x8xf32>
// CHECK: graph.reduce max
// CHECK: graph.exp
// CHECK: graph.reduce sum
// CHECK: graph.matmul %{{.*}} : tensor<4x6x5xbf16>, tensor<4x5x8xbf16>
// CHECK-NEXT: graph.yield %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}}
// CHECK-NEXT: }
// CHECK-NEXT: %{{.*}}, %{{.*}}, %{{.*}} = graph.fused attention_grad (
// CHECK: graph.matmul %{{.*}} transpose_b : tensor<4x6x8xf32>, tensor<4x5x8xf32>
// CHECK-NOT: graph.reduce max
// CHECK: graph.exp
// CHECK-NOT: graph.fused
// CHECK: func.return
func.func @step(%q: tensor<4x6x8xbf16>, %k: tensor<4x5x8xbf16>, %v: tensor<4x5x8xbf16>, %seen: tensor<5xi1>, %dy: tensor<4x6x8xbf16>) -> (tensor<4x6x8xbf16>, tensor<4x6x8xbf16>, tensor<4x5x8xbf16>, tensor<4x5x8xbf16>) {
  %scale = graph.constant 0.25 : tensor<f32>
  %hidden = graph.constant -1.0e9 : tensor<f32>
  %zero = graph.constant 0.0 : tensor<f32>
  %qw = graph.cast %q : tensor<4x6x8xbf16> -> tensor<4x6x8xf32>
  %kw = graph.cast %k : tensor<4x5x8xbf16> -> tensor<4x5x8xf32>
  %a = graph.matmul %qw, %kw transpose_b : tensor<4x6x8xf32>, tensor<4x5x8xf32>
  %b = graph.mul %a, %scale : tensor<4x6x5xf32>, tensor<f32>
  %c = graph.select %seen, %b, %hidden : tensor<5xi1>, tensor<4x6x5xf32>, tensor<f32>
  %m = graph.reduce max %c axes = [2], keep_dims : tensor<4x6x5xf32>
  %x = graph.sub %c, %m : tensor<4x6x5xf32>, tensor<4x6x1xf32>
  %e = graph.exp %x : tensor<4x6x5xf32>
  %s = graph.reduce sum %e axes = [2], keep_dims : tensor<4x6x5xf32>
  %p = graph.div %e, %s : tensor<4x6x5xf32>, tensor<4x6x1xf32>
  %ph = graph.cast %p : tensor<4x6x5xf32> -> tensor<4x6x5xbf16>
  %y = graph.matmul %ph, %v : tensor<4x6x5xbf16>, tensor<4x5x8xbf16>
  %dv = graph.matmul %ph, %dy transpose_a : tensor<4x6x5xbf16>, tensor<4x6x8xbf16>
  %dh = graph.matmul %dy, %v transpose_b : tensor<4x6x8xbf16>, tensor<4x5x8xbf16>
  %dp = graph.cast %dh : tensor<4x6x5xbf16> -> tensor<4x6x5xf32>
  %t = graph.mul %dp, %p : tensor<4x6x5xf32>
  %u = graph.reduce sum %t axes = [2], keep_dims : tensor<4x6x5xf32>
  %w = graph.sub %dp, %u : tensor<4x6x5xf32>, tensor<4x6x1xf32>
  %dx = graph.mul %w, %p : tensor<4x6x5xf32>
  %db = graph.select %seen, %dx, %zero : tensor<5xi1>, tensor<4x6x5xf32>, tensor<f32>
  %da = graph.mul %db, %scale : tensor<4x6x5xf32>, tensor<f32>
  %dqw = graph.matmul %da, %kw : tensor<4x6x5xf32>, tensor<4x5x8xf32>
  %dkw = graph.matmul %da, %qw transpose_a : tensor<4x6x5xf32>, tensor<4x6x8xf32>
  %dq = graph.cast %dqw : tensor<4x6x8xf32> -> tensor<4x6x8xbf16>
  %dk = graph.cast %dkw : tensor<4x5x8xf32> -> tensor<4x5x8xbf16>
  func.return %y, %dq, %dk, %dv : tensor<4x6x8xbf16>, tensor<4x6x8xbf16>, tensor<4x5x8xbf16>, tensor<4x5x8xbf16>
}

// The gradient computes its own sums of exponentials, (dp/s - Σ dp e/s²) e; dropout of weights with a mask known at run
// time; a causal mask; heads behind sequence positions in memory, a layout that the kernels read and write directly.
// CHECK-LABEL: func.func @dropped(
// CHECK-NEXT: graph.constant {{.*}} : tensor<6x6xi1>
// CHECK: = graph.fused causal_attention (%{{.*}} = %q, %{{.*}} = %k,
// CHECK: = graph.fused causal_attention_grad (
// CHECK-NOT: graph.fused
// CHECK: func.return %{{.*}} : tensor<2x6x4x8xf16>, tensor<2x6x4x8xf16>, tensor<2x6x4x8xf16>, tensor<2x6x4x8xf16>
func.func @dropped(%q: tensor<2x6x4x8xf16>, %k: tensor<2x6x4x8xf16>, %v: tensor<2x6x4x8xf16>, %kept: tensor<2x4x6x6xi1>, %dy: tensor<2x6x4x8xf16>) -> (tensor<2x6x4x8xf16>, tensor<2x6x4x8xf16>, tensor<2x6x4x8xf16>, tensor<2x6x4x8xf16>) {
  %seen = graph.constant [[true, false, false, false, false, false], [true, true, false, false, false, false], [true, true, true, false, false, false], [true, true, true, true, false, false], [true, true, true, true, true, false], [true, true, true, true, true, true]] : tensor<6x6xi1>
  %hidden = graph.constant -1.0e9 : tensor<f32>
  %zero = graph.constant 0.0 : tensor<f32>
  %share = graph.constant 0.9 : tensor<f32>
  %qt = graph.transpose %q permutation = [0, 2, 1, 3] : tensor<2x6x4x8xf16>
  %kt = graph.transpose %k permutation = [0, 2, 1, 3] : tensor<2x6x4x8xf16>
  %vt = graph.transpose %v permutation = [0, 2, 3, 1] : tensor<2x6x4x8xf16>
  %dyt = graph.transpose %dy permutation = [0, 2, 3, 1] : tensor<2x6x4x8xf16>
  %ah = graph.matmul %qt, %kt transpose_b : tensor<2x4x6x8xf16>
  %a = graph.cast %ah : tensor<2x4x6x6xf16> -> tensor<2x4x6x6xf32>
  %c = graph.select %seen, %a, %hidden : tensor<6x6xi1>, tensor<2x4x6x6xf32>, tensor<f32>
  %m = graph.reduce max %c axes = [3] : tensor<2x4x6x6xf32>
  %mk = graph.reshape %m : tensor<2x4x6xf32> -> tensor<2x4x6x1xf32>
  %x = graph.sub %c, %mk : tensor<2x4x6x6xf32>, tensor<2x4x6x1xf32>
  %e = graph.exp %x : tensor<2x4x6x6xf32>
  %s = graph.reduce sum %e axes = [3] : tensor<2x4x6x6xf32>
  %sk = graph.reshape %s : tensor<2x4x6xf32> -> tensor<2x4x6x1xf32>
  %ss = graph.mul %sk, %sk : tensor<2x4x6x1xf32>
  %p = graph.div %e, %sk : tensor<2x4x6x6xf32>, tensor<2x4x6x1xf32>
  %pk = graph.div %p, %share : tensor<2x4x6x6xf32>, tensor<f32>
  %pd = graph.select %kept, %pk, %zero : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>, tensor<f32>
  %ph = graph.cast %pd : tensor<2x4x6x6xf32> -> tensor<2x4x6x6xf16>
  %yt = graph.matmul %vt, %ph transpose_b : tensor<2x4x8x6xf16>, tensor<2x4x6x6xf16>
  %y = graph.transpose %yt permutation = [0, 3, 1, 2] : tensor<2x4x8x6xf16>
  %dvt = graph.matmul %dyt, %ph : tensor<2x4x8x6xf16>, tensor<2x4x6x6xf16>
  %dv = graph.transpose %dvt permutation = [0, 3, 1, 2] : tensor<2x4x8x6xf16>
  %dh = graph.matmul %dyt, %vt transpose_a : tensor<2x4x8x6xf16>
  %dd = graph.cast %dh : tensor<2x4x6x6xf16> -> tensor<2x4x6x6xf32>
  %dk0 = graph.select %kept, %dd, %zero : tensor<2x4x6x6xi1>, tensor<2x4x6x6xf32>, tensor<f32>
  %dp = graph.div %dk0, %share : tensor<2x4x6x6xf32>, tensor<f32>
  %t0 = graph.div %dp, %ss : tensor<2x4x6x6xf32>, tensor<2x4x6x1xf32>
  %t1 = graph.mul %t0, %e : tensor<2x4x6x6xf32>
  %u = graph.reduce sum %t1 axes = [3], keep_dims : tensor<2x4x6x6xf32>
  %w0 = graph.div %dp, %sk : tensor<2x4x6x6xf32>, tensor<2x4x6x1xf32>
  %w = graph.sub %w0, %u : tensor<2x4x6x6xf32>, tensor<2x4x6x1xf32>
  %dx = graph.mul %w, %e : tensor<2x4x6x6xf32>
  %dc = graph.select %seen, %dx, %zero : tensor<6x6xi1>, tensor<2x4x6x6xf32>, tensor<f32>
  %da = graph.cast %dc : tensor<2x4x6x6xf32> -> tensor<2x4x6x6xf16>
  %dqt = graph.matmul %da, %kt : tensor<2x4x6x6xf16>, tensor<2x4x6x8xf16>
  %dkt = graph.matmul %da, %qt transpose_a : tensor<2x4x6x6xf16>, tensor<2x4x6x8xf16>
  %dq = graph.transpose %dqt permutation = [0, 2, 1, 3] : tensor<2x4x6x8xf16>
  %dk = graph.transpose %dkt permutation = [0, 2, 1, 3] : tensor<2x4x6x8xf16>
  func.return %y, %dq, %dk, %dv : tensor<2x6x4x8xf16>, tensor<2x6x4x8xf16>, tensor<2x6x4x8xf16>, tensor<2x6x4x8xf16>
}

// Only the forward pass, with a mask that graph.attention does not support: known at run time only, and with a number that does not exceed all scores.
// CHECK-LABEL: func.func @masked(
// CHECK: %y = graph.fused attention (
// CHECK: graph.softmax
// CHECK-NOT: graph.fused
// CHECK: func.return
func.func @masked(%q: tensor<4x3x16xf16>, %k: tensor<4x3x16xf16>, %v: tensor<4x3x16xf16>, %seen: tensor<3x3xi1>) -> tensor<4x3x16xf16> {
  %hidden = graph.constant -1.0e4 : tensor<f16>
  %a = graph.matmul %q, %k transpose_b : tensor<4x3x16xf16>
  %b = graph.select %seen, %a, %hidden : tensor<3x3xi1>, tensor<4x3x3xf16>, tensor<f16>
  %c = graph.softmax %b : tensor<4x3x3xf16>
  %y = graph.matmul %c, %v : tensor<4x3x3xf16>, tensor<4x3x16xf16>
  func.return %y : tensor<4x3x16xf16>
}

// The following programs stay as they are: the weights are a result;
// CHECK-LABEL: func.func @read(
// CHECK-NOT: attention
// CHECK: func.return
func.func @read(%q: tensor<4x3x16xf16>, %k: tensor<4x3x16xf16>, %v: tensor<4x3x16xf16>) -> (tensor<4x3x16xf16>, tensor<4x3x3xf16>) {
  %a = graph.matmul %q, %k transpose_b : tensor<4x3x16xf16>
  %b = graph.softmax %a : tensor<4x3x3xf16>
  %y = graph.matmul %b, %v : tensor<4x3x3xf16>, tensor<4x3x16xf16>
  func.return %y, %b : tensor<4x3x16xf16>, tensor<4x3x3xf16>
}

// the weights are summed over queries;
// CHECK-LABEL: func.func @counted(
// CHECK-NOT: attention
// CHECK: func.return
func.func @counted(%q: tensor<4x3x16xf16>, %k: tensor<4x3x16xf16>, %v: tensor<4x3x16xf16>) -> (tensor<4x3x16xf16>, tensor<4x3xf16>) {
  %a = graph.matmul %q, %k transpose_b : tensor<4x3x16xf16>
  %b = graph.softmax %a : tensor<4x3x3xf16>
  %n = graph.reduce sum %b axes = [1] : tensor<4x3x3xf16>
  %y = graph.matmul %b, %v : tensor<4x3x3xf16>, tensor<4x3x16xf16>
  func.return %y, %n : tensor<4x3x16xf16>, tensor<4x3xf16>
}

// the type is f32, for which there are no kernels, and graph.attention does not support the mask.
// CHECK-LABEL: func.func @wide(
// CHECK-NOT: attention
// CHECK: func.return
func.func @wide(%q: tensor<4x3x16xf32>, %k: tensor<4x3x16xf32>, %v: tensor<4x3x16xf32>, %seen: tensor<3x3xi1>) -> tensor<4x3x16xf32> {
  %hidden = graph.constant -1.0e4 : tensor<f32>
  %a = graph.matmul %q, %k transpose_b : tensor<4x3x16xf32>
  %b = graph.select %seen, %a, %hidden : tensor<3x3xi1>, tensor<4x3x3xf32>, tensor<f32>
  %c = graph.softmax %b : tensor<4x3x3xf32>
  %y = graph.matmul %c, %v : tensor<4x3x3xf32>, tensor<4x3x16xf32>
  func.return %y : tensor<4x3x16xf32>
}

// The scores are a sum of two products, as with relative positions: one of them is a mask.
// CHECK-LABEL: func.func @relative(
// CHECK: graph.attention %{{.*}} scale = 1.0, unseen = nans
// CHECK: func.return
func.func @relative(%q: tensor<4x3x16xf16>, %k: tensor<4x3x16xf16>, %r: tensor<4x3x16xf16>, %v: tensor<4x3x16xf16>) -> tensor<4x3x16xf16> {
  %a = graph.matmul %q, %k transpose_b : tensor<4x3x16xf16>
  %b = graph.matmul %q, %r transpose_b : tensor<4x3x16xf16>
  %c = graph.add %a, %b : tensor<4x3x3xf16>
  %d = graph.softmax %c : tensor<4x3x3xf16>
  %y = graph.matmul %d, %v : tensor<4x3x3xf16>, tensor<4x3x16xf16>
  func.return %y : tensor<4x3x16xf16>
}
