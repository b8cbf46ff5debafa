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
