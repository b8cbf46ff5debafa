// RUN: ndp-opt %s -p to-tile | filecheck %s
// RUN: ndp-opt %s -p 'to-tile{device=other}' | filecheck %s --check-prefix=OTHER
// RUN: not ndp-opt %s -p 'to-tile{device=pim}' 2>&1 | filecheck %s --check-prefix=NONE

// In a task, a kernel is written for the task's device. Tasks of devices other than GPUs stay.
// NONE: error: to-tile: the machine has no GPU @pim with multiprocessors (`shared` in its sheet); it has @gpu, @other
hw.device @gpu = "a100"
hw.device @other = "l20"
hw.device @pim = "aim"
hw.link @gpu to @other = "pcie4"
hw.link @gpu to @pim = "pcie4"

// CHECK: tile.kernel @matmul_32x64x128_f16 on @gpu
// CHECK: tile.kernel @matmul_32x64x128_f16_other on @other
// OTHER-NOT: on @gpu (
// OTHER: tile.kernel @matmul_32x64x128_f16 on @other
func.func @main(%x: !task.on<@gpu, tensor<32x128xf16>>) -> !task.on<@pim, tensor<32x64xf16>> {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<128x64xf16>
  %wg = task.resident %w on @gpu
  %wo = task.resident %w on @other
  // CHECK:      task.run @gpu
  // CHECK-NEXT:   tile.launch @matmul_32x64x128_f16 (
  // OTHER:      task.run @gpu
  // OTHER-NEXT:   graph.matmul
  %a = task.run @gpu (%p = %x, %q = %wg) {
    %0 = graph.matmul %p, %q : tensor<32x128xf16>, tensor<128x64xf16>
    task.yield %0
  }
  %xo = task.copy %x to @other
  // CHECK:      task.run @other
  // CHECK-NEXT:   tile.launch @matmul_32x64x128_f16_other
  // OTHER:      task.run @other
  // OTHER-NEXT:   tile.launch @matmul_32x64x128_f16 (
  %b = task.run @other (%p = %xo, %q = %wo) {
    %0 = graph.matmul %p, %q : tensor<32x128xf16>, tensor<128x64xf16>
    task.yield %0
  }
  %c = task.copy %a to @pim
  // CHECK: task.run @pim
  // CHECK-NEXT: graph.relu
  %d = task.run @pim (%p = %c) {
    %0 = graph.relu %p : tensor<32x64xf16>
    task.yield %0
  }
  func.return %d : !task.on<@pim, tensor<32x64xf16>>
}
