// A boundary inside of a group of filters is moved to the nearest boundary between groups.
// RUN: ndp-opt %s -p 'split{axis=1 at=0.3}' | filecheck %s --check-prefix GROUPS
// RUN: ndp-opt %s -p 'split{axis=2 at=0.99}' 2>&1 | filecheck %s --check-prefix EMPTY

// GROUPS: graph.conv {{.*}} : tensor<1x8x16x16xf32>, tensor<16x8x3x3xf32>
// GROUPS: graph.conv {{.*}} groups = 3, {{.*}} : tensor<1x24x16x16xf32>, tensor<48x8x3x3xf32>
// EMPTY: note: graph.conv is not split: at=0.99 of 16 along axis 2 leaves a shard empty
func.func @main(%x: tensor<1x32x16x16xf32>) -> tensor<1x64x16x16xf32> {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<64x8x3x3xf32>
  %y = graph.conv %x, %w groups = 4, pads = [1, 1, 1, 1] : tensor<1x32x16x16xf32>, tensor<64x8x3x3xf32>
  func.return %y : tensor<1x64x16x16xf32>
}
