// A program with missing weights can't be run, so it can't be checked.
// RUN: not ndp-opt %s -p canonicalize --check 2>&1 | filecheck %s
// CHECK: missing.mlir:[[# @LINE + 2]]:{{[0-9]+}}: error: {{.*}}nowhere.weights
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = graph.weight "w" = file("nowhere.weights", 0) : tensor<4xf32>
  %y = graph.add %x, %w : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
