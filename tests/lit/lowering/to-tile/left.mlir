// RUN: ndp-opt %s -p to-tile | filecheck %s

// Products for which there is no template stay with the GPU's library, and say why.
hw.device @gpu = "a100"
func.func @main(%a: tensor<32x64xf32>, %x: tensor<64x32xf16>, %i: tensor<1x4x8x8xf16>, %j: tensor<1x4x8xf16>) -> (tensor<32x32xf32>, tensor<32x32xf16>, tensor<32x32xf16>, tensor<1x4x8x8xf16>, tensor<1x4x6x6xf16>, tensor<1x4x6xf16>) {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<64x32xf32>
  %v = graph.weight "v" = uniform(-0.1, 0.1, 2) : tensor<64x32xf16>
  %f = graph.weight "f" = uniform(-0.1, 0.1, 3) : tensor<4x1x3x3xf16>
  %g = graph.weight "g" = uniform(-0.1, 0.1, 4) : tensor<4x4x2x2xf16>
  %h = graph.weight "h" = uniform(-0.1, 0.1, 5) : tensor<4x4x3xf16>
  %b = graph.weight "b" = uniform(-0.1, 0.1, 6) : tensor<32xf16>
  %x_t = graph.transpose %x permutation = [1, 0] : tensor<64x32xf16>
  // CHECK: graph.matmul {{.*}}tile.why = "graph.matmul multiplies f32, which is left to the GPU's library; narrow it (narrow{to=f16})"
  %0 = graph.matmul %a, %w : tensor<32x64xf32>, tensor<64x32xf32>
  // CHECK: graph.matmul {{.*}}tile.why = "graph.matmul has a first factor that lies as K x M"
  %1 = graph.matmul %x, %v transpose_a : tensor<64x32xf16>, tensor<64x32xf16>
  // CHECK: graph.matmul {{.*}}tile.why = "graph.matmul adds a bias before it rounds"
  %2 = graph.matmul %x_t, %v, %b : tensor<32x64xf16>, tensor<64x32xf16>, tensor<32xf16>
  // CHECK: graph.conv {{.*}}tile.why = "graph.conv has 4 groups of channels"
  %3 = graph.conv %i, %f groups = 4, pads = [1, 1, 1, 1] : tensor<1x4x8x8xf16>, tensor<4x1x3x3xf16>
  // CHECK: graph.conv {{.*}}tile.why = "graph.conv is dilated"
  %4 = graph.conv %i, %g dilations = [2, 2] : tensor<1x4x8x8xf16>, tensor<4x4x2x2xf16>
  // CHECK: graph.conv {{.*}}tile.why = "graph.conv has 1 spatial axis"
  %5 = graph.conv %j, %h : tensor<1x4x8xf16>, tensor<4x4x3xf16>
  func.return %0, %1, %2, %3, %4, %5 : tensor<32x32xf32>, tensor<32x32xf16>, tensor<32x32xf16>, tensor<1x4x8x8xf16>, tensor<1x4x6x6xf16>, tensor<1x4x6xf16>
}
