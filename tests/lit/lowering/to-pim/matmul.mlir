// RUN: ndp-opt %s -p to-pim | filecheck %s
// RUN: ndp-opt %s -p to-pim | ndp-opt | filecheck %s
// RUN: ndp-opt %s -t timeline | filecheck %s --check-prefix=TIME
// RUN: ndp-opt %s -p to-pim -t timeline | filecheck %s --check-prefix=TIME
// RUN: ndp-opt %s -t values | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt %s -p to-pim -t values | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt %s -p 'to-pim{device=pim}' | filecheck %s

// Two products of one shape share a kernel; the task on the GPU stays. 5 outputs are three tiles of two banks, with
// one output of padding: all three are in one row of 3 x 2 columns. A sum over 7 takes 2 columns of 4 lanes.
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

//      CHECK: hw.link
// CHECK-NEXT: pim.kernel @matmul_1x5x7_f32 on @pim (%x: memref<1x7xf32>, %w: memref<1x1x2x6x4xf32> at row 0) -> (%y: memref<1x3x2xf32>) {
// CHECK-NEXT:   pim.channels %c = 0 to 1 {
// CHECK-NEXT:     pim.act all row 0
// CHECK-NEXT:     pim.load %x[0, 0 to 7]
// CHECK-NEXT:     pim.for %s = 0 to 3 {
// CHECK-NEXT:       pim.mac all columns %s * 2 to %s * 2 + 2 buffer 0
// CHECK-NEXT:       pim.drain all to %y[0, %s]
// CHECK-NEXT:     }
// CHECK-NEXT:     pim.pre all
// CHECK-NEXT:   }
// CHECK-NEXT: }
//  CHECK-NOT: pim.kernel
//      CHECK: func.func @main(%x: !task.on<@pim, tensor<1x7xf32>>)
// CHECK-NEXT:   %w = graph.weight
//      CHECK:   %[[T:.*]] = graph.transpose %w permutation = [1, 0] : tensor<7x5xf32>
//      CHECK:   %[[P:.*]] = graph.pad %{{.*}} low = [0, 0, 0, 0], high = [0, 1, 0, 1] : tensor<1x5x1x7xf32>
//      CHECK:   %[[L:.*]] = graph.reshape %{{.*}} : tensor<{{.*}}> -> tensor<1x1x2x6x4xf32>
// CHECK-NEXT:   %w_pim = task.resident %[[L]] on @pim
// CHECK-NEXT:   %a = task.run @pim queue 1 (%p = %x, %[[Q:.*]] = %w_pim) {
// CHECK-NEXT:     %[[Y:.*]] = pim.launch @matmul_1x5x7_f32 (%p, %[[Q]]) : (tensor<1x7xf32>, tensor<1x1x2x6x4xf32>) -> tensor<1x3x2xf32>
// CHECK-NEXT:     %[[F:.*]] = graph.reshape %[[Y]] : tensor<1x3x2xf32> -> tensor<1x1x6xf32>
// CHECK-NEXT:     %[[S:.*]] = graph.slice %[[F]] starts = [0, 0, 0], ends = [1, 1, 5] : tensor<1x1x6xf32>
// CHECK-NEXT:     %[[Z:.*]] = graph.reshape %[[S]] : tensor<1x1x5xf32> -> tensor<1x5xf32>
// CHECK-NEXT:     task.yield %[[Z]]
// CHECK-NEXT:   } attributes {test.mark}
//      CHECK:   %b = task.run @pim after %a
//      CHECK:     pim.launch @matmul_1x5x7_f32
//  CHECK-NOT:   task.resident %w on @pim
//      CHECK:   %d = task.run @gpu
// CHECK-NEXT:     graph.matmul

// act 1; load 2, 3; mac 11, 12; drain 22; mac 23, 24; drain 34; mac 35, 36; drain 46; pre 101: 201 ns with the launch.
//      TIME: 0 ns {{.*}} 201 ns  pim
//      TIME: 201 ns {{.*}} 402 ns {{.*}} 201 ns  pim

//      VALUES: result 0: tensor<1x5xf32>
// VALUES-NEXT:   1.5372 0.56844 0.16619 0.86957 -0.60478
func.func @main(%x: !task.on<@pim, tensor<1x7xf32>>) -> (!task.on<@pim, tensor<1x5xf32>>, !task.on<@gpu, tensor<1x5xf32>>) {
  %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<7x5xf32>
  %wp = task.resident %w on @pim
  %wg = task.resident %w on @gpu
  %a = task.run @pim queue 1 (%p = %x, %q = %wp) {
    %0 = graph.matmul %p, %q : tensor<1x7xf32>, tensor<7x5xf32>
    task.yield %0
  } attributes {test.mark}
  %b = task.run @pim after %a (%p = %x, %q = %wp) {
    %0 = graph.matmul %p, %q : tensor<1x7xf32>, tensor<7x5xf32>
    task.yield %0
  }
  %c = task.copy %x to @gpu
  %d = task.run @gpu (%p = %c, %q = %wg) {
    %0 = graph.matmul %p, %q : tensor<1x7xf32>, tensor<7x5xf32>
    task.yield %0
  }
  func.return %b, %d : !task.on<@pim, tensor<1x5xf32>>, !task.on<@gpu, tensor<1x5xf32>>
}
