// Plans of loops are written into their bodies: moves of other slices in each iteration. The GPU holds three of eight
// slices in addition to the values of an iteration.
// RUN: ndp-opt %s -p 'place{policy=gpu},prefetch' | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=gpu},prefetch' | ndp-opt -t summary | filecheck %s --check-prefix=TIME
// RUN: ndp-opt %s -p 'place{policy=gpu},prefetch' --check

// CHECK:      task.prefetch %w slice 1 of 8 [0 to 75000]
// CHECK-NEXT: %y = task.repeat @gpu %i = 0 to 8 (%a = %x, %layers = %w) {
// CHECK:        task.evict %layers slice %i - 1 of 8 [0 to 75000] to @host in 1 to 8
// CHECK-NEXT:   task.prefetch %layers slice 0 of 8 [0 to 75000] in 7
// CHECK-NEXT:   task.prefetch %layers slice %i + 1 of 8 [0 to 75000] in 1 to 7
// CHECK-NEXT:   task.run @gpu
// CHECK:      task.evict %w slice 7 of 8 [0 to 75000] to @host
// TIME: makespan   60 us
// TIME: moved      600 kB prefetched, 600 kB evicted
hw.device @gpu = "toy_gpu" {memory = "520 kB"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: tensor<1x25000xf32>, %w: tensor<8x25000xf32> {task.state = "read"}) -> tensor<1x25000xf32> {
  %y = graph.repeat %i = 0 to 8 (%a = %x, %layers = %w) {
    %zero = graph.constant 0 : tensor<i32>
    %layer = graph.dynamic_slice %layers, %i, %zero sizes = [1, 25000] : tensor<8x25000xf32>, tensor<i32>, tensor<i32>
    %b = graph.add %a, %layer : tensor<1x25000xf32>
    graph.yield %b
  }
  func.return %y : tensor<1x25000xf32>
}
