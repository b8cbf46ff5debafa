// Locations of values: prefetches, evictions and discards, byte ranges, dependencies, memories in which values
// start, and the note on a plan of moves of a device.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.device @ssd = "toy_ssd"

// CHECK: func.func @moves(%x: !task.on<@gpu, tensor<4x8xf32>> {task.at = @host}) -> !task.on<@gpu, tensor<4x8xf32>> {
func.func @moves(%x: !task.on<@gpu, tensor<4x8xf32>> {task.at = @host}) -> !task.on<@gpu, tensor<4x8xf32>> {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 7) : tensor<8x8xf32>
  // CHECK: %wg = task.resident %w on @gpu at @host {test.pinned}
  %wg = task.resident %w on @gpu at @host {test.pinned}
  // CHECK-NEXT: %p = task.prefetch %wg [0 to 128]
  %p = task.prefetch %wg [0 to 128]
  // CHECK-NEXT: %0 = task.prefetch %wg [128 to 256] after %p, %x {test.late}
  task.prefetch %wg [128 to 256] after %p, %x {test.late}
  // The printer leaves out a range that covers the complete value.
  // CHECK-NEXT: %1 = task.prefetch %x
  // CHECK-NEXT: %y = task.run @gpu
  task.prefetch %x [0 to 128]
  %y = task.run @gpu (%a = %x, %b = %wg) {
    %0 = graph.matmul %a, %b : tensor<4x8xf32>, tensor<8x8xf32>
    task.yield %0
  }
  // CHECK: %left = task.evict %wg to @host after %y
  %left = task.evict %wg to @host after %y
  // CHECK-NEXT: %{{.*}} = task.evict %y [4 to 8] to @ssd after %left
  task.evict %y [4 to 8] to @ssd after %left
  // CHECK-NEXT: %copied = task.write_back %wg [0 to 64] to @host after %left
  %copied = task.write_back %wg [0 to 64] to @host after %left
  // CHECK-NEXT: task.discard %wg [0 to 64] at @host
  task.discard %wg [0 to 64] at @host
  // CHECK-NEXT: task.discard %wg at @host
  task.discard %wg at @host
  // CHECK-NEXT: task.discard %x {test.dead}
  task.discard %x {test.dead}
  func.return %y : !task.on<@gpu, tensor<4x8xf32>>
}

// In loops, other slices of a stack in each iteration.
// CHECK: func.func @slices
func.func @slices(%x: !task.on<@gpu, tensor<4x8xf32>>) -> !task.on<@gpu, tensor<4x8xf32>> {
  // CHECK-NEXT: %0 = task.prefetch %x slice 0 of 4
  task.prefetch %x slice 0 of 4
  // CHECK-NEXT: %y = task.repeat @gpu %i = 0 to 4 (%a = %x) {
  %y = task.repeat @gpu %i = 0 to 4 (%a = %x) {
    // CHECK-NEXT: %p = task.prefetch %a slice %i + 1 of 4 in 0 to 3
    %p = task.prefetch %a slice %i + 1 of 4 in 0 to 3
    // CHECK-NEXT: %1 = task.write_back %a slice %i of 4 [0 to 16] to @host after %p
    task.write_back %a slice %i of 4 [0 to 16] to @host after %p
    // CHECK-NEXT: %2 = task.evict %a slice %i - 1 of 4 to @host in 1 to 4 {test.late}
    task.evict %a slice %i - 1 of 4 to @host in 1 to 4 {test.late}
    // CHECK-NEXT: task.discard %a slice 3 - %i of 4 at @host in 0, 2
    task.discard %a slice 3 - %i of 4 at @host in 0, 2 to 3
    task.yield %a
  }
  func.return %y : !task.on<@gpu, tensor<4x8xf32>>
}

// CHECK: attributes {task.memory = #task.memory<"by hand">}
func.func @least() attributes {task.memory = #task.memory<"by hand">} { func.return }

// The printer writes entries in a fixed order.
// CHECK: attributes {task.memory = #task.memory<"pump factor=80", mode = "move", faults = true, reuse = false, runahead = 64>}
func.func @pump() attributes {task.memory = #task.memory<"pump factor=80", runahead = 64, reuse = false, mode = "move", faults = true>} { func.return }

// CHECK: attributes {task.memory = #task.memory<"plan", mode = "copy", faults = false, bound = 1003.4 "link to host", machine = "1f2e3d4c">}
func.func @plan() attributes {task.memory = #task.memory<"plan", mode = "copy", faults = false, bound = 1003.4 "link to host", machine = "1f2e3d4c">} { func.return }
