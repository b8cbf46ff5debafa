// RUN: ndp-opt %s -t timeline | filecheck %s

// A copy of 100 kB takes 11 us. Because of `after` the second relu waits for it, although it does not read it; a token joins
// two dependencies. The 3 us of a relu can't be hidden: the longest chain is relu, copy, relu, copy back of the last result.

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK:       0 ns   3 us   3 us  gpu       relu
// CHECK-NEXT:  3 us  14 us  11 us  gpu->pim  copy %a
// CHECK-NEXT: 14 us  17 us   3 us  gpu       relu
// CHECK-NEXT: 14 us  25 us  11 us  pim->gpu  copy %c
// CHECK:      makespan  25 us
// CHECK-NEXT: bound     25 us, {{.*}} (longest chain)
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> {
  %a = task.run @gpu (%p = %x) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %c = task.copy %a to @pim
  %t = task.join %a, %c
  %b = task.run @gpu after %t (%p = %x) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %back = task.copy %c to @gpu after %t
  func.return %back : !task.on<@gpu, tensor<25000xf32>>
}
