// Wrong opaque ops are errors with a location.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.opaque needs `operator = …`, a text in quotes}}
  %y = graph.opaque %x domain = "com.acme" : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.opaque needs the name of an operator and an opset of at least 1, not "Glow" and 0}}
  %y = graph.opaque %x operator = "Glow", opset = 0 : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.opaque needs at least one operand; numbers without operands are a weight}}
  %y = "graph.opaque"() {operator = "Glow"} : () -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.opaque: `absent` holds places before the last of 2 inputs, in order, not [1]}}
  %y = graph.opaque %x operator = "Glow", absent = [1] : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.opaque: `output` is one of 2 outputs, counted from 0, of at most 64, not 2}}
  %y = graph.opaque %x operator = "Glow", output = 2, outputs = 2 : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error @+1 {{graph.opaque: `a` must be an i64, an f32, a text, an array of one of these, or a dense tensor, not 3 : i8}}
  %y = graph.opaque %x operator = "Glow", given = {a = 3 : i8} : tensor<2xf32> -> tensor<2xf32>
  func.return
}
