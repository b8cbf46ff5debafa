// RUN: ndp-opt %s -t timeline | filecheck %s --check-prefix=TIME
// RUN: ndp-opt %s | ndp-opt | filecheck %s --check-prefix=TEXT
// RUN: ndp-opt %s -p to-pim | filecheck %s
// RUN: ndp-opt %s -p to-pim --check -t values | filecheck %s --check-prefix=VALUES

// A task's `pim.plan` selects the bank program of its op: here not the fastest one, but one for one of two channels
// with one tile per row. A task of several ops has a plan for each op, and `unit` leaves an op's plan open.

// TIME: 201 ns  201 ns  pim  matmul
// TIME: 531 ns  pim  matmul
// TIME: 732 ns  pim  matmul+matmul

// TEXT: } attributes {pim.plan = #pim.mapping<row, rows = 4>}
// TEXT: } attributes {pim.plan = [unit, #pim.mapping<row, rows = 4>]}

// Each form of the product has its own kernel, and its own layout of the weights in the banks.
// CHECK:     pim.kernel @matmul_1x8x16_f32 on @pim (%x: memref<1x16xf32>, %w: memref<2x1x2x8x4xf32> at row 0)
// CHECK:     pim.kernel @matmul_1x8x16_f32_pim on @pim (%x: memref<1x16xf32>, %w: memref<1x4x2x4x4xf32> at row 0)
// CHECK:       pim.channels %c = 0 to 1 {
// CHECK-NEXT:    pim.for %t = 0 to 4 {
// CHECK-NEXT:      pim.act all row %t
// CHECK-NOT: pim.kernel
// CHECK:     pim.launch @matmul_1x8x16_f32 (
// CHECK:     pim.launch @matmul_1x8x16_f32_pim (
// CHECK:     pim.launch @matmul_1x8x16_f32 (
// CHECK:     pim.launch @matmul_1x8x16_f32_pim (
// CHECK-NOT: pim.plan

// VALUES:      result 0: tensor<1x8xf32>, mean 0.3126
// VALUES-NEXT: [[ROW:  -0.9975.*]]
// VALUES-NEXT: result 1
// VALUES-NEXT: [[ROW]]
// VALUES-NEXT: result 2
// VALUES-NEXT: [[ROW]]

hw.device @pim = "toy_pim" {channels = 2}

func.func @main(%x: !task.on<@pim, tensor<1x16xf32>>)
    -> (!task.on<@pim, tensor<1x8xf32>>, !task.on<@pim, tensor<1x8xf32>>, !task.on<@pim, tensor<1x8xf32>>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<16x8xf32>
  %wp = task.resident %w on @pim
  %a = task.run @pim (%i = %x, %v = %wp) {
    %0 = graph.matmul %i, %v : tensor<1x16xf32>, tensor<16x8xf32>
    task.yield %0
  }
  %b = task.run @pim (%i = %x, %v = %wp) {
    %0 = graph.matmul %i, %v : tensor<1x16xf32>, tensor<16x8xf32>
    task.yield %0
  } attributes {pim.plan = #pim.mapping<row, rows = 4>}
  %c:2 = task.run @pim (%i = %x, %v = %wp) {
    %0 = graph.matmul %i, %v : tensor<1x16xf32>, tensor<16x8xf32>
    %1 = graph.matmul %i, %v : tensor<1x16xf32>, tensor<16x8xf32>
    task.yield %0, %1
  } attributes {pim.plan = [unit, #pim.mapping<row, rows = 4>]}
  func.return %a, %b, %c#1 : !task.on<@pim, tensor<1x8xf32>>, !task.on<@pim, tensor<1x8xf32>>, !task.on<@pim, tensor<1x8xf32>>
}
