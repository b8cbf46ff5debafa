// A product in f32 of factors that were converted from the same 16-bit type takes the conversions in: tensor cores
// multiply 16-bit numbers and sum in f32, and no kernel stores the f32 factors, even if they have other readers.
// RUN: ndp-opt %s -p fuse --check | filecheck %s
// RUN: ndp-opt %s --machine a100 -p gpu-only -t timeline | filecheck %s --check-prefix=TIME

// Time and bytes are those of 16-bit kernels: 512 x 1024 and 1024 x 2048 in bf16, 512 x 2048 and a bias in f32.
// TIME: gpu matmul compute 9.4454 MB
// TIME: gpu conv

// CHECK-LABEL: func.func @main(
// CHECK-NEXT: graph.fused (%a_1 = %a, %b_1 = %b, %c_1 = %c) {
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: graph.yield
// CHECK: graph.fused (%a_1 = %a, %r_1 = %r) {
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.yield
// CHECK: graph.fused (%i_1 = %i, %f_1 = %f) {
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.conv
// CHECK-NEXT: graph.yield
func.func @main(%a: tensor<512x1024xbf16>, %b: tensor<1024x2048xbf16>, %c: tensor<2048xf32>, %r: tensor<512x1024xf32>, %i: tensor<2x16x14x14xf16>, %f: tensor<32x16x3x3xf16>) -> (tensor<512x2048xf32>, tensor<512x1024xf32>, tensor<2x32x12x12xf32>) {
  %x = graph.cast %a : tensor<512x1024xbf16> -> tensor<512x1024xf32>
  %w = graph.cast %b : tensor<1024x2048xbf16> -> tensor<1024x2048xf32>
  %p = graph.matmul %x, %w : tensor<512x1024xf32>, tensor<1024x2048xf32>
  %y = graph.add %p, %c : tensor<512x2048xf32>, tensor<2048xf32>
  %u = graph.add %x, %r : tensor<512x1024xf32>
  %g = graph.cast %i : tensor<2x16x14x14xf16> -> tensor<2x16x14x14xf32>
  %h = graph.cast %f : tensor<32x16x3x3xf16> -> tensor<32x16x3x3xf32>
  %z = graph.conv %g, %h : tensor<2x16x14x14xf32>, tensor<32x16x3x3xf32>
  func.return %y, %u, %z : tensor<512x2048xf32>, tensor<512x1024xf32>, tensor<2x32x12x12xf32>
}

// Not if one factor has more digits, or if the factors have different types: these are products in f32.
// CHECK-LABEL: func.func @mixed(
// CHECK-NOT: graph.fused
// CHECK: func.return
func.func @mixed(%a: tensor<8x16xbf16>, %b: tensor<16x8xf32>, %c: tensor<16x8xf16>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %x = graph.cast %a : tensor<8x16xbf16> -> tensor<8x16xf32>
  %w = graph.cast %c : tensor<16x8xf16> -> tensor<16x8xf32>
  %y = graph.matmul %x, %b : tensor<8x16xf32>, tensor<16x8xf32>
  %z = graph.matmul %x, %w : tensor<8x16xf32>, tensor<16x8xf32>
  func.return %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
}

// Element-wise ops that compute a factor stay a separate kernel, which stores 16 bits.
// CHECK-LABEL: func.func @made(
// CHECK: %h, %t = graph.fused (%a_1 = %a, %s_1 = %s) {
// CHECK-NEXT: graph.relu
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.yield
// CHECK: graph.fused (%h_1 = %h, %b_1 = %b) {
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: graph.yield
func.func @made(%a: tensor<8x16xf32>, %b: tensor<16x8xbf16>, %s: tensor<8x16xbf16>) -> (tensor<8x8xf32>, tensor<8x16xbf16>) {
  %v = graph.relu %a : tensor<8x16xf32>
  %h = graph.cast %v : tensor<8x16xf32> -> tensor<8x16xbf16>
  %x = graph.cast %h : tensor<8x16xbf16> -> tensor<8x16xf32>
  %w = graph.cast %b : tensor<16x8xbf16> -> tensor<16x8xf32>
  %y = graph.matmul %x, %w : tensor<8x16xf32>, tensor<16x8xf32>
  %t = graph.add %h, %s : tensor<8x16xbf16>
  func.return %y, %t : tensor<8x8xf32>, tensor<8x16xbf16>
}
