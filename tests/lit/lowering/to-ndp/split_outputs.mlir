// Two results of a phase get separate phases if the device's time formula gives less time for them.
// RUN: ndp-opt %s -p split-outputs | filecheck %s
// RUN: ndp-opt %s -p split-outputs --set ndpx.units=20000 | filecheck %s --check-prefix=SMALL

hw.device @ndp = "ndpx"

// CHECK:      ndp.load %a
// CHECK-NEXT: graph.exp
// CHECK-NEXT: ndp.store {{.*}} to %r
// CHECK-NEXT: ndp.barrier
// CHECK-NEXT: ndp.load %a
// CHECK-NEXT: graph.neg
// CHECK-NEXT: ndp.store {{.*}} to %s
// CHECK-NEXT: ndp.join
// With so many units, most of a phase's time is its fixed part.
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
