// RUN: ndp-opt %s -p to-pim > %t.after
// RUN: ndp-opt %s > %t.before
// RUN: ndp-opt %t.after | filecheck %s
// RUN: ndp-opt %t.after -p to-pim | filecheck %s

// Ops outside of tasks on a PIM, and ops that are already lowered, stay as they are.
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

//      CHECK: pim.kernel @matmul_1x2x4_f32
//  CHECK-NOT: pim.kernel
//      CHECK: task.run @gpu
// CHECK-NEXT:   graph.matmul
//      CHECK: task.run @pim
// CHECK-NEXT:   pim.launch @matmul_1x2x4_f32
//  CHECK-NOT: pim.launch
//      CHECK: func.return
pim.kernel @matmul_1x2x4_f32 on @pim (%x: memref<1x4xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<1x1x2xf32>) {
  pim.load %x
  pim.act all row 0
  pim.mac all columns 0 to 1
  pim.drain all to %y[0, 0]
  pim.pre all
}
func.func @main(%x: !task.on<@gpu, tensor<1x4xf32>>) -> !task.on<@pim, tensor<1x1x2xf32>> {
  %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>
  %wg = task.resident %w on @gpu
  %v = graph.weight "laid" = uniform(-1.0, 1.0, 2) : tensor<1x1x2x1x4xf32>
  %vp = task.resident %v on @pim
  %a = task.run @gpu (%p = %x, %q = %wg) {
    %0 = graph.matmul %p, %q : tensor<1x4xf32>, tensor<4x4xf32>
    task.yield %0
  }
  %b = task.copy %a to @pim
  %c = task.run @pim (%p = %b, %q = %vp) {
    %0 = pim.launch @matmul_1x2x4_f32 (%p, %q) : (tensor<1x4xf32>, tensor<1x1x2x1x4xf32>) -> tensor<1x1x2xf32>
    task.yield %0
  }
  func.return %c : !task.on<@pim, tensor<1x1x2xf32>>
}
