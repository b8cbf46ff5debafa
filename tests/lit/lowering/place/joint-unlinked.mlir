// SLOW
// RUN: ndp-opt %s -p 'place{effort=3}' -t summary 2>&1 | filecheck %s

// One of four devices has no link: a note says so, and the ops are placed on the others.
// CHECK: note: no link joins @gpu and @alone (toy_pim), so no op is placed there
// CHECK: makespan
// CHECK: alone {{ +}}0 {{ +}}0.0 %
hw.device @gpu = "toy_gpu" {launch = "10 ns"}
hw.device @far = "toy_gpu" {launch = "10 ns"}
hw.device @pim = "toy_pim" {launch = "0 ns"}
hw.device @alone = "toy_pim"
hw.link @gpu to @far = "toy_link" {latency = "10 ns"}
hw.link @gpu to @pim = "toy_link" {latency = "10 ns"}
func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
  %b = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
  %c = graph.add %a, %b : tensor<1x32xf32>
  %d = graph.matmul %c, %w : tensor<1x32xf32>, tensor<32x32xf32>
  %e = graph.mul %d, %a : tensor<1x32xf32>
  func.return %e : tensor<1x32xf32>
}
