// Wrong ops that move elements are errors with a location.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.reshape keeps all elements: tensor<2x3xf32> has 6, but tensor<7xf32> has 7}}
  %y = graph.reshape %x : tensor<2x3xf32> -> tensor<7xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.reshape keeps the element type: tensor<2x3xf32> can't become tensor<6xf16>; use graph.cast}}
  %y = graph.reshape %x : tensor<2x3xf32> -> tensor<6xf16>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.transpose: [0, 0] is no permutation of the 2 axes of tensor<2x3xf32>}}
  %y = graph.transpose %x permutation = [0, 0] : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.broadcast: tensor<2x3xf32> can't be broadcast to tensor<2x4xf32>; aligned at the last axis, extents must be equal or 1}}
  %y = graph.broadcast %x : tensor<2x3xf32> -> tensor<2x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.concat needs at least one operand}}
  %y = graph.concat axis = 0 : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %z: tensor<2x4xf32>) {
  // expected-error @+1 {{graph.concat along axis 0: tensor<2x4xf32> does not fit tensor<2x3xf32>; element types and all extents except along axis 0 must be equal}}
  %y = graph.concat %x, %z axis = 0 : tensor<2x3xf32>, tensor<2x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.concat: there is no axis 2 in a tensor of rank 2}}
  %y = graph.concat %x, %x axis = 2 : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.slice: tensor<2x3xf32> needs 2 starts, ends and steps, not 1, 1 and 2}}
  %y = graph.slice %x starts = [0], ends = [1] : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.slice: a step of 0 was met; steps must not be 0}}
  %y = graph.slice %x starts = [0, 0], ends = [1, 1], steps = [0, 1] : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.slice: 0 to 4 is out of bounds on axis 1 of tensor<2x3xf32>}}
  %y = graph.slice %x starts = [0, 0], ends = [2, 4] : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.slice: 3 to -1 is out of bounds on axis 1 of tensor<2x3xf32>}}
  %y = graph.slice %x starts = [0, 3], ends = [2, -1], steps = [1, -1] : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.pad: tensor<2x3xf32> needs 2 numbers of at least 0 for each of `low` and `high`, not [1] and [1]}}
  %y = graph.pad %x low = [1], high = [1] : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.pad: tensor<2x3xf32> needs 2 numbers of at least 0 for each of `low` and `high`, not [-1, 0] and [0, 0]}}
  %y = graph.pad %x low = [-1, 0], high = [0, 0] : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi8>) {
  // expected-error @+1 {{graph.pad: the fill value 0.5 can't be an element of tensor<2xi8>}}
  %y = graph.pad %x low = [1], high = [0], value = 0.5 : tensor<2xi8>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.bitcast: tensor<2x3xf32> can't be read as tensor<2x3xi16>; shapes must be equal, or, if element sizes differ, the tensor of smaller elements must have an additional last axis with the parts of each larger element}}
  %y = graph.bitcast %x : tensor<2x3xf32> -> tensor<2x3xi16>
  func.return
}

// -----

func.func @f(%x: tensor<2xi8>) {
  // expected-error @+1 {{graph.bitcast: truth values have no defined bits; convert them (graph.cast)}}
  %y = graph.bitcast %x : tensor<2xi8> -> tensor<2xi1>
  func.return
}
