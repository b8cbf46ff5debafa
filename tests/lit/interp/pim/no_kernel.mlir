// RUN: not ndp-opt %s -t pim-trace 2>&1 | filecheck %s

// CHECK: error: pim-trace: the program has no pim.kernel; lower it first
hw.device @pim = "toy_pim"
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
