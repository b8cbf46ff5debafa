// Wrong fused kernels are errors with a location.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<2xf32>) {
  %y = graph.fused (%a = %x) {
    // expected-error @+1 {{%x is not defined above; define a value before its first use}}
    %0 = graph.relu %x : tensor<2xf32>
    graph.yield %0
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{%z is not defined above; define a value before its first use}}
  %y = graph.fused (%a = %z) {
    graph.yield %a
  }
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{graph ops work on tensors, not f32}}
  %y = graph.fused (%a = %x) {
    graph.yield %a
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.fused: the body must end in graph.yield}}
  %y = graph.fused (%a = %x) {
    %0 = graph.relu %a : tensor<2xf32>
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.fused: the body must end in graph.yield}}
  %y = graph.fused (%a = %x) {
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{the body must have one block, but has 2}}
  %y = graph.fused (%a = %x) {
    graph.yield %a
  ^bb1:
    graph.yield %a
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.fused holds graph ops, not graph.weight; move it before the group and pass its result as an operand}}
  %y = graph.fused (%a = %x) {
    %w = graph.weight "w" = uniform(0.0, 1.0, 1) : tensor<2xf32>
    graph.yield %w
  }
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.fused: the body's arguments have types (tensor<3xf32>), but the operands have types (tensor<2xf32>); they must be equal}}
  %y = "graph.fused"(%x) ({
  ^bb0(%a: tensor<3xf32>):
    "graph.yield"(%a) : (tensor<3xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.fused: the results have types (tensor<3xf32>), but the yielded values have types (tensor<2xf32>); they must be equal}}
  %y = "graph.fused"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    "graph.yield"(%a) : (tensor<2xf32>) -> ()
  }) : (tensor<2xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.yield is allowed only in the body of a graph.fused or a graph.repeat}}
  graph.yield %x
  func.return
}
