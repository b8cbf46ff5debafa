// RUN: ndp-opt %s -t timeline --split-input-file --verify-diagnostics | filecheck %s --allow-empty

// CHECK-NOT: makespan

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{no link joins @gpu and @pim; declare one (hw.link @gpu to @pim = "SHEET")}}
  %y = task.copy %x to @pim
  func.return
}

// -----

hw.device @gpu = "toy_gpu"
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{func.call: @main calls itself; a timeline needs calls without recursion; remove this call}}
  %y = func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

// A matrix of 32 x 48 takes 24 rows of each bank. Values placed by hand must fit the device's memory, too.

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim" {rows = 40}
// expected-error @+1 {{@main needs 13.184 kB on @pim (12.288 kB of weights and constants in 48 rows of each bank, 896 B of live values), but toy_pim holds 10.24 kB in 40 rows of each bank; place{policy=optimal} spreads weights over devices, or take a device with more memory}}
func.func @main(%x: !task.on<@pim, tensor<4x32xf32>>) -> (!task.on<@pim, tensor<1x48xf32>>, !task.on<@pim, tensor<1x48xf32>>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x48xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<32x48xf32>
  %wp = task.resident %w on @pim
  %vp = task.resident %v on @pim
  %a = task.run @pim (%p = %x, %q = %wp) {
    %0 = graph.slice %p starts = [0, 0], ends = [1, 32] : tensor<4x32xf32>
    %1 = graph.matmul %0, %q : tensor<1x32xf32>, tensor<32x48xf32>
    task.yield %1
  }
  %b = task.run @pim (%p = %x, %q = %vp) {
    %0 = graph.slice %p starts = [0, 0], ends = [1, 32] : tensor<4x32xf32>
    %1 = graph.matmul %0, %q : tensor<1x32xf32>, tensor<32x48xf32>
    task.yield %1
  }
  func.return %a, %b : !task.on<@pim, tensor<1x48xf32>>, !task.on<@pim, tensor<1x48xf32>>
}

// -----

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<8x8xf32>>) -> !task.on<@pim, tensor<8x8xf32>> {
  %y = task.run @pim (%a = %x) {
    // expected-error @+1 {{@pim (toy_pim) can't run graph.transpose: no bank program exists for this op; place it on another device}}
    %0 = graph.transpose %a permutation = [1, 0] : tensor<8x8xf32>
    task.yield %0
  }
  func.return %y : !task.on<@pim, tensor<8x8xf32>>
}

// -----

hw.device @gpu = "toy_gpu" {memory = "1 kB"}
// expected-error @+1 {{@main needs 1.2 kB on @gpu (0 B of weights and constants, 1.2 kB of live values), but toy_gpu holds 1 kB; place}}
func.func @main(%x: tensor<100xf32>, %unread: tensor<200xf32>) -> tensor<100xf32> {
  func.return %x : tensor<100xf32>
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @ndp = "toy_ndp"
hw.link @gpu to @ndp = "toy_link"
func.func @main(%x: !task.on<@ndp, tensor<4xf32>>) {
  %y = task.run @ndp (%a = %x) {
    %0 = graph.relu %a : tensor<4xf32>
    task.yield %0
  }
  // expected-error @+1 {{task.run: a stream must come from another device than @ndp; remove `stream`}}
  %z = task.run @ndp (%a = stream %y) {
    %0 = graph.relu %a : tensor<4xf32>
    task.yield %0
  }
  func.return
}
