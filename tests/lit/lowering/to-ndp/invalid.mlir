// Programs that can't be lowered to near-data units, and programs for devices without such units, are errors.
// RUN: ndp-opt %s -p to-ndp --verify-diagnostics --split-input-file
// RUN: not ndp-opt %s --split-input-file -p to-ndp{device=gpu} 2>&1 | filecheck %s

// CHECK: error: to-ndp: the machine has no near-data units @gpu; it has @ndp
hw.device @ndp = "toy_ndp"
func.func @main(%x: !task.on<@ndp, tensor<8x8xf32>>) {
  %y = task.run @ndp (%a = %x) {
    // expected-error @+1 {{@ndp can't run graph.matmul: it reads elements again and again, and near-data units stream them once; place it on another device}}
    %0 = graph.matmul %a, %a : tensor<8x8xf32>, tensor<8x8xf32>
    task.yield %0
  }
  func.return
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @ndp = "toy_ndp"
func.func @main(%x: !task.on<@gpu, tensor<8x8xf32>>) {
  // expected-error @+1 {{task.run @gpu: ndp.outputs applies only to near-data units; remove it}}
  %y = task.run @gpu (%a = %x) {
    %0 = graph.exp %a : tensor<8x8xf32>
    task.yield %0
  } attributes {ndp.outputs = #ndp.outputs<split>}
  func.return
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @ndp = "toy_ndp"
func.func @main(%x: !task.on<@ndp, tensor<8x8xf32>>) {
  // expected-error @+1 {{task.run: `ndp.outputs` can't have the value "split"; write it as in `ndp.outputs = #ndp.outputs<together>`}}
  %y = task.run @ndp (%a = %x) {
    %0 = graph.exp %a : tensor<8x8xf32>
    task.yield %0
  } attributes {ndp.outputs = "split"}
  func.return
}
