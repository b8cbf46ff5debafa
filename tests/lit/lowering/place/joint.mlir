// SLOW
// RUN: ndp-opt %s -p 'place' -t timeline | filecheck %s --check-prefix=BEST
// RUN: ndp-opt %s -p 'place{effort=3}' --check -t timeline 2>&1 | filecheck %s

// One branch has two products, the other one has one. Each copy takes at least 100 ns, and the PIM multiplies faster. Without splits, the long
// branch runs on the PIM; the short one and the sum, of 1.28 and 1.536 us, run serially on the GPU. The default effort rates each split and each chain
// separately, starting and ending on the primary device, and then all serially: 2.944 us. The most effort decides them together: stages of the long
// branch overlap the short one, and the sum starts with the first stage. (With OR-tools the search is exact; without them it finds 2.675 us.)
hw.device @gpu = "toy_gpu" {launch = "0 ns", bandwidth = "1 GB/s"}
hw.device @pim = "toy_pim" {launch = "0 ns"}
hw.link @gpu to @pim = "toy_link" {latency = "100 ns", bandwidth = "10 GB/s"}

//  BEST: makespan 2.944 us
// CHECK: check: place: 1 result equal
// CHECK: makespan {{2.6366|2.675}} us
func.func @main(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %v = graph.weight "v" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %w = graph.weight "w" = uniform(-1.0, 1.0, 2) : tensor<8x8xf32>
  %u = graph.weight "u" = uniform(-1.0, 1.0, 3) : tensor<8x8xf32>
  %a = graph.matmul %x, %v : tensor<16x8xf32>, tensor<8x8xf32>
  %b = graph.matmul %x, %w : tensor<16x8xf32>, tensor<8x8xf32>
  %c = graph.matmul %b, %u : tensor<16x8xf32>, tensor<8x8xf32>
  %y = graph.add %a, %c : tensor<16x8xf32>
  func.return %y : tensor<16x8xf32>
}
