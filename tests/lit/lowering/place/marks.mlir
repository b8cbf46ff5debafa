// A mark assigns an op to a device; every policy obeys it, and decides about the other ops.
// RUN: ndp-opt %s -p 'place{policy=gpu}' | filecheck %s
// RUN: ndp-opt %s -p 'place{effort=1}' | filecheck %s
// RUN: ndp-opt %s -p place{effort=1} -t summary | filecheck %s --check-prefix=SUMMARY

// The baseline ignores marks: everything runs on the primary device, in one kernel: a launch of 1 us, and 320 B at 100 GB/s.
// SUMMARY: over @gpu alone at its best (1.0032 us)

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK: task.run @pim
// CHECK-NEXT: graph.matmul
// CHECK: task.run @gpu
// CHECK-NEXT: graph.relu
func.func @main(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %h = graph.matmul %x, %w {task.on = @pim} : tensor<1x8xf32>, tensor<8x8xf32>
  %y = graph.relu %h : tensor<1x8xf32>
  func.return %y : tensor<1x8xf32>
}

// Without placement, a mark has no effect, which a note says.
// RUN: ndp-opt %s -t timeline 2>&1 | filecheck %s --check-prefix=UNPLACED
// UNPLACED: marks.mlir:19:8: note: graph.matmul: the program is not placed, so that all of it runs on @gpu and marks have no effect; place it (-p place)
