// Two changes of one state, and a change of what is no state.
// RUN: ndp-opt %s -t timeline --verify-diagnostics --split-input-file

hw.device @gpu = "toy_gpu"
func.func @main(%past: tensor<3x4xf32> {task.state = "appended, result 0"}, %n: tensor<1x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %m = graph.relu %n : tensor<1x4xf32>
  %a = graph.concat %past, %n axis = 0, in_place : tensor<3x4xf32>, tensor<1x4xf32>
  // expected-error @+1 {{graph.concat: another op appends to %past, too; append to the result of the first one, or remove `in_place`}}
  %b = graph.concat %past, %m axis = 0, in_place : tensor<3x4xf32>, tensor<1x4xf32>
  func.return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

hw.device @gpu = "toy_gpu"
func.func @main(%x: tensor<3x4xf32>, %n: tensor<1x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{graph.concat: %x is no state, so nothing can be appended to it in place; state how it changes (task.state = "appended, result N"), or remove `in_place`}}
  %a = graph.concat %x, %n axis = 0, in_place : tensor<3x4xf32>, tensor<1x4xf32>
  func.return %a : tensor<4x4xf32>
}
