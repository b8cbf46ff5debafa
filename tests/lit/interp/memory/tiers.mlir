// The memory of another device behind a link of its own is a tier, too. A copy of the program over the same link takes its
// direction, so that the prefetch from there rests meanwhile; the prefetch from the host goes on.
// RUN: ndp-opt %s -t timeline | filecheck %s

// CHECK:      0 ns 2 us 2 us host->gpu prefetch w
// CHECK-NEXT: 0 ns 2.367 us 2.367 us ndp relu
// CHECK-NEXT: 1 us 2.367 us 1.367 us ndp->gpu prefetch v ndp 13.67 kB
// CHECK-NEXT: 2.367 us 5.367 us 3 us ndp->gpu copy %r link 20 kB
// CHECK-NEXT: 5.367 us 6.967 us 1.6 us gpu add
// CHECK-NEXT: 5.367 us 8 us 2.633 us ndp->gpu prefetch v ndp 26.33 kB

hw.device @gpu = "toy_gpu" {memory = "160 kB"}
hw.device @ndp = "toy_ndp"
hw.device @host = "toy_host"
hw.link @gpu to @ndp = "toy_link"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<10000xf32>>, %n: !task.on<@ndp, tensor<5000xf32>>)
    -> (!task.on<@gpu, tensor<10000xf32>>, !task.on<@gpu, tensor<5000xf32>>)
    attributes {task.memory = #task.memory<"by hand", faults = false>} {
  %v = graph.weight "v" = uniform(-0.5, 0.5, 7) : tensor<10000xf32>
  %w = graph.weight "w" = uniform(-0.5, 0.5, 8) : tensor<5000xf32>
  %vg = task.resident %v on @gpu at @ndp
  %wg = task.resident %w on @gpu at @host
  task.prefetch %vg
  task.prefetch %wg
  %r = task.run @ndp (%a = %n) {
    %0 = graph.relu %a : tensor<5000xf32>
    task.yield %0
  }
  %rg = task.copy %r to @gpu
  %s = task.run @gpu (%a = %rg, %b = %wg) {
    %0 = graph.add %a, %b : tensor<5000xf32>
    task.yield %0
  }
  %z = task.run @gpu (%a = %x, %b = %vg) {
    %0 = graph.add %a, %b : tensor<10000xf32>
    task.yield %0
  }
  func.return %z, %s : !task.on<@gpu, tensor<10000xf32>>, !task.on<@gpu, tensor<5000xf32>>
}
