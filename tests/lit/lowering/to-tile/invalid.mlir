// RUN: not ndp-opt %s -p to-tile 2>&1 | filecheck %s

// CHECK: error: to-tile: the machine has no GPU with multiprocessors (`shared` in its sheet); it has none
hw.device @gpu = "toy_gpu"
func.func @main(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>) -> tensor<32x32xf16> {
  %c = graph.matmul %a, %b : tensor<32x64xf16>, tensor<64x32xf16>
  func.return %c : tensor<32x32xf16>
}
