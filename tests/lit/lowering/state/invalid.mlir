// RUN: ndp-opt %s -p state --verify-diagnostics --split-input-file -o /dev/null

// expected-error @+1 {{@main: %past grows to 4 rows, but has a capacity of 3; state a larger `capacity`, or drop the oldest rows (a slice of the result)}}
func.func @main(%past: tensor<3x4xf32> {task.state = "appended, result 0, capacity 3"}, %n: tensor<1x4xf32>) -> tensor<4x4xf32> {
  %a = graph.concat %past, %n axis = 0 : tensor<3x4xf32>, tensor<1x4xf32>
  func.return %a : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{@main: %past, a state of type tensor<3x4xf32>, is appended as result 0, but result 0 is tensor<2x4xf32>; name a result with at least its rows along one axis, on its device}}
func.func @main(%past: tensor<3x4xf32> {task.state = "appended, result 0"}, %n: tensor<2x4xf32>) -> tensor<2x4xf32> {
  func.return %n : tensor<2x4xf32>
}

// -----

// expected-error @+1 {{@main: %past and %other are both appended as result 0; a result is the new content of one state}}
func.func @main(%past: tensor<3x4xf32> {task.state = "appended, result 0"}, %other: tensor<3x4xf32> {task.state = "appended, result 0"}, %n: tensor<1x4xf32>) -> tensor<4x4xf32> {
  %a = graph.concat %past, %n axis = 0 : tensor<3x4xf32>, tensor<1x4xf32>
  func.return %a : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{@main: %past is appended to by result 1, but there is no result of this number; name the result that holds the new rows}}
func.func @main(%past: tensor<3x4xf32> {task.state = "appended, rows 1"}, %n: tensor<1x4xf32>) -> tensor<4x4xf32> {
  %a = graph.concat %past, %n axis = 0 : tensor<3x4xf32>, tensor<1x4xf32>
  func.return %a : tensor<4x4xf32>
}

// -----

// A state that is said to change in another way than it does.
// expected-error @+1 {{%past is stated to be updated, but result 0 is not updates of it; state how it changes, for example {task.state = "overwritten, result 0"}, or remove the attribute}}
func.func @main(%past: tensor<3x4xf32> {task.state = "updated, result 0"}) -> tensor<3x4xf32> {
  %a = graph.relu %past : tensor<3x4xf32>
  func.return %a : tensor<3x4xf32>
}

// -----

// A ring whose old content is read after its oldest rows were overwritten.
func.func @main(%past: tensor<3x4xf32> {task.state = "appended, result 0"}, %n: tensor<1x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %a = graph.concat %past, %n axis = 0 : tensor<3x4xf32>, tensor<1x4xf32>
  %b = graph.slice %a starts = [1, 0], ends = [4, 4] : tensor<4x4xf32>
  // expected-error @+1 {{%past is read after its oldest rows are overwritten; read the result of the concat}}
  %c = graph.relu %past : tensor<3x4xf32>
  func.return %b, %c : tensor<3x4xf32>, tensor<3x4xf32>
}
