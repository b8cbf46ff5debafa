// RUN: ndp-opt %s -t timeline | filecheck %s
// RUN: ndp-opt %s -t values | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt %s -t 'pim-trace{kernel=rectified_sum}' | filecheck %s --check-prefix=TRACE

// toy_simd: one write or read per cycle; one add, sub, mul or relu every 2 cycles; 10 cycles from act to any of
// them, from a write to its use, from arithmetic to a read, from a read to pre; act -> pre 100; 100 ns of launch.
hw.device @pim = "toy_simd"

// act 1; write 11 to 14 to bank 0 and 15 to 18 to bank 1; add 28, 30; relu 32, 34; read 44, 45 and 46, 47; pre 101.
// CHECK:      0 ns  201 ns  201 ns  pim  @rectified_sum  row cycles
// Energy in nJ: act 10, 8 writes, 2 adds, 2 relus, 4 reads, pre 10.
// CHECK-SAME: 36 nJ
// TRACE:      0x00000a00 ACT
// TRACE-NEXT: 0x00000a00 WR0
// TRACE-NEXT: 0x00000a40 WR0
// TRACE-NEXT: 0x00000a80 WR0
// TRACE-NEXT: 0x00000ac0 WR0
// TRACE-NEXT: 0x00200a00 WR1
// TRACE:      0x00000a00 ADD
// TRACE-NEXT: 0x00000a40 ADD
// TRACE-NEXT: 0x00000a00 RELU
// TRACE:      0x00200a40 RD1
// TRACE-NEXT: PRE
pim.kernel @rectified_sum on @pim (%x: memref<2x2x8xf32>) -> (%y: memref<2x8xf32>) {
  pim.act all row 5
  pim.for %b = 0 to 2 {
    pim.write bank %b columns 0 to 2 from %x[0, %b]
    pim.write bank %b columns 2 to 4 from %x[1, %b]
  }
  pim.add all columns 0 to 2 and 2
  pim.relu all columns 0 to 2
  pim.for %b = 0 to 2 {
    pim.read bank %b columns 0 to 2 to %y[%b]
  }
  pim.pre all
}

// One bank, whose row stays open: act 1; write 11; mul 21; sub 23; read 33; the data arrives in 34.
// CHECK-NEXT: 201 ns  335 ns  134 ns  pim  @square_less_one  {{.*}} 15 nJ
pim.kernel @square_less_one on @pim (%x: memref<4xf32>, %one: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<4xf32>) {
  pim.act bank 1 row 0
  pim.write bank 1 columns 1 to 2 from %x
  pim.mul bank 1 columns 1 to 2 and 1 into 7
  pim.sub bank 1 columns 7 to 8 and 0
  pim.read bank 1 columns 7 to 8 to %y
}

// Written data is multiplied with the global buffer like a weight: load 1; act 2; write 12; mac 22; drain 32; the data arrives in 33.
// CHECK-NEXT: 335 ns  468 ns  133 ns  pim  @dot
pim.kernel @dot on @pim (%x: memref<4xf32>) -> (%y: memref<1xf32>) {
  pim.load %x
  pim.act bank 0 row 9
  pim.write bank 0 columns 0 to 1 from %x
  pim.mac bank 0 columns 0 to 1
  pim.drain bank 0 to %y
}

// VALUES:      result 0: tensor<2x8xf32>
// VALUES-NEXT: 0 0 0 0 2 4
// VALUES:      result 1: tensor<4xf32>
// VALUES-NEXT: 8 3 0 -1
// VALUES:      result 2: tensor<1xf32>
// VALUES-NEXT: 14
func.func @main() -> (!task.on<@pim, tensor<2x8xf32>>, !task.on<@pim, tensor<4xf32>>, !task.on<@pim, tensor<1xf32>>) {
  %v = graph.constant [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0] : tensor<8xf32>
  %vv = graph.broadcast %v : tensor<8xf32> -> tensor<2x2x8xf32>
  %u = graph.slice %v starts = [0], ends = [4] : tensor<8xf32>
  %1 = graph.constant [[[[[1.0]]]]] : tensor<1x1x1x1x1xf32>
  %w = graph.broadcast %1 : tensor<1x1x1x1x1xf32> -> tensor<1x1x2x1x4xf32>
  %xx = task.resident %vv on @pim
  %x = task.resident %u on @pim
  %one = task.resident %w on @pim
  %a = task.run @pim (%p = %xx) {
    %r = pim.launch @rectified_sum (%p) : (tensor<2x2x8xf32>) -> tensor<2x8xf32>
    task.yield %r
  }
  %b = task.run @pim (%p = %x, %q = %one) {
    %r = pim.launch @square_less_one (%p, %q) : (tensor<4xf32>, tensor<1x1x2x1x4xf32>) -> tensor<4xf32>
    task.yield %r
  }
  %c = task.run @pim (%p = %x) {
    %r = pim.launch @dot (%p) : (tensor<4xf32>) -> tensor<1xf32>
    task.yield %r
  }
  func.return %a, %b, %c : !task.on<@pim, tensor<2x8xf32>>, !task.on<@pim, tensor<4xf32>>, !task.on<@pim, tensor<1xf32>>
}
