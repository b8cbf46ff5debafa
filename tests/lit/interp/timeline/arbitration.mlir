// RUN: ndp-opt %s -t timeline | filecheck %s --check-prefix=SEPARATE
// RUN: ndp-opt %s --set toy_link.arbitration=exclusive -t timeline | filecheck %s --check-prefix=EXCLUSIVE
// RUN: ndp-opt %s --set toy_link.arbitration=shared -t timeline | filecheck %s --check-prefix=SHARED
// RUN: ndp-opt %s --set toy_link.arbitration=shared --set 'toy_link.bandwidth=10 GB/s' -t timeline | filecheck %s --check-prefix=SLOW
// RUN: ndp-opt %s --set toy_link.arbitration=partitioned --set toy_gpu.channels=2 -t timeline | filecheck %s --check-prefix=PARTITIONED

// A relu of 25000 numbers moves 200 kB: 2 us at 100 GB/s. The copy of 100 kB takes 1 us, the GPU memory's full bandwidth.
// Both start at once.

hw.device @gpu = "toy_gpu" {launch = "0 ns"}
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link" {bandwidth = "100 GB/s", latency = "0 ns"}

// SEPARATE:       0 ns  1 us  1 us  gpu->pim  copy %y
// SEPARATE-NEXT:  0 ns  2 us  2 us  gpu       relu
// SEPARATE:      makespan  2 us

// With exclusive arbitration they take turns, in program order.
// EXCLUSIVE:       0 ns  2 us  2 us  gpu       relu
// EXCLUSIVE-NEXT:  2 us  3 us  1 us  gpu->pim  copy %y
// EXCLUSIVE:      makespan  3 us
// EXCLUSIVE-NEXT: bound     3 us, {{.*}} (load of gpu and pim, serialized)

// Each needs the full bandwidth and gets half of it: the copy takes 2 us; then half of the relu is left, which takes 1 us.
// The column of times shows the time that each would take alone.
// SHARED:       0 ns  2 us  1 us  gpu->pim  copy %y
// SHARED-NEXT:  0 ns  3 us  2 us  gpu       relu
// SHARED:      makespan  3 us
// SHARED-NEXT: bound     3 us, {{.*}} (memory bandwidth of gpu)

// The copy needs a tenth of the bandwidth, the relu all of it: both are slowed down by 11/10 while both run, i.e.
// until 2.2 us. After that, 8 of the copy's 10 us are left.
// SLOW:       0 ns   2.2 us   2 us  gpu       relu
// SLOW-NEXT:  0 ns  10.2 us  10 us  gpu->pim  copy %y

// The PIM has half of the GPU's memory channels, so the GPU has 50 GB/s.
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
