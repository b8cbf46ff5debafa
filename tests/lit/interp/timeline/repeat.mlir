// RUN: ndp-opt %s -t timeline | filecheck %s
// RUN: ndp-opt %s --summary -o /dev/null | filecheck %s --check-prefix SUMMARY
// RUN: ndp-opt %s -t perfetto | filecheck %s --check-prefix TRACE
// RUN: ndp-opt %s -t dot | filecheck %s --check-prefix DOT

// A relu takes 3 us, a copy 11 us. Nothing runs in parallel to a loop, although no op in it waits for the first relu; an
// iteration starts when the one before has ended. The inner loop takes 2 * 3 us, an iteration of the outer one 11 + 6 + 3 us.

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK:       0 ns   3 us   3 us  gpu       relu
// CHECK-NEXT:  3 us  43 us  40 us  loops     repeat %i = 0 to 2
// CHECK-NEXT:  3 us   6 us   3 us  gpu         relu
// CHECK-NEXT:  3 us  14 us  11 us  gpu->pim    copy %a
// CHECK-NEXT: 14 us  20 us   6 us  loops       repeat %j = 4 to 6
// CHECK-NEXT: 14 us  17 us   3 us  gpu           relu
// CHECK-NEXT: 20 us  23 us   3 us  gpu         relu
// CHECK-NEXT: 43 us  46 us   3 us  gpu       relu
// CHECK:      makespan  46 us
// CHECK-NEXT: bound     46 us, {{.*}} (longest chain)
// CHECK:      copied    200 kB
// CHECK:      gpu{{ +}}30 us
// CHECK:      gpu->pim{{ +}}22 us

// SUMMARY: tasks      10, and 2 copies over links, 200 kB in total
// SUMMARY: makespan   46 us

// TRACE: "name":"repeat %i = 0 to 2","cat":"loop"{{.*}}"ts":3.0,"dur":40.0,{{.*}}"iterations":2
// DOT: subgraph cluster_part
// DOT: label="repeat %i = 0 to 2"
// DOT: label="relu\n@gpu 2 x, 6 us, 11.5 %\n25000xf32"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> {
  %0 = task.run @gpu (%p = %x) {
    %1 = graph.relu %p : tensor<25000xf32>
    task.yield %1
  }
  %y = task.repeat @gpu %i = 0 to 2 (%a = %x) {
    %b = task.copy %a to @pim
    %c = task.run @gpu (%p = %a) {
      %1 = graph.relu %p : tensor<25000xf32>
      task.yield %1
    }
    %d = task.repeat @gpu %j = 4 to 6 (%e = %c) {
      %f = task.run @gpu (%p = %e) {
        %1 = graph.relu %p : tensor<25000xf32>
        task.yield %1
      }
      task.yield %f
    }
    %g = task.run @gpu (%p = %d) {
      %1 = graph.relu %p : tensor<25000xf32>
      task.yield %1
    }
    task.yield %g
  }
  %z = task.run @gpu (%p = %y) {
    %1 = graph.relu %p : tensor<25000xf32>
    task.yield %1
  }
  func.return %z : !task.on<@gpu, tensor<25000xf32>>
}
