// A quantized program as if it had never been quantized: products of numbers, weights dequantized ahead of time.
// RUN: ndp-opt %s -p unquantize | filecheck %s

// CHECK-LABEL: func.func @pairs
func.func @pairs(%x: tensor<2x4xf32>) -> tensor<2x3xf32> {
  %s = graph.constant 0.5 : tensor<f32>
  %t = graph.constant 0.25 : tensor<f32>
  %w = graph.weight "w" = file("w.bin", 0) : tensor<4x3xi8>
  // CHECK:      %[[W:.*]] = graph.dequantize %w, %t stored : tensor<4x3xi8>, tensor<f32>
  // CHECK-NEXT: %[[Y:.*]] = graph.matmul %x, %[[W]] : tensor<2x4xf32>, tensor<4x3xf32>
  // CHECK-NEXT: return %[[Y]]
  %q = graph.quantize %x, %s : tensor<2x4xf32>, tensor<f32> -> tensor<2x4xi8>
  %d = graph.dequantize %q, %s : tensor<2x4xi8>, tensor<f32>
  %e = graph.dequantize %w, %t : tensor<4x3xi8>, tensor<f32>
  %y = graph.matmul %d, %e : tensor<2x4xf32>, tensor<4x3xf32>
  func.return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @products
func.func @products(%x: tensor<2x4xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<2x3xf32> {
  %w = graph.weight "w" = file("w.bin", 0) : tensor<4x3xi8>
  %t = graph.constant [0.5, 0.25, 1.0] : tensor<3xf32>
  %v = graph.constant 0 : tensor<i8>
  %b = graph.constant [7, 8, 9] : tensor<3xi32>
  // CHECK-NOT:  qmatmul
  // CHECK:      graph.matmul %x, %{{.*}} : tensor<2x4xf32>, tensor<4x3xf32>
  // CHECK:      graph.add
  // CHECK-NOT:  graph.quantize
  %q = graph.quantize %x, %s, %z : tensor<2x4xf32>, tensor<f32>, tensor<ui8> -> tensor<2x4xui8>
  %i = graph.qmatmul %q, %w, %z, %v : tensor<2x4xui8>, tensor<4x3xi8>, tensor<ui8>, tensor<i8>
  %j = graph.add %i, %b : tensor<2x3xi32>, tensor<3xi32>
  %y = graph.dequantize %j, %t : tensor<2x3xi32>, tensor<3xf32>
  func.return %y : tensor<2x3xf32>
}
