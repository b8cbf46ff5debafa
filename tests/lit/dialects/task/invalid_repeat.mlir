// Wrong loops of tasks are errors with a location.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<8xf32>) {
  // expected-error @+1 {{task.repeat needs operands placed on a device, not a tensor<8xf32>}}
  %y = task.repeat @gpu %i = 0 to 2 (%a = %x) {
    task.yield %a
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<8xf32>>) {
  // expected-error @+1 {{task.repeat: value 0 starts as !task.on<@gpu, tensor<8xf32>>, but the body yields !task.on<@pim, tensor<8xf32>> for it}}
  %y = task.repeat @gpu %i = 0 to 2 (%a = %x) {
    %b = task.copy %a to @pim
    task.yield %b
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<8xf32>>) {
  // expected-error @+1 {{task.repeat: the body must end in task.yield}}
  %y = task.repeat @gpu %i = 0 to 2 (%a = %x) {
    %b = task.copy %a to @pim
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<8xf32>>) {
  // expected-error @+1 {{task.repeat: a counter needs start <= end, both signed 32-bit numbers (%i = 0 to 12), not 0 to -1}}
  %y = task.repeat @gpu %i = 0 to -1 (%a = %x) {
    task.yield %a
  }
  func.return
}
