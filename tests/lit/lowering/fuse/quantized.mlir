// The kernel of a product of small factors scales, activates and quantizes its sums; that of quantized weights dequantizes them as it loads them.
// RUN: ndp-opt %s -p canonicalize,fuse | filecheck %s

// CHECK-LABEL: func.func @small
func.func @small(%a: tensor<1024x4096xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<1024x4096xi8> {
  %q = graph.weight "w" = file("w.bin", 0) : tensor<4096x4096xi8>
  %t = graph.constant 0.01 : tensor<f32>
  // CHECK:      graph.fused
  // CHECK-NEXT:   graph.constant
  // CHECK:        graph.qmatmul
  // CHECK-NEXT:   graph.dequantize
  // CHECK-NEXT:   graph.relu
  // CHECK-NEXT:   graph.quantize
  // CHECK-NEXT:   graph.yield
  %x = graph.dequantize %a, %s, %z : tensor<1024x4096xi8>, tensor<f32>, tensor<i8>
  %w = graph.dequantize %q, %t : tensor<4096x4096xi8>, tensor<f32>
  %y = graph.matmul %x, %w : tensor<1024x4096xf32>, tensor<4096x4096xf32>
  %r = graph.relu %y : tensor<1024x4096xf32>
  %o = graph.quantize %r, %s, %z : tensor<1024x4096xf32>, tensor<f32>, tensor<i8> -> tensor<1024x4096xi8>
  func.return %o : tensor<1024x4096xi8>
}

// CHECK-LABEL: func.func @weights
func.func @weights(%x: tensor<1x4096xf16>) -> tensor<1x4096xf16> {
  %q = graph.weight "v" = file("v.bin", 0) : tensor<4096x4096xi4>
  %t = graph.weight "t" = uniform(0.0, 0.1, 7) : tensor<4096x128xf16>
  // CHECK:      graph.fused (%{{.*}} = %q, %{{.*}} = %t, %{{.*}} = %x) {
  // CHECK-NEXT:   graph.dequantize {{.*}} axis = 1, block = 32
  // CHECK-NEXT:   graph.matmul
  %w = graph.dequantize %q, %t axis = 1, block = 32 : tensor<4096x4096xi4>, tensor<4096x128xf16>
  %y = graph.matmul %x, %w transpose_b : tensor<1x4096xf16>, tensor<4096x4096xf16>
  func.return %y : tensor<1x4096xf16>
}

// Blocks of rows and columns that share a scale are the weight's in another shape: it is no value of its own.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: tensor<1x512xf16>) -> tensor<1x256xf16> {
  %q = graph.weight "v" = file("v.bin", 0) : tensor<2x128x512xf8E4M3FN>
  %t = graph.weight "t" = uniform(0.0, 0.1, 7) : tensor<2x1x4xf16>
  // CHECK:      graph.fused (%{{.*}} = %q, %{{.*}} = %t, %{{.*}} = %x) {
  // CHECK-NEXT:   graph.dequantize {{.*}} axis = 2, block = 128
  // CHECK-NEXT:   graph.reshape
  // CHECK-NEXT:   graph.matmul
  // CHECK-NEXT:   graph.yield
  %d = graph.dequantize %q, %t axis = 2, block = 128 : tensor<2x128x512xf8E4M3FN>, tensor<2x1x4xf16>
  %w = graph.reshape %d : tensor<2x128x512xf16> -> tensor<256x512xf16>
  %y = graph.matmul %x, %w transpose_b : tensor<1x512xf16>, tensor<256x512xf16>
  func.return %y : tensor<1x256xf16>
}

// A weight that is dequantized ahead of time is read as it is then.
// CHECK-LABEL: func.func @early
func.func @early(%x: tensor<1x512xf16>) -> tensor<1x256xf16> {
  %q = graph.weight "v" = file("v.bin", 0) : tensor<256x512xi8>
  %t = graph.constant 0.1 : tensor<f16>
  // CHECK:      graph.dequantize {{.*}} stored
  // CHECK-NEXT: graph.matmul
  %w = graph.dequantize %q, %t stored : tensor<256x512xi8>, tensor<f16>
  %y = graph.matmul %x, %w transpose_b : tensor<1x512xf16>, tensor<256x512xf16>
  func.return %y : tensor<1x256xf16>
}
