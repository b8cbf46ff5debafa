// An op that is marked with a device is not rewritten, since the mark would be lost.
// RUN: ndp-opt %s -p canonicalize | filecheck %s

// CHECK: graph.transpose %x permutation = [1, 0] {task.on = @pim}
// CHECK-NOT: graph.transpose
func.func @main(%x: tensor<1x8xf32>, %y: tensor<1x8xf32>) -> (tensor<8x1xf32>, tensor<8x1xf32>) {
  %0 = graph.transpose %x permutation = [1, 0] {task.on = @pim} : tensor<1x8xf32>
  %1 = graph.transpose %y permutation = [1, 0] : tensor<1x8xf32>
  func.return %0, %1 : tensor<8x1xf32>, tensor<8x1xf32>
}
