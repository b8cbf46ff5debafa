// RUN: ndp-opt %s -p 'canonicalize,fuse,reduce-precision{to=f16}' --check --seed 7 2>&1 | filecheck %s
// CHECK:      check: canonicalize: 2 results equal{{$}}
// CHECK-NEXT: check: fuse: 2 results equal
// CHECK:      note: @main computes in f16
// CHECK:      check: reduce-precision: 2 results equal within {{[0-9.]+e-0[3-6]}} (allowed: 2e-02)

// `--check` accepts passes that keep results, and names the result and element that a wrong pass changes.
// RUN: not ndp-opt %s -p sines-wrongly --plugin %S/Inputs/wrong.py --check 2>&1 | filecheck %s --check-prefix FLOAT
// FLOAT: graph.mlir:[[# @LINE + 5]]:1: error: check: sines-wrongly changes the results: result 0 differs by {{[0-9.e+-]+}} of its largest element (allowed: 1e-05), most at element [{{[0-9]}}, {{[0-9]}}], {{[0-9.-]+}} before the pass and {{[0-9.-]+}} after it

// RUN: not ndp-opt %s -p canonicalize,adds-wrongly --plugin %S/Inputs/wrong.py --check 2>&1 | filecheck %s --check-prefix INTEGER
// INTEGER: check: canonicalize: 2 results equal
// INTEGER: error: check: adds-wrongly changes the results: result 1 differs, most at element [0], {{[0-9]+}} before the pass and {{-?[0-9]+}} after it
func.func @main(%x: tensor<4x8xf32>, %i: tensor<3xi64>) -> (tensor<4x8xf32>, tensor<3xi64>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %b = graph.weight "b" = uniform(-1.0, 1.0, 2) : tensor<4x8xf32>
  %two = graph.constant [2, 3, 4] : tensor<3xi64>
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32>
  %1 = graph.mul %0, %b : tensor<4x8xf32>
  %2 = graph.sigmoid %1 : tensor<4x8xf32>
  %3 = graph.mul %1, %2 : tensor<4x8xf32>
  %4 = graph.sin %3 : tensor<4x8xf32>
  %j = graph.add %i, %two : tensor<3xi64>
  func.return %4, %j : tensor<4x8xf32>, tensor<3xi64>
}
