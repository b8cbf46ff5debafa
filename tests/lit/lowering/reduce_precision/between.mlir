// RUN: ndp-opt %s -p reduce-precision --machine a100-aim --check 2>&1 | filecheck %s

// For a PIM of another 16-bit type, all data is converted, whatever its floating-point type; the signature stays.
// CHECK: note: @half computes in bf16, as @pim (aim) does, and not in f16; its arguments and results keep their types; each value is rounded by up to 0.4 % (in f16, 0.05 %), and sums as long as its longest, of 8 products, are off by up to
// CHECK: note: @double computes in bf16, as @pim (aim) does, and not in f64;
// CHECK: note: @mixed computes in bf16, as @pim (aim) does, and not in f16 and f32;
// CHECK: check: reduce-precision: 1 result equal within {{[0-9.]+e-0[2-9]}}
// CHECK: func.func @half(
// CHECK-NEXT: %x_1 = graph.cast %x : tensor<2x8xf16> -> tensor<2x8xbf16>
// CHECK-NEXT: %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8x8xbf16>
// CHECK-NEXT: %y = graph.matmul %x_1, %w : tensor<2x8xbf16>, tensor<8x8xbf16>
// CHECK-NEXT: %0 = graph.cast %y : tensor<2x8xbf16> -> tensor<2x8xf32>
// CHECK-NEXT: %1 = graph.softmax %0 : tensor<2x8xf32>
// CHECK-NEXT: %z = graph.cast %1 : tensor<2x8xf32> -> tensor<2x8xbf16>
// CHECK-NEXT: %z_1 = graph.cast %z : tensor<2x8xbf16> -> tensor<2x8xf16>
// CHECK-NEXT: func.return %z_1 : tensor<2x8xf16>
func.func @half(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8x8xf16>
  %y = graph.matmul %x, %w : tensor<2x8xf16>, tensor<8x8xf16>
  %0 = graph.cast %y : tensor<2x8xf16> -> tensor<2x8xf32>
  %1 = graph.softmax %0 : tensor<2x8xf32>
  %z = graph.cast %1 : tensor<2x8xf32> -> tensor<2x8xf16>
  func.return %z : tensor<2x8xf16>
}

// CHECK: func.func @double(
// CHECK: %y = graph.matmul %x_1, %w_1 : tensor<2x8xbf16>, tensor<8x8xbf16>
// CHECK-NEXT: %y_1 = graph.cast %y : tensor<2x8xbf16> -> tensor<2x8xf64>
func.func @double(%x: tensor<2x8xf64>, %w: tensor<8x8xf64>) -> tensor<2x8xf64> {
  %y = graph.matmul %x, %w : tensor<2x8xf64>, tensor<8x8xf64>
  func.return %y : tensor<2x8xf64>
}

// CHECK: func.func @mixed(
// CHECK: %y = graph.matmul %x_1, %w_1 : tensor<2x8xbf16>, tensor<8x8xbf16>
// CHECK-NEXT: %z = graph.matmul %y, %v : tensor<2x8xbf16>, tensor<8x8xbf16>
func.func @mixed(%x: tensor<2x8xf32>, %w: tensor<8x8xf32>) -> tensor<2x8xf16> {
  %v = graph.weight "v" = uniform(-1.0, 1.0, 1) : tensor<8x8xf16>
  %y = graph.matmul %x, %w : tensor<2x8xf32>, tensor<8x8xf32>
  %0 = graph.cast %y : tensor<2x8xf32> -> tensor<2x8xf16>
  %z = graph.matmul %0, %v : tensor<2x8xf16>, tensor<8x8xf16>
  func.return %z : tensor<2x8xf16>
}

// If the PIM computes in the wider type, the conversion loses nothing. Integers can't be converted: they stay, and cause no note.
// RUN: ndp-opt %s -p reduce-precision --machine toy 2>&1 | filecheck %s --check-prefix WIDE
// WIDE: note: @half computes in f32, as @pim (toy_pim) does, and not in f16; its arguments and results keep their types; no number is rounded; --check
// WIDE: %y = graph.matmul %a, %b : tensor<2x8xi8>, tensor<8x8xi8>
func.func @integers(%a: tensor<2x8xi8>, %b: tensor<8x8xi8>) -> tensor<2x8xi8> {
  %y = graph.matmul %a, %b : tensor<2x8xi8>, tensor<8x8xi8>
  func.return %y : tensor<2x8xi8>
}
