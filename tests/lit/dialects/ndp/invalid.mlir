// All errors of near-data programs.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// expected-error @+1 {{ndp.program expects static, contiguous memrefs of numbers, not memref<?xf32>}}
ndp.program @p on @ndp (%a: memref<?xf32>) -> (%r: memref<8xf32>) {
  ndp.join
}

// -----

// expected-error @+1 {{ndp.program has no output; name at least one}}
ndp.program @p on @ndp (%a: memref<8xf32>) -> () {
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  // expected-error @+1 {{a body ends in a terminator (func.return, task.yield, …), not in ndp.store; add one}}
  ndp.store %x to %r
}

// -----

// expected-error @+1 {{ndp.program @p must end in ndp.join, which waits for all units}}
ndp.program @p on @ndp (%a: memref<8xf32>) -> (%r: memref<8xf32>) {
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  // expected-error @+1 {{ndp.join ends its body; delete the ops after it}}
  ndp.join
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  // expected-error @+1 {{ndp.program holds ndp ops, constants, and graph ops that are element-wise or move elements, not graph.cumsum}}
  %y = graph.cumsum %x axis = 0 : tensor<8xf32>
  ndp.store %y to %r
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  // expected-error @+1 {{ndp.program holds ndp ops, constants, and graph ops that are element-wise or move elements, not graph.reduce; write it as element-wise ops, ndp.reduce and ndp.combine}}
  %y = graph.reduce sum %x : tensor<8xf32>
  ndp.store %x to %r
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  // expected-error @+1 {{ndp.program holds ndp ops, constants, and graph ops that are element-wise or move elements, not test.op}}
  "test.op"() : () -> ()
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  // expected-error @+1 {{ndp.load: %b must be an operand of an ndp.filter above; add it there}}
  %x = ndp.load %b
  ndp.store %x to %r
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  // expected-error @+1 {{ndp.load: nothing was stored to %r above}}
  %x = ndp.load %r
  ndp.store %x to %r
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  // expected-error @+1 {{ndp.store: %b is an input; store to an output or ndp.alloc}}
  ndp.store %x to %b
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  ndp.store %x to %r
  // expected-error @+1 {{ndp.store: %r is stored to twice; allocate another memory}}
  ndp.store %x to %r
  ndp.join
}

// -----

// expected-error @+1 {{ndp.program @p: nothing is stored to the output %r; add an ndp.store to it}}
ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  // expected-error @+1 {{ndp.combine: the operand must be a partial result of ndp.reduce, and an ndp.barrier must separate the two ops}}
  %y = ndp.combine %x : tensor<8xf32>
  ndp.store %y to %r
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>) -> (%r: memref<1xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  %y = ndp.reduce sum %x keep_dims : tensor<8xf32>
  // expected-error @+1 {{ndp.combine: the operand must be a partial result of ndp.reduce, and an ndp.barrier must separate the two ops}}
  %z = ndp.combine %y : tensor<1xf32>
  ndp.store %z to %r
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>) -> (%r: memref<1xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  %y = ndp.reduce sum %x keep_dims : tensor<8xf32>
  ndp.barrier
  // expected-error @+1 {{ndp.store: %y is a partial result in each unit; combine it first (ndp.combine)}}
  ndp.store %y to %r
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  ndp.barrier
  // expected-error @+1 {{ndp.store: %x is computed before an ndp.barrier, so it is not available here; store it before the barrier and load it after the barrier}}
  ndp.store %x to %r
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<4xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  // expected-error @+1 {{ndp.store: a value stored to memref<8xf32> must be tensor<8xf32>, not tensor<4xf32>}}
  ndp.store %x to %r
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  // expected-error @+1 {{a memory (memref<…>) is expected here, not a value of type tensor<8xf32>}}
  %y = ndp.load %x
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  // expected-error @+1 {{ndp.alloc needs a memref type, not tensor<8xf32>}}
  %t = ndp.alloc : tensor<8xf32>
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  // expected-error @+1 {{%q is not defined above; define a value before its first use}}
  ndp.store %q to %r
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  // expected-error @+1 {{ndp.reduce: an axis appears twice in [0, 0]}}
  %y = ndp.reduce sum %x axes = [0, 0] : tensor<8xf32>
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>, %b: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  // expected-error @+1 {{ndp.load has no attribute `wide`}}
  %x = ndp.load %a {wide}
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  ndp.store %x to %r
  ndp.join
}
func.func @main(%x: tensor<8xf32>) {
  // expected-error @+1 {{ndp.launch: there is no ndp.program @q}}
  %y = ndp.launch @q (%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  ndp.store %x to %r
  ndp.join
}
func.func @main(%x: tensor<8xf32>) {
  // expected-error @+1 {{ndp.launch: @p takes 1 memrefs, but the launch states 2 tensors}}
  %y = ndp.launch @p (%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  ndp.store %x to %r
  ndp.join
}
func.func @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{ndp.launch: @p takes %a: memref<8xf32>, but the launch states tensor<4xf32>; shapes and element types must be equal}}
  %y = ndp.launch @p (%x) : (tensor<4xf32>) -> tensor<8xf32>
  func.return
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  ndp.store %x to %r
  ndp.join
}
func.func @main(%x: tensor<8xf32>) {
  // expected-error @+1 {{ndp.launch: @p gives %r: memref<8xf32>, but the launch states tensor<8xf16>; shapes and element types must be equal}}
  %y = ndp.launch @p (%x) : (tensor<8xf32>) -> tensor<8xf16>
  func.return
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  ndp.store %x to %r
  ndp.join
}
hw.device @ndp = "toy_ndp"
hw.device @other = "toy_ndp"
func.func @main(%x: !task.on<@other, tensor<8xf32>>) {
  %y = task.run @other (%a = %x) {
    // expected-error @+1 {{ndp.launch: @p is written for @ndp, but its task runs on @other}}
    %0 = ndp.launch @p (%a) : (tensor<8xf32>) -> tensor<8xf32>
    task.yield %0
  }
  func.return
}

// -----

// expected-error @+1 {{ndp.program expects static, contiguous memrefs of numbers, not memref<8xf32, strided<[2]>>}}
ndp.program @p on @ndp (%a: memref<8xf32, strided<[2]>>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  ndp.store %x to %r
  ndp.join
}

// -----

ndp.program @p on @ndp (%a: memref<8xf32>) -> (%r: memref<8xf32>) {
  // expected-error @+1 {{ndp.alloc needs a static, contiguous memref of numbers, not memref<?xf32>}}
  %t = ndp.alloc : memref<?xf32>
  ndp.filter %a
  %x = ndp.load %a
  ndp.store %x to %r
  ndp.join
}

// -----

// expected-error @+1 {{ndp.program: `ndp.outputs` can't have the value "split"; write it as in `ndp.outputs = #ndp.outputs<together>`}}
ndp.program @p on @ndp (%a: memref<8xf32>) -> (%r: memref<8xf32>) attributes {ndp.outputs = "split"} {
  ndp.filter %a
  %x = ndp.load %a
  ndp.store %x to %r
  ndp.join
}
