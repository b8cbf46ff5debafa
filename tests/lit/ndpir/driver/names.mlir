// Errors at an op with a node's name, such as an imported one, are reported with file and name.
// RUN: not ndp-opt %s 2>&1 | filecheck %s
// CHECK: names.mlir:node.b: error: func.return: the result of @f is declared as tensor<4xf32>, but %y is a tensor<4xf16>; correct one of the two
func.func @f(%x: tensor<4xf16>) -> tensor<4xf32> {
  %y = graph.relu %x : tensor<4xf16> loc("node.a")
  func.return %y : tensor<4xf16> loc("node.b")
}
