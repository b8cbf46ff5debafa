// RUN: ndp-opt %s -t summary | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=gpu}' -t summary | filecheck %s --check-prefixes=CHECK,PLACED

hw.device @gpu = "toy_gpu"

// Twice 100 kB in and 100 kB out at 100 GB/s, and two launches: 6 us. 50000 flops of 1 pJ, 400 kB at 10 pJ per byte, 10 W of idle power.
// The baseline runs one of the two ops: the second one changes nothing, so it is removed.

// CHECK:      machine    @gpu = toy_gpu
// CHECK-NEXT: tasks      2, and 0 copies over links, 0 B in total
// CHECK-NEXT: makespan   6 us
// CHECK-NEXT: bound      6 us ({{.*}}; gap 0.0 %)
// CHECK-NEXT: energy     64.05 uJ
// PLACED-NEXT: placement  6 us at least, for any placement and order (longest chain); this one 0.0 % above
// PLACED-NEXT: predicted  6 us by placement policy "gpu", equal to the simulation
// CHECK-NEXT: speed-up   0.50x over @gpu alone at its best (3 us)
// CHECK-NEXT: rel energy 2.00x of @gpu alone at its best (32.025 uJ)
// CHECK-EMPTY:
// CHECK-NEXT: on   tasks  of all flops  busy  of makespan
// CHECK-NEXT: gpu      2       100.0 %  6 us      100.0 %
func.func @main(%x: tensor<25000xf32>) -> tensor<25000xf32> {
  %a = graph.relu %x : tensor<25000xf32>
  %b = graph.relu %a : tensor<25000xf32>
  func.return %b : tensor<25000xf32>
}
