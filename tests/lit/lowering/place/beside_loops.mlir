// What is decided in a loop's body counts as often as the loop turns, in both accountings: exp hides beside the two products of each of ten turns.
// RUN: ndp-opt %s --machine toy-ndp -p 'place{policy=overlap accounting=published}' -t decisions | filecheck %s
// CHECK:      parallel  exp          10  13.277 us  21.39 us  21.39 us     0 ns
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %y, %z = graph.repeat %i = 0 to 10 (%a = %x, %b = %w, %u = %w) {
    %c = graph.matmul %a, %u : tensor<64x64xf32>, tensor<64x64xf32>
    %d = graph.matmul %c, %u : tensor<64x64xf32>, tensor<64x64xf32>
    %e = graph.exp %b : tensor<64x64xf32>
    graph.yield %d, %e
  }
  func.return %y, %z : tensor<64x64xf32>, tensor<64x64xf32>
}
