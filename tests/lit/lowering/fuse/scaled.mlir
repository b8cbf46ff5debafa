// Products of small floats that scale their activations are one kernel, as libraries measure them; so are products of experts, and attention over
// caches of small floats. Nothing is converted to a wider type in memory.
// RUN: ndp-opt %s -p canonicalize,fuse | filecheck %s
// RUN: ndp-opt %s -p canonicalize,fuse --check

// A scale for each token, from its largest number, and one for the weights.
// CHECK-LABEL: func.func @tokens
func.func @tokens(%x: tensor<2x256xbf16>, %w: tensor<128x256xf8E4M3FN>, %t: tensor<f32>, %r: tensor<2x128xbf16>) -> tensor<2x128xbf16> {
  // CHECK:      graph.fused scaled_product ({{.*}} = %x, {{.*}} = %w, {{.*}} = %t, {{.*}} = %r) {
  // CHECK:        graph.abs
  // CHECK-NEXT:   graph.reduce max
  // CHECK:        graph.quantize
  // CHECK-NEXT:   graph.qmatmul
  // CHECK:        graph.add
  // CHECK-NEXT:   graph.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return
  %least = graph.constant 0.0022321428 : tensor<f32>
  %sizes = graph.abs %x : tensor<2x256xbf16>
  %most = graph.reduce max %sizes axes = [1], keep_dims : tensor<2x256xbf16>
  %wide = graph.cast %most : tensor<2x1xbf16> -> tensor<2x1xf32>
  %s = graph.mul %wide, %least : tensor<2x1xf32>, tensor<f32>
  %q = graph.quantize %x, %s : tensor<2x256xbf16>, tensor<2x1xf32> -> tensor<2x256xf8E4M3FN>
  %a = graph.dequantize %q, %s : tensor<2x256xf8E4M3FN>, tensor<2x1xf32>
  %b = graph.dequantize %w, %t : tensor<128x256xf8E4M3FN>, tensor<f32>
  %y = graph.matmul %a, %b transpose_b : tensor<2x256xf32>, tensor<128x256xf32>
  %z = graph.cast %y : tensor<2x128xf32> -> tensor<2x128xbf16>
  %sum = graph.add %z, %r : tensor<2x128xbf16>
  func.return %sum : tensor<2x128xbf16>
}

// A scale for each 128 elements of a token, and for each 128x128 of the weights, which are stored as rows of blocks.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: tensor<2x256xbf16>, %w: tensor<2x128x256xf8E4M3FN>, %t: tensor<2x1x2xf32>) -> tensor<2x256xbf16> {
  // CHECK:      graph.fused scaled_product ({{.*}} = %parts, {{.*}} = %x, {{.*}} = %w, {{.*}} = %t) {
  // CHECK:        graph.quantize {{.*}} axis = 1, block = 128
  // CHECK:        graph.matmul
  // CHECK-NEXT:   graph.cast
  // CHECK-NEXT:   graph.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: func.return
  %least = graph.constant 0.0022321428 : tensor<f32>
  %parts = graph.reshape %x : tensor<2x256xbf16> -> tensor<2x2x128xbf16>
  %sizes = graph.abs %parts : tensor<2x2x128xbf16>
  %most = graph.reduce max %sizes axes = [2] : tensor<2x2x128xbf16>
  %wide = graph.cast %most : tensor<2x2xbf16> -> tensor<2x2xf32>
  %s = graph.mul %wide, %least : tensor<2x2xf32>, tensor<f32>
  %q = graph.quantize %x, %s axis = 1, block = 128 : tensor<2x256xbf16>, tensor<2x2xf32> -> tensor<2x256xf8E4M3FN>
  %a = graph.dequantize %q, %s axis = 1, block = 128 : tensor<2x256xf8E4M3FN>, tensor<2x2xf32>
  %b = graph.dequantize %w, %t axis = 2, block = 128 : tensor<2x128x256xf8E4M3FN>, tensor<2x1x2xf32>
  %m = graph.reshape %b : tensor<2x128x256xf32> -> tensor<256x256xf32>
  %y = graph.matmul %a, %m transpose_b : tensor<2x256xf32>, tensor<256x256xf32>
  %z = graph.cast %y : tensor<2x256xf32> -> tensor<2x256xbf16>
  func.return %z : tensor<2x256xbf16>
}

// Activations that two products read are scaled once, by a kernel of their own.
// CHECK-LABEL: func.func @shared
func.func @shared(%x: tensor<2x256xbf16>, %s: tensor<f32>, %w: tensor<128x256xf8E4M3FN>, %v: tensor<128x256xf8E4M3FN>) -> (tensor<2x128xf32>, tensor<2x128xf32>) {
  // CHECK:     graph.quantize
  // CHECK-NOT: scaled_product
  // CHECK:     graph.qmatmul
  // CHECK:     graph.qmatmul
  %q = graph.quantize %x, %s : tensor<2x256xbf16>, tensor<f32> -> tensor<2x256xf8E4M3FN>
  %y = graph.qmatmul %q, %w transpose_b : tensor<2x256xf8E4M3FN>, tensor<128x256xf8E4M3FN>
  %z = graph.qmatmul %q, %v transpose_b : tensor<2x256xf8E4M3FN>, tensor<128x256xf8E4M3FN>
  func.return %y, %z : tensor<2x128xf32>, tensor<2x128xf32>
}

// CHECK-LABEL: func.func @cache
func.func @cache(%q: tensor<1x8x1x64xbf16>, %k: tensor<1x2x32x64xf8E4M3FN>, %v: tensor<1x2x32x64xf8E4M3FN>, %s: tensor<bf16>) -> tensor<1x8x1x64xbf16> {
  // CHECK:      graph.fused (
  // CHECK-NEXT:   graph.dequantize
  // CHECK-NEXT:   graph.dequantize
  // CHECK-NEXT:   graph.attention
  // CHECK-NEXT:   graph.yield
  %keys = graph.dequantize %k, %s : tensor<1x2x32x64xf8E4M3FN>, tensor<bf16>
  %values = graph.dequantize %v, %s : tensor<1x2x32x64xf8E4M3FN>, tensor<bf16>
  %y = graph.attention %q, %keys, %values : tensor<1x8x1x64xbf16>, tensor<1x2x32x64xbf16>, tensor<1x2x32x64xbf16>
  func.return %y : tensor<1x8x1x64xbf16>
}

// Experts of microscaled floats of 4 bits: a scale that is a power of two for each 32 elements.
// CHECK-LABEL: func.func @experts
func.func @experts(%x: tensor<2x1x64xbf16>, %ids: tensor<2x2xi32>, %w: tensor<4x128x64xf4E2M1FN>, %s: tensor<4x128x2xf8E8M0FNU>) -> tensor<2x2x128xbf16> {
  // CHECK:      graph.fused (
  // CHECK-NEXT:   graph.dequantize {{.*}} axis = 2, block = 32 : tensor<4x128x64xf4E2M1FN>, tensor<4x128x2xf8E8M0FNU>
  // CHECK-NEXT:   graph.grouped_matmul
  // CHECK-NEXT:   graph.yield
  %m = graph.dequantize %w, %s axis = 2, block = 32 : tensor<4x128x64xf4E2M1FN>, tensor<4x128x2xf8E8M0FNU>
  %y = graph.grouped_matmul %x, %m, %ids transpose_b : tensor<2x1x64xbf16>, tensor<4x128x64xbf16>, tensor<2x2xi32>
  func.return %y : tensor<2x2x128xbf16>
}

// A scale that is known ahead of time needs no kernel before: the op before the product converts its result.
// CHECK-LABEL: func.func @static
func.func @static(%x: tensor<2x256xbf16>, %w: tensor<128x256xf8E4M3FN>) -> tensor<2x128xbf16> {
  // CHECK:      graph.fused ({{.*}} = %x
  // CHECK-NEXT:   graph.silu
  // CHECK-NEXT:   graph.quantize
  // CHECK-NEXT:   graph.yield
  // CHECK:      graph.fused (
  // CHECK-NEXT:   graph.qmatmul
  // CHECK-NOT:    scaled_product
  // CHECK:        func.return
  %s = graph.weight "scale" = uniform(0.01, 0.02, 7) : tensor<f32>
  %t = graph.weight "t" = uniform(0.01, 0.02, 8) : tensor<f32>
  %g = graph.silu %x : tensor<2x256xbf16>
  %q = graph.quantize %g, %s : tensor<2x256xbf16>, tensor<f32> -> tensor<2x256xf8E4M3FN>
  %a = graph.dequantize %q, %s : tensor<2x256xf8E4M3FN>, tensor<f32>
  %b = graph.dequantize %w, %t : tensor<128x256xf8E4M3FN>, tensor<f32>
  %y = graph.matmul %a, %b transpose_b : tensor<2x256xf32>, tensor<128x256xf32>
  %z = graph.cast %y : tensor<2x128xf32> -> tensor<2x128xbf16>
  func.return %z : tensor<2x128xbf16>
}
