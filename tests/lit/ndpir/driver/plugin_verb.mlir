// A plugin's verb is defined by one class and one function: syntax, time, checks and results follow from them.
// RUN: ndp-opt --plugin %S/../../../../examples/plugin/verb.py %s | ndp-opt --plugin %S/../../../../examples/plugin/verb.py | filecheck %s
// RUN: ndp-opt --plugin %S/../../../../examples/plugin/verb.py %s --print-op-generic | ndp-opt --plugin %S/../../../../examples/plugin/verb.py | filecheck %s
// RUN: ndp-opt --plugin %S/../../../../examples/plugin/verb.py %s -t timeline | filecheck %s --check-prefix=TIME
// RUN: ndp-opt --plugin %S/../../../../examples/plugin/verb.py %s -t banks | filecheck %s --check-prefix=BANKS
// RUN: ndp-opt --plugin %S/../../../../examples/plugin/verb.py %s -t values | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt --plugin %S/../../../../examples/plugin/verb.py %s -t pim-trace | filecheck %s --check-prefix=TRACE
// RUN: sed 's/fold all from 1/fold all from 1 into 2/' %s | not ndp-opt --plugin %S/../../../../examples/plugin/verb.py -t timeline 2>&1 | filecheck %s --check-prefix=FAR
// RUN: sed '/columns 2 to 4/d' %s | not ndp-opt --plugin %S/../../../../examples/plugin/verb.py -t timeline 2>&1 | filecheck %s --check-prefix=MISSING

hw.device @pim = "toy_fold"

// load 1 to 4, act 5, mac 15 to 18; fold 23, 5 cycles after the last mac; drain 28, 5 after the fold, and 10 after
// the mac; the end is at 29, and 100 for the launch. Energy: loads 4 nJ, activate 10, four macs 4, fold 2, drain 1.
// TIME: 129 ns  pim  @halves
// TIME-SAME: 21 nJ
// BANKS:      halves  fold     FOLD          1    2 nJ
// TRACE:      FOLD
// TRACE-NEXT: DRAIN
// The sum of both halves equals the sum of all.
// VALUES:      result 0
// VALUES-NEXT: [[SUMS:-?[0-9.]+ -?[0-9.]+]]
// VALUES-NEXT: result 1
// VALUES-NEXT: [[SUMS]]
// FAR: error: verb.fold: accumulator 2 is out of range; toy_fold has 2 accumulators of a bank (0 to 1)
// MISSING: error: verb.fold: an accumulator of the addressed banks holds no sum; multiply first (pim.mac)
// CHECK: verb.fold all from 1{{$}}
pim.kernel @halves on @pim (%x: memref<16xf32>, %w: memref<1x1x2x4x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.act all row 0
  pim.mac all columns 0 to 2
  pim.mac all columns 2 to 4 into 1
  verb.fold all from 1
  pim.drain all to %y
}

pim.kernel @whole on @pim (%x: memref<16xf32>, %w: memref<1x1x2x4x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.act all row 0
  pim.mac all columns 0 to 4
  pim.drain all to %y
}

func.func @main(%x: tensor<16xf32>, %w: tensor<1x1x2x4x4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %y = pim.launch @halves (%x, %w) : (tensor<16xf32>, tensor<1x1x2x4x4xf32>) -> tensor<2xf32>
  %z = pim.launch @whole (%x, %w) : (tensor<16xf32>, tensor<1x1x2x4x4xf32>) -> tensor<2xf32>
  func.return %y, %z : tensor<2xf32>, tensor<2xf32>
}
