// Moves in parallel to tasks, on a machine whose times are calculated by hand: 10 GB/s in each direction between
// host and GPU, so that 100 kB take 10 us; a relu of 100 kB takes 3 us, an add 4 us.
// RUN: ndp-opt %s --split-input-file -t timeline | filecheck %s

// The prefetch runs in parallel to the relu, and the add waits for it: max(3, 10) + 4 us.
// CHECK:       0 ns   3 us   3 us  gpu        relu                   memory  200 kB  2.025 uJ
// CHECK-NEXT:  0 ns  10 us  10 us  host->gpu  prefetch w             host    100 kB      1 uJ
// CHECK-NEXT:  3 us  10 us   7 us  gpu        wait for memory (add)
// CHECK-NEXT: 10 us  14 us   4 us  gpu        add                    memory  300 kB  3.025 uJ
// CHECK:      makespan  14 us
// CHECK:      memory    100 kB into and 0 B out of @gpu; tasks wait 7 us for these transfers
hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> attributes {task.memory = #task.memory<"by hand", faults = false>} {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 7) : tensor<25000xf32>
  %wg = task.resident %w on @gpu at @host
  %p = task.prefetch %wg
  %y = task.run @gpu (%a = %x) {
    %0 = graph.relu %a : tensor<25000xf32>
    task.yield %0
  }
  %z = task.run @gpu (%a = %y, %b = %wg) {
    %0 = graph.add %a, %b : tensor<25000xf32>
    task.yield %0
  }
  func.return %z : !task.on<@gpu, tensor<25000xf32>>
}

// -----

// The first task waits for a token, which is half of the bytes, and the next one for the rest: 5 + 3, and 10 + 4 us.
// CHECK:       0 ns   5 us   5 us  gpu        wait for memory (relu)
// CHECK-NEXT:  0 ns  10 us  10 us  host->gpu  prefetch w
// CHECK-NEXT:  5 us   8 us   3 us  gpu        relu
// CHECK-NEXT:  8 us  10 us   2 us  gpu        wait for memory (add)
// CHECK-NEXT: 10 us  14 us   4 us  gpu        add
hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> attributes {task.memory = #task.memory<"by hand", faults = false>} {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 7) : tensor<25000xf32>
  %wg = task.resident %w on @gpu at @host
  %half = task.prefetch %wg [0 to 50000]
  task.prefetch %wg [50000 to 100000]
  %y = task.run @gpu after %half (%a = %x) {
    %0 = graph.relu %a : tensor<25000xf32>
    task.yield %0
  }
  %z = task.run @gpu (%a = %y, %b = %wg) {
    %0 = graph.add %a, %b : tensor<25000xf32>
    task.yield %0
  }
  func.return %z : !task.on<@gpu, tensor<25000xf32>>
}

// -----

// The GPU holds 300 kB: the eviction of %v makes room for %w, byte by byte, while both directions of the link are
// busy. %y and %z get their memory when their tasks start.
// CHECK:       0 ns   4 us   4 us  gpu        add
// CHECK-NEXT:  4 us  14 us  10 us  gpu        wait for memory (add)
// CHECK-NEXT:  4 us  14 us  10 us  host->gpu  prefetch w
// CHECK-NEXT:  4 us  14 us  10 us  gpu->host  evict v
// CHECK-NEXT: 14 us  18 us   4 us  gpu        add
// CHECK:      memory    100 kB into and 100 kB out of @gpu
// CHECK:      gpu {{.*}} 300 kB      100.0 %
hw.device @gpu = "toy_gpu" {memory = "300 kB"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> attributes {task.memory = #task.memory<"by hand", faults = false>} {
  %v = graph.weight "v" = uniform(-0.5, 0.5, 7) : tensor<25000xf32>
  %w = graph.weight "w" = uniform(-0.5, 0.5, 8) : tensor<25000xf32>
  %vg = task.resident %v on @gpu
  %wg = task.resident %w on @gpu at @host
  %y = task.run @gpu (%a = %x, %b = %vg) {
    %0 = graph.add %a, %b : tensor<25000xf32>
    task.yield %0
  }
  %gone = task.evict %vg to @host
  %come = task.prefetch %wg
  %z = task.run @gpu (%a = %y, %b = %wg) {
    %0 = graph.add %a, %b : tensor<25000xf32>
    task.yield %0
  }
  func.return %z : !task.on<@gpu, tensor<25000xf32>>
}
