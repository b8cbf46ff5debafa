// On one device all orders end at the same time; with planned moves they do not, so another order than that of the program is tried, too.
// RUN: ndp-opt %s -p 'place{policy=gpu},prefetch' --summary 2>/dev/null | filecheck %s
// CHECK: speed-up   1.00x over @gpu alone at its best (276.02 us, in own types with planned moves in another order)
hw.device @gpu = "toy_gpu" {memory = "800 kB"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: tensor<256x192xf32>, %y: tensor<256x192xf32>) -> (tensor<256x192xf32>, tensor<256x192xf32>, tensor<256x192xf32>, tensor<256x192xf32>) {
  %v0 = graph.add %y, %y : tensor<256x192xf32>, tensor<256x192xf32>
  %w1 = graph.weight "w1" = uniform(-1.0, 1.0, 1) : tensor<192x192xf32>
  %v1 = graph.matmul %v0, %w1 : tensor<256x192xf32>, tensor<192x192xf32>
  %w2 = graph.weight "w2" = uniform(-1.0, 1.0, 2) : tensor<192x192xf32>
  %v2 = graph.matmul %v1, %w2 : tensor<256x192xf32>, tensor<192x192xf32>
  %w3 = graph.weight "w3" = uniform(-1.0, 1.0, 3) : tensor<192x192xf32>
  %v3 = graph.matmul %v2, %w3 : tensor<256x192xf32>, tensor<192x192xf32>
  %w4 = graph.weight "w4" = uniform(-1.0, 1.0, 4) : tensor<192x192xf32>
  %v4 = graph.matmul %v0, %w4 : tensor<256x192xf32>, tensor<192x192xf32>
  %w5 = graph.weight "w5" = uniform(-1.0, 1.0, 5) : tensor<192x192xf32>
  %v5 = graph.matmul %v4, %w5 : tensor<256x192xf32>, tensor<192x192xf32>
  %w6 = graph.weight "w6" = uniform(-1.0, 1.0, 6) : tensor<192x192xf32>
  %v6 = graph.matmul %v3, %w6 : tensor<256x192xf32>, tensor<192x192xf32>
  %w7 = graph.weight "w7" = uniform(-1.0, 1.0, 7) : tensor<192x192xf32>
  %v7 = graph.matmul %v3, %w7 : tensor<256x192xf32>, tensor<192x192xf32>
  %w8 = graph.weight "w8" = uniform(-1.0, 1.0, 8) : tensor<192x192xf32>
  %v8 = graph.matmul %v5, %w8 : tensor<256x192xf32>, tensor<192x192xf32>
  %w9 = graph.weight "w9" = uniform(-1.0, 1.0, 9) : tensor<192x192xf32>
  %v9 = graph.matmul %v5, %w9 : tensor<256x192xf32>, tensor<192x192xf32>
  func.return %v6, %v7, %v8, %v9 : tensor<256x192xf32>, tensor<256x192xf32>, tensor<256x192xf32>, tensor<256x192xf32>
}
