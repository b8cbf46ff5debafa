// Errors of functions and calls: a result of another type or on another device, a number of values, unknown functions.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @device(%x: !task.on<@pim, tensor<4xf32>>) -> !task.on<@gpu, tensor<4xf32>> {
  // expected-error @+1 {{func.return: the result of @device is declared as !task.on<@gpu, tensor<4xf32>>, but %x is a !task.on<@pim, tensor<4xf32>>; copy it there (task.copy %x to @gpu), or correct the function's type}}
  func.return %x : !task.on<@pim, tensor<4xf32>>
}

// -----

func.func @second(%x: tensor<4xf32>, %0: tensor<5xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{func.return: result 1 of @second is declared as tensor<4xf32>, but %0 is a tensor<5xf32>; correct one of the two}}
  func.return %x, %0 : tensor<4xf32>, tensor<5xf32>
}

// -----

func.func @number(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{func.return: @number declares 2 results, but 1 is returned; correct one of the two}}
  func.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{the body of func.func is empty; write its ops, and end it with a terminator (func.return, task.yield, …)}}
"func.func"() <{function_type = () -> (), sym_name = "empty"}> ({
^bb0:
}) : () -> ()

// -----

hw.device @gpu = "toy_gpu"
func.func @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error @+1 {{func.call: there is no function @caled; did you mean @called?}}
  %a = func.call @caled(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{func.call: there is no function @f; the program has @called, @main}}
  %b = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{func.call: @gpu is no function; call one of @called, @main}}
  %c = func.call @gpu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{func.call: @called has 1 arguments, not 2; correct the call}}
  %d = func.call @called(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{func.call: argument 0 of @called is a tensor<4xf32>, not a tensor<8xf32>; correct one of the two}}
  %e = func.call @called(%y) : (tensor<8xf32>) -> tensor<4xf32>
  // expected-error @+1 {{func.call: result 0 of @called is a tensor<4xf32>, not a tensor<8xf32>; correct one of the two}}
  %f = func.call @called(%x) : (tensor<4xf32>) -> tensor<8xf32>
  func.return
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.copy: there is no device @npu; the machine has @gpu, @pim; did you mean @gpu?}}
  %y = task.copy %x to @npu
  // The types that follow from it are not reported.
  %z = task.run @pim (%a = %y) {
    task.yield %a
  }
  func.return
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@gpu, tensor<4xf32>>) -> !task.on<@pim, tensor<4xf32>> {
  // expected-error @+1 {{task.copy: there is no device @npu}}
  %y = task.copy %x to @npu
  func.return %y : !task.on<@pim, tensor<4xf32>>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{%x is a tensor<4xf32>, but is written as a tensor<8xf32>; correct one of the two}}
  func.return %x : tensor<8xf32>
}

// -----

// An op that can't be read names the unknown device, too: its operands can be on no such device.
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
func.func @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{task.copy: there is no device @npu; the machine has @gpu, @pim; did you mean @gpu?}}
  %y = task.copy %x to @npu
  func.return
}

// -----

hw.device @gpu = "toy_gpu"
func.func @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{task.run: there is no device @npu}}
  %y = task.run @npu (%a = %x) {
    task.yield %a
  }
  func.return
}

// -----

hw.device @gpu = "toy_gpu"
// expected-error @+1 {{func.func: there is no device @npu}}
func.func @main(%x: !task.on<@npu, tensor<4xf32>>, %y: tensor<4xf32>) {
  %z = task.run @gpu (%a = %y) {
    task.yield %a
  }
  func.return
}

// -----

// A device may be declared below.
hw.device @gpu = "toy_gpu"
func.func @called(%x: !task.on<@pim, tensor<4xf32>>) {
  func.return
}
func.func @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{%x is a tensor<4xf32> and is not on a device; place it first}}
  %y = task.copy %x to @pim
  func.return
}
hw.device @pim = "toy_pim"
