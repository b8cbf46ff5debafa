// RUN: not ndp-opt %s -p 'to-pim{device=gpu}' 2>&1 | filecheck %s
// RUN: not ndp-opt %s -p 'to-pim{device=none}' 2>&1 | filecheck %s --check-prefix=NONE

// CHECK: error: to-pim: the machine has no PIM @gpu; its PIMs are @pim
// NONE: error: to-pim: the machine has no PIM @none; its PIMs are @pim
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  func.return %x : tensor<1x4xf32>
}
