// Ops whose results are unused cost nothing on the machine that is left if the PIM is not used, either.
// RUN: ndp-opt %s -p place -t timeline 2>/dev/null | filecheck %s
// CHECK: makespan  768 ns
hw.device @gpu = "toy_gpu" {launch = "0 ns", bandwidth = "1 GB/s", channels = 8}
hw.device @pim = "toy_pim" {launch = "100 ns", channels = 1}
hw.link @gpu to @pim = "toy_link" {latency = "1000 ns", bandwidth = "1 GB/s", arbitration = "partitioned"}
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %v0 = graph.relu %y : tensor<4x8xf32>
  %w1 = graph.weight "w1" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %v1 = graph.matmul %v0, %w1 : tensor<4x8xf32>, tensor<8x8xf32>
  %w2 = graph.weight "w2" = uniform(-1.0, 1.0, 2) : tensor<8x8xf32>
  %v2 = graph.matmul %y, %w2 : tensor<4x8xf32>, tensor<8x8xf32>
  %w3 = graph.weight "w3" = uniform(-1.0, 1.0, 3) : tensor<8x8xf32>
  %v3 = graph.matmul %v0, %w3 : tensor<4x8xf32>, tensor<8x8xf32>
  func.return %v3, %v0 : tensor<4x8xf32>, tensor<4x8xf32>
}
