// RUN: ndp-opt %s -t svg | filecheck %s

// CHECK: <svg
// CHECK: relu
// CHECK: 8xf32
// CHECK: </svg>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = graph.relu %x : tensor<8xf32>
  func.return %a : tensor<8xf32>
}
