// RUN: ndp-opt %s -t timeline | filecheck %s
// RUN: ndp-opt %s -t values | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt %s -t pim-trace | filecheck %s --check-prefix=TRACE

// toy_pim: one load or mac per cycle; act -> mac 10, mac -> drain 10, drain -> load 1, act -> pre 100, mac -> pre
// 10, pre -> act 10; the last data arrives 1 cycle after the last drain; 100 ns of launch.

hw.device @pim = "toy_pim"

// load 1, 2; act 3; mac 13, 14; drain 24; pre 103. Row 1: act 113; mac 123, 124; drain 134; pre 213: 313 ns with the launch.
// CHECK:      0 ns  313 ns  313 ns  pim  @two_rows
// Energy: two loads, two activates of 10 nJ, four macs, two drains, two precharges of 10 nJ.
// CHECK-SAME: 48 nJ
pim.kernel @two_rows on @pim (%x: memref<8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  pim.load %x
  pim.for %r = 0 to 2 {
    pim.act all row %r
    pim.mac all columns 0 to 2
    pim.drain all to %y[%r]
    pim.pre all
  }
}

// The second vector is loaded while row 0 is open: load 1, 2; act 3; mac 13, 14; drain 24; load 25, 26; mac 27, 28;
// drain 38. The row is not closed, and the program ends one cycle after the drain: 39, and 100 for the launch.
// CHECK-NEXT: 313 ns  452 ns  139 ns  pim  @two_vectors
pim.kernel @two_vectors on @pim (%x: memref<2x8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  pim.load %x[0]
  pim.act all row 1
  pim.mac all columns 0 to 2
  pim.drain all to %y[0]
  pim.load %x[1]
  pim.mac all columns 0 to 2
  pim.drain all to %y[1]
}

// One bank after the other: act bank 0 in 3, bank 1 in 4; mac bank 0 in 13, 14, bank 1 in 15, 16 (its row is open since 14).
// The sums of both banks are read in 26; 27 cycles.
// CHECK-NEXT: 452 ns  579 ns  127 ns  pim  @single_banks
// TRACE:      # @single_banks, channel 0
// TRACE-NEXT: 0x00000000 LOAD
// TRACE-NEXT: 0x00000040 LOAD
// TRACE-NEXT: 0x00000000 ACT0
// TRACE-NEXT: 0x00200200 ACT1
// TRACE-NEXT: 0x00000000 MAC0
// TRACE-NEXT: 0x00000040 MAC0
// TRACE-NEXT: 0x00200200 MAC1
// TRACE-NEXT: 0x00200240 MAC1
// TRACE-NEXT: DRAIN
pim.kernel @single_banks on @pim (%x: memref<8xf32>, %w: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.for %b = 0 to 2 {
    pim.act bank %b row %b
  }
  pim.for %b = 0 to 2 {
    pim.mac bank %b columns 0 to 2
  }
  pim.drain all to %y
}

// x = 0 1 … 7 twice, as two vectors; w[row, bank, column] = 1, so that a sum is 28, except in bank 1 of row 1, whose weights are 2.
// VALUES:      result 0: tensor<2x2xf32>
// VALUES-NEXT: 28 28 28 56
// VALUES-NEXT: result 1: tensor<2x2xf32>
// VALUES-NEXT: 28 56 28 56
// VALUES-NEXT: result 2: tensor<2xf32>
// VALUES-NEXT: 28 56
func.func @main() -> (!task.on<@pim, tensor<2x2xf32>>, !task.on<@pim, tensor<2x2xf32>>, !task.on<@pim, tensor<2xf32>>) {
  %v = graph.constant [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0] : tensor<8xf32>
  %vv = graph.broadcast %v : tensor<8xf32> -> tensor<2x8xf32>
  %b = graph.constant [[[[[1.0]], [[1.0]]], [[[1.0]], [[2.0]]]]] : tensor<1x2x2x1x1xf32>
  %w = graph.broadcast %b : tensor<1x2x2x1x1xf32> -> tensor<1x2x2x2x4xf32>
  %x = task.resident %v on @pim
  %xx = task.resident %vv on @pim
  %wp = task.resident %w on @pim
  %0 = task.run @pim (%a = %x, %c = %wp) {
    %r = pim.launch @two_rows (%a, %c) : (tensor<8xf32>, tensor<1x2x2x2x4xf32>) -> tensor<2x2xf32>
    task.yield %r
  }
  %1 = task.run @pim (%a = %xx, %c = %wp) {
    %r = pim.launch @two_vectors (%a, %c) : (tensor<2x8xf32>, tensor<1x2x2x2x4xf32>) -> tensor<2x2xf32>
    task.yield %r
  }
  %2 = task.run @pim (%a = %x, %c = %wp) {
    %r = pim.launch @single_banks (%a, %c) : (tensor<8xf32>, tensor<1x2x2x2x4xf32>) -> tensor<2xf32>
    task.yield %r
  }
  func.return %0, %1, %2 : !task.on<@pim, tensor<2x2xf32>>, !task.on<@pim, tensor<2x2xf32>>, !task.on<@pim, tensor<2xf32>>
}
