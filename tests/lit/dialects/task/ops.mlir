// The task level: devices in types, residents, copies, queues, dependencies, tasks and joins.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK-LABEL: func.func @ops(%x: !task.on<@gpu, tensor<4x8xf32>>) -> !task.on<@gpu, tensor<4x8xf32>> {
func.func @ops(%x: !task.on<@gpu, tensor<4x8xf32>>) -> !task.on<@gpu, tensor<4x8xf32>> {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 7) : tensor<8x8xf32>
  // CHECK: %wp = task.resident %w on @pim
  %wp = task.resident %w on @pim
  // CHECK-NEXT: %wg = task.resident %w on @gpu {test.pinned}
  %wg = task.resident %w on @gpu {test.pinned}
  // CHECK-NEXT: %xp = task.copy %x to @pim
  %xp = task.copy %x to @pim
  // CHECK-NEXT: %y, %z = task.run @pim (%a = %xp, %b = %wp) {
  // CHECK-NEXT:   %0 = graph.matmul %a, %b : tensor<4x8xf32>, tensor<8x8xf32>
  // CHECK-NEXT:   task.yield %0, %a
  // CHECK-NEXT: }
  %y, %z = task.run @pim (%a = %xp, %b = %wp) {
    %0 = graph.matmul %a, %b : tensor<4x8xf32>, tensor<8x8xf32>
    task.yield %0, %a
  }
  // CHECK-NEXT: %r = task.run @gpu queue 2 after %y, %z (%c = %x) {
  // CHECK-NEXT:   %0 = graph.relu %c : tensor<4x8xf32>
  // CHECK-NEXT:   task.yield %0
  // CHECK-NEXT: } attributes {test.hot}
  %r = task.run @gpu queue 2 after %y, %z (%c = %x) {
    %1 = graph.relu %c : tensor<4x8xf32>
    task.yield %1
  } attributes {test.hot}
  // CHECK-NEXT: %t = task.join %r, %y
  %t = task.join %r, %y
  // CHECK-NEXT: %both = task.join %t
  %both = task.join %t
  // CHECK-NEXT: %yg = task.copy %y to @gpu queue 1 after %t, %both {test.prefetch}
  %yg = task.copy %y to @gpu queue 1 after %t, %both {test.prefetch}
  // CHECK-NEXT: %ys = task.copy stream %y to @gpu queue 1
  %ys = task.copy stream %y to @gpu queue 1
  // CHECK-NEXT: task.run @gpu (%d = %x, %e = stream %ys) {
  // CHECK-NEXT:   task.yield
  // CHECK-NEXT: }
  task.run @gpu (%d = %x, %e = stream %ys) {
    task.yield
  }
  // CHECK-NEXT: task.run @gpu () {
  // CHECK-NEXT:   task.yield
  // CHECK-NEXT: }
  task.run @gpu () {
    task.yield
  }
  func.return %yg : !task.on<@gpu, tensor<4x8xf32>>
}
