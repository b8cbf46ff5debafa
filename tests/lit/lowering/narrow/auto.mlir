// With a PIM in the machine the program computes in what that computes in, and says so.
// RUN: ndp-opt %s -p narrow --machine a100-newton 2>&1 | filecheck %s --check-prefix NEWTON
// NEWTON: auto.mlir:[[# @LINE + 12]]:1: note: @main computes in f16, as @pim (newton) does; its arguments and results stay f32
// NEWTON: %x_1 = graph.cast %x : tensor<2x8xf32> -> tensor<2x8xf16>
// A function without contractions and one that is narrow already have nothing to gain.
// NEWTON: func.func @elementwise(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
// NEWTON-NEXT: %y = graph.exp %x : tensor<2x8xf32>
// NEWTON: func.func @narrow(%x: tensor<2x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<2x8xf32> {
// NEWTON-NEXT: %y = graph.matmul %x, %w : tensor<2x8xbf16>, tensor<8x8xbf16>
// NEWTON-NEXT: %z = graph.cast

// RUN: ndp-opt %s -p 'narrow{to=bf16}' 2>&1 | filecheck %s --check-prefix BF16
// BF16: note: @main computes in bf16; its arguments and results stay f32
// BF16: %x_1 = graph.cast %x : tensor<2x8xf32> -> tensor<2x8xbf16>
func.func @main(%x: tensor<2x8xf32>, %w: tensor<8x8xf32>) -> tensor<2x8xf32> {
  %y = graph.matmul %x, %w : tensor<2x8xf32>, tensor<8x8xf32>
  func.return %y : tensor<2x8xf32>
}

func.func @elementwise(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %y = graph.exp %x : tensor<2x8xf32>
  func.return %y : tensor<2x8xf32>
}

func.func @narrow(%x: tensor<2x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<2x8xf32> {
  %y = graph.matmul %x, %w : tensor<2x8xbf16>, tensor<8x8xbf16>
  %z = graph.cast %y : tensor<2x8xbf16> -> tensor<2x8xf32>
  func.return %z : tensor<2x8xf32>
}
