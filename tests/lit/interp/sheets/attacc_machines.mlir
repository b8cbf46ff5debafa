// A GPU with a unit of AttAcc, five stacks of HBM3 of 16 GiB, at 300 GB/s; and eight of both.
// RUN: ndp-opt %s --machine h100-attacc -p 'place{policy=pim-first}' -t timeline | filecheck %s
// RUN: ndp-opt %s --machine a100-attacc -p 'place{policy=pim-first}' -t timeline | filecheck %s
// RUN: ndp-opt --show-device dgx_h100-attacc | filecheck %s --check-prefix=EIGHT
// RUN: ndp-opt --show-device dgx_a100-attacc | filecheck %s --check-prefix=EIGHT
// CHECK:      1.0068 us  gpu->pim  copy %q
// CHECK:      713.85 ns  pim       attention  mac cadence
// EIGHT:      @gpu7
// EIGHT:      @pim7
func.func @main(%q: tensor<1x8x1x128xf16>, %k: tensor<1x8x512x128xf16>, %v: tensor<1x8x512x128xf16>) -> tensor<1x8x1x128xf16> {
  %y = graph.attention %q, %k, %v : tensor<1x8x1x128xf16>, tensor<1x8x512x128xf16>, tensor<1x8x512x128xf16>
  func.return %y : tensor<1x8x1x128xf16>
}
