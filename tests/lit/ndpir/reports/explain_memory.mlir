// The explanation of a task that waits for memory lists the moves during the wait; drawings of a program show its moves.
// RUN: ndp-opt %s -t explain{task=add} | filecheck %s
// RUN: ndp-opt %s -t dot | filecheck %s --check-prefix=DOT

// CHECK:      add on @gpu = toy_gpu: 4 us, bound by memory
// CHECK:      the task waits 7 us for memory of @gpu, during these transfers:
// CHECK-NEXT: start    end  on         transfer     bytes
// CHECK-NEXT:  0 ns  10 us  host->gpu  prefetch w  100 kB

// DOT: label="prefetch %wg

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

