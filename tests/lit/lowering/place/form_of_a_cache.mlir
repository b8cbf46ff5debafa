// Attention over a cache is predicted written out, too: a device may multiply by a cache that lies in its banks.
// RUN: ndp-opt %s -p state,choose-form -o /dev/null 2>&1 | filecheck %s

// CHECK: note: @main is compiled in form `own types{{.*}}`, predicted to end first (own types {{[0-9.]+}} us, own types, attention fused {{[0-9.]+}} us)
hw.device @gpu = "a100"
func.func @main(%q: tensor<1x8x1x64xf16>, %k: tensor<1x2x255x64xf16>, %v: tensor<1x2x255x64xf16>, %nk: tensor<1x2x1x64xf16>, %nv: tensor<1x2x1x64xf16>) -> (tensor<1x8x1x64xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>) {
  %keys = graph.concat %k, %nk axis = 2 : tensor<1x2x255x64xf16>, tensor<1x2x1x64xf16>
  %values = graph.concat %v, %nv axis = 2 : tensor<1x2x255x64xf16>, tensor<1x2x1x64xf16>
  %y = graph.attention %q, %keys, %values : tensor<1x8x1x64xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>
  func.return %y, %keys, %values : tensor<1x8x1x64xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>
}
