// RUN: ndp-opt %s -p 'fuse{attention=true}' | filecheck %s

// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %e = graph.attention %q, %k, %v causal : tensor<1x2x2x16xf32>, tensor<1x2x3x16xf32>, tensor<1x2x3x8xf32>
// CHECK-NEXT: func.return %e : tensor<1x2x2x8xf32>
func.func @main(%q: tensor<1x2x2x16xf32>, %k: tensor<1x2x3x16xf32>, %v: tensor<1x2x3x8xf32>) -> tensor<1x2x2x8xf32> {
  %m = graph.constant [[0.0, 0.0, -inf], [0.0, 0.0, 0.0]] : tensor<2x3xf32>
  %scale = graph.constant 0.25 : tensor<f32>
  %a = graph.matmul %q, %k transpose_b : tensor<1x2x2x16xf32>, tensor<1x2x3x16xf32>
  %b = graph.mul %a, %scale : tensor<1x2x2x3xf32>, tensor<f32>
  %c = graph.add %b, %m : tensor<1x2x2x3xf32>, tensor<2x3xf32>
  %d = graph.softmax %c : tensor<1x2x2x3xf32>
  %e = graph.matmul %d, %v : tensor<1x2x2x3xf32>, tensor<1x2x3x8xf32>
  func.return %e : tensor<1x2x2x8xf32>
}

// A mask that may hide all keys of a query: such a query gets nan, as from the written ops, not zeros.
// CHECK-LABEL: func.func @masked(
// CHECK-NEXT: %e = graph.attention %q, %k, %v, %m scale = 1.0, unseen = nans : tensor<1x2x2x16xf32>
// CHECK-NEXT: func.return
func.func @masked(%q: tensor<1x2x2x16xf32>, %k: tensor<1x2x3x16xf32>, %v: tensor<1x2x3x8xf32>, %m: tensor<2x3xf32>) -> tensor<1x2x2x8xf32> {
  %a = graph.matmul %q, %k transpose_b : tensor<1x2x2x16xf32>, tensor<1x2x3x16xf32>
  %c = graph.add %a, %m : tensor<1x2x2x3xf32>, tensor<2x3xf32>
  %d = graph.softmax %c : tensor<1x2x2x3xf32>
  %e = graph.matmul %d, %v : tensor<1x2x2x3xf32>, tensor<1x2x3x8xf32>
  func.return %e : tensor<1x2x2x8xf32>
}

// Keys are transposed already, the scale is 1, and there is no mask.
// CHECK-LABEL: func.func @bare(
// CHECK-NEXT: %0 = graph.transpose %k permutation = [0, 1, 3, 2] : tensor<1x2x16x6xf32>
// CHECK-NEXT: %e = graph.attention %q, %0, %v scale = 1.0 : tensor<1x2x4x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x8xf32>
// CHECK-NEXT: func.return %e : tensor<1x2x4x8xf32>
func.func @bare(%q: tensor<1x2x4x16xf32>, %k: tensor<1x2x16x6xf32>, %v: tensor<1x2x6x8xf32>) -> tensor<1x2x4x8xf32> {
  %a = graph.matmul %q, %k : tensor<1x2x4x16xf32>, tensor<1x2x16x6xf32>
  %d = graph.softmax %a : tensor<1x2x4x6xf32>
  %e = graph.matmul %d, %v : tensor<1x2x4x6xf32>, tensor<1x2x6x8xf32>
  func.return %e : tensor<1x2x4x8xf32>
}

// The form that JAX prints: products with two batch axes merged, f32 between two products of f16, a causal mask with a large number.
// CHECK-LABEL: func.func @prefill(
// CHECK-NEXT: %y = graph.attention %q, %k, %v causal : tensor<2x4x3x16xf16>
// CHECK-NEXT: func.return %y : tensor<2x4x3x16xf16>
func.func @prefill(%q: tensor<2x4x3x16xf16>, %k: tensor<2x4x3x16xf16>, %v: tensor<2x4x3x16xf16>) -> tensor<2x4x3x16xf16> {
  %rows = graph.constant [[0], [1], [2]] : tensor<3x1xi32>
  %keys = graph.constant [[0, 1, 2]] : tensor<1x3xi32>
  %seen = graph.compare ge %rows, %keys : tensor<3x1xi32>, tensor<1x3xi32>
  %root = graph.constant 4.0 : tensor<f32>
  %hidden = graph.constant -1.0e9 : tensor<f32>
  %qw = graph.cast %q : tensor<2x4x3x16xf16> -> tensor<2x4x3x16xf32>
  %kw = graph.cast %k : tensor<2x4x3x16xf16> -> tensor<2x4x3x16xf32>
  %q3 = graph.reshape %qw : tensor<2x4x3x16xf32> -> tensor<8x3x16xf32>
  %k3 = graph.reshape %kw : tensor<2x4x3x16xf32> -> tensor<8x3x16xf32>
  %v3 = graph.reshape %v : tensor<2x4x3x16xf16> -> tensor<8x3x16xf16>
  %a = graph.matmul %q3, %k3 transpose_b : tensor<8x3x16xf32>
  %b = graph.reshape %a : tensor<8x3x3xf32> -> tensor<2x4x3x3xf32>
  %c = graph.div %b, %root : tensor<2x4x3x3xf32>, tensor<f32>
  %d = graph.select %seen, %c, %hidden : tensor<3x3xi1>, tensor<2x4x3x3xf32>, tensor<f32>
  %e = graph.softmax %d : tensor<2x4x3x3xf32>
  %f = graph.cast %e : tensor<2x4x3x3xf32> -> tensor<2x4x3x3xf16>
  %g = graph.reshape %f : tensor<2x4x3x3xf16> -> tensor<8x3x3xf16>
  %h = graph.matmul %g, %v3 : tensor<8x3x3xf16>, tensor<8x3x16xf16>
  %y = graph.reshape %h : tensor<8x3x16xf16> -> tensor<2x4x3x16xf16>
  func.return %y : tensor<2x4x3x16xf16>
}

// einsum swaps the operands of the second product. The mask is known at run time only; a query without visible keys
// weights all keys equally, as in the written ops.
// CHECK-LABEL: func.func @padded(
// CHECK-DAG: %[[Q:.*]] = graph.transpose %q permutation = [0, 2, 1, 3]
// CHECK-DAG: %[[K:.*]] = graph.transpose %k permutation = [0, 2, 1, 3]
// CHECK-DAG: %[[V:.*]] = graph.transpose %v permutation = [0, 2, 1, 3]
// CHECK: %[[Y:.*]] = graph.attention %[[Q]], %[[K]], %[[V]], %m unseen = mean
// CHECK-NEXT: graph.transpose %[[Y]] permutation = [0, 2, 1, 3] : tensor<2x4x5x8xf32>
// CHECK-NEXT: func.return
func.func @padded(%q: tensor<2x5x4x8xf32>, %k: tensor<2x5x4x8xf32>, %v: tensor<2x5x4x8xf32>, %m: tensor<2x1x1x5xi1>) -> tensor<2x5x4x8xf32> {
  %root = graph.constant 2.828427 : tensor<f32>
  %hidden = graph.constant -3.4028235e+38 : tensor<f32>
  %qt = graph.transpose %q permutation = [0, 2, 1, 3] : tensor<2x5x4x8xf32>
  %kt = graph.transpose %k permutation = [0, 2, 3, 1] : tensor<2x5x4x8xf32>
  %vt = graph.transpose %v permutation = [0, 2, 3, 1] : tensor<2x5x4x8xf32>
  %q3 = graph.reshape %qt : tensor<2x4x5x8xf32> -> tensor<8x5x8xf32>
  %k3 = graph.reshape %kt : tensor<2x4x8x5xf32> -> tensor<8x8x5xf32>
  %v3 = graph.reshape %vt : tensor<2x4x8x5xf32> -> tensor<8x8x5xf32>
  %a = graph.matmul %q3, %k3 : tensor<8x5x8xf32>, tensor<8x8x5xf32>
  %b = graph.reshape %a : tensor<8x5x5xf32> -> tensor<2x4x5x5xf32>
  %c = graph.div %b, %root : tensor<2x4x5x5xf32>, tensor<f32>
  %d = graph.select %m, %c, %hidden : tensor<2x1x1x5xi1>, tensor<2x4x5x5xf32>, tensor<f32>
  %e = graph.softmax %d : tensor<2x4x5x5xf32>
  %g = graph.reshape %e : tensor<2x4x5x5xf32> -> tensor<8x5x5xf32>
  %h = graph.matmul %v3, %g transpose_b : tensor<8x8x5xf32>, tensor<8x5x5xf32>
  %i = graph.reshape %h : tensor<8x8x5xf32> -> tensor<2x4x8x5xf32>
  %y = graph.transpose %i permutation = [0, 3, 1, 2] : tensor<2x4x8x5xf32>
  func.return %y : tensor<2x5x4x8xf32>
}

// Query heads share keys: scores have the axes [batch, key heads, query heads of each, queries, keys].
// CHECK-LABEL: func.func @shared(
// CHECK: %[[Q:.*]] = graph.reshape %q : tensor<2x2x9x8xf32> -> tensor<2x6x3x8xf32>
// CHECK-NEXT: %[[Y:.*]] = graph.attention %[[Q]], %k, %v scale = 0.5, causal : tensor<2x6x3x8xf32>, tensor<2x2x4x8xf32>, tensor<2x2x4x8xf32>
// CHECK-NEXT: graph.reshape %[[Y]] : tensor<2x6x3x8xf32> -> tensor<2x2x9x8xf32>
func.func @shared(%q: tensor<2x2x9x8xf32>, %k: tensor<2x2x4x8xf32>, %v: tensor<2x2x4x8xf32>) -> tensor<2x2x9x8xf32> {
  %unseen = graph.constant [[false, false, true, true], [false, false, false, true], [false, false, false, false]] : tensor<3x4xi1>
  %scale = graph.constant 0.5 : tensor<f32>
  %hidden = graph.constant -2.3819763e+38 : tensor<f32>
  %a = graph.matmul %q, %k transpose_b : tensor<2x2x9x8xf32>, tensor<2x2x4x8xf32>
  %b = graph.reshape %a : tensor<2x2x9x4xf32> -> tensor<2x2x3x3x4xf32>
  %c = graph.mul %b, %scale : tensor<2x2x3x3x4xf32>, tensor<f32>
  %d = graph.select %unseen, %hidden, %c : tensor<3x4xi1>, tensor<f32>, tensor<2x2x3x3x4xf32>
  %e = graph.softmax %d : tensor<2x2x3x3x4xf32>
  %f = graph.reshape %e : tensor<2x2x3x3x4xf32> -> tensor<2x2x9x4xf32>
  %y = graph.matmul %f, %v : tensor<2x2x9x4xf32>, tensor<2x2x4x8xf32>
  func.return %y : tensor<2x2x9x8xf32>
}

// The next three programs are no attention. The weights have another reader, such as a gradient:
// CHECK-LABEL: func.func @read(
// CHECK-NOT: graph.attention
// CHECK: func.return
func.func @read(%q: tensor<4x3x16xf32>, %k: tensor<4x3x16xf32>, %v: tensor<4x3x16xf32>) -> (tensor<4x3x16xf32>, tensor<4x3x3xf32>) {
  %a = graph.matmul %q, %k transpose_b : tensor<4x3x16xf32>
  %b = graph.softmax %a : tensor<4x3x3xf32>
  %y = graph.matmul %b, %v : tensor<4x3x3xf32>, tensor<4x3x16xf32>
  func.return %y, %b : tensor<4x3x16xf32>, tensor<4x3x3xf32>
}

// The softmax is over queries.
// CHECK-LABEL: func.func @over_queries(
// CHECK-NOT: graph.attention
// CHECK: func.return
func.func @over_queries(%q: tensor<4x3x16xf32>, %k: tensor<4x3x16xf32>, %v: tensor<4x3x16xf32>) -> tensor<4x3x16xf32> {
  %a = graph.matmul %q, %k transpose_b : tensor<4x3x16xf32>
  %b = graph.softmax %a axis = 1 : tensor<4x3x3xf32>
  %y = graph.matmul %b, %v : tensor<4x3x3xf32>, tensor<4x3x16xf32>
  func.return %y : tensor<4x3x16xf32>
}

// The mask's number leaves some weight to hidden keys.
// CHECK-LABEL: func.func @leaking(
// CHECK-NOT: graph.attention
// CHECK: func.return
func.func @leaking(%q: tensor<4x3x16xf32>, %k: tensor<4x3x16xf32>, %v: tensor<4x3x16xf32>) -> tensor<4x3x16xf32> {
  %seen = graph.constant [[true, false, false], [true, true, false], [true, true, true]] : tensor<3x3xi1>
  %hidden = graph.constant -100.0 : tensor<f32>
  %a = graph.matmul %q, %k transpose_b : tensor<4x3x16xf32>
  %b = graph.select %seen, %a, %hidden : tensor<3x3xi1>, tensor<4x3x3xf32>, tensor<f32>
  %c = graph.softmax %b : tensor<4x3x3xf32>
  %y = graph.matmul %c, %v : tensor<4x3x3xf32>, tensor<4x3x16xf32>
  func.return %y : tensor<4x3x16xf32>
}

// A query sees no key: all keys have equal weights.
// CHECK-LABEL: func.func @blind(
// CHECK: graph.attention %{{.*}}, %seen scale = 1.0, unseen = mean
// CHECK: func.return
func.func @blind(%q: tensor<4x3x16xf32>, %k: tensor<4x3x16xf32>, %v: tensor<4x3x16xf32>) -> tensor<4x3x16xf32> {
  %seen = graph.constant [[false, false, false], [true, true, false], [true, true, true]] : tensor<3x3xi1>
  %hidden = graph.constant -1.0e9 : tensor<f32>
  %a = graph.matmul %q, %k transpose_b : tensor<4x3x16xf32>
  %b = graph.select %seen, %a, %hidden : tensor<3x3xi1>, tensor<4x3x3xf32>, tensor<f32>
  %c = graph.softmax %b : tensor<4x3x3xf32>
  %y = graph.matmul %c, %v : tensor<4x3x3xf32>, tensor<4x3x16xf32>
  func.return %y : tensor<4x3x16xf32>
}

// A mask known at run time only may hide all keys of a query.
// CHECK-LABEL: func.func @unknown(
// CHECK: graph.attention %{{.*}}, %seen scale = 1.0, unseen = mean
// CHECK: func.return
func.func @unknown(%q: tensor<4x3x16xf32>, %k: tensor<4x3x16xf32>, %v: tensor<4x3x16xf32>, %seen: tensor<3x3xi1>) -> tensor<4x3x16xf32> {
  %hidden = graph.constant -1.0e9 : tensor<f32>
  %a = graph.matmul %q, %k transpose_b : tensor<4x3x16xf32>
  %b = graph.select %seen, %a, %hidden : tensor<3x3xi1>, tensor<4x3x3xf32>, tensor<f32>
  %c = graph.softmax %b : tensor<4x3x3xf32>
  %y = graph.matmul %c, %v : tensor<4x3x3xf32>, tensor<4x3x16xf32>
  func.return %y : tensor<4x3x16xf32>
}

// The mask is applied before the scale, which scales the mask, too.
// CHECK-LABEL: func.func @scaled_mask(
// CHECK: graph.attention %{{.*}} causal
// CHECK: func.return
func.func @scaled_mask(%q: tensor<4x3x16xf32>, %k: tensor<4x3x16xf32>, %v: tensor<4x3x16xf32>) -> tensor<4x3x16xf32> {
  %seen = graph.constant [[true, false, false], [true, true, false], [true, true, true]] : tensor<3x3xi1>
  %hidden = graph.constant -1.0e9 : tensor<f32>
  %scale = graph.constant 0.25 : tensor<f32>
  %a = graph.matmul %q, %k transpose_b : tensor<4x3x16xf32>
  %b = graph.select %seen, %a, %hidden : tensor<3x3xi1>, tensor<4x3x3xf32>, tensor<f32>
  %s = graph.mul %b, %scale : tensor<4x3x3xf32>, tensor<f32>
  %c = graph.softmax %s : tensor<4x3x3xf32>
  %y = graph.matmul %c, %v : tensor<4x3x3xf32>, tensor<4x3x16xf32>
  func.return %y : tensor<4x3x16xf32>
}

// Keys and values are repeated for the query heads that share them, queries and keys are scaled by the fourth root of
// the depth each, and weights that are nan become 0, as PyTorch exports it: each cache is read once.
// CHECK-LABEL: func.func @repeated(
// CHECK-NEXT: %[[Y:.*]] = graph.attention %q, %k, %v : tensor<1x4x1x16xf32>, tensor<1x2x6x16xf32>, tensor<1x2x6x16xf32>
// CHECK-NEXT: func.return
func.func @repeated(%q: tensor<1x4x1x16xf32>, %k: tensor<1x2x6x16xf32>, %v: tensor<1x2x6x16xf32>) -> tensor<1x4x1x16xf32> {
  %root = graph.constant 0.5 : tensor<f32>
  %zero = graph.constant 0.0 : tensor<f32>
  %k5 = graph.reshape %k : tensor<1x2x6x16xf32> -> tensor<1x2x1x6x16xf32>
  %kb = graph.broadcast %k5 : tensor<1x2x1x6x16xf32> -> tensor<1x2x2x6x16xf32>
  %k3 = graph.reshape %kb : tensor<1x2x2x6x16xf32> -> tensor<4x6x16xf32>
  %kt = graph.transpose %k3 permutation = [0, 2, 1] : tensor<4x6x16xf32>
  %k4 = graph.reshape %kt : tensor<4x16x6xf32> -> tensor<1x4x16x6xf32>
  %v5 = graph.reshape %v : tensor<1x2x6x16xf32> -> tensor<1x2x1x6x16xf32>
  %vb = graph.broadcast %v5 : tensor<1x2x1x6x16xf32> -> tensor<1x2x2x6x16xf32>
  %v4 = graph.reshape %vb : tensor<1x2x2x6x16xf32> -> tensor<1x4x6x16xf32>
  %qs = graph.mul %root, %q : tensor<f32>, tensor<1x4x1x16xf32>
  %ks = graph.mul %k4, %root : tensor<1x4x16x6xf32>, tensor<f32>
  %a = graph.matmul %qs, %ks : tensor<1x4x1x16xf32>, tensor<1x4x16x6xf32>
  %b = graph.softmax %a : tensor<1x4x1x6xf32>
  %n = graph.isnan %b : tensor<1x4x1x6xf32>
  %c = graph.select %n, %zero, %b : tensor<1x4x1x6xi1>, tensor<f32>, tensor<1x4x1x6xf32>
  %y = graph.matmul %c, %v4 : tensor<1x4x1x6xf32>, tensor<1x4x6x16xf32>
  func.return %y : tensor<1x4x1x16xf32>
}

// A soft cap, a sliding window and a bias that grows with distance; all keys before a sequence's length are visible.
// CHECK-LABEL: func.func @limited(
// CHECK: %[[Y:.*]] = graph.attention %q, %k, %v, %bias, %{{.*}} scale = 0.5, softcap = 20.0, causal, window = 2, unseen = nans
// CHECK-NEXT: func.return
func.func @limited(%q: tensor<2x2x4x16xf32>, %k: tensor<2x2x4x16xf32>, %v: tensor<2x2x4x16xf32>, %n: tensor<2xi64>) -> tensor<2x2x4x16xf32> {
  %seen = graph.constant [[true, false, false, false], [true, true, false, false], [false, true, true, false], [false, false, true, true]] : tensor<4x4xi1>
  %bias = graph.constant [[[0.0, 1.0, 2.0, 3.0]], [[0.0, 0.5, 1.0, 1.5]]] : tensor<2x1x4xf32>
  %places = graph.constant [0, 1, 2, 3] : tensor<4xi64>
  %hidden = graph.constant -inf : tensor<f32>
  %inside = graph.constant 0.025 : tensor<f32>
  %cap = graph.constant 20.0 : tensor<f32>
  %n4 = graph.reshape %n : tensor<2xi64> -> tensor<2x1x1x1xi64>
  %valid = graph.compare gt %n4, %places : tensor<2x1x1x1xi64>, tensor<4xi64>
  %both = graph.and %valid, %seen : tensor<2x1x1x4xi1>, tensor<4x4xi1>
  %a = graph.matmul %q, %k transpose_b : tensor<2x2x4x16xf32>
  %b = graph.mul %a, %inside : tensor<2x2x4x4xf32>, tensor<f32>
  %c = graph.tanh %b : tensor<2x2x4x4xf32>
  %d = graph.mul %c, %cap : tensor<2x2x4x4xf32>, tensor<f32>
  %e = graph.add %bias, %d : tensor<2x1x4xf32>, tensor<2x2x4x4xf32>
  %f = graph.select %both, %e, %hidden : tensor<2x1x4x4xi1>, tensor<2x2x4x4xf32>, tensor<f32>
  %g = graph.softmax %f : tensor<2x2x4x4xf32>
  %y = graph.matmul %g, %v : tensor<2x2x4x4xf32>, tensor<2x2x4x16xf32>
  func.return %y : tensor<2x2x4x16xf32>
}

// The quotient of a softmax follows the second product; the axes of queries and heads change their order in between.
// CHECK-LABEL: func.func @divided(
// CHECK: graph.attention
// CHECK-NOT: graph.softmax
// CHECK: func.return
func.func @divided(%q: tensor<3x4x16xf32>, %k: tensor<5x4x16xf32>, %v: tensor<5x4x16xf32>) -> tensor<4x3x16xf32> {
  %qt = graph.transpose %q permutation = [1, 0, 2] : tensor<3x4x16xf32>
  %kt = graph.transpose %k permutation = [1, 2, 0] : tensor<5x4x16xf32>
  %vt = graph.transpose %v permutation = [1, 0, 2] : tensor<5x4x16xf32>
  %a = graph.matmul %qt, %kt : tensor<4x3x16xf32>, tensor<4x16x5xf32>
  %m = graph.reduce max %a axes = [2] : tensor<4x3x5xf32>
  %m3 = graph.reshape %m : tensor<4x3xf32> -> tensor<4x3x1xf32>
  %d = graph.sub %a, %m3 : tensor<4x3x5xf32>, tensor<4x3x1xf32>
  %e = graph.exp %d : tensor<4x3x5xf32>
  %z = graph.reduce sum %e axes = [2], keep_dims : tensor<4x3x5xf32>
  %o = graph.matmul %e, %vt : tensor<4x3x5xf32>, tensor<4x5x16xf32>
  %y = graph.div %o, %z : tensor<4x3x16xf32>, tensor<4x3x1xf32>
  func.return %y : tensor<4x3x16xf32>
}
