// RUN: ndp-opt %s -p 'place{policy=pim-first}' | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=pim-first}' --check -t values | filecheck %s --check-prefix=VALUES

// The toy PIM can only multiply: of a group, it runs the product. The rest of the group and the bias run on the primary device.

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK-LABEL: func.func @group
// CHECK:       %0 = task.run @pim (%x_1 = %x_pim, %w_1 = %w_pim) {
// CHECK-NEXT:    %1 = graph.matmul %x_1, %w_1 : tensor<1x32xf32>, tensor<32x32xf32>
// CHECK-NEXT:    task.yield %1
// CHECK-NEXT:  }
// CHECK-NEXT:  %1 = task.copy %0 to @gpu
// CHECK-NEXT:  %b_gpu = task.resident %b on @gpu
// CHECK-NEXT:  %y = task.run @gpu (%2 = %1, %b_1 = %b_gpu, %x_1 = %x) {
// CHECK-NEXT:    %y_1 = graph.fused (%3 = %2, %r = %b_1, %p = %x_1) {
// CHECK-NEXT:      %4 = graph.add %3, %r : tensor<1x32xf32>, tensor<32xf32>
// CHECK-NEXT:      %5 = graph.relu %4 : tensor<1x32xf32>
// CHECK-NEXT:      %6 = graph.add %5, %p : tensor<1x32xf32>
// CHECK-NEXT:      graph.yield %6
// CHECK-NEXT:    }
// CHECK-NEXT:    task.yield %y_1
// CHECK-NEXT:  }
// CHECK-NEXT:  func.return %y
// VALUES:      result 0: tensor<1x32xf32>
func.func @group(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %b = graph.weight "b" = uniform(-1.0, 1.0, 2) : tensor<32xf32>
  %y = graph.fused (%p = %x, %q = %w, %r = %b) {
    %0 = graph.matmul %p, %q, %r : tensor<1x32xf32>, tensor<32x32xf32>, tensor<32xf32>
    %1 = graph.relu %0 : tensor<1x32xf32>
    %2 = graph.add %1, %p : tensor<1x32xf32>
    graph.yield %2
  }
  func.return %y : tensor<1x32xf32>
}
