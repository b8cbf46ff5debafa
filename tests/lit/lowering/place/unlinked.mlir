// RUN: ndp-opt %s -p 'place{policy=pim-first}' 2>&1 | filecheck %s

// CHECK: note: no link joins @gpu and @pim (toy_pim), so no op is placed there; declare one (hw.link @gpu to @pim = "SHEET")
// CHECK: task.run @gpu
// CHECK-NOT: task.run @pim
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
  func.return %a : tensor<1x32xf32>
}
