// RUN: not ndp-opt %s -t timeline{entry=missing} 2>&1 | filecheck %s --check-prefix MISSING
// RUN: not ndp-opt %s -t timeline{entry=other} 2>&1 | filecheck %s --check-prefix OTHER
// RUN: not ndp-opt %s -t timeline{entry=shared} 2>&1 | filecheck %s --check-prefix SHARED

hw.device @gpu = "toy_gpu"

// MISSING: invalid_donated.mlir:[[# @LINE + 1]]:1: error: @missing: %x, a state of type tensor<4xf32>, is overwritten as result 1, but there is no result 1; name a result of its type
func.func @missing(%x: tensor<4xf32> {task.state = "overwritten, result 1"}) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// OTHER: error: @other: %x, a state of type tensor<4xf32>, is overwritten as result 0, but result 0 is tensor<2xf32>; name a result of its type
func.func @other(%x: tensor<4xf32> {task.state = "overwritten, result 0"}, %y: tensor<2xf32>) -> tensor<2xf32> {
  func.return %y : tensor<2xf32>
}

// SHARED: invalid_donated.mlir:[[# @LINE + 4]]:8: error: graph.dynamic_update_slice: %a is also read by other ops, so it can't be updated in place; remove `in_place` (the pass layout adds it where it is valid)
func.func @shared(%x: tensor<4xf32>, %u: tensor<1xf32>) -> tensor<4xf32> {
  %i = graph.constant 0 : tensor<i32>
  %a = graph.relu %x : tensor<4xf32>
  %b = graph.dynamic_update_slice %a, %u, %i in_place : tensor<4xf32>, tensor<1xf32>, tensor<i32>
  %c = graph.add %a, %b : tensor<4xf32>
  func.return %c : tensor<4xf32>
}
