// RUN: ndp-opt %s -p to-pim --verify-diagnostics --split-input-file

// A plan that is impossible for the device or the product is an error at its task.

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<1x16xf32>>) -> !task.on<@pim, tensor<1x8xf32>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<16x8xf32>
  %wp = task.resident %w on @pim
  // expected-error @+1 {{pim.plan #pim.mapping<buffer, splits = 3> is for 3 channels; toy_pim has 1: write fewer, or remove pim.plan, so that the fastest plan is chosen}}
  %y = task.run @pim (%i = %x, %v = %wp) {
    %0 = graph.matmul %i, %v : tensor<1x16xf32>, tensor<16x8xf32>
    task.yield %0
  } attributes {pim.plan = #pim.mapping<buffer, splits = 3>}
  func.return %y : !task.on<@pim, tensor<1x8xf32>>
}

// -----

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<1x16xf32>>) -> !task.on<@pim, tensor<1x8xf32>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<16x8xf32>
  %wp = task.resident %w on @pim
  // expected-error @+1 {{pim.plan #pim.mapping<row, tiles = 99> says tiles = 99, of which toy_pim and the product make}}
  %y = task.run @pim (%i = %x, %v = %wp) {
    %0 = graph.matmul %i, %v : tensor<1x16xf32>, tensor<16x8xf32>
    task.yield %0
  } attributes {pim.plan = #pim.mapping<row, tiles = 99>}
  func.return %y : !task.on<@pim, tensor<1x8xf32>>
}

// -----

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<1x16xf32>>) -> !task.on<@pim, tensor<1x8xf32>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<16x8xf32>
  %wp = task.resident %w on @pim
  // expected-error @+1 {{pim.plan #pim.mapping<row, held = 2> says held = 2, of which toy_pim and the product make 1; write that}}
  %y = task.run @pim (%i = %x, %v = %wp) {
    %0 = graph.matmul %i, %v : tensor<1x16xf32>, tensor<16x8xf32>
    task.yield %0
  } attributes {pim.plan = #pim.mapping<row, held = 2>}
  func.return %y : !task.on<@pim, tensor<1x8xf32>>
}

// -----

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<1x16xf32>>) -> !task.on<@pim, tensor<1x8xf32>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<16x8xf32>
  %wp = task.resident %w on @pim
  // expected-error @+1 {{pim.plan #pim.mapping<row, parts = 2> divides a batch of 1 into 2 parts; write a divisor of 1}}
  %y = task.run @pim (%i = %x, %v = %wp) {
    %0 = graph.matmul %i, %v : tensor<1x16xf32>, tensor<16x8xf32>
    task.yield %0
  } attributes {pim.plan = #pim.mapping<row, parts = 2>}
  func.return %y : !task.on<@pim, tensor<1x8xf32>>
}

// -----

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<1x16xf32>>) -> !task.on<@pim, tensor<1x8xf32>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<16x8xf32>
  %wp = task.resident %w on @pim
  // expected-error @+1 {{pim.plan #pim.mapping<row, splits = 5> makes 5 splits of a sum of 4 columns; write at most 4}}
  %y = task.run @pim (%i = %x, %v = %wp) {
    %0 = graph.matmul %i, %v : tensor<1x16xf32>, tensor<16x8xf32>
    task.yield %0
  } attributes {pim.plan = #pim.mapping<row, splits = 5>}
  func.return %y : !task.on<@pim, tensor<1x8xf32>>
}

// -----

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<1x16xf32>>) -> !task.on<@pim, tensor<1x8xf32>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<16x8xf32>
  %wp = task.resident %w on @pim
  // expected-error @+1 {{pim.plan is #pim.lanes<kept>, but graph.matmul is a product; write #pim.mapping<…>}}
  %y = task.run @pim (%i = %x, %v = %wp) {
    %0 = graph.matmul %i, %v : tensor<1x16xf32>, tensor<16x8xf32>
    task.yield %0
  } attributes {pim.plan = #pim.lanes<kept>}
  func.return %y : !task.on<@pim, tensor<1x8xf32>>
}

// -----

hw.device @pim = "toy_pim"
func.func @main(%x: !task.on<@pim, tensor<1x16xf32>>) -> !task.on<@pim, tensor<1x8xf32>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<16x8xf32>
  %wp = task.resident %w on @pim
  // expected-error @+1 {{pim.plan holds 2 plans, but 1 of its ops takes time; write one plan for each of these, or remove pim.plan, so that the fastest plan is chosen}}
  %y = task.run @pim (%i = %x, %v = %wp) {
    %0 = graph.matmul %i, %v : tensor<1x16xf32>, tensor<16x8xf32>
    task.yield %0
  } attributes {pim.plan = [unit, unit]}
  func.return %y : !task.on<@pim, tensor<1x8xf32>>
}

// -----

hw.device @gpu = "toy_gpu"
func.func @main(%x: !task.on<@gpu, tensor<4xf32>>) -> !task.on<@gpu, tensor<4xf32>> {
  // expected-error @+1 {{task.run @gpu: the attribute pim.plan applies only to a PIM, but @gpu is not a PIM; move the attribute to a task on a PIM, or remove pim.plan, so that the fastest plan is chosen}}
  %y = task.run @gpu (%i = %x) {
    %0 = graph.relu %i : tensor<4xf32>
    task.yield %0
  } attributes {pim.plan = #pim.lanes<kept>}
  func.return %y : !task.on<@gpu, tensor<4xf32>>
}

// -----

hw.device @pim = "toy_simd"
func.func @main(%x: !task.on<@pim, tensor<8xf32>>) -> !task.on<@pim, tensor<8xf32>> {
  // expected-error @+1 {{task.run @pim: the attribute pim.plan is #pim.lanes<kept>, but graph.relu reads no weights; write #pim.lanes<written>, or remove pim.plan, so that the fastest plan is chosen}}
  %y = task.run @pim (%i = %x) {
    %0 = graph.relu %i : tensor<8xf32>
    task.yield %0
  } attributes {pim.plan = #pim.lanes<kept>}
  func.return %y : !task.on<@pim, tensor<8xf32>>
}

// -----

hw.device @pim = "toy_simd"
func.func @main(%x: !task.on<@pim, tensor<8xf32>>) -> !task.on<@pim, tensor<8xf32>> {
  // expected-error @+1 {{task.run @pim: the attribute pim.plan is #pim.mapping<row>, but graph.relu is element-wise work; write #pim.lanes<…>, or remove pim.plan, so that the fastest plan is chosen}}
  %y = task.run @pim (%i = %x) {
    %0 = graph.relu %i : tensor<8xf32>
    task.yield %0
  } attributes {pim.plan = #pim.mapping<row>}
  func.return %y : !task.on<@pim, tensor<8xf32>>
}
