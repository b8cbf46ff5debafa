// Wrong element-wise ops are errors with a location.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%i: tensor<2xi64>) {
  // expected-error @+1 {{graph.exp works on floating-point elements, not i64; cast (graph.cast)}}
  %y = graph.exp %i : tensor<2xi64>
  func.return
}

// -----

func.func @f(%c: tensor<2xi1>) {
  // expected-error @+1 {{graph.relu works on numbers, not truth values; cast (graph.cast)}}
  %y = graph.relu %c : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.clip: `min` and `max` must be numbers, not nan; for no bound, remove the attribute}}
  %y = graph.clip %x max = nan : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.not works on truth values and integers, not f32}}
  %y = graph.not %x : tensor<2xf32>
  func.return
}

// -----

func.func @f(%i: tensor<2xi64>) {
  // expected-error @+1 {{graph.isnan works on floating-point elements, not i64}}
  %y = graph.isnan %i : tensor<2xi64>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.cast keeps the shape: tensor<2xf32> can't become tensor<3xf16>}}
  %y = graph.cast %x : tensor<2xf32> -> tensor<3xf16>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>, %h: tensor<2xf16>) {
  // expected-error @+1 {{graph.add needs operands of the same element type, not f32 and f16; cast (graph.cast)}}
  %y = graph.add %x, %h : tensor<2xf32>, tensor<2xf16>
  func.return
}

// -----

func.func @f(%c: tensor<2xi1>) {
  // expected-error @+1 {{graph.mul works on numbers, not truth values; use graph.and, graph.or, graph.xor}}
  %y = graph.mul %c, %c : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>, %z: tensor<3xf32>) {
  // expected-error @+1 {{graph.sub: shapes 2 and 3 do not broadcast: aligned at the last axis, extents must be equal or 1}}
  %y = graph.sub %x, %z : tensor<2xf32>, tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.and works on truth values and integers, not f32}}
  %y = graph.and %x, %x : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>, %c: tensor<2xi1>) {
  // expected-error @+1 {{graph.pow works on numbers, not truth values; cast (graph.cast)}}
  %y = graph.pow %x, %c : tensor<2xf32>, tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>, %h: tensor<2xf16>) {
  // expected-error @+1 {{graph.compare needs operands of the same element type, not f32 and f16; cast (graph.cast)}}
  %y = graph.compare lt %x, %h : tensor<2xf32>, tensor<2xf16>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error @+1 {{graph.isfinite works on floating-point elements, not i32}}
  %y = graph.isfinite %x : tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error @+1 {{graph.atan2 works on floating-point elements, not i32; cast (graph.cast)}}
  %y = graph.atan2 %x, %x : tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.shift works on integers, not f32; cast (graph.cast)}}
  %y = graph.shift left %x, %x : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.select: the condition must hold truth values (i1), not f32}}
  %y = graph.select %x, %x, %x : tensor<2xf32>
  func.return
}

// -----

func.func @f(%c: tensor<2xi1>, %x: tensor<2xf32>, %h: tensor<2xf16>) {
  // expected-error @+1 {{graph.select needs two values of the same element type, not f32 and f16}}
  %y = graph.select %c, %x, %h : tensor<2xi1>, tensor<2xf32>, tensor<2xf16>
  func.return
}

// -----

func.func @f(%c: tensor<3xi1>, %x: tensor<2xf32>) {
  // expected-error @+1 {{graph.select: shapes 3 and 2 do not broadcast: aligned at the last axis, extents must be equal or 1}}
  %y = graph.select %c, %x, %x : tensor<3xi1>, tensor<2xf32>, tensor<2xf32>
  func.return
}
