// RUN: ndp-opt %s -p canonicalize | filecheck %s

// Neutral elements and opposites. Floats keep the sign of zeros: x + 0 turns -0 into 0, so it stays; x + (-0) is removed.
// CHECK-LABEL: func.func @neutral(
// CHECK-NEXT: func.return %x, %x, %x, %x, %i : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xi64>
func.func @neutral(%x: tensor<2x3xf32>, %i: tensor<4xi64>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xi64>) {
  %zero = graph.constant 0.0 : tensor<f32>
  %minus_zero = graph.constant -0.0 : tensor<f32>
  %one = graph.constant 1.0 : tensor<3xf32>
  %none = graph.constant 0 : tensor<4xi64>
  %a = graph.add %x, %minus_zero : tensor<2x3xf32>, tensor<f32>
  %b = graph.sub %x, %zero : tensor<2x3xf32>, tensor<f32>
  %c = graph.mul %one, %x : tensor<3xf32>, tensor<2x3xf32>
  %d = graph.div %x, %one : tensor<2x3xf32>, tensor<3xf32>
  %e = graph.add %none, %i : tensor<4xi64>
  func.return %a, %b, %c, %d, %e : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xi64>
}

// A softmax does not depend on the sign of zeros, so the addition of a mask of zeros is removed. The other sum stays.
// CHECK-LABEL: func.func @zero_sign(
// CHECK-NEXT: %zero = graph.constant 0.0 : tensor<f32>
// CHECK-NEXT: %s = graph.softmax %x : tensor<2x3xf32>
// CHECK-NEXT: %b = graph.sub %zero, %x : tensor<f32>, tensor<2x3xf32>
// CHECK-NEXT: func.return %s, %b : tensor<2x3xf32>, tensor<2x3xf32>
func.func @zero_sign(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %zero = graph.constant 0.0 : tensor<f32>
  %a = graph.add %x, %zero : tensor<2x3xf32>, tensor<f32>
  %s = graph.softmax %a : tensor<2x3xf32>
  %n = graph.neg %x : tensor<2x3xf32>
  %b = graph.add %n, %zero : tensor<2x3xf32>, tensor<f32>
  func.return %s, %b : tensor<2x3xf32>, tensor<2x3xf32>
}

// x · 0 = 0 holds for integers only.
// CHECK-LABEL: func.func @times_zero(
// CHECK-NEXT: %zero = graph.constant 0.0 : tensor<f32>
// CHECK-NEXT: %a = graph.mul %x, %zero : tensor<3xf32>, tensor<f32>
// CHECK-NEXT: %b = graph.constant 0 : tensor<3xi64>
// CHECK-NEXT: func.return %a, %b : tensor<3xf32>, tensor<3xi64>
func.func @times_zero(%x: tensor<3xf32>, %i: tensor<3xi64>) -> (tensor<3xf32>, tensor<3xi64>) {
  %zero = graph.constant 0.0 : tensor<f32>
  %none = graph.constant 0 : tensor<i64>
  %a = graph.mul %x, %zero : tensor<3xf32>, tensor<f32>
  %b = graph.mul %i, %none : tensor<3xi64>, tensor<i64>
  func.return %a, %b : tensor<3xf32>, tensor<3xi64>
}

// An operation with a neutral element may still broadcast.
// CHECK-LABEL: func.func @broadcasting(
// CHECK-NEXT: %a = graph.broadcast %x : tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: func.return %a : tensor<2x3xf32>
func.func @broadcasting(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %one = graph.constant 1.0 : tensor<2x1xf32>
  %a = graph.mul %x, %one : tensor<3xf32>, tensor<2x1xf32>
  func.return %a : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @signs(
// CHECK-NEXT: %b = graph.sub %y, %x : tensor<3xf32>
// CHECK-NEXT: %c = graph.add %y, %x : tensor<3xf32>
// CHECK-NEXT: %e = graph.abs %x : tensor<3xf32>
// CHECK-NEXT: %f = graph.neg %x : tensor<3xf32>
// CHECK-NEXT: func.return %b, %c, %x, %e, %f : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
func.func @signs(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %m = graph.constant -1.0 : tensor<f32>
  %a = graph.mul %x, %m : tensor<3xf32>, tensor<f32>
  %b = graph.add %y, %a : tensor<3xf32>
  %c = graph.sub %y, %a : tensor<3xf32>
  %d = graph.neg %a : tensor<3xf32>
  %e = graph.abs %a : tensor<3xf32>
  %f = graph.div %x, %m : tensor<3xf32>, tensor<f32>
  func.return %b, %c, %d, %e, %f : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// x / 8 = x · 0.125 exactly; 1/3 is no number of the type, and 2⁻¹⁵ no normal number of f16.
// CHECK-LABEL: func.func @quotients(
// CHECK-NEXT: %three = graph.constant 3.0 : tensor<f32>
// CHECK-NEXT: %big = graph.constant 32768.0 : tensor<f16>
// CHECK-NEXT: %0 = graph.constant 0.125 : tensor<f32>
// CHECK-NEXT: %a = graph.mul %x, %0 : tensor<3xf32>, tensor<f32>
// CHECK-NEXT: %b = graph.div %x, %three : tensor<3xf32>, tensor<f32>
// CHECK-NEXT: %c = graph.div %h, %big : tensor<3xf16>, tensor<f16>
// CHECK-NEXT: func.return %a, %b, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xf16>
func.func @quotients(%x: tensor<3xf32>, %h: tensor<3xf16>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf16>) {
  %eight = graph.constant 8.0 : tensor<f32>
  %three = graph.constant 3.0 : tensor<f32>
  %big = graph.constant 32768.0 : tensor<f16>
  %a = graph.div %x, %eight : tensor<3xf32>, tensor<f32>
  %b = graph.div %x, %three : tensor<3xf32>, tensor<f32>
  %c = graph.div %h, %big : tensor<3xf16>, tensor<f16>
  func.return %a, %b, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xf16>
}

// √x = x^½ if x is known to be at least +0: the square is, x is not.
// CHECK-LABEL: func.func @powers(
// CHECK-NEXT: %half = graph.constant 0.5 : tensor<f32>
// CHECK-NEXT: %b = graph.mul %x, %x : tensor<3xf32>
// CHECK-NEXT: %c = graph.sqrt %b : tensor<3xf32>
// CHECK-NEXT: %d = graph.rsqrt %b : tensor<3xf32>
// CHECK-NEXT: %e = graph.reciprocal %x : tensor<3xf32>
// CHECK-NEXT: %f = graph.pow %x, %half : tensor<3xf32>, tensor<f32>
// CHECK-NEXT: func.return %b, %c, %d, %e, %f : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
func.func @powers(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %one = graph.constant 1.0 : tensor<f32>
  %two = graph.constant 2.0 : tensor<f32>
  %half = graph.constant 0.5 : tensor<f32>
  %minus_half = graph.constant -0.5 : tensor<f32>
  %minus = graph.constant -1.0 : tensor<f32>
  %a = graph.pow %x, %one : tensor<3xf32>, tensor<f32>
  %b = graph.pow %a, %two : tensor<3xf32>, tensor<f32>
  %c = graph.pow %b, %half : tensor<3xf32>, tensor<f32>
  %d = graph.pow %b, %minus_half : tensor<3xf32>, tensor<f32>
  %e = graph.pow %x, %minus : tensor<3xf32>, tensor<f32>
  %f = graph.pow %x, %half : tensor<3xf32>, tensor<f32>
  func.return %b, %c, %d, %e, %f : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @again(
// CHECK-NEXT: %a = graph.abs %x : tensor<3xf32>
// CHECK-NEXT: %c = graph.relu %x : tensor<3xf32>
// CHECK-NEXT: %g = graph.exp %x : tensor<3xf32>
// CHECK-NEXT: func.return %a, %c, %g, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
func.func @again(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %zero = graph.constant 0.0 : tensor<f32>
  %a = graph.abs %x : tensor<3xf32>
  %b = graph.abs %a : tensor<3xf32>
  %c = graph.max %x, %zero : tensor<3xf32>, tensor<f32>
  %d = graph.relu %c : tensor<3xf32>
  %e = graph.max %x, %x : tensor<3xf32>
  %f = graph.min %e, %e : tensor<3xf32>
  %g = graph.exp %f : tensor<3xf32>
  %h = graph.clip %x min = 0.0 : tensor<3xf32>
  func.return %b, %d, %g, %h : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @clips(
// CHECK-NEXT: %c = graph.clip %x min = 2.0, max = 6.0 : tensor<3xf32>
// CHECK-NEXT: %d = graph.clip %x min = 7.0, max = 6.0 : tensor<3xf32>
// CHECK-NEXT: %e = graph.clip %d min = 0.0, max = 1.0 : tensor<3xf32>
// CHECK-NEXT: func.return %c, %e : tensor<3xf32>, tensor<3xf32>
func.func @clips(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %a = graph.clip %x : tensor<3xf32>
  %b = graph.clip %a min = -1.0, max = 6.0 : tensor<3xf32>
  %c = graph.clip %b min = 2.0, max = 9.0 : tensor<3xf32>
  %d = graph.clip %x min = 7.0, max = 6.0 : tensor<3xf32>
  %e = graph.clip %d min = 0.0, max = 1.0 : tensor<3xf32>
  func.return %c, %e : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @truths(
// CHECK-NEXT: %b = graph.constant false : tensor<3xi1>
// CHECK-NEXT: %e = graph.constant true : tensor<3xi1>
// CHECK-NEXT: func.return %b, %c, %e, %c, %c : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
func.func @truths(%c: tensor<3xi1>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %true = graph.constant true : tensor<i1>
  %false = graph.constant false : tensor<i1>
  %a = graph.and %c, %true : tensor<3xi1>, tensor<i1>
  %b = graph.and %false, %c : tensor<i1>, tensor<3xi1>
  %d = graph.or %a, %false : tensor<3xi1>, tensor<i1>
  %e = graph.or %c, %true : tensor<3xi1>, tensor<i1>
  %f = graph.xor %c, %false : tensor<3xi1>, tensor<i1>
  %n = graph.not %f : tensor<3xi1>
  %g = graph.not %n : tensor<3xi1>
  %h = graph.and %g, %g : tensor<3xi1>
  func.return %b, %d, %e, %g, %h : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}

// For ordered comparisons the negation is a comparison for integers only: nan is neither less nor greater.
// CHECK-LABEL: func.func @comparisons(
// CHECK-NEXT: %b = graph.compare ne %x, %y : tensor<3xf32>
// CHECK-NEXT: %c = graph.compare lt %x, %y : tensor<3xf32>
// CHECK-NEXT: %d = graph.not %c : tensor<3xi1>
// CHECK-NEXT: %f = graph.compare ge %i, %i : tensor<3xi64>
// CHECK-NEXT: func.return %b, %d, %f : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
func.func @comparisons(%x: tensor<3xf32>, %y: tensor<3xf32>, %i: tensor<3xi64>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %a = graph.compare eq %x, %y : tensor<3xf32>
  %b = graph.not %a : tensor<3xi1>
  %c = graph.compare lt %x, %y : tensor<3xf32>
  %d = graph.not %c : tensor<3xi1>
  %e = graph.compare lt %i, %i : tensor<3xi64>
  %f = graph.not %e : tensor<3xi1>
  func.return %b, %d, %f : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}

// CHECK-LABEL: func.func @choices(
// CHECK-NEXT: %b = graph.broadcast %y : tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: %e = graph.select %c, %y, %x : tensor<3xi1>, tensor<f32>, tensor<3xf32>
// CHECK-NEXT: func.return %x, %b, %x, %e : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
func.func @choices(%c: tensor<3xi1>, %x: tensor<3xf32>, %y: tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %true = graph.constant true : tensor<3xi1>
  %false = graph.constant false : tensor<i1>
  %n = graph.not %c : tensor<3xi1>
  %a = graph.select %true, %x, %y : tensor<3xi1>, tensor<3xf32>, tensor<f32>
  %b = graph.select %false, %x, %y : tensor<i1>, tensor<3xf32>, tensor<f32>
  %d = graph.select %c, %x, %x : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>
  %e = graph.select %n, %x, %y : tensor<3xi1>, tensor<3xf32>, tensor<f32>
  func.return %a, %b, %d, %e : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// An integer outside of the range of another integer type keeps its low bits, a floating-point number becomes the nearest limit: this cast stays.
// CHECK-LABEL: func.func @beyond(
// CHECK-NEXT: %a = graph.cast %i : tensor<3xi32> -> tensor<3xf64>
// CHECK-NEXT: %b = graph.cast %a : tensor<3xf64> -> tensor<3xi8>
// CHECK-NEXT: %c = graph.cast %i : tensor<3xi32> -> tensor<3xi1>
func.func @beyond(%i: tensor<3xi32>) -> (tensor<3xi8>, tensor<3xi1>) {
  %a = graph.cast %i : tensor<3xi32> -> tensor<3xf64>
  %b = graph.cast %a : tensor<3xf64> -> tensor<3xi8>
  %c = graph.cast %a : tensor<3xf64> -> tensor<3xi1>
  func.return %b, %c : tensor<3xi8>, tensor<3xi1>
}

// An intermediate cast is removed if it loses nothing.
// CHECK-LABEL: func.func @casts(
// CHECK-NEXT: %c = graph.cast %x : tensor<3xf32> -> tensor<3xf16>
// CHECK-NEXT: %d = graph.cast %c : tensor<3xf16> -> tensor<3xf32>
// CHECK-NEXT: %e = graph.cast %i : tensor<3xi32> -> tensor<3xf32>
// CHECK-NEXT: %f = graph.cast %e : tensor<3xf32> -> tensor<3xf64>
// CHECK-NEXT: func.return %h, %d, %e, %f, %i : tensor<3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf64>, tensor<3xi32>
func.func @casts(%h: tensor<3xf16>, %x: tensor<3xf32>, %i: tensor<3xi32>) -> (tensor<3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf64>, tensor<3xi32>) {
  %a = graph.cast %h : tensor<3xf16> -> tensor<3xf32>
  %b = graph.cast %a : tensor<3xf32> -> tensor<3xf16>
  %c = graph.cast %x : tensor<3xf32> -> tensor<3xf16>
  %d = graph.cast %c : tensor<3xf16> -> tensor<3xf32>
  %e = graph.cast %i : tensor<3xi32> -> tensor<3xf32>
  %f = graph.cast %e : tensor<3xf32> -> tensor<3xf64>
  %g = graph.cast %i : tensor<3xi32> -> tensor<3xi64>
  %k = graph.cast %g : tensor<3xi64> -> tensor<3xf32>
  %l = graph.cast %i : tensor<3xi32> -> tensor<3xi32>
  func.return %b, %d, %k, %f, %l : tensor<3xf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xf64>, tensor<3xi32>
}
