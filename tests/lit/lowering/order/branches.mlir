// RUN: ndp-opt %s -t timeline | filecheck %s --check-prefix=OLD
// RUN: ndp-opt %s -p order | filecheck %s
// RUN: ndp-opt %s -p order -t timeline | filecheck %s --check-prefix=NEW
// RUN: ndp-opt %s -p order --check | filecheck %s
// RUN: ndp-opt %s -p order,order | filecheck %s

// 25000 numbers are 100 kB. toy_gpu: 1 us of launch, 200 kB at 100 GB/s: 3 us per relu. toy_link: 1 us, 100 kB at 10 GB/s: 11 us per copy.
//
// In program order the relu of %y waits until %a is copied to the PIM and back, although it does not depend on it.
// OLD:      0 ns   3 us   3 us  gpu       relu
// OLD:      3 us  14 us  11 us  gpu->pim  copy %a
// OLD:     14 us  25 us  11 us  pim->gpu  copy %a_pim
// OLD:     25 us  28 us   3 us  gpu       add
// OLD:     28 us  31 us   3 us  gpu       add
// OLD:     31 us  42 us  11 us  gpu->pim  copy %c
// OLD:     makespan  42 us

// After the pass, it runs in parallel to the copies. Weights stay first; a resident moves with its first reader.
// NEW:      0 ns   3 us   3 us  gpu       relu
// NEW:      3 us   6 us   3 us  gpu       add
// NEW:      3 us  14 us  11 us  gpu->pim  copy %a
// NEW:     14 us  25 us  11 us  gpu->pim  copy %c
// NEW:     14 us  25 us  11 us  pim->gpu  copy %a_pim
// NEW:     25 us  28 us   3 us  gpu       add
// NEW:     makespan  28 us
// NEW:     bound     28 us

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %w = graph.weight
// CHECK-NEXT:    %a = task.run @gpu (%p = %x)
// CHECK:         %w_gpu = task.resident %w on @gpu
// CHECK-NEXT:    %c = task.run @gpu (%p = %y, %q = %w_gpu)
// CHECK:         %a_pim = task.copy %a to @pim
// CHECK-NEXT:    %c_pim = task.copy %c to @pim
// CHECK-NEXT:    %a_gpu = task.copy %a_pim to @gpu
// CHECK-NEXT:    %b = task.run @gpu (%p = %a_gpu, %q = %w_gpu)
// CHECK:         func.return %b, %c_pim
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>, %y: !task.on<@gpu, tensor<25000xf32>>)
    -> (!task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<1xf32>
  %a = task.run @gpu (%p = %x) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %a_pim = task.copy %a to @pim
  %a_gpu = task.copy %a_pim to @gpu
  %w_gpu = task.resident %w on @gpu
  %b = task.run @gpu (%p = %a_gpu, %q = %w_gpu) {
    %0 = graph.add %p, %q : tensor<25000xf32>, tensor<1xf32>
    task.yield %0
  }
  %c = task.run @gpu (%p = %y, %q = %w_gpu) {
    %0 = graph.add %p, %q : tensor<25000xf32>, tensor<1xf32>
    task.yield %0
  }
  %c_pim = task.copy %c to @pim
  func.return %b, %c_pim : !task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>
}
