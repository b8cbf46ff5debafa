// RUN: ndp-opt %s -p layout -t timeline | filecheck %s
// RUN: ndp-opt %s -p layout,place{effort=1} -t timeline | filecheck %s
// RUN: ndp-opt %s -p layout,place{effort=1} --check -o /dev/null 2>&1 | filecheck %s --check-prefix EQUAL

// A slice that a loop takes from a stack at its counter is no copy, since each iteration's kernels get its address. Nor is an update of a stack
// at the counter, if an op of the body computes it (relu). Copies are: a slice whose position depends on data, an update that comes from outside,
// one that is also carried (abs), and one that goes to two stacks (exp). Memory: 2 stacks of 400 kB in, 5 out, and less than 10 kB per iteration.

hw.device @gpu = "toy_gpu"

// EQUAL: layout: 7 results equal
// EQUAL: place: 7 results equal

// CHECK:      repeat
// CHECK-NEXT: relu
// CHECK-NEXT: neg
// CHECK-NEXT: exp
// CHECK-NEXT: dynamic_update_slice
// CHECK-NEXT: dynamic_update_slice
// CHECK-NEXT: abs
// CHECK-NEXT: dynamic_update_slice
// CHECK-NEXT: sqrt
// CHECK-NEXT: dynamic_update_slice
// CHECK-NEXT: dynamic_slice
// CHECK:      gpu {{.*}} 2.416 MB
func.func @main(%x: tensor<100x10x100xf32> {task.state = "read"}, %a: tensor<100x10x100xf32> {task.state = "free"}, %b: tensor<100x10x100xf32> {task.state = "free"},
                %c: tensor<100x10x100xf32> {task.state = "free"}, %d: tensor<100x10x100xf32> {task.state = "free"}, %e: tensor<100x10x100xf32> {task.state = "free"},
                %u: tensor<1x10x100xf32>, %at: tensor<i32>)
    -> (tensor<100x10x100xf32>, tensor<100x10x100xf32>, tensor<100x10x100xf32>, tensor<100x10x100xf32>, tensor<100x10x100xf32>,
        tensor<1x10x100xf32>, tensor<1x10x100xf32>) {
  %0 = graph.constant 0 : tensor<i32>
  %1, %2, %3, %4, %5, %6, %7 = graph.repeat %i = 0 to 100
      (%p = %a, %q = %b, %r = %c, %s = %d, %t = %e, %w = %u, %o = %u, %y = %x, %v = %u, %z = %0, %k = %at) {
    %8 = graph.dynamic_slice %y, %i, %z, %z sizes = [1, 10, 100] : tensor<100x10x100xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    %9 = graph.relu %8 : tensor<1x10x100xf32>
    %10 = graph.dynamic_update_slice %p, %9, %i, %z, %z
      : tensor<100x10x100xf32>, tensor<1x10x100xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    %11 = graph.neg %9 : tensor<1x10x100xf32>
    %12 = graph.exp %11 : tensor<1x10x100xf32>
    %13 = graph.dynamic_update_slice %q, %12, %i, %z, %z
      : tensor<100x10x100xf32>, tensor<1x10x100xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    %14 = graph.dynamic_update_slice %r, %12, %i, %z, %z
      : tensor<100x10x100xf32>, tensor<1x10x100xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    %15 = graph.abs %w : tensor<1x10x100xf32>
    %16 = graph.dynamic_update_slice %s, %15, %i, %z, %z
      : tensor<100x10x100xf32>, tensor<1x10x100xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    %17 = graph.sqrt %9 : tensor<1x10x100xf32>
    %18 = graph.dynamic_update_slice %t, %v, %i, %z, %z
      : tensor<100x10x100xf32>, tensor<1x10x100xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    %19 = graph.dynamic_slice %y, %k, %z, %z sizes = [1, 10, 100] : tensor<100x10x100xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    graph.yield %10, %13, %14, %16, %18, %15, %19
  }
  func.return %1, %2, %3, %4, %5, %6, %7
    : tensor<100x10x100xf32>, tensor<100x10x100xf32>, tensor<100x10x100xf32>, tensor<100x10x100xf32>, tensor<100x10x100xf32>,
      tensor<1x10x100xf32>, tensor<1x10x100xf32>
}
