// An attribute with the prefix of a dialect must be known to this dialect, stand where it has an effect, and have a value of its
// kind; attributes with another prefix are notes of others.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @notes(%x: tensor<8xf32> {mine.note = 3}) -> (tensor<8xf32> {mine.note}) attributes {mine.note, llvm.emit_c_interface} {
  %y = graph.relu %x {mine.note = @nowhere} : tensor<8xf32>
  func.return {mine.note} %y : tensor<8xf32>
}

// -----

func.func @unknown(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{graph.relu: there is no attribute `task.onn`; did you mean `task.on`?}}
  %a = graph.relu %x {task.onn = @pim} : tensor<8xf32>
  // expected-error @+1 {{graph.relu: there is no attribute `task.device`; did you mean `task.on`?}}
  %b = graph.relu %a {task.device = @pim} : tensor<8xf32>
  // expected-error @+1 {{graph.relu: there is no attribute `pim.nonsense`; `pim` has none that may stand here, and a note of your own has another prefix (`mine.nonsense`)}}
  %c = graph.relu %b {pim.nonsense = 3} : tensor<8xf32>
  // expected-error @+1 {{graph.relu: there is no attribute `tile.nonsense`; here `tile` has tile.why, and a note of your own has another prefix (`mine.nonsense`)}}
  %d = graph.relu %c {tile.nonsense = 4} : tensor<8xf32>
  // expected-error @+1 {{graph.relu: there is no dialect `taks`; did you mean `task.on`?}}
  %e = "graph.relu"(%d) {taks.on = @pim} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %e : tensor<8xf32>
}

// -----

// expected-error @+1 {{hw.device: there is no attribute `hw.rate`; `hw` has none that may stand here, and a note of your own has another prefix (`mine.rate`)}}
hw.device @gpu = "toy_gpu" attributes {hw.rate = 3}

// -----

// expected-error @+1 {{func.func: %x: there is no attribute `task.stat`; did you mean `task.state`?}}
func.func @arguments(%x: tensor<8xf32> {task.stat},
    // expected-error @-1 {{func.func: %y: there is no attribute `donated`; did you mean `task.state`?}}
    %y: tensor<8xf32> {donated},
    // expected-error @-3 {{func.func: %z: there is no attribute `rank`; a note of your own has a prefix (`mine.rank`)}}
    %z: tensor<8xf32> {rank = 3},
    // expected-error @-5 {{func.func: %u: `task.memory` has no effect here; it belongs to functions}}
    %u: tensor<8xf32> {task.memory = 3},
    // expected-error @-7 {{func.func: %v: `task.state` can't have the value "yes"; write it as in `task.state = "appended, result 1"`}}
    %v: tensor<8xf32> {task.state = "yes"},
    // expected-error @-9 {{func.func: %w: `task.on` needs a value; write it as in `task.on = @pim`}}
    %w: tensor<8xf32> {task.on},
    // expected-error @-11 {{func.func: %s: `task.on` can't have the value @pim::@bank; write it as in `task.on = @pim`}}
    %s: tensor<8xf32> {task.on = @pim::@bank},
    // A state that is only read has no result; a truth value is no bound of an interval.
    // expected-error @-14 {{func.func: %t: `task.state` can't have the value "read, result 1"; write it as in `task.state = "appended, result 1"`}}
    %t: tensor<8xf32> {task.state = "read, result 1"},
    // expected-error @-16 {{func.func: %r: `graph.fill` can't have the value array<i1: false, true>; write it as in `graph.fill = array<f64: 0.0, 1.0>`}}
    %r: tensor<8xf32> {graph.fill = array<i1: false, true>}) {
  func.return
}

// -----

// expected-error @+1 {{func.func: argument 0: there is no attribute `task.onn`; did you mean `task.on`?}}
"func.func"() <{arg_attrs = [{task.onn = @pim}], function_type = (tensor<8xf32>) -> (), sym_name = "declared", sym_visibility = "private"}> ({}) : () -> ()

// -----

// expected-error @+1 {{func.func: `task.on` has no effect here; it belongs to graph ops, groups, launches of kernels, and arguments and results of functions}}
func.func @elsewhere(%x: tensor<8xf32>) attributes {task.on = @pim} {
  // expected-error @+1 {{func.return: `task.on` has no effect here}}
  func.return {task.on = @pim}
}

// -----

// expected-error @+1 {{builtin.module: `task.on` has no effect here}}
builtin.module attributes {task.on = @pim} {
}

// -----

// expected-error @+1 {{func.func: there is no attribute `memory`; did you mean `task.memory`?}}
func.func @without_prefix(%x: tensor<8xf32>) attributes {memory = 3, other = 3} {
  func.return
}

// -----

func.func @without_prefix(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{graph.relu has no attribute `on`; did you mean `task.on`?}}
  %y = graph.relu %x {on = @pim} : tensor<8xf32>
  func.return %y : tensor<8xf32>
}

// -----

func.func @bodies(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{graph.repeat: `task.on` has no effect here}}
  %y = graph.repeat %i = 0 to 3 (%a = %x) {
    // A loop's ops are placed one by one.
    %b = graph.relu %a {task.on = @pim} : tensor<8xf32>
    %d = graph.fused (%c = %b) {
      // expected-error @+1 {{graph.neg: `task.on` has no effect in the body of a graph.fused; write it on the graph.fused, which runs as one kernel}}
      %e = graph.neg %c {task.on = @pim} : tensor<8xf32>
      graph.yield %e
    } attributes {task.on = @pim}
    graph.yield %d
  } attributes {task.on = @pim}
  func.return %y : tensor<8xf32>
}

// -----

func.func @tasks(%x: !task.on<@gpu, tensor<8xf32>>) -> !task.on<@gpu, tensor<8xf32>> {
  // expected-error @+2 {{task.run: `task.on` has no effect here}}
  // expected-error @+1 {{task.run: `pim.plan` can't have the value [3 : i64]; write it as in `pim.plan = #pim.mapping<sum>`}}
  %y = task.run @gpu (%a = %x) {
    // expected-error @+1 {{graph.relu: `task.on` has no effect in the body of a task.run; its ops run on the task's device (task.run @DEVICE)}}
    %b = graph.relu %a {task.on = @pim} : tensor<8xf32>
    task.yield %b
  } attributes {task.on = @pim, pim.plan = [3]}
  // expected-error @+1 {{task.copy: there is no attribute `pim.plann`; did you mean `pim.plan`?}}
  %z = task.copy %y to @pim {pim.plann}
  // expected-error @+1 {{task.copy: `pim.plan` has no effect here; it belongs to task.run}}
  %u = task.copy %z to @gpu {pim.plan}
  func.return %u : !task.on<@gpu, tensor<8xf32>>
}

// -----

// expected-error @+1 {{func.func: %x: `task.on` has no effect on a !task.on<@gpu, tensor<8xf32>>, whose type states the same; remove it}}
func.func @placed(%x: !task.on<@gpu, tensor<8xf32>> {task.on = @pim}) -> (!task.on<@gpu, tensor<8xf32>> {task.on = @pim}) {
  // expected-error @-1 {{func.func: result 0: `task.on` has no effect on a !task.on<@gpu, tensor<8xf32>>, whose type states the same; remove it}}
  func.return %x : !task.on<@gpu, tensor<8xf32>>
}
