// States are found by what the function returns: a concat that appends, one whose new rows alone are returned, a ring, and updates.
// RUN: ndp-opt %s -p state 2>/dev/null | filecheck %s
// RUN: ndp-opt %s -p state --check -o /dev/null 2>&1 | filecheck %s --check-prefix=STEPS
// RUN: ndp-opt %s -p state -o /dev/null 2>&1 | filecheck %s --check-prefix=NOTE

// NOTE: found.mlir:[[# @LINE + 10]]:1: note: %past, %window and 2 more are states that change in place, since the function returns what they become; write {task.state = "read"} where the caller keeps the old content
// CHECK:      func.func @main(%past: tensor<2x3x4xf32> {task.state = "appended, result 0"}, %window: tensor<2x3x4xf32> {task.state = "appended, result 1"},
// CHECK-SAME:   %cache: tensor<2x8x4xf32> {task.state = "updated, result 2"}, %keys: tensor<2x3x4xf32> {task.state = "appended, rows 3"}, %kept: tensor<2x3x4xf32>,
// CHECK:      %a = graph.concat %past, %n axis = 1, in_place
// CHECK:      %b = graph.concat %window, %n axis = 1, in_place
// CHECK-NEXT: %c = graph.slice %b starts = [0, 1, 0], ends = [2, 4, 4], in_place
// CHECK-NEXT: %d = graph.dynamic_update_slice %cache
// CHECK:      %e = graph.concat %keys, %m axis = 1, in_place
// CHECK-NEXT: %f = graph.concat %kept, %m axis = 1 : 
// STEPS: check: state: 5 results equal in each of 2 steps
func.func @main(%past: tensor<2x3x4xf32>, %window: tensor<2x3x4xf32>, %cache: tensor<2x8x4xf32>, %keys: tensor<2x3x4xf32>, %kept: tensor<2x3x4xf32>, %x: tensor<2x1x4xf32>, %p: tensor<i32>)
    -> (tensor<2x4x4xf32>, tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x1x4xf32>, tensor<2x4x4xf32>) {
  %z = graph.constant 0 : tensor<i32>
  %n = graph.relu %x : tensor<2x1x4xf32>
  %m = graph.neg %x : tensor<2x1x4xf32>
  %a = graph.concat %past, %n axis = 1 : tensor<2x3x4xf32>, tensor<2x1x4xf32>
  %b = graph.concat %window, %n axis = 1 : tensor<2x3x4xf32>, tensor<2x1x4xf32>
  %c = graph.slice %b starts = [0, 1, 0], ends = [2, 4, 4] : tensor<2x4x4xf32>
  %d = graph.dynamic_update_slice %cache, %n, %z, %p, %z : tensor<2x8x4xf32>, tensor<2x1x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>
  %e = graph.concat %keys, %m axis = 1 : tensor<2x3x4xf32>, tensor<2x1x4xf32>
  %f = graph.concat %kept, %m axis = 1 : tensor<2x3x4xf32>, tensor<2x1x4xf32>
  %g = graph.exp %e : tensor<2x4x4xf32>
  %h = graph.add %f, %g : tensor<2x4x4xf32>
  func.return %a, %c, %d, %m, %h : tensor<2x4x4xf32>, tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x1x4xf32>, tensor<2x4x4xf32>
}
