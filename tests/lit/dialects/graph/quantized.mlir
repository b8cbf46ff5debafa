// Small element types, conversions by scales, and products of small factors.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// CHECK-LABEL: func.func @quantized
func.func @quantized(%x: tensor<2x64xf32>, %s: tensor<f32>, %z: tensor<i8>, %rows: tensor<2x1xf16>, %t: tensor<2x2xf16>,
    %a: tensor<3x64xui8>, %b: tensor<64x5xi8>, %p: tensor<ui8>, %c: tensor<1x5xi8>, %e: tensor<3x64xf8E4M3FN>,
    %image: tensor<1x4x8x8xui8>, %f: tensor<6x2x3x3xi4>, %q: tensor<6x1x1x1xi4>, %bytes: tensor<3x4xui8>) {
  // CHECK-NEXT: %w = graph.constant {{\[}}[1, -8], [7, 0]] : tensor<2x2xi4>
  %w = graph.constant [[1, -8], [7, 0]] : tensor<2x2xi4>
  // CHECK-NEXT: %u = graph.constant [0.5, 448.0] : tensor<2xf8E4M3FN>
  %u = graph.constant [0.5, 448.0] : tensor<2xf8E4M3FN>
  // CHECK-NEXT: %all = graph.quantize %x, %s, %z : tensor<2x64xf32>, tensor<f32>, tensor<i8> -> tensor<2x64xi8>
  %all = graph.quantize %x, %s, %z : tensor<2x64xf32>, tensor<f32>, tensor<i8> -> tensor<2x64xi8>
  // CHECK-NEXT: %each = graph.quantize %x, %rows : tensor<2x64xf32>, tensor<2x1xf16> -> tensor<2x64xui4>
  %each = graph.quantize %x, %rows : tensor<2x64xf32>, tensor<2x1xf16> -> tensor<2x64xui4>
  // CHECK-NEXT: %blocks = graph.quantize %x, %t axis = 1, block = 32 : tensor<2x64xf32>, tensor<2x2xf16> -> tensor<2x64xf8E5M2>
  %blocks = graph.quantize %x, %t axis = 1, block = 32 : tensor<2x64xf32>, tensor<2x2xf16> -> tensor<2x64xf8E5M2>
  // CHECK-NEXT: %back = graph.dequantize %all, %s, %z : tensor<2x64xi8>, tensor<f32>, tensor<i8>
  %back = graph.dequantize %all, %s, %z : tensor<2x64xi8>, tensor<f32>, tensor<i8>
  // CHECK-NEXT: %half = graph.dequantize %each, %t axis = 1, block = 32 : tensor<2x64xui4>, tensor<2x2xf16>
  %half = graph.dequantize %each, %t axis = 1, block = 32 : tensor<2x64xui4>, tensor<2x2xf16>
  // CHECK-NEXT: %sums = graph.qmatmul %a, %b : tensor<3x64xui8>, tensor<64x5xi8>
  %sums = graph.qmatmul %a, %b : tensor<3x64xui8>, tensor<64x5xi8>
  // CHECK-NEXT: %less = graph.qmatmul %a, %b, %p, %c : tensor<3x64xui8>, tensor<64x5xi8>, tensor<ui8>, tensor<1x5xi8>
  %less = graph.qmatmul %a, %b, %p, %c : tensor<3x64xui8>, tensor<64x5xi8>, tensor<ui8>, tensor<1x5xi8>
  // CHECK-NEXT: %small = graph.qmatmul %e, %e transpose_b : tensor<3x64xf8E4M3FN>
  %small = graph.qmatmul %e, %e transpose_b : tensor<3x64xf8E4M3FN>
  // CHECK-NEXT: %conv = graph.qconv %image, %f, %p, %q groups = 2, strides = [2, 1] : tensor<1x4x8x8xui8>, tensor<6x2x3x3xi4>, tensor<ui8>, tensor<6x1x1x1xi4>
  %conv = graph.qconv %image, %f, %p, %q groups = 2, strides = [2, 1] : tensor<1x4x8x8xui8>, tensor<6x2x3x3xi4>, tensor<ui8>, tensor<6x1x1x1xi4>
  // CHECK-NEXT: %nibbles = graph.bitcast %bytes : tensor<3x4xui8> -> tensor<3x4x2xui4>
  %nibbles = graph.bitcast %bytes : tensor<3x4xui8> -> tensor<3x4x2xui4>
  // CHECK-NEXT: %scaled = graph.dequantize %less, %s : tensor<3x5xi32>, tensor<f32>
  %scaled = graph.dequantize %less, %s : tensor<3x5xi32>, tensor<f32>
  func.return
}
