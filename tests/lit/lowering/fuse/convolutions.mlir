// Gradients of convolutions in the form that JAX prints, after import, with the ops that move their operands.
// RUN: ndp-opt %s -p fuse --check | filecheck %s
// RUN: ndp-opt %s -p 'fuse{without=conv_backward_data,conv_backward_weight}' | filecheck %s --check-prefix=OFF
// RUN: ndp-opt %s --machine a100 -p 'fuse,place{policy=gpu}' -t timeline | filecheck %s --check-prefix=TIME

// TIME: conv_backward_weight
// TIME-NEXT: conv_backward_data
// OFF-NOT: graph.fused

// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %{{.*}} = graph.fused conv_backward_weight (
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.conv
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.yield
// CHECK: graph.fused conv_backward_data (
// CHECK-NOT: graph.fused
// CHECK: func.return
func.func @main(%x: tensor<4x16x16x8xf32>, %w: tensor<3x3x8x8xf32>, %dy: tensor<4x8x8x8xf32>) -> (tensor<3x3x8x8xf32>, tensor<4x16x16x8xf32>) {
  %0 = graph.transpose %x permutation = [3, 0, 1, 2] : tensor<4x16x16x8xf32>
  %1 = graph.transpose %dy permutation = [3, 0, 1, 2] : tensor<4x8x8x8xf32>
  %2 = graph.conv %0, %1 pads = [0, 0, 1, 1], dilations = [2, 2] : tensor<8x4x16x16xf32>, tensor<8x4x8x8xf32>
  %3 = graph.transpose %2 permutation = [2, 3, 0, 1] : tensor<8x8x3x3xf32>
  %4 = graph.slice %w starts = [2, 2, 0, 0], ends = [-1, -1, 8, 8], steps = [-1, -1, 1, 1] : tensor<3x3x8x8xf32>
  %5 = graph.transpose %dy permutation = [0, 3, 1, 2] : tensor<4x8x8x8xf32>
  %6 = graph.transpose %4 permutation = [2, 3, 0, 1] : tensor<3x3x8x8xf32>
  %7 = graph.reshape %5 : tensor<4x8x8x8xf32> -> tensor<4x8x8x1x8xf32>
  %8 = graph.pad %7 low = [0, 0, 0, 0, 0], high = [0, 0, 0, 1, 0] : tensor<4x8x8x1x8xf32>
  %9 = graph.reshape %8 : tensor<4x8x8x2x8xf32> -> tensor<4x8x16x8xf32>
  %10 = graph.slice %9 starts = [0, 0, 0, 0], ends = [4, 8, 15, 8] : tensor<4x8x16x8xf32>
  %11 = graph.reshape %10 : tensor<4x8x15x8xf32> -> tensor<4x8x15x8x1xf32>
  %12 = graph.pad %11 low = [0, 0, 0, 0, 0], high = [0, 0, 0, 0, 1] : tensor<4x8x15x8x1xf32>
  %13 = graph.reshape %12 : tensor<4x8x15x8x2xf32> -> tensor<4x8x15x16xf32>
  %14 = graph.slice %13 starts = [0, 0, 0, 0], ends = [4, 8, 15, 15] : tensor<4x8x15x16xf32>
  %15 = graph.conv %14, %6 pads = [2, 2, 1, 1] : tensor<4x8x15x15xf32>, tensor<8x8x3x3xf32>
  %16 = graph.transpose %15 permutation = [0, 2, 3, 1] : tensor<4x8x16x16xf32>
  func.return %3, %16 : tensor<3x3x8x8xf32>, tensor<4x16x16x8xf32>
}

// This is no gradient, but a plain convolution of images whose axes are moved.
// CHECK-LABEL: func.func @forward(
// CHECK-NOT: conv_backward
// CHECK: func.return
func.func @forward(%x: tensor<4x16x16x8xf32>, %w: tensor<3x3x8x8xf32>) -> tensor<4x8x14x14xf32> {
  %0 = graph.transpose %x permutation = [0, 3, 1, 2] : tensor<4x16x16x8xf32>
  %1 = graph.transpose %w permutation = [3, 2, 0, 1] : tensor<3x3x8x8xf32>
  %2 = graph.conv %0, %1 : tensor<4x8x16x16xf32>, tensor<8x8x3x3xf32>
  func.return %2 : tensor<4x8x14x14xf32>
}

// With channels first, zeros are inserted into the gradient without a transpose: the first view stays outside of the kernel.
// CHECK-LABEL: func.func @channels_first(
// CHECK: graph.reshape %dy : tensor<4x8x8x8xf32> -> tensor<4x8x8x1x8xf32>
// CHECK: graph.fused conv_backward_data (
func.func @channels_first(%dy: tensor<4x8x8x8xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<4x8x16x16xf32> {
  %0 = graph.slice %w starts = [0, 0, 2, 2], ends = [8, 8, -1, -1], steps = [1, 1, -1, -1] : tensor<8x8x3x3xf32>
  %1 = graph.transpose %0 permutation = [1, 0, 2, 3] : tensor<8x8x3x3xf32>
  %2 = graph.reshape %dy : tensor<4x8x8x8xf32> -> tensor<4x8x8x1x8xf32>
  %3 = graph.pad %2 low = [0, 0, 0, 0, 0], high = [0, 0, 0, 1, 0] : tensor<4x8x8x1x8xf32>
  %4 = graph.reshape %3 : tensor<4x8x8x2x8xf32> -> tensor<4x8x16x8xf32>
  %5 = graph.slice %4 starts = [0, 0, 0, 0], ends = [4, 8, 15, 8] : tensor<4x8x16x8xf32>
  %6 = graph.reshape %5 : tensor<4x8x15x8xf32> -> tensor<4x8x15x8x1xf32>
  %7 = graph.pad %6 low = [0, 0, 0, 0, 0], high = [0, 0, 0, 0, 1] : tensor<4x8x15x8x1xf32>
  %8 = graph.reshape %7 : tensor<4x8x15x8x2xf32> -> tensor<4x8x15x16xf32>
  %9 = graph.slice %8 starts = [0, 0, 0, 0], ends = [4, 8, 15, 15] : tensor<4x8x15x16xf32>
  %10 = graph.conv %9, %1 pads = [2, 2, 1, 1] : tensor<4x8x15x15xf32>, tensor<8x8x3x3xf32>
  func.return %10 : tensor<4x8x16x16xf32>
}
