// Errors, with a location, in the syntax that all graph ops share: operands, properties, types.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{%z is not defined above; define a value before its first use}}
  %y = graph.relu %z : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{%x is written as tensor<3xf32>, but it is a tensor<2xf32>}}
  %y = graph.relu %x : tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{`:` is expected here in graph.relu, but the line ends}}
  %y = graph.relu %x
  %z = graph.relu %x : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  %y = graph.relu %x
  // expected-error @+1 {{graph.relu: `:` and the operands' types are expected here}}
  func.call @g() : () -> ()
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.relu takes 1 operand (x), not 2}}
  %y = graph.relu %x, %x : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.matmul takes 2 to 3 operands (a, b, bias), not 1}}
  %y = graph.matmul %x : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.scatter_nd takes 3 operands (x, indices, updates), not 1}}
  %y = graph.scatter_nd set %x : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{2 operands need 2 types, or one type for all, not 3}}
  %y = graph.add %x, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.softmax has no property `axes`; its properties are axis}}
  %y = graph.softmax %x axes = 1 : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.relu has no property `axis`; it has no properties}}
  %y = graph.relu %x axis = 1 : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.softmax: `axis` is given twice}}
  %y = graph.softmax %x axis = 0, axis = 1 : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.softmax: `axis` must be an integer, not `last`}}
  %y = graph.softmax %x axis = last : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.softmax: `axis` must be an integer (`axis = …`)}}
  %y = graph.softmax %x axis : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.softmax: `axis` must be an integer, not 1.5}}
  %y = graph.softmax %x axis = 1.5 : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.softmax: `axis` must be an integer, not true}}
  %y = graph.softmax %x axis = true : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.softmax: `axis`: 99999999999999999999 does not fit in 64 bits}}
  %y = graph.softmax %x axis = 99999999999999999999 : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.clip: `min` must be a number, not `low`}}
  %y = graph.clip %x min = low : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{the number is too large for 64 bits; write inf}}
  %y = graph.clip %x min = 1.0e999 : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.reduce: `axes` must be integers in brackets, not 1}}
  %y = graph.reduce sum %x axes = 1 : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.reduce: `axes`: 99999999999999999999 does not fit in 64 bits}}
  %y = graph.reduce sum %x axes = [99999999999999999999] : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.reduce: `keep_dims` must be true or false, not 1}}
  %y = graph.reduce sum %x keep_dims = 1 : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.reduce needs its kind before the operands: one of max, mean, min, prod, sum}}
  %y = graph.reduce %x : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.reduce needs its kind before the operands: one of max, mean, min, prod, sum, not `median`}}
  %y = graph.reduce median %x : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.gelu: `approximate` must be one of none, tanh, not `sigmoid`}}
  %y = graph.gelu %x approximate = sigmoid : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.cumsum needs `axis = …`, an integer}}
  %y = graph.cumsum %x : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.relu: the written result type is tensor<3xf32>, but the op's result is tensor<2xf32>}}
  %y = graph.relu %x : tensor<2xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.cast needs an explicit result type (`-> tensor<…>`)}}
  %y = graph.cast %x : tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{the result of graph.cast: graph ops work on tensors, not f16}}
  %y = graph.cast %x : tensor<2xf32> -> f16
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.relu: the result is written as tensor<3xf32>, but its operands imply tensor<2xf32>}}
  %y = "graph.relu"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{%x: graph ops work on tensors, not f32}}
  %y = graph.relu %x : f32
  func.return
}

// -----

func.func @f(%x: tensor<2xi3>) {
  // expected-error @+1 {{%x: tensors hold f16, bf16, f32, f64, i1, integers of 2, 4, 8, 16, 32 or 64 bits, or floats of 4 or 8 bits, not i3}}
  %y = graph.relu %x : tensor<2xi3>
  func.return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{%x: tensor<?xf32> has an unknown extent; every extent is a number here (--dim NAME=N binds one)}}
  %y = graph.relu %x : tensor<?xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32, "blocked">) {
  // expected-error @+1 {{%x: tensor<2xf32, "blocked"> has an encoding, which means nothing here}}
  %y = graph.relu %x : tensor<2xf32, "blocked">
  func.return
}

// -----

func.func @f(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  // expected-error @+1 {{%x: a tensor has at most 64 axes, not 65}}
  %y = graph.relu %x : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  func.return
}
