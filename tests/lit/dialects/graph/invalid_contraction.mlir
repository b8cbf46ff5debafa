// Wrong matrix products, convolutions, unfolding and attention are errors with a location.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%v: tensor<4xf32>, %a: tensor<4x4xf32>) {
  // expected-error @+1 {{graph.matmul takes matrices, not tensor<4xf32> and tensor<4x4xf32>; give a vector a unit axis (graph.reshape)}}
  %y = graph.matmul %v, %a : tensor<4xf32>, tensor<4x4xf32>
  func.return
}

// -----

func.func @f(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.matmul sums over 3 columns of tensor<2x3xf32>, but tensor<2x3xf32> has 2 rows}}
  %y = graph.matmul %a, %a : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%a: tensor<2x2xf32>, %b: tensor<2x2xf16>) {
  // expected-error @+1 {{graph.matmul needs operands of the same numeric element type, not f32 and f16}}
  %y = graph.matmul %a, %b : tensor<2x2xf32>, tensor<2x2xf16>
  func.return
}

// -----

func.func @f(%a: tensor<2x2xi1>) {
  // expected-error @+1 {{graph.matmul needs operands of the same numeric element type, not i1 and i1}}
  %y = graph.matmul %a, %a : tensor<2x2xi1>
  func.return
}

// -----

func.func @f(%a: tensor<3x2x2xf32>, %b: tensor<2x2x2xf32>) {
  // expected-error @+1 {{graph.matmul: batches of tensor<3x2x2xf32> and tensor<2x2x2xf32>: shapes 3 and 2 do not broadcast: aligned at the last axis, extents must be equal or 1}}
  %y = graph.matmul %a, %b : tensor<3x2x2xf32>, tensor<2x2x2xf32>
  func.return
}

// -----

func.func @f(%a: tensor<2x2xf32>, %c: tensor<3xf32>) {
  // expected-error @+1 {{graph.matmul: a bias of tensor<3xf32> does not broadcast to tensor<2x2xf32>}}
  %y = graph.matmul %a, %a, %c : tensor<2x2xf32>, tensor<2x2xf32>, tensor<3xf32>
  func.return
}

// -----

func.func @f(%a: tensor<2x2xf32>, %c: tensor<2xf16>) {
  // expected-error @+1 {{graph.matmul: a bias of tensor<2xf16> does not broadcast to tensor<2x2xf32>}}
  %y = graph.matmul %a, %a, %c : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf16>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3xf32>) {
  // expected-error @+1 {{graph.conv takes [N, C, spatial…] and [M, C / groups, kernel…], not tensor<1x4x8x8xf32> and tensor<4x4x3xf32>}}
  %y = graph.conv %x, %w : tensor<1x4x8x8xf32>, tensor<4x4x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{graph.conv: groups = 1 and filters of 3 channels need an input of 3 channels, but it has 4}}
  %y = graph.conv %x, %w : tensor<1x4x8x8xf32>, tensor<4x3x3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error @+1 {{graph.conv: `groups` must be at least 1, but is 0}}
  %y = graph.conv %x, %w groups = 0 : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error @+1 {{graph.conv: 3 filters can't be divided evenly into 2 groups}}
  %y = graph.conv %x, %w groups = 2 : tensor<1x4x8x8xf32>, tensor<3x2x3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf16>) {
  // expected-error @+1 {{graph.conv needs operands of the same floating-point type, not f32 and f16}}
  %y = graph.conv %x, %w : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf16>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xi8>, %w: tensor<4x4x3x3xi8>) {
  // expected-error @+1 {{graph.conv needs operands of the same floating-point type, not i8 and i8}}
  %y = graph.conv %x, %w : tensor<1x4x8x8xi8>, tensor<4x4x3x3xi8>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{graph.conv: the bias must be tensor<4xf32>, not tensor<3xf32>}}
  %y = graph.conv %x, %w, %b : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>, tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error @+1 {{graph.conv: 2 spatial axes need 2 strides, 4 pads and 2 dilations, not 2, 2 and 2}}
  %y = graph.conv %x, %w pads = [1, 1] : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error @+1 {{graph.conv: strides, dilations and the window's extents must be at least 1 and pads at least 0}}
  %y = graph.conv %x, %w strides = [0, 1] : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x9x3xf32>) {
  // expected-error @+1 {{graph.conv: a window of [9, 3] does not fit an image of [8, 8] with pads [(0, 0), (0, 0)]}}
  %y = graph.conv %x, %w : tensor<1x4x8x8xf32>, tensor<4x4x9x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{graph.im2col takes an image [N, C, spatial…], not tensor<4x8xf32>}}
  %y = graph.im2col %x kernel = [3] : tensor<4x8xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{graph.im2col: 4 channels can't be divided evenly into 3 groups}}
  %y = graph.im2col %x kernel = [3, 3], groups = 3 : tensor<1x4x8x8xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{graph.im2col: the window has 1 axes, but the image has 2}}
  %y = graph.im2col %x kernel = [3] : tensor<1x4x8x8xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{graph.im2col: strides, dilations and the window's extents must be at least 1 and pads at least 0}}
  %y = graph.im2col %x kernel = [0, 3] : tensor<1x4x8x8xf32>
  func.return
}

// -----

func.func @f(%q: tensor<2x8xf32>) {
  // expected-error @+1 {{graph.attention takes q, k and v of shape [batch, heads, length, depth], not tensor<2x8xf32>, tensor<2x8xf32> and tensor<2x8xf32>}}
  %y = graph.attention %q, %q, %q : tensor<2x8xf32>
  func.return
}

// -----

func.func @f(%q: tensor<1x2x3x8xf32>, %k: tensor<1x2x3x7xf32>) {
  // expected-error @+1 {{graph.attention takes q, k and v of shapes [B, H, L, D], [B, G, S, D] and [B, G, S, E], not tensor<1x2x3x8xf32>, tensor<1x2x3x7xf32> and tensor<1x2x3x8xf32>}}
  %y = graph.attention %q, %k, %q : tensor<1x2x3x8xf32>, tensor<1x2x3x7xf32>, tensor<1x2x3x8xf32>
  func.return
}

// -----

func.func @f(%q: tensor<1x3x3x8xf32>, %k: tensor<1x2x3x8xf32>) {
  // expected-error @+1 {{graph.attention: the 3 query heads can't be divided evenly among the 2 key heads}}
  %y = graph.attention %q, %k, %k : tensor<1x3x3x8xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>
  func.return
}

// -----

func.func @f(%q: tensor<1x2x3x8xi32>) {
  // expected-error @+1 {{graph.attention needs q, k, v of the same floating-point type, not tensor<1x2x3x8xi32>, tensor<1x2x3x8xi32> and tensor<1x2x3x8xi32>}}
  %y = graph.attention %q, %q, %q : tensor<1x2x3x8xi32>
  func.return
}

// -----

func.func @f(%q: tensor<1x2x3x8xf32>, %m: tensor<4x3xf32>) {
  // expected-error @+1 {{graph.attention: the mask must be floating-point or i1 and broadcast to 1x2x3x3, but is tensor<4x3xf32>}}
  %y = graph.attention %q, %q, %q, %m : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>, tensor<4x3xf32>
  func.return
}

// -----

func.func @f(%q: tensor<1x2x3x8xf32>, %m: tensor<3x3xf32>) {
  // expected-error @+1 {{graph.attention takes at most one mask and one tensor of lengths, not tensor<3x3xf32> and tensor<3x3xf32>}}
  %y = graph.attention %q, %q, %q, %m, %m : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>, tensor<3x3xf32>, tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%q: tensor<1x2x3x8xf32>, %n: tensor<3xi64>) {
  // expected-error @+1 {{graph.attention: the lengths must be a vector of 1 integers and follow the mask, but are tensor<3xi64>}}
  %y = graph.attention %q, %q, %q, %n : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>, tensor<3xi64>
  func.return
}

// -----

func.func @f(%q: tensor<1x2x3x8xf32>) {
  // expected-error @+1 {{graph.attention: the window must not be negative, but is -1}}
  %y = graph.attention %q, %q, %q window = -1 : tensor<1x2x3x8xf32>
  func.return
}

// -----

func.func @f(%a: tensor<7x4xf32>, %b: tensor<4xf32>, %n: tensor<3xi32>) {
  // expected-error @+1 {{graph.ragged_matmul takes a matrix, then a matrix or a batch of matrices, not tensor<7x4xf32> and tensor<4xf32>}}
  %y = graph.ragged_matmul %a, %b, %n : tensor<7x4xf32>, tensor<4xf32>, tensor<3xi32>
  func.return
}

// -----

func.func @f(%a: tensor<7x4xf32>, %b: tensor<3x5x2xf32>, %n: tensor<3xi32>) {
  // expected-error @+1 {{graph.ragged_matmul sums over 4 columns of tensor<7x4xf32>, but tensor<3x5x2xf32> has 5 rows}}
  %y = graph.ragged_matmul %a, %b, %n : tensor<7x4xf32>, tensor<3x5x2xf32>, tensor<3xi32>
  func.return
}

// -----

func.func @f(%a: tensor<7x4xf32>, %b: tensor<3x4x2xf16>, %n: tensor<3xi32>) {
  // expected-error @+1 {{graph.ragged_matmul needs factors of the same numeric element type, not f32 and f16}}
  %y = graph.ragged_matmul %a, %b, %n : tensor<7x4xf32>, tensor<3x4x2xf16>, tensor<3xi32>
  func.return
}

// -----

func.func @f(%a: tensor<7x4xf32>, %b: tensor<3x4x2xf32>, %n: tensor<2xi32>) {
  // expected-error @+1 {{graph.ragged_matmul takes the groups' sizes as a vector of integers, one per matrix, not tensor<2xi32>}}
  %y = graph.ragged_matmul %a, %b, %n : tensor<7x4xf32>, tensor<3x4x2xf32>, tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<7x4xf32>, %w: tensor<3x4x2xf32>, %i: tensor<7x1xi32>) {
  // expected-error @+1 {{graph.grouped_matmul takes rows, a batch of matrices, and ids with an axis less than the rows, not tensor<7x4xf32>, tensor<3x4x2xf32> and tensor<7x1xi32>}}
  %y = graph.grouped_matmul %x, %w, %i : tensor<7x4xf32>, tensor<3x4x2xf32>, tensor<7x1xi32>
  func.return
}

// -----

func.func @f(%x: tensor<7x3x4xf32>, %w: tensor<3x4x2xf32>, %i: tensor<7x2xi32>) {
  // expected-error @+1 {{graph.grouped_matmul: the rows of tensor<7x3x4xf32> do not broadcast to the ids of tensor<7x2xi32>}}
  %y = graph.grouped_matmul %x, %w, %i : tensor<7x3x4xf32>, tensor<3x4x2xf32>, tensor<7x2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<7x2xf32>, %w: tensor<3x4x2xf32>, %i: tensor<7xi32>) {
  // expected-error @+1 {{graph.grouped_matmul sums over 2 columns of tensor<7x2xf32>, but each matrix of tensor<3x4x2xf32> has 4 rows}}
  %y = graph.grouped_matmul %x, %w, %i : tensor<7x2xf32>, tensor<3x4x2xf32>, tensor<7xi32>
  func.return
}

// -----

func.func @f(%x: tensor<7x4xf32>, %w: tensor<3x4x2xf16>, %i: tensor<7xi32>) {
  // expected-error @+1 {{graph.grouped_matmul needs factors of the same numeric element type, or two of integers, or two of floats, of at most 8 bits, not f32 and f16}}
  %y = graph.grouped_matmul %x, %w, %i : tensor<7x4xf32>, tensor<3x4x2xf16>, tensor<7xi32>
  func.return
}

// -----

func.func @f(%x: tensor<7x4xf8E4M3FN>, %w: tensor<3x4x2xi8>, %i: tensor<7xi32>) {
  // expected-error @+1 {{graph.grouped_matmul needs factors of the same numeric element type, or two of integers, or two of floats, of at most 8 bits, not f8E4M3FN and i8}}
  %y = graph.grouped_matmul %x, %w, %i : tensor<7x4xf8E4M3FN>, tensor<3x4x2xi8>, tensor<7xi32>
  func.return
}

// -----

func.func @f(%x: tensor<7x4xf32>, %w: tensor<3x4x2xf32>, %i: tensor<7xf32>) {
  // expected-error @+1 {{graph.grouped_matmul: ids are integers, not f32}}
  %y = graph.grouped_matmul %x, %w, %i : tensor<7x4xf32>, tensor<3x4x2xf32>, tensor<7xf32>
  func.return
}

// -----

func.func @f(%x: tensor<7x4xf32>, %w: tensor<3x4x2xf32>, %i: tensor<7xi32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{graph.grouped_matmul: the bias must be tensor<3x2xf32>, not tensor<2xf32>}}
  %y = graph.grouped_matmul %x, %w, %i, %b : tensor<7x4xf32>, tensor<3x4x2xf32>, tensor<7xi32>, tensor<2xf32>
  func.return
}

// -----

func.func @f(%q: tensor<1x2x3x8xf32>) {
  // expected-error @+1 {{graph.attention: sinks must be a vector of 2 floating-point elements, one of each head, but there is no operand behind v}}
  %y = graph.attention %q, %q, %q sinks : tensor<1x2x3x8xf32>
  func.return
}

// -----

func.func @f(%q: tensor<1x2x3x8xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{graph.attention: sinks must be a vector of 2 floating-point elements, one of each head, but the last operand is tensor<3xf32>}}
  %y = graph.attention %q, %q, %q, %s sinks : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>, tensor<3xf32>
  func.return
}

// -----

func.func @f(%q: tensor<1x2x3x8xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{graph.attention: with sinks, a query that sees no key gets zeros, not mean}}
  %y = graph.attention %q, %q, %q, %s sinks, unseen = mean : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>, tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<7x4xf32>, %w: tensor<3x4x2xf32>, %i: tensor<7xi32>) {
  // expected-error @+1 {{graph.grouped_matmul: `experts` must be 0 or at least the 3 matrices, and `skew` at least 0, not 2 and 0.0}}
  %y = graph.grouped_matmul %x, %w, %i experts = 2 : tensor<7x4xf32>, tensor<3x4x2xf32>, tensor<7xi32>
  func.return
}

// -----

func.func @f(%x: tensor<7x4xf32>, %w: tensor<3x4x2xf32>, %i: tensor<7xi32>) {
  // expected-error @+1 {{graph.grouped_matmul: `experts` must be 0 or at least the 3 matrices, and `skew` at least 0, not 0 and -1.0}}
  %y = graph.grouped_matmul %x, %w, %i skew = -1.0 : tensor<7x4xf32>, tensor<3x4x2xf32>, tensor<7xi32>
  func.return
}
