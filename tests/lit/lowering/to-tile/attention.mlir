// SLOW
// Attention becomes a kernel if an option enables it; its results stay the same, and pipelining makes it faster.
// RUN: ndp-opt %s -p to-tile | filecheck %s --check-prefix=LEFT
// RUN: ndp-opt %s -p "to-tile{attention=true}" | filecheck %s
// RUN: ndp-opt %s -p "to-tile{attention=true},pipeline-buffers" -t values | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt %s -t values | filecheck %s --check-prefix=VALUES
hw.device @gpu = "a100"
// LEFT: graph.attention
// CHECK:      tile.kernel @attention_1x2x200x64x200_f16 on @gpu (%q: memref<1x2x200x64xf16>, %k: memref<1x2x200x64xf16>, %v: memref<1x2x200x64xf16>) -> (%y: memref<1x2x200x64xf16>) attributes {tile.scale = {{[0-9.]+}} : f64} {
// CHECK:        tile.mma %qf{{.*}}, across %kf into %s
// CHECK:        graph.exp
// CHECK:        tile.mma %pf{{.*}}, %vf into %o
// CHECK:      tile.launch @attention_1x2x200x64x200_f16 (
// CHECK-NOT:  graph.attention
// VALUES:     result 0: tensor<1x2x200x64xf16>, mean 0.00216{{.*}}, std 0.1038
func.func @main(%q: tensor<1x2x200x64xf16>, %k: tensor<1x2x200x64xf16>, %v: tensor<1x2x200x64xf16>) -> tensor<1x2x200x64xf16> {
  %y = graph.attention %q, %k, %v causal : tensor<1x2x200x64xf16>, tensor<1x2x200x64xf16>, tensor<1x2x200x64xf16>
  func.return %y : tensor<1x2x200x64xf16>
}
