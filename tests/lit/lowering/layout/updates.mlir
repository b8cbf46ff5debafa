// The mean and the maximum of gradients are each updated directly behind the gradient, the second before the first, and
// the parameter behind both.
// RUN: ndp-opt %s -p layout | filecheck %s

// CHECK-LABEL: func.func @main
// CHECK: %g = graph.exp %x
// CHECK-NEXT: %v_1 = graph.max %v, %g
// CHECK-NEXT: %m_1 = graph.add %m, %g
// CHECK-NEXT: graph.fused (%{{.*}} = %m_1, %{{.*}} = %v_1, %{{.*}} = %p)
// CHECK: %h = graph.neg %x
func.func @main(%x: tensor<4xf32>, %m: tensor<4xf32> {task.state = "overwritten, result 0"}, %v: tensor<4xf32> {task.state = "overwritten, result 1"}, %p: tensor<4xf32> {task.state = "overwritten, result 2"}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %g = graph.exp %x : tensor<4xf32>
  %h = graph.neg %x : tensor<4xf32>
  %m_1 = graph.add %m, %g : tensor<4xf32>
  %v_1 = graph.max %v, %g : tensor<4xf32>
  %p_1 = graph.fused (%a = %m_1, %b = %v_1, %c = %p) {
    %d = graph.div %a, %b : tensor<4xf32>
    %e = graph.sub %c, %d : tensor<4xf32>
    graph.yield %e
  }
  func.return %m_1, %v_1, %p_1, %h : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
