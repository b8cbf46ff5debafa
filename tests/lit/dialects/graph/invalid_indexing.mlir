// Wrong gathers and scatters are errors with a location.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.gather: indices are integers, not f32}}
  %y = graph.gather %x, %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{graph.gather: there is no axis 2 in a tensor of rank 2}}
  %y = graph.gather %x, %i axis = 2 : tensor<2x3xf32>, tensor<2xi64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{graph.gather_elements: indices tensor<3x1xi64> must have the rank of tensor<2x3xf32> and no larger extents, except along axis 1}}
  %y = graph.gather_elements %x, %i axis = 1 : tensor<2x3xf32>, tensor<3x1xi64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{graph.gather_nd: tensor<2x3xf32> and tensor<3x1xi64> must have more than 1 axes, the first 1 of them equal (`batch_dims = 1`)}}
  %y = graph.gather_nd %x, %i batch_dims = 1 : tensor<2x3xf32>, tensor<3x1xi64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<1x3xi64>) {
  // expected-error @+1 {{graph.gather_nd: index vectors have 3 coordinates, but tensor<2x3xf32> has only 2 axes after its 0 batch axes}}
  %y = graph.gather_nd %x, %i : tensor<2x3xf32>, tensor<1x3xi64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<2x2xi64>) {
  // expected-error @+1 {{graph.scatter_elements: updates must be tensor<2x2xf32>, not tensor<2x3xf32>}}
  %y = graph.scatter_elements add %x, %i, %x axis = 1 : tensor<2x3xf32>, tensor<2x2xi64>, tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<3x3xi64>, %u: tensor<3x3xf32>) {
  // expected-error @+1 {{graph.scatter_elements: indices tensor<3x3xi64> must have the rank of tensor<2x3xf32> and no larger extents, except along axis 1}}
  %y = graph.scatter_elements set %x, %i, %u axis = 1 : tensor<2x3xf32>, tensor<3x3xi64>, tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%c: tensor<2xi1>, %i: tensor<2xi64>) {
  // expected-error @+1 {{graph.scatter_elements: truth values allow only `set` and bitwise kinds, not `add`}}
  %y = graph.scatter_elements add %c, %i, %c : tensor<2xi1>, tensor<2xi64>, tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{graph.scatter_elements: `xor` needs integers or truth values, not f32}}
  %y = graph.scatter_elements xor %x, %i, %x : tensor<2xf32>, tensor<2xi64>, tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<1x3xi64>, %u: tensor<1xf32>) {
  // expected-error @+1 {{graph.scatter_nd: the last axis of tensor<1x3xi64> holds index vectors; it must have at most 2 elements, one for each axis of tensor<2x3xf32>}}
  %y = graph.scatter_nd set %x, %i, %u : tensor<2x3xf32>, tensor<1x3xi64>, tensor<1xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @+1 {{graph.dynamic_slice: indices are integers, not f32}}
  %y = graph.dynamic_slice %x, %i, %i sizes = [1, 1] : tensor<2x3xf32>, tensor<f32>, tensor<f32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{graph.dynamic_slice: tensor<2x3xf32> needs 2 starts, each a scalar}}
  %y = graph.dynamic_slice %x, %i sizes = [1, 1] : tensor<2x3xf32>, tensor<i32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{graph.dynamic_slice: a slice of [1, 4] does not fit tensor<2x3xf32>}}
  %y = graph.dynamic_slice %x, %i, %i sizes = [1, 4] : tensor<2x3xf32>, tensor<i32>, tensor<i32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %u: tensor<1x1xf16>, %i: tensor<i32>) {
  // expected-error @+1 {{graph.dynamic_update_slice: the update has elements of f16, but the updated tensor is tensor<2x3xf32>; the element types must be equal}}
  %y = graph.dynamic_update_slice %x, %u, %i, %i : tensor<2x3xf32>, tensor<1x1xf16>, tensor<i32>, tensor<i32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.argsort: there is no axis 2 in a tensor of rank 2}}
  %y = graph.argsort %x axis = 2 : tensor<2x3xf32>
  func.return
}
