// RUN: ndp-opt %s -p to-pim --verify-diagnostics --split-input-file

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<1x4xf32>>) -> !task.on<@pim, tensor<1x4xf32>> {
  %y = task.run @pim (%a = %x) {
    // expected-error @+1 {{@pim (toy_pim) can't run graph.relu: toy_pim lacks the verbs write, relu, read; place it on another device}}
    %0 = graph.relu %a : tensor<1x4xf32>
    task.yield %0
  }
  func.return %y : !task.on<@pim, tensor<1x4xf32>>
}

// -----

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<4x4xf32>>) -> !task.on<@pim, tensor<4x4xf32>> {
  %y = task.run @pim (%a = %x) {
    // expected-error @+1 {{@pim (toy_pim) can't run graph.matmul: %a is no weight: bind it by graph.weight, so that it can be laid out ahead of time; place it on another device}}
    %0 = graph.matmul %a, %a : tensor<4x4xf32>, tensor<4x4xf32>
    task.yield %0
  }
  func.return %y : !task.on<@pim, tensor<4x4xf32>>
}

// -----

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<1x4xf16>>) -> !task.on<@pim, tensor<1x4xf16>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf16>
  %wp = task.resident %w on @pim
  %y = task.run @pim (%a = %x, %b = %wp) {
    // expected-error @+1 {{graph.matmul of f16: toy_pim computes in f32 (the pass `reduce-precision` rounds)}}
    %0 = graph.matmul %a, %b : tensor<1x4xf16>, tensor<4x4xf16>
    task.yield %0
  }
  func.return %y : !task.on<@pim, tensor<1x4xf16>>
}

// -----

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<1x4xf32>>) -> !task.on<@pim, tensor<1x4xf32>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<4xf32>
  %wp = task.resident %w on @pim
  %vp = task.resident %v on @pim
  %y = task.run @pim (%a = %x, %b = %wp, %c = %vp) {
    // expected-error @+1 {{graph.matmul: toy_pim can't set sums (it lacks the verb bias), nor has a column room for a bias beside the weights; add the bias in an op of its own (graph.add)}}
    %0 = graph.matmul %a, %b, %c : tensor<1x4xf32>, tensor<4x4xf32>, tensor<4xf32>
    task.yield %0
  }
  func.return %y : !task.on<@pim, tensor<1x4xf32>>
}

// -----

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<1x1024xf32>>) -> !task.on<@pim, tensor<1x300xf32>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<1024x300xf32>
  %wp = task.resident %w on @pim
  %y = task.run @pim (%a = %x, %b = %wp) {
    // expected-error @+1 {{the weight needs at least 4800 rows of each bank, but banks of toy_pim have 4096}}
    %0 = graph.matmul %a, %b : tensor<1x1024xf32>, tensor<1024x300xf32>
    task.yield %0
  }
  func.return %y : !task.on<@pim, tensor<1x300xf32>>
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
func.func @main(%x: !task.on<@pim, tensor<1x4xf32>>) -> !task.on<@pim, tensor<1x4xf32>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>
  %wg = task.resident %w on @gpu
  %wp = task.copy %wg to @pim
  %y = task.run @pim (%a = %x, %b = %wp) {
    // expected-error @+1 {{graph.matmul: neither %a nor %b is a weight: bind one by graph.weight}}
    %0 = graph.matmul %a, %b : tensor<1x4xf32>, tensor<4x4xf32>
    task.yield %0
  }
  func.return %y : !task.on<@pim, tensor<1x4xf32>>
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim" {rows = 40}
// expected-error @+1 {{@main needs 12.288 kB on @pim (12.288 kB of weights and constants in 48 rows of each bank, 0 B of live values), but toy_pim holds 10.24 kB in 40 rows of each bank; place{policy=optimal} spreads weights over devices, or take a device with more memory}}
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
