// An argument that is marked with a device is in its memory when the program starts, and the result that reuses its memory stays there.
// RUN: ndp-opt %s -p 'place{policy=gpu}' | filecheck %s
// RUN: ndp-opt %s -p place{effort=1} --check -t timeline | filecheck %s --check-prefix=TIME
// RUN: ndp-opt %s -p 'place{policy=optimal}' --check -t timeline | filecheck %s --check-prefix=TIME
// RUN: ndp-opt %s -p thorough --check -t timeline | filecheck %s --check-prefix=TIME

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_simd"
hw.link @gpu to @pim = "toy_link"

// CHECK: func.func @main(%x: !task.on<@gpu, tensor<64xf32>>, %state: !task.on<@pim, tensor<64xf32>> {task.state = "overwritten, result 1"})
// CHECK-SAME: -> (!task.on<@gpu, tensor<64xf32>>, !task.on<@pim, tensor<64xf32>>)
// CHECK: %state_gpu = task.copy %state to @gpu
// CHECK: %next_pim = task.copy %next to @pim
// CHECK: func.return %y, %next_pim

// The copies of the state over the link (1 us of latency each way) are avoided.
// TIME-NOT: copy %{{state|next}}
// TIME:     pim {{.+}}mul
// TIME-NOT: copy %{{state|next}}
func.func @main(%x: tensor<64xf32>, %state: tensor<64xf32> {task.on = @pim, task.state = "overwritten, result 1"}) -> (tensor<64xf32>, tensor<64xf32>) {
  %next = graph.mul %state, %state : tensor<64xf32>
  %y = graph.neg %x : tensor<64xf32>
  func.return %y, %next : tensor<64xf32>, tensor<64xf32>
}
