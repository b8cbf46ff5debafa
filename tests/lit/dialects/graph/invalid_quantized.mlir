// Wrong conversions by scales, and products of small factors, are errors with a location.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<2x4xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{graph.quantize: a scale of tensor<3xf32> does not broadcast to tensor<2x4xf32>; it holds floating-point numbers, one for all elements or one for each index of some axes}}
  %y = graph.quantize %x, %s : tensor<2x4xf32>, tensor<3xf32> -> tensor<2x4xi8>
  func.return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %s: tensor<2x4xf32>) {
  // expected-error @+1 {{graph.quantize: a scale of tensor<2x4xf32> does not broadcast to tensor<2x4xf32>, with one number for each 2 elements of axis 1; it holds floating-point numbers, one for all elements or one for each index of some axes}}
  %y = graph.quantize %x, %s axis = 1, block = 2 : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2x4xi8>
  func.return
}

// -----

func.func @f(%x: tensor<2x4xi8>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error @+1 {{graph.dequantize: the zero point must be tensor<i8>, as the scale and the quantized type say, not tensor<ui8>}}
  %y = graph.dequantize %x, %s, %z : tensor<2x4xi8>, tensor<f32>, tensor<ui8>
  func.return
}

// -----

func.func @f(%x: tensor<2x4xi8>, %s: tensor<2x2xf32>) {
  // expected-error @+1 {{graph.dequantize: `block` must not be negative, and `axis` be one of the 2 axes of tensor<2x4xi8>, not 2 and 2}}
  %y = graph.dequantize %x, %s axis = 2, block = 2 : tensor<2x4xi8>, tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{graph.quantize makes integers of 2 to 16 bits, or floats of 4 or 8 bits, of a tensor of floating-point numbers or i32 and the same shape; it can't make tensor<2x4xi32> of tensor<2x4xf32>}}
  %y = graph.quantize %x, %s : tensor<2x4xf32>, tensor<f32> -> tensor<2x4xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2x4xi64>, %s: tensor<f32>) {
  // expected-error @+1 {{graph.dequantize reads integers of 2 to 32 bits, or floats of 4 or 8 bits, and a scale of f16, bf16, f32, f64 or f8E8M0FNU, not tensor<2x4xi64> and tensor<f32>; cast (graph.cast)}}
  %y = graph.dequantize %x, %s : tensor<2x4xi64>, tensor<f32>
  func.return
}

// -----

func.func @f(%a: tensor<2x4xi8>, %b: tensor<4x2xi16>) {
  // expected-error @+1 {{graph.qmatmul multiplies two tensors of integers, or two of floats, of at most 8 bits, not tensor<2x4xi8> and tensor<4x2xi16>; other types have graph.matmul and graph.conv}}
  %y = graph.qmatmul %a, %b : tensor<2x4xi8>, tensor<4x2xi16>
  func.return
}

// -----

func.func @f(%a: tensor<2x4xi8>, %b: tensor<4x2xi8>, %z: tensor<i8>) {
  // expected-error @+1 {{graph.qmatmul takes no zero points, or, for integers, one for each factor, not 1 for tensor<2x4xi8> and tensor<4x2xi8>}}
  %y = graph.qmatmul %a, %b, %z : tensor<2x4xi8>, tensor<4x2xi8>, tensor<i8>
  func.return
}

// -----

func.func @f(%a: tensor<2x4xi8>, %b: tensor<4x2xi8>, %z: tensor<i8>, %v: tensor<3xi8>) {
  // expected-error @+1 {{graph.qmatmul: a zero point of tensor<3xi8> does not fit the factor tensor<4x2xi8>; it has the factor's type and broadcasts to it}}
  %y = graph.qmatmul %a, %b, %z, %v : tensor<2x4xi8>, tensor<4x2xi8>, tensor<i8>, tensor<3xi8>
  func.return
}

// -----

func.func @f(%a: tensor<2x4xi8>, %b: tensor<3x2xi8>) {
  // expected-error @+1 {{graph.qmatmul sums over 4 columns of tensor<2x4xi8>, but tensor<3x2xi8> has 3 rows}}
  %y = graph.qmatmul %a, %b : tensor<2x4xi8>, tensor<3x2xi8>
  func.return
}

// -----

func.func @f(%x: tensor<1x2x4x4xi8>, %w: tensor<2x2x3x3xi8>, %z: tensor<2x1x1xi8>, %v: tensor<i8>) {
  // expected-error @+1 {{graph.qconv: the zero point of the image must be one number, not tensor<2x1x1xi8>}}
  %y = graph.qconv %x, %w, %z, %v : tensor<1x2x4x4xi8>, tensor<2x2x3x3xi8>, tensor<2x1x1xi8>, tensor<i8>
  func.return
}

// -----

func.func @f(%x: tensor<1x3x4x4xi8>, %w: tensor<2x2x3x3xi8>) {
  // expected-error @+1 {{graph.qconv: groups = 1 and filters of 2 channels need an input of 2 channels, but it has 3}}
  %y = graph.qconv %x, %w : tensor<1x3x4x4xi8>, tensor<2x2x3x3xi8>
  func.return
}
