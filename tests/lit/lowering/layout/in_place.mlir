// RUN: ndp-opt %s -p layout | filecheck %s
// RUN: ndp-opt %s -p layout -t timeline | filecheck %s --check-prefix TIME

// An update of a slice is made in place if the updated value has no later reader: a value that a loop carries, the result of
// an op, or a donated argument. Then only the slice moves: 400 B are read and written, where a copy would move 2 * 400 kB.

hw.device @gpu = "toy_gpu"

// CHECK-LABEL: func.func @main
// TIME: dynamic_update_slice{{.*}} 800 B
// TIME: dynamic_update_slice{{.*}} 800 kB
// TIME: relu
// TIME: dynamic_update_slice{{.*}} 800 B
// TIME: repeat
// TIME: dynamic_update_slice{{.*}} 800 B
// TIME: dynamic_update_slice{{.*}} 800 kB
func.func @main(%d: tensor<1000x100xf32> {task.state = "free"}, %x: tensor<1000x100xf32>, %u: tensor<1x100xf32>)
    -> (tensor<1000x100xf32>, tensor<1000x100xf32>, tensor<1000x100xf32>, tensor<1000x100xf32>, tensor<1000x100xf32>) {
  %0 = graph.constant 0 : tensor<i32>
  // CHECK: graph.dynamic_update_slice %d, %u, %0, %0 in_place
  %1 = graph.dynamic_update_slice %d, %u, %0, %0 : tensor<1000x100xf32>, tensor<1x100xf32>, tensor<i32>, tensor<i32>
  // CHECK: graph.dynamic_update_slice %x, %u, %0, %0 :
  %2 = graph.dynamic_update_slice %x, %u, %0, %0 : tensor<1000x100xf32>, tensor<1x100xf32>, tensor<i32>, tensor<i32>
  %3 = graph.relu %x : tensor<1000x100xf32>
  // CHECK: graph.dynamic_update_slice %3, %u, %0, %0 in_place
  %4 = graph.dynamic_update_slice %3, %u, %0, %0 : tensor<1000x100xf32>, tensor<1x100xf32>, tensor<i32>, tensor<i32>
  // CHECK: graph.repeat
  %5, %6 = graph.repeat %i = 0 to 10 (%a = %x, %b = %x, %same = %x, %v = %u, %z = %0) {
    // CHECK: graph.dynamic_update_slice %a, %v, %i, %z in_place
    %7 = graph.dynamic_update_slice %a, %v, %i, %z : tensor<1000x100xf32>, tensor<1x100xf32>, tensor<i32>, tensor<i32>
    // CHECK: graph.dynamic_update_slice %same, %v, %i, %z :
    %8 = graph.dynamic_update_slice %same, %v, %i, %z : tensor<1000x100xf32>, tensor<1x100xf32>, tensor<i32>, tensor<i32>
    graph.yield %7, %8
  }
  func.return %1, %2, %4, %5, %6
    : tensor<1000x100xf32>, tensor<1000x100xf32>, tensor<1000x100xf32>, tensor<1000x100xf32>, tensor<1000x100xf32>
}

// A scatter is made in place, too: here it reads, changes and writes two rows. The updated value may have other readers if the scatter
// depends on their results (@picked), since they run before it; otherwise no dependency orders them (@unordered), and the scatter copies.

// CHECK-LABEL: func.func @picked
// CHECK: graph.scatter_nd add %d, %i, %{{.*}} in_place
func.func @picked(%d: tensor<1000x100xf32> {task.state = "free"}, %i: tensor<2x1xi32>) -> tensor<1000x100xf32> {
  %0 = graph.gather_nd %d, %i : tensor<1000x100xf32>, tensor<2x1xi32>
  %1 = graph.relu %0 : tensor<2x100xf32>
  %2 = graph.scatter_nd add %d, %i, %1 : tensor<1000x100xf32>, tensor<2x1xi32>, tensor<2x100xf32>
  func.return %2 : tensor<1000x100xf32>
}

// CHECK-LABEL: func.func @unordered
// CHECK: graph.scatter_nd add %d, %i, %u :
func.func @unordered(%d: tensor<1000x100xf32> {task.state = "free"}, %i: tensor<2x1xi32>, %u: tensor<2x100xf32>)
    -> (tensor<1000x100xf32>, tensor<1000x100xf32>) {
  %0 = graph.relu %d : tensor<1000x100xf32>
  %1 = graph.scatter_nd add %d, %i, %u : tensor<1000x100xf32>, tensor<2x1xi32>, tensor<2x100xf32>
  func.return %0, %1 : tensor<1000x100xf32>, tensor<1000x100xf32>
}

// A view of the updated value (the reshape) has readers itself, which may run later.

// CHECK-LABEL: func.func @shown
// CHECK: graph.scatter_nd add %d, %i, %{{.*}} :
func.func @shown(%d: tensor<1000x100xf32> {task.state = "free"}, %i: tensor<2x1xi32>, %j: tensor<2x100xi32>)
    -> (tensor<1000x100xf32>, tensor<100000xf32>) {
  %0 = graph.reshape %d : tensor<1000x100xf32> -> tensor<100000xf32>
  %1 = graph.gather %0, %j axis = 0 : tensor<100000xf32>, tensor<2x100xi32>
  %2 = graph.scatter_nd add %d, %i, %1 : tensor<1000x100xf32>, tensor<2x1xi32>, tensor<2x100xf32>
  %3 = graph.relu %0 : tensor<100000xf32>
  func.return %2, %3 : tensor<1000x100xf32>, tensor<100000xf32>
}
