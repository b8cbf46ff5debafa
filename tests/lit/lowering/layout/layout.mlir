// RUN: ndp-opt %s --split-input-file -p layout --check 2>/dev/null | filecheck %s
// RUN: ndp-opt %s --split-input-file -p layout,layout | filecheck %s
// RUN: not ndp-opt %S/Inputs/wrong.mlir -t timeline 2>&1 | filecheck %s --check-prefix=WRONG

// WRONG: the attribute order is array<i64: 0, 0>, but must list the 2 axes, the outermost first (order = array<i64: 0, 1>); the pass layout adds it

// The argument is row-major: some of its rows are contiguous in each channel only, so the slices are copies, and
// write channels last. So do the convolutions; some of their rows are contiguous, and a concat of rows is a view. A
// reader of some of the rows reads no other rows of each part.
// CHECK-LABEL: @rows
//       CHECK: graph.slice %i starts = [0, 0, 0, 0], ends = [1, 8, 9, 16] : tensor
//       CHECK: graph.slice %i starts = [0, 0, 7, 0], ends = [1, 8, 16, 16] : tensor
//       CHECK: %[[ENDS:.*]] = graph.slice %a starts = [0, 0, 3, 0], ends = [1, 4, 8, 16] {order = array<i64: 0, 2, 3, 1>} :
//       CHECK: graph.concat %[[ENDS]], %b axis = 2 {order = array<i64: 0, 2, 3, 1>} :
//   CHECK-NOT: graph.concat
func.func @rows(%i: tensor<1x8x16x16xf32>, %w: tensor<4x8x3x3xf32>, %v: tensor<2x4x1x1xf32>) -> tensor<1x2x1x1xf32> {
  %0 = graph.slice %i starts = [0, 0, 0, 0], ends = [1, 8, 9, 16] : tensor<1x8x16x16xf32>
  %a = graph.conv %0, %w pads = [1, 1, 0, 1] : tensor<1x8x9x16xf32>, tensor<4x8x3x3xf32>
  %1 = graph.slice %i starts = [0, 0, 7, 0], ends = [1, 8, 16, 16] : tensor<1x8x16x16xf32>
  %b = graph.conv %1, %w pads = [0, 1, 1, 1] : tensor<1x8x9x16xf32>, tensor<4x8x3x3xf32>
  %y = graph.concat %a, %b axis = 2 : tensor<1x4x8x16xf32>, tensor<1x4x8x16xf32>
  %2 = graph.slice %y starts = [0, 0, 3, 0], ends = [1, 4, 16, 16] : tensor<1x4x16x16xf32>
  %c = graph.conv %2, %v : tensor<1x4x13x16xf32>, tensor<2x4x1x1xf32>
  %m = graph.reduce mean %c axes = [2, 3], keep_dims : tensor<1x2x13x16xf32>
  func.return %m : tensor<1x2x1x1xf32>
}

// -----

// An image with one channel: some of its rows are contiguous, wherever the channel axis is.
// CHECK-LABEL: @grey
//       CHECK: graph.slice %i {{.*}} {order = array<i64: 0, 1, 2, 3>} :
func.func @grey(%i: tensor<1x1x16x16xf32>) -> tensor<1x1x1x1xf32> {
  %0 = graph.slice %i starts = [0, 0, 0, 0], ends = [1, 1, 9, 16] : tensor<1x1x16x16xf32>
  %a = graph.relu %0 : tensor<1x1x9x16xf32>
  %m = graph.reduce mean %a axes = [2, 3], keep_dims : tensor<1x1x9x16xf32>
  func.return %m : tensor<1x1x1x1xf32>
}

// -----

// A reshape reads row-major: a concat of rows before it is not contiguous, a concat of channels is.
// CHECK-LABEL: @flat
//       CHECK: graph.concat %a, %b axis = 2 : tensor
//       CHECK: graph.concat %c, %d axis = 1 {order = array<i64: 0, 1, 2, 3>} :
func.func @flat(%i: tensor<1x4x8x8xf32>) -> (tensor<1x512xf32>, tensor<1x512xf32>) {
  %a = graph.relu %i : tensor<1x4x8x8xf32>
  %b = graph.neg %i : tensor<1x4x8x8xf32>
  %y = graph.concat %a, %b axis = 2 : tensor<1x4x8x8xf32>
  %f = graph.reshape %y : tensor<1x4x16x8xf32> -> tensor<1x512xf32>
  %c = graph.abs %i : tensor<1x4x8x8xf32>
  %d = graph.exp %i : tensor<1x4x8x8xf32>
  %z = graph.concat %c, %d axis = 1 : tensor<1x4x8x8xf32>
  %g = graph.reshape %z : tensor<1x8x8x8xf32> -> tensor<1x512xf32>
  func.return %f, %g : tensor<1x512xf32>, tensor<1x512xf32>
}
