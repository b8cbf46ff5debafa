// RUN: ndp-opt %s -p 'place{policy=pim-first}' | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=pim-first}' | ndp-opt | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=pim-first}' --check -t values | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt %s -p 'place{policy=pim-first}' --print-debuginfo | filecheck %s --check-prefix=PLACES

// Views are part of the task that reads them; %w is transposed ahead of time and resident on the device that reads
// it; %x is copied once, and results computed on other devices are copied back to the primary device.

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK:      func.func @main(%x: !task.on<@gpu, tensor<2x16xf32>>) -> (!task.on<@gpu, tensor<1x32xf32>>, !task.on<@gpu, tensor<32xf32>>)
// CHECK-NEXT:   %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
// CHECK-NEXT:   %t = graph.transpose %w permutation = [1, 0] : tensor<32x32xf32>
// CHECK-NEXT:   %x_pim = task.copy %x to @pim
// CHECK-NEXT:   %w_pim = task.resident %w on @pim
// CHECK-NEXT:   %a = task.run @pim (%x_1 = %x_pim, %w_1 = %w_pim) {
// CHECK-NEXT:     %r = graph.reshape %x_1 : tensor<2x16xf32> -> tensor<1x32xf32>
// CHECK-NEXT:     %a_1 = graph.matmul %r, %w_1 : tensor<1x32xf32>, tensor<32x32xf32>
// CHECK-NEXT:     task.yield %a_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %t_pim = task.resident %t on @pim
// CHECK-NEXT:   %b = task.run @pim (%x_1 = %x_pim, %t_1 = %t_pim) {
// CHECK-NEXT:     %r = graph.reshape %x_1 : tensor<2x16xf32> -> tensor<1x32xf32>
// CHECK-NEXT:     %b_1 = graph.matmul %r, %t_1 : tensor<1x32xf32>, tensor<32x32xf32>
// CHECK-NEXT:     task.yield %b_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %b_gpu = task.copy %b to @gpu
// CHECK-NEXT:   %a_gpu = task.copy %a to @gpu
// CHECK-NEXT:   %c = task.run @gpu (%b_1 = %b_gpu, %a_1 = %a_gpu) {
// CHECK-NEXT:     %c_1 = graph.add %b_1, %a_1 : tensor<1x32xf32>
// CHECK-NEXT:     task.yield %c_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %d = task.run @gpu (%c_1 = %c) {
// CHECK-NEXT:     %d_1 = graph.reshape %c_1 : tensor<1x32xf32> -> tensor<32xf32>
// CHECK-NEXT:     task.yield %d_1
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %a_gpu, %d : !task.on<@gpu, tensor<1x32xf32>>, !task.on<@gpu, tensor<32xf32>>

// VALUES: result 0: tensor<1x32xf32>
// VALUES: result 1: tensor<32xf32>

// PLACES: task.run @pim {{.*}}
// PLACES: } loc("{{.*}}tasks.mlir":[[# @LINE + 5]]:8)
func.func @main(%x: tensor<2x16xf32>) -> (tensor<1x32xf32>, tensor<32xf32>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %t = graph.transpose %w permutation = [1, 0] : tensor<32x32xf32>
  %r = graph.reshape %x : tensor<2x16xf32> -> tensor<1x32xf32>
  %a = graph.matmul %r, %w : tensor<1x32xf32>, tensor<32x32xf32>
  %b = graph.matmul %r, %t : tensor<1x32xf32>, tensor<32x32xf32>
  %c = graph.add %b, %a : tensor<1x32xf32>
  %d = graph.reshape %c : tensor<1x32xf32> -> tensor<32xf32>
  func.return %a, %d : tensor<1x32xf32>, tensor<32xf32>
}
