// Loops of tasks and copies: a carried value stays on its device, and the counter is on the device that runs the loop.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK-LABEL: func.func @main
func.func @main(%x: !task.on<@gpu, tensor<8xi32>>, %y: !task.on<@pim, tensor<8xi32>>) {
  // CHECK-NEXT: %u, %v = task.repeat @gpu %i = 0 to 12 (%a = %x, %b = %y) {
  // CHECK-NEXT: %c = task.copy %b to @gpu
  // CHECK-NEXT: %d = task.run @gpu (%p = %a, %q = %c, %j = %i) {
  // CHECK-NEXT: %0 = graph.add %p, %q : tensor<8xi32>
  // CHECK-NEXT: %1 = graph.add %0, %j : tensor<8xi32>, tensor<i32>
  // CHECK-NEXT: task.yield %1
  // CHECK-NEXT: }
  // CHECK-NEXT: task.yield %d, %b
  // CHECK-NEXT: }
  %u, %v = task.repeat @gpu %i = 0 to 12 (%a = %x, %b = %y) {
    %c = task.copy %b to @gpu
    %d = task.run @gpu (%p = %a, %q = %c, %j = %i) {
      %0 = graph.add %p, %q : tensor<8xi32>
      %1 = graph.add %0, %j : tensor<8xi32>, tensor<i32>
      task.yield %1
    }
    task.yield %d, %b
  }
  func.return
}
