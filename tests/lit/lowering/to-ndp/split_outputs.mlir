// Two results of a phase get separate phases if the device's time formula gives less time for them.
// RUN: ndp-opt %s -p split-outputs | filecheck %s
// RUN: ndp-opt %s -p split-outputs --set ndpx.units=20000 --set 'ndpx.bandwidth=9000 TB/s' | filecheck %s --check-prefix=SMALL
// RUN: ndp-opt %s -p split-outputs --set ndpx.units=8 --set 'ndpx.bandwidth=225 GB/s' | filecheck %s --check-prefix=SMALL

hw.device @ndp = "ndpx" {units = 1, bandwidth = "900 GB/s"}

// CHECK:      ndp.load %a
// CHECK-NEXT: graph.exp
// CHECK-NEXT: ndp.store {{.*}} to %r
// CHECK-NEXT: ndp.barrier
// CHECK-NEXT: ndp.load %a
// CHECK-NEXT: graph.neg
// CHECK-NEXT: ndp.store {{.*}} to %s
// CHECK-NEXT: ndp.join
// With so many units, most of a phase's time is its fixed part; with a slow memory, it is the time of loads and stores.
// SMALL-NOT: ndp.barrier
ndp.program @both on @ndp (%a: memref<1048576xf32>) -> (%r: memref<1048576xf32>, %s: memref<1048576xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  %y = graph.exp %x : tensor<1048576xf32>
  %z = graph.neg %x : tensor<1048576xf32>
  ndp.store %y to %r
  ndp.store %z to %s
  ndp.join
}
