// Each iteration of a loop has kernels of its own, which wait for moves.
// RUN: ndp-opt %s -t timeline | filecheck %s
// RUN: ndp-opt %s -t values | filecheck %s --check-prefix=VALUES

// Ten iterations of an add of 4 us; the copy of the weights takes 10 us.
// CHECK:       0 ns  10 us  10 us  gpu        wait for memory (add)
// CHECK-NEXT:  0 ns  10 us  10 us  host->gpu  prefetch w
// CHECK-NEXT: 10 us  14 us   4 us  gpu        add
// CHECK-NEXT: 14 us  18 us   4 us  gpu        add
// CHECK:      46 us  50 us   4 us  gpu        add
// CHECK-NEXT: 50 us  53 us   3 us  gpu        relu
// CHECK-NEXT: 50 us  53 us   3 us  gpu->host  evict w                                host       30 kB
// CHECK:      makespan  53 us
// VALUES: result 0: tensor<25000xf32>
hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> attributes {task.memory = #task.memory<"by hand", faults = false>} {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 7) : tensor<25000xf32>
  %wg = task.resident %w on @gpu at @host
  task.prefetch %wg
  %y = task.repeat @gpu %i = 0 to 10 (%a = %x, %b = %wg) {
    %n = task.run @gpu (%c = %a, %d = %b) {
      %0 = graph.add %c, %d : tensor<25000xf32>
      task.yield %0
    }
    task.yield %n
  }
  task.evict %wg to @host
  %z = task.run @gpu (%a = %y) {
    %0 = graph.relu %a : tensor<25000xf32>
    task.yield %0
  }
  func.return %z : !task.on<@gpu, tensor<25000xf32>>
}
