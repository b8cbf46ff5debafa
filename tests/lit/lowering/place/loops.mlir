// RUN: ndp-opt %s -p layout,place{policy=pim-first} --check 2>%t | filecheck %s
// RUN: ndp-opt %s -p layout,place{policy=pim-first},order,to-pim --check 2>%t | filecheck %s --check-prefix BANKS
// RUN: ndp-opt %s -p layout,place{policy=gpu} -t timeline | filecheck %s --check-prefix TIME
// RUN: ndp-opt %s -p layout -t timeline | filecheck %s --check-prefix TIME
// RUN: ndp-opt %s -p layout,place{policy=greedy} --summary -o /dev/null | filecheck %s --check-prefix SUMMARY

// Ops before, in and after a loop are placed separately; carried values are on the primary device. A constant with which a loop starts
// is written before it, into memory that the loop continues to use; a weight that the loop reads is on the device that reads it.

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK: func.func @main(%x: !task.on<@gpu, tensor<1x8xf32>>)
// CHECK-SAME: #task.plan<"pim-first", ns = {{.*}}, bound = {{.*}} "longest chain"
// CHECK: task.run @gpu
// CHECK-NEXT: graph.broadcast %{{.*}} : tensor<f32> -> tensor<5x1x8xf32>
// CHECK: %h, %ys = task.repeat @gpu %i = 0 to 5 (%a = %x, %y = %{{.*}}) {
// CHECK: %a_pim = task.copy %a to @pim
// CHECK: %fc_pim = task.resident %fc on @pim
// CHECK: task.run @pim (%{{.*}} = %a_pim, %{{.*}} = %fc_pim)
// CHECK: task.copy %b to @gpu
// CHECK: task.run @gpu
// CHECK: graph.dynamic_update_slice {{.*}} in_place
// CHECK: task.yield %b_gpu, %y1
// CHECK: task.run @gpu
// CHECK-NEXT: graph.exp

// BANKS: pim.kernel
// BANKS: task.repeat
// BANKS: pim.launch

// The predicted time equals the timeline's, also for a program that is not placed: 1 write, 5 iterations of 2 tasks, 1 more.
// TIME: repeat %i = 0 to 5  5 iterations
// TIME: makespan  {{.*}}
// TIME: bound     {{.*}} (longest chain)
// TIME: gap       0.0 %
// TIME: gpu {{.*}} 48{{[48]}} B

// SUMMARY: tasks      12, and 0 copies
// SUMMARY: predicted  {{.*}} by placement policy "greedy", equal to the simulation
// SUMMARY: speed-up   1.00x
func.func @main(%x: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<5x1x8xf32>) {
  %z = graph.constant 0.0 : tensor<5x1x8xf32>
  %h, %ys = graph.repeat %i = 0 to 5 (%a = %x, %y = %z) {
    %0 = graph.constant 0 : tensor<i32>
    %fc = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
    %b = graph.matmul %a, %fc : tensor<1x8xf32>, tensor<8x8xf32>
    %r = graph.reshape %b : tensor<1x8xf32> -> tensor<1x1x8xf32>
    %y1 = graph.dynamic_update_slice %y, %r, %i, %0, %0 : tensor<5x1x8xf32>, tensor<1x1x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    graph.yield %b, %y1
  }
  %e = graph.exp %h : tensor<1x8xf32>
  func.return %e, %ys : tensor<1x8xf32>, tensor<5x1x8xf32>
}
