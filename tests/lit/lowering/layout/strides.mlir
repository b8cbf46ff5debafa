// RUN: ndp-opt %s -p 'split{op=conv axis=2},layout' --check 2>/dev/null | filecheck %s

// With a stride of two, no window reads the last column. The parts include it anyway: without it, the rows of a
// part would not be contiguous.
// CHECK: graph.slice %x starts = [0, 0, 0, 0], ends = [1, 4, 7, 8] {order = array<i64: 0, 2, 3, 1>}
// CHECK: graph.slice %x starts = [0, 0, 8, 0], ends = [1, 4, 15, 8] {order = array<i64: 0, 2, 3, 1>}
// CHECK: graph.concat {{.*}} axis = 2 {order = array<i64: 0, 2, 3, 1>}
func.func @main(%i: tensor<1x4x16x8xf32>) -> tensor<1x4x1x1xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4x1x1xf32>
  %x = graph.relu %i : tensor<1x4x16x8xf32>
  %y = graph.conv %x, %w strides = [2, 2] : tensor<1x4x16x8xf32>, tensor<4x4x1x1xf32>
  %m = graph.reduce mean %y axes = [2, 3], keep_dims : tensor<1x4x8x4xf32>
  func.return %m : tensor<1x4x1x1xf32>
}
