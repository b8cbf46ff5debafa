// A decision on a kernel in a loop counts once per iteration, in both accountings: exp runs in parallel to the two products of each of ten iterations.
// RUN: ndp-opt %s --machine toy-ndp -p 'place{policy=overlap accounting=published}' -t decisions | filecheck %s
// RUN: ndp-opt %s --machine toy-ndp -p 'place{policy=gpu}' --summary | filecheck %s --check-prefix ALONE
// CHECK: parallel  exp          10  13.277 us  21.39 us  21.39 us     0 ns
// CHECK: published   43.763 us  30.486 us    1.436x  30.486 us   0.0 %
// CHECK: full        43.763 us

// The baseline of a program that is a single loop has the same number of iterations.
// ALONE: speed-up   1.00x over @gpu alone at its best (43.763 us)
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %y, %z = graph.repeat %i = 0 to 10 (%a = %x, %b = %w, %u = %w) {
    %c = graph.matmul %a, %u : tensor<64x64xf32>, tensor<64x64xf32>
    %d = graph.matmul %c, %u : tensor<64x64xf32>, tensor<64x64xf32>
    %e = graph.exp %b : tensor<64x64xf32>
    graph.yield %d, %e
  }
  func.return %y, %z : tensor<64x64xf32>, tensor<64x64xf32>
}
