// With `split=true`, storing results in separate phases is a choice where it takes less time: the task notes it, and so does its program.
// It loads operands several times, so that it takes less time only if the memory is faster than the units.
// RUN: ndp-opt %s -p place{policy=pim-first} | filecheck %s --check-prefix=TOGETHER
// RUN: ndp-opt %s -p 'place{policy=pim-first split=true}' | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=pim-first split=true}' --set 'ndpx.bandwidth=225 GB/s' --set ndpx.units=8 | filecheck %s --check-prefix=TOGETHER
// RUN: ndp-opt %s -p 'place{policy=pim-first split=true},to-ndp,forward-stores,number-values,split-outputs' | filecheck %s --check-prefix=PROGRAM

// TOGETHER-NOT: ndp.outputs
// CHECK: task.plan = #task.plan<"pim-first split=true"
// CHECK: task.run @ndp
// CHECK: } attributes {ndp.outputs = #ndp.outputs<split>}

// PROGRAM:      ndp.program @exp_sqrt on @ndp
// PROGRAM-SAME:   attributes {ndp.outputs = #ndp.outputs<split>}
// PROGRAM-COUNT-1: ndp.barrier
// PROGRAM-NOT:  ndp.barrier
// PROGRAM:      task.run @ndp
// PROGRAM-NOT:  attributes {ndp.outputs
hw.device @gpu = "v100_sxm2"
hw.device @ndp = "ndpx" {units = 1, bandwidth = "900 GB/s"}
hw.link @gpu to @ndp = "expander_link"
func.func @main(%x: tensor<4194304xf32>) -> (tensor<4194304xf32>, tensor<4194304xf32>) {
  %p, %q = graph.fused (%a = %x) {
    %0 = graph.exp %a : tensor<4194304xf32>
    %1 = graph.sqrt %0 : tensor<4194304xf32>
    graph.yield %0, %1
  }
  func.return %p, %q : tensor<4194304xf32>, tensor<4194304xf32>
}
