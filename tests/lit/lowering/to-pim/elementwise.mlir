// RUN: ndp-opt %s -p to-pim | filecheck %s
// RUN: ndp-opt %s -p to-pim | ndp-opt | filecheck %s
// RUN: ndp-opt %s -t timeline | filecheck %s --check-prefix=TIME
// RUN: ndp-opt %s -p to-pim -t timeline | filecheck %s --check-prefix=TIME
// RUN: ndp-opt %s -p to-pim --check -t values | filecheck %s --check-prefix=VALUES

// toy_simd: 2 banks, 8 columns of 4 lanes. Two values share a row, 4 columns each: 32 elements of each value in both banks.
hw.device @pim = "toy_simd"

// 40 elements are 2 rows of 3 columns (24 elements each); the last 8 elements are padding. No weight is stored, so
// both use row 0, which stays open.
//      CHECK: pim.kernel @add_40_f32 on @pim (%x0: memref<1x2x2x12xf32>, %x1: memref<1x2x2x12xf32>) -> (%y: memref<1x2x2x12xf32>) {
// CHECK-NEXT:   pim.channels %c = 0 to 1 {
// CHECK-NEXT:     pim.act all row 0
// CHECK-NEXT:     pim.for %r = 0 to 2 {
// CHECK-NEXT:       pim.for %bank = 0 to 2 {
// CHECK-NEXT:         pim.write bank %bank columns 0 to 3 from %x0[%c, %r, %bank]
// CHECK-NEXT:         pim.write bank %bank columns 3 to 6 from %x1[%c, %r, %bank]
// CHECK-NEXT:       }
// CHECK-NEXT:       pim.add all columns 0 to 3 and 3
// CHECK-NEXT:       pim.for %bank = 0 to 2 {
// CHECK-NEXT:         pim.read bank %bank columns 0 to 3 to %y[%c, %r, %bank]
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     pim.pre all
// CHECK-NEXT:   }
// CHECK-NEXT: }

// A scale (a weight, broadcast ahead of time) is in the row's first columns, and x is written behind it: 24
// elements are one row of 3 columns. Writing the scale as well would take the same time, but more energy.
//      CHECK: pim.kernel @mul_relu_weighted_24_f32 on @pim (%x: memref<1x1x2x12xf32>, %w: memref<1x1x2x3x4xf32> at row 0) -> (%y: memref<1x1x2x12xf32>) {
// CHECK-NEXT:   pim.channels %c = 0 to 1 {
// CHECK-NEXT:     pim.act all row 0
// CHECK-NEXT:     pim.for %bank = 0 to 2 {
// CHECK-NEXT:       pim.write bank %bank columns 3 to 6 from %x[%c, 0, %bank]
// CHECK-NEXT:     }
// CHECK-NEXT:     pim.mul all columns 3 to 6 and 0
// CHECK-NEXT:     pim.relu all columns 3 to 6
// CHECK-NEXT:     pim.for %bank = 0 to 2 {
// CHECK-NEXT:       pim.read bank %bank columns 3 to 6 to %y[%c, 0, %bank]
// CHECK-NEXT:     }
// CHECK-NEXT:     pim.pre all

// For several rows, a stored scale would need an activate and a precharge per row: it is written into the open row instead.
//      CHECK: pim.kernel @mul_48_f32 on @pim (%x0: memref<1x2x2x12xf32>, %x1: memref<1x2x2x12xf32>) -> (%y: memref<1x2x2x12xf32>) {

//      CHECK: func.func @main
//      CHECK:   %a = task.run @pim
//      CHECK:     graph.pad %{{.*}} low = [0], high = [8] : tensor<40xf32>
//      CHECK:     graph.broadcast %{{.*}} : tensor<10xf32> -> tensor<4x10xf32>
//      CHECK:     pim.launch @add_40_f32
//      CHECK:     graph.slice %{{.*}} starts = [0], ends = [40] : tensor<48xf32>
//      CHECK:   %[[B:.*]] = graph.broadcast %s : tensor<12xf32> -> tensor<2x12xf32>
// CHECK-NEXT:   %[[L:.*]] = graph.reshape %[[B]] : tensor<2x12xf32> -> tensor<1x1x2x3x4xf32>
// CHECK-NEXT:   %s_pim = task.resident %[[L]] on @pim
// CHECK-NEXT:   %b = task.run @pim (%x_1 = %x, %[[W:.*]] = %s_pim) {
//      CHECK:     pim.launch @mul_relu_weighted_24_f32 (%{{.*}}, %[[W]])
//      CHECK:   %d = task.run @pim (%{{.*}} = %z, %[[S:.*]] = %w) {
//      CHECK:     graph.broadcast %[[S]] : tensor<12xf32> -> tensor<4x12xf32>
//      CHECK:     pim.launch @mul_48_f32

// act 1; write 11 to 16 to bank 0, 17 to 22 to bank 1; add 32, 34, 36; read 46 to 48 and 49 to 51. Iteration 2, whose writes
// are more than 10 after the last add: write 52 to 63; add 73, 75, 77; read 87 to 92; pre 102: 202 ns with the launch.
//      TIME:   0 ns  202 ns  202 ns  pim  {{.*}}row writes

// act 1; write 11 to 16; mul 26, 28, 30; relu 32, 34, 36; read 46 to 51; pre 101. Energy: act, 6 writes, 3 products
// of 2 nJ, 3 relus of 2 nJ, 6 reads and pre are 41 nJ.
//      TIME: 202 ns  403 ns  201 ns  pim  {{.*}}row cycles {{.*}} 41 nJ

// act 1; write 11 to 22; mul 32, 34, 36; read 46 to 51; write 52 to 63; mul 73, 75, 77; read 87 to 92; pre 102.
//      TIME: 403 ns  605 ns  202 ns  pim

// VALUES: result 0: tensor<4x10xf32>
// VALUES: result 1: tensor<2x12xf32>, {{.*}} min 0,
// VALUES: result 2: tensor<4x12xf32>
func.func @main(%x: !task.on<@pim, tensor<2x12xf32>>, %p: !task.on<@pim, tensor<4x10xf32>>, %q: !task.on<@pim, tensor<10xf32>>, %z: !task.on<@pim, tensor<4x12xf32>>)
    -> (!task.on<@pim, tensor<4x10xf32>>, !task.on<@pim, tensor<2x12xf32>>, !task.on<@pim, tensor<4x12xf32>>) {
  %s = graph.weight "s" = uniform(-1.0, 1.0, 1) : tensor<12xf32>
  %w = task.resident %s on @pim
  %a = task.run @pim (%p_1 = %p, %q_1 = %q) {
    %0 = graph.add %p_1, %q_1 : tensor<4x10xf32>, tensor<10xf32>
    task.yield %0
  }
  %b = task.run @pim (%x_1 = %x, %w_1 = %w) {
    %0 = graph.fused (%f = %x_1, %g = %w_1) {
      %1 = graph.mul %f, %g : tensor<2x12xf32>, tensor<12xf32>
      %2 = graph.relu %1 : tensor<2x12xf32>
      graph.yield %2
    }
    task.yield %0
  }
  %d = task.run @pim (%z_1 = %z, %w_1 = %w) {
    %0 = graph.mul %z_1, %w_1 : tensor<4x12xf32>, tensor<12xf32>
    task.yield %0
  }
  func.return %a, %b, %d : !task.on<@pim, tensor<4x10xf32>>, !task.on<@pim, tensor<2x12xf32>>, !task.on<@pim, tensor<4x12xf32>>
}
