// With a PIM in the machine, the program is converted to the type that the PIM computes in, with a note.
// RUN: ndp-opt %s -p reduce-precision --machine a100-newton 2>&1 | filecheck %s --check-prefix NEWTON
// NEWTON: auto.mlir:[[# @LINE + 24]]:1: note: @main computes in f16, as @pim (newton) does, and not in f32; its arguments and results keep their types; each value is rounded by up to 0.05 % (in f32, 6e-06 %), and sums as long as its longest, of 8 products, are off by up to 0.0{{[0-9]}} % of the largest; --check measures the results, --keep-types forbids this
// NEWTON: %x_1 = graph.cast %x : tensor<2x8xf32> -> tensor<2x8xf16>
// A function without contractions is not converted, since nothing would be gained.
// NEWTON: func.func @elementwise(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
// NEWTON-NEXT: %y = graph.exp %x : tensor<2x8xf32>
// NEWTON: func.func @narrow(%x: tensor<2x8xbf16>, %w: tensor<8x8xbf16>) -> tensor<2x8xf32> {
// NEWTON-NEXT: %x_1 = graph.cast %x : tensor<2x8xbf16> -> tensor<2x8xf16>
// NEWTON-NEXT: %w_1 = graph.cast %w : tensor<8x8xbf16> -> tensor<8x8xf16>
// NEWTON-NEXT: %y = graph.matmul %x_1, %w_1 : tensor<2x8xf16>, tensor<8x8xf16>
// NEWTON-NEXT: %z = graph.cast %y : tensor<2x8xf16> -> tensor<2x8xf32>
// NEWTON-NEXT: func.return %z : tensor<2x8xf32>

// RUN: ndp-opt %s -p reduce-precision --machine a100-newton --keep-types 2>&1 | filecheck %s --check-prefix KEPT
// RUN: ndp-opt %s -p 'reduce-precision{to=keep}' --machine a100-newton 2>&1 | filecheck %s --check-prefix KEPT
// KEPT-NOT: note
// KEPT-NOT: xf16>

// A type that is given by the option is used in any case.
// RUN: ndp-opt %s -p 'reduce-precision{to=f16}' --keep-types 2>&1 | filecheck %s --check-prefix NAMED
// NAMED: note: @main computes in f16,

// RUN: ndp-opt %s -p 'reduce-precision{to=bf16}' 2>&1 | filecheck %s --check-prefix BF16
// BF16: note: @main computes in bf16, and not in f32; its arguments and results keep their types; each value is rounded by up to 0.4 % (in f32, 6e-06 %), 
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
