// Two results of a phase get phases of their own where the device's law says that this takes less.
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
// Among so many units a phase's floor is most of what it takes.
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
