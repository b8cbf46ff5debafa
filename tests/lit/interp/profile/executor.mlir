// RUN: ndp-opt %s -t timeline | filecheck %s --check-prefix=PARALLEL
// RUN: ndp-opt %s --set gpu.executor=sequential -t timeline | filecheck %s --check-prefix=SEQUENTIAL
// RUN: not ndp-opt %s --set gpu.executor=both -t timeline 2>&1 | filecheck %s --check-prefix=WRONG

// A relu of 25000 numbers takes 3 us, a copy of 100 kB 11 us. Both start at once if the runtime allows it; a
// sequential executor starts each when the one before has ended, so that a program takes the sum of all times.

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// PARALLEL:       0 ns   3 us   3 us  gpu       relu
// PARALLEL-NEXT:  0 ns  11 us  11 us  gpu->pim  copy %y
// PARALLEL:      makespan  11 us

// SEQUENTIAL:       0 ns   3 us   3 us  gpu       relu
// SEQUENTIAL-NEXT:  3 us  14 us  11 us  gpu->pim  copy %y
// SEQUENTIAL:      makespan  14 us
// SEQUENTIAL-NEXT: bound     14 us, {{.*}} (load of all devices and links, serialized)

// WRONG: --set:1:14: error: `executor` must be one of parallel, sequential, not `both`

func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>, %y: !task.on<@gpu, tensor<25000xf32>>)
    -> (!task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>) {
  %a = task.run @gpu (%p = %x) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %b = task.copy %y to @pim
  func.return %a, %b : !task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>
}
