// RUN: ndp-opt %s -p 'to-tile,place{effort=1}' | filecheck %s
// RUN: ndp-opt %s -p 'to-tile,place{policy=optimal},pipeline-buffers' --summary -o %t 2>&1 | filecheck %s --check-prefix=SUMMARY
// RUN: not ndp-opt %s -p 'to-tile,place{policy=pimflow}' 2>&1 | filecheck %s --check-prefix=CUTS

// A launched kernel runs on the device that it is written for; all other ops are placed around it.
hw.device @gpu = "a100"
hw.device @pim = "aim"
hw.link @gpu to @pim = "on_board"

// SUMMARY: machine    @gpu = a100, @pim = aim
// SUMMARY: speed-up   {{.*}}x over @gpu alone at its best
// CUTS: launches.mlir:{{.*}}: error: tile.launch: policy pimflow splits ops, and a launched kernel cannot be split; name another policy (place{policy=optimal})
func.func @main(%x: tensor<64x128xf16>) -> tensor<64x64xf16> {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<128x64xf16>
  // CHECK: %w_gpu = task.resident %w on @gpu
  // CHECK:      task.run @gpu (
  // CHECK-NEXT:   tile.launch @matmul_64x64x128_f16 (
  // CHECK:      task.run @gpu (
  // CHECK-NEXT:   graph.softmax
  %a = graph.matmul %x, %w : tensor<64x128xf16>, tensor<128x64xf16>
  %b = graph.softmax %a : tensor<64x64xf16>
  func.return %b : tensor<64x64xf16>
}
