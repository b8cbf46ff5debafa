// A bank program written by hand: y = W x for W of 6 x 16, on a PIM of one channel with 2 banks, 4 lanes and round timings.
//
//   ndp-opt examples/gemv.pim.mlir -t timeline
//   ndp-opt examples/gemv.pim.mlir -t values
//   ndp-opt examples/gemv.pim.mlir -t pim-trace
//
// One column of a row holds 4 numbers, so a row of W (16 numbers) takes 4 columns. Two rows of W are in the same row of both banks, and
// are multiplied at once; three bank rows hold all six. The comments state the cycles of the first iteration (`ndp-opt
// --show-device toy_pim` shows the gaps): an iteration takes 110 cycles, since a row stays open for 100 (tRAS) and is closed for 10 (tRP).

hw.device @pim = "toy_pim"

pim.kernel @gemv on @pim (%x: memref<16xf32>, %w: memref<1x3x2x4x4xf32> at row 0) -> (%y: memref<3x2xf32>) {
  pim.load %x                          // cycles 1 to 4: x into the global buffer, 4 columns
  pim.for %r = 0 to 3 {
    pim.act all row %r                 // cycle 5: row r of both banks
    pim.mac all columns 0 to 4         // cycles 15 to 18: ten cycles after the row was opened (tRCD)
    pim.drain all to %y[%r]            // cycle 28: one sum per bank
    pim.pre all                        // cycle 105
  }
}

func.func @main(%x: !task.on<@pim, tensor<16xf32>>) -> !task.on<@pim, tensor<6xf32>> {
  // [outputs, inputs] in the kernel's layout: [channels, rows, banks, columns, lanes]. The layout changes before the program starts.
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<6x16xf32>
  %laid = graph.reshape %w : tensor<6x16xf32> -> tensor<1x3x2x4x4xf32>
  %wp = task.resident %laid on @pim
  %y = task.run @pim (%a = %x, %b = %wp) {
    %0 = pim.launch @gemv (%a, %b) : (tensor<16xf32>, tensor<1x3x2x4x4xf32>) -> tensor<3x2xf32>
    %1 = graph.reshape %0 : tensor<3x2xf32> -> tensor<6xf32>
    task.yield %1
  }
  func.return %y : !task.on<@pim, tensor<6xf32>>
}
