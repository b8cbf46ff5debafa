// RUN: ndp-opt %s -t timeline | filecheck %s --check-prefix=SEPARATE
// RUN: ndp-opt %s --set toy_link.arbitration=exclusive -t timeline | filecheck %s --check-prefix=EXCLUSIVE
// RUN: ndp-opt %s --set toy_link.arbitration=shared -t timeline | filecheck %s --check-prefix=SHARED
// RUN: ndp-opt %s --set toy_link.arbitration=shared --set 'toy_link.bandwidth=10 GB/s' -t timeline | filecheck %s --check-prefix=SLOW
// RUN: ndp-opt %s --set toy_link.arbitration=partitioned --set toy_gpu.channels=2 -t timeline | filecheck %s --check-prefix=PARTITIONED

// A relu of 25000 numbers reads and writes 200 kB: 2 us at 100 GB/s. The copy of 100 kB takes 1 us, as fast as the GPU's memory gives it.
// Both start at once.

hw.device @gpu = "toy_gpu" {launch = "0 ns"}
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link" {bandwidth = "100 GB/s", latency = "0 ns"}

// SEPARATE:       0 ns  1 us  1 us  gpu->pim  copy %y
// SEPARATE-NEXT:  0 ns  2 us  2 us  gpu       relu
// SEPARATE:      makespan  2 us

// In turns, what stands first in the program first.
// EXCLUSIVE:       0 ns  2 us  2 us  gpu       relu
// EXCLUSIVE-NEXT:  2 us  3 us  1 us  gpu->pim  copy %y
// EXCLUSIVE:      makespan  3 us
// EXCLUSIVE-NEXT: bound     3 us, {{.*}} (load of gpu and pim, which take turns)

// Each asks for all of the bandwidth and gets half of it: the copy takes 2 us, and half of the relu is left, which then takes 1 us.
// The column of times says what each would take alone.
// SHARED:       0 ns  2 us  1 us  gpu->pim  copy %y
// SHARED-NEXT:  0 ns  3 us  2 us  gpu       relu
// SHARED:      makespan  3 us
// SHARED-NEXT: bound     3 us, {{.*}} (memory bandwidth of gpu)

// The copy asks for a tenth beside the relu's whole: both take 11/10 of their time while both run, i.e. until 2.2 us. Of the copy's 10 us,
// 8 are left then.
// SLOW:       0 ns   2.2 us   2 us  gpu       relu
// SLOW-NEXT:  0 ns  10.2 us  10 us  gpu->pim  copy %y

// Half of the GPU's memory channels are the PIM's: 50 GB/s.
// PARTITIONED:       0 ns  1 us  1 us  gpu->pim  copy %y
// PARTITIONED-NEXT:  0 ns  4 us  4 us  gpu       relu
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>, %y: !task.on<@gpu, tensor<25000xf32>>)
    -> (!task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>) {
  %a = task.run @gpu (%p = %x) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %b = task.copy %y to @pim
  func.return %a, %b : !task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>
}
