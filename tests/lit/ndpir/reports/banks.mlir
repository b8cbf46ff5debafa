// Times of bank programs by cause, all of which can be calculated by hand. @gemv's iterations are 110 cycles apart: a row stays open
// for 100 cycles, and its precharge takes 10. Its 12 multiplies need at least 12 cycles, or 6 if the other channel had half of them.
//
// RUN: ndp-opt %s -t banks | filecheck %s
// RUN: ndp-opt %s -t 'banks{kernel=copied}' | filecheck %s --check-prefix=ONE
// RUN: not ndp-opt %s -t 'banks{kernel=none}' 2>&1 | filecheck %s --check-prefix=NONE

hw.device @pim = "toy_simd" {channels = 2, idle = "1 W/device", energy.bit = "1 pJ/bit"}

// CHECK:       kernel  on               launches  channels  cycles    time  bound       limit  above limit  all launches     energy
// CHECK-NEXT:  gemv    @pim = toy_simd         2    1 of 2     325  325 ns  row cycles   6 ns     5316.7 %        850 ns  1.0094 uJ
// CHECK-NEXT:  copied  @pim = toy_simd         1    1 of 2     101  101 ns  row cycles   4 ns     2425.0 %        201 ns  239.05 nJ
// CHECK-EMPTY:
// CHECK-NEXT:  kernel  waits for    cycles  of time
// CHECK-NEXT:  gemv    row cycles      282   86.8 %
// CHECK-NEXT:  gemv    mac cadence      39   12.0 %
// CHECK-NEXT:  gemv    buffer fill       4    1.2 %
// CHECK-NEXT:  copied  row cycles       81   80.2 %
// CHECK-NEXT:  copied  row writes       13   12.9 %
// CHECK-NEXT:  copied  row reads         7    6.9 %
// CHECK-EMPTY:
// CHECK-NEXT:  kernel  command     known as  count    energy  of energy
// CHECK-NEXT:  gemv    load        LOAD          4      4 nJ      0.8 %
// CHECK-NEXT:  gemv    act         ACT           3     30 nJ      5.9 %
// CHECK-NEXT:  gemv    mac         MAC          12     12 nJ      2.4 %
// CHECK-NEXT:  gemv    drain       DRAIN         3      3 nJ      0.6 %
// CHECK-NEXT:  gemv    pre         PRE           3     30 nJ      5.9 %
// CHECK-NEXT:  gemv    data bus                       704 pJ      0.1 %
// CHECK-NEXT:  gemv    background                     425 nJ     84.2 %
// CHECK-NEXT:  copied  act         ACT           1     10 nJ      4.2 %
// CHECK-NEXT:  copied  write       WR            8      8 nJ      3.3 %
// CHECK-NEXT:  copied  read        RD            8      8 nJ      3.3 %
// CHECK-NEXT:  copied  pre         PRE           1     10 nJ      4.2 %
// CHECK-NEXT:  copied  data bus                     2.048 nJ      0.9 %
// CHECK-NEXT:  copied  background                     201 nJ     84.1 %

// ONE-NOT: gemv
// ONE:     copied  @pim = toy_simd
// ONE-NOT: gemv

// NONE: error: banks: there is no kernel none; the program has gemv, copied

pim.kernel @gemv on @pim (%x: memref<16xf32>, %w: memref<1x3x2x4x4xf32> at row 0) -> (%y: memref<3x2xf32>) {
  pim.load %x
  pim.for %r = 0 to 3 {
    pim.act all row %r
    pim.mac all columns 0 to 4
    pim.drain all to %y[%r]
    pim.pre all
  }
}

// One bank at a time writes and reads a column: 8 of each need at least 8 cycles, or 4 in two channels.
pim.kernel @copied on @pim (%a: memref<2x16xf32>) -> (%b: memref<2x16xf32>) {
  pim.act all row 100
  pim.for %n = 0 to 2 {
    pim.write bank %n columns 0 to 4 from %a[%n]
  }
  pim.for %n = 0 to 2 {
    pim.read bank %n columns 0 to 4 to %b[%n]
  }
  pim.pre all
}

func.func @main(%x: !task.on<@pim, tensor<16xf32>>, %a: !task.on<@pim, tensor<2x16xf32>>) -> (!task.on<@pim, tensor<3x2xf32>>, !task.on<@pim, tensor<2x16xf32>>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<1x3x2x4x4xf32>
  %wp = task.resident %w on @pim
  %y = task.run @pim (%1 = %x, %2 = %wp) {
    %0 = pim.launch @gemv (%1, %2) : (tensor<16xf32>, tensor<1x3x2x4x4xf32>) -> tensor<3x2xf32>
    task.yield %0
  }
  %b = task.run @pim (%1 = %a) {
    %0 = pim.launch @copied (%1) : (tensor<2x16xf32>) -> tensor<2x16xf32>
    task.yield %0
  }
  %z = task.run @pim (%1 = %x, %2 = %wp) {
    %0 = pim.launch @gemv (%1, %2) : (tensor<16xf32>, tensor<1x3x2x4x4xf32>) -> tensor<3x2xf32>
    task.yield %0
  }
  func.return %z, %b : !task.on<@pim, tensor<3x2xf32>>, !task.on<@pim, tensor<2x16xf32>>
}
