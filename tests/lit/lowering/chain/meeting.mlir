// Two chains that end in one op, such as a block and the convolution of its shortcut, form one region.
// RUN: ndp-opt %s -p chain --check 2>&1 | filecheck %s

// CHECK:     check: chain: 1 result equal
// CHECK:     graph.add {{.*}} : tensor<1x4x4x8xf32>
// CHECK:     graph.add {{.*}} : tensor<1x4x4x8xf32>
// CHECK-NOT: graph.add
func.func @f(%x: tensor<1x4x8x8xf32>, %v: tensor<4x4x3x3xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %a = graph.conv %x, %v pads = [1, 1, 1, 1] : tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>
  %b = graph.conv %a, %w : tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>
  %c = graph.conv %x, %w : tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>
  %d = graph.conv %c, %w : tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>
  %y = graph.add %b, %d : tensor<1x4x8x8xf32>
  func.return %y : tensor<1x4x8x8xf32>
}
