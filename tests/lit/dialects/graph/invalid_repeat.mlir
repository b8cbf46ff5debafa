// Wrong loops are errors with a location.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.repeat: a counter needs start <= end, both signed 32-bit numbers (%i = 0 to 12), not 3 to 2}}
  %y = graph.repeat %i = 3 to 2 (%a = %x) {
    graph.yield %a
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.repeat: a counter needs start <= end, both signed 32-bit numbers (%i = 0 to 12), not 0 to 4294967296}}
  %y = graph.repeat %i = 0 to 4294967296 (%a = %x) {
    graph.yield %a
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.repeat: a counter needs start <= end, both signed 32-bit numbers (%i = 0 to 12), not 3 to 2}}
  %y = "graph.repeat"(%x) <{start = 3 : i64, end = 2 : i64}> ({
  ^bb0(%i: tensor<i32>, %a: tensor<2xf32>):
    graph.yield %a
  }) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.repeat: the body's arguments have types (tensor<i64>, tensor<2xf32>), but the counter and the operands have types (tensor<i32>, tensor<2xf32>); they must be equal}}
  %y = "graph.repeat"(%x) <{start = 0 : i64, end = 2 : i64}> ({
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    graph.yield %a
  }) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.repeat: the body must end in graph.yield}}
  %y = graph.repeat %i = 0 to 2 (%a = %x) {
    %0 = graph.relu %a : tensor<2xf32>
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.repeat: 2 values are yielded, but there are only 1 operands; the first operands are the initial values of the carried values}}
  %y, %z = graph.repeat %i = 0 to 2 (%a = %x) {
    graph.yield %a, %a
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.repeat: value 0 starts as tensor<2xf32>, but the body yields tensor<i32> for it}}
  %y = graph.repeat %i = 0 to 2 (%a = %x) {
    graph.yield %i
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.repeat: the results have types (tensor<3xf32>), but the yielded values have types (tensor<2xf32>); they must be equal}}
  %y = "graph.repeat"(%x) <{start = 0 : i64, end = 2 : i64}> ({
  ^bb0(%i: tensor<i32>, %a: tensor<2xf32>):
    graph.yield %a
  }) : (tensor<2xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  %y = graph.repeat %i = 0 to 2 (%a = %x) {
    // expected-error @+1 {{%x is not defined above; define a value before its first use}}
    %0 = graph.add %a, %x : tensor<2xf32>
    graph.yield %0
  }
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{graph ops work on tensors, not f32}}
  %y = graph.repeat %i = 0 to 2 (%a = %x) {
    graph.yield %a
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.repeat may hold graph ops, graph.fused, graph.repeat and func.call, but not task.resident; move it out of the loop}}
  %y = graph.repeat %i = 0 to 2 (%a = %x) {
    %0 = task.resident %a on @gpu
    graph.yield %a
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.yield is allowed only in the body of a graph.fused or a graph.repeat}}
  graph.yield %x
}

// -----

func.func @f(%x: tensor<2xf32>) {
  %y = graph.repeat %i = 0 to 2 (%a = %x) {
    graph.yield %a
  // expected-error @+1 {{graph.repeat has no attribute `turns`}}
  } attributes {turns = 3}
  func.return
}
