// Moves of slices in the body of a loop: each iteration prefetches the slice of the next one. A copy of 100 kB takes 10
// us, an add 4 us; the GPU has memory for two slices, and two values of the chain of adds.
// RUN: ndp-opt %s --split-input-file -t timeline | filecheck %s
// RUN: ndp-opt %s --split-input-file -t values | filecheck %s --check-prefix=VALUES

// CHECK:       0 ns  10 us  10 us  gpu        wait for memory (add)
// CHECK-NEXT:  0 ns  10 us  10 us  host->gpu  prefetch w[0]
// CHECK-NEXT: 10 us  14 us   4 us  gpu        add
// CHECK-NEXT: 10 us  20 us  10 us  host->gpu  prefetch w[1]
// CHECK-NEXT: 14 us  20 us   6 us  gpu        wait for memory (add)
// CHECK-NEXT: 20 us  24 us   4 us  gpu        add
// CHECK-NEXT: 20 us  30 us  10 us  host->gpu  prefetch w[2]
// CHECK-NEXT: 24 us  30 us   6 us  gpu        wait for memory (add)
// CHECK-NEXT: 30 us  34 us   4 us  gpu        add
// CHECK-NEXT: 30 us  40 us  10 us  host->gpu  prefetch w[3]
// CHECK-NEXT: 34 us  40 us   6 us  gpu        wait for memory (add)
// CHECK-NEXT: 40 us  44 us   4 us  gpu        add
// CHECK:      makespan  44 us
// VALUES: result 0: tensor<1x25000xf32>
hw.device @gpu = "toy_gpu" {memory = "400 kB"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<1x25000xf32>>) -> !task.on<@gpu, tensor<1x25000xf32>> attributes {task.memory = #task.memory<"by hand", mode = "copy", faults = false>} {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 7) : tensor<4x25000xf32>
  %wg = task.resident %w on @gpu at @host
  task.prefetch %wg slice 0 of 4
  %y = task.repeat @gpu %i = 0 to 4 (%a = %x, %layers = %wg) {
    %0 = graph.constant 0 : tensor<i32>
    %zero = task.resident %0 on @gpu
    %layer = task.run @gpu (%l = %layers, %j = %i, %z = %zero) {
      %1 = graph.dynamic_slice %l, %j, %z sizes = [1, 25000] : tensor<4x25000xf32>, tensor<i32>, tensor<i32>
      task.yield %1
    }
    task.evict %layers slice %i - 1 of 4 to @host in 1 to 4
    task.prefetch %layers slice %i + 1 of 4 in 0 to 3
    %b = task.run @gpu (%c = %a, %d = %layer) {
      %1 = graph.add %c, %d : tensor<1x25000xf32>
      task.yield %1
    }
    task.yield %b
  }
  func.return %y : !task.on<@gpu, tensor<1x25000xf32>>
}

// -----

// A state of which each iteration replaces a slice in place: the old contents arrive, and the new ones leave.
// CHECK:       0 ns  10 us  10 us  gpu        wait for memory (relu)
// CHECK-NEXT:  0 ns  10 us  10 us  host->gpu  prefetch %s[0]
// CHECK-NEXT: 10 us  13 us   3 us  gpu        relu
// CHECK-NEXT: 10 us  20 us  10 us  host->gpu  prefetch %s[1]
// CHECK-NEXT: 13 us  20 us   7 us  gpu        wait for memory (relu)
// CHECK-NEXT: 13 us  23 us  10 us  gpu->host  evict %s[0]
// CHECK-NEXT: 20 us  23 us   3 us  gpu        relu
// CHECK:      makespan  33 us
hw.device @gpu = "toy_gpu" {memory = "200 kB"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%s: !task.on<@gpu, tensor<3x25000xf32>> {task.state = "overwritten, result 0", task.at = @host}) -> !task.on<@gpu, tensor<3x25000xf32>> attributes {task.memory = #task.memory<"by hand", faults = false>} {
  task.prefetch %s slice 0 of 3
  %t = task.repeat @gpu %i = 0 to 3 (%state = %s) {
    %0 = graph.constant 0 : tensor<i32>
    %zero = task.resident %0 on @gpu
    %old = task.run @gpu (%a = %state, %j = %i, %z = %zero) {
      %1 = graph.dynamic_slice %a, %j, %z sizes = [1, 25000] : tensor<3x25000xf32>, tensor<i32>, tensor<i32>
      task.yield %1
    }
    task.prefetch %state slice %i + 1 of 3 in 0 to 2
    %b = task.run @gpu (%a = %old) {
      %1 = graph.relu %a : tensor<1x25000xf32>
      task.yield %1
    }
    %new = task.run @gpu (%a = %state, %c = %b, %j = %i, %z = %zero) {
      %1 = graph.dynamic_update_slice %a, %c, %j, %z in_place : tensor<3x25000xf32>, tensor<1x25000xf32>, tensor<i32>, tensor<i32>
      task.yield %1
    }
    task.evict %new slice %i of 3 to @host
    task.yield %new
  }
  func.return %t : !task.on<@gpu, tensor<3x25000xf32>>
}
