// A discarded value can't be used again, nor can a view of it; moves between memories do not change values.
// RUN: ndp-opt %s -t values --split-input-file --verify-diagnostics

hw.device @gpu = "toy_gpu"
func.func @read(%x: !task.on<@gpu, tensor<4xf32>>) -> !task.on<@gpu, tensor<4xf32>> {
  task.discard %x
  // expected-error-re @+1 {{task.run: the contents of %x were discarded before ({{.*}}discarded.mlir:6:3); move the task.discard behind the last use of this value}}
  %y = task.run @gpu (%a = %x) {
    %0 = graph.relu %a : tensor<4xf32>
    task.yield %0
  }
  func.return %y : !task.on<@gpu, tensor<4xf32>>
}

// -----

hw.device @gpu = "toy_gpu"
func.func @returned(%x: !task.on<@gpu, tensor<4xf32>>) -> !task.on<@gpu, tensor<4xf32>> {
  task.discard %x
  // expected-error-re @+1 {{func.return: the contents of %x were discarded before ({{.*}}); move the task.discard behind the last use of this value}}
  func.return %x : !task.on<@gpu, tensor<4xf32>>
}

// -----

hw.device @gpu = "toy_gpu"
func.func @moved(%x: !task.on<@gpu, tensor<4xf32>>) -> !task.on<@gpu, tensor<4xf32>> {
  task.discard %x
  // expected-error-re @+1 {{task.prefetch: the contents of %x were discarded before ({{.*}}); move the task.discard behind the last use of this value}}
  task.prefetch %x
  func.return %x : !task.on<@gpu, tensor<4xf32>>
}

// -----

// A view shares the bytes of its operand.
hw.device @gpu = "toy_gpu"
func.func @shown(%x: !task.on<@gpu, tensor<4xf32>>) -> !task.on<@gpu, tensor<2x2xf32>> {
  %v = task.run @gpu (%a = %x) {
    %0 = graph.reshape %a : tensor<4xf32> -> tensor<2x2xf32>
    task.yield %0
  }
  task.discard %x
  // expected-error-re @+1 {{func.return: the contents of %v were discarded before ({{.*}}); move the task.discard behind the last use of this value}}
  func.return %v : !task.on<@gpu, tensor<2x2xf32>>
}

// -----

// A value that a called function discards is discarded for the caller, too.
hw.device @gpu = "toy_gpu"
func.func @main(%x: !task.on<@gpu, tensor<4xf32>>) -> !task.on<@gpu, tensor<4xf32>> {
  func.call @drop(%x) : (!task.on<@gpu, tensor<4xf32>>) -> ()
  // expected-error-re @+1 {{func.return: the contents of %x were discarded before ({{.*}}); move the func.call behind the last use of this value}}
  func.return %x : !task.on<@gpu, tensor<4xf32>>
}
func.func private @drop(%x: !task.on<@gpu, tensor<4xf32>>) {
  task.discard %x
  func.return
}
