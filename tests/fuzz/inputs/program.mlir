func.func @main(%x: tensor<1x16xf32>, %z: tensor<4x16xf32>) -> (tensor<1x8xf32>, tensor<4x16xf32>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<16x16xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<16x8xf32>
  %0 = graph.matmul %x, %w : tensor<1x16xf32>, tensor<16x16xf32>
  %1 = graph.relu %0 : tensor<1x16xf32>
  %2 = graph.matmul %1, %v : tensor<1x16xf32>, tensor<16x8xf32>
  %3 = graph.softmax %z axis = 1 : tensor<4x16xf32>
  %4 = graph.matmul %3, %w : tensor<4x16xf32>, tensor<16x16xf32>
  %5 = graph.add %4, %z : tensor<4x16xf32>
  func.return %2, %5 : tensor<1x8xf32>, tensor<4x16xf32>
}
