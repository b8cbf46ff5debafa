// RUN: ndp-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @reshapes(
// CHECK-NEXT: %b = graph.reshape %x : tensor<2x3x4xf32> -> tensor<24xf32>
// CHECK-NEXT: func.return %b, %x : tensor<24xf32>, tensor<2x3x4xf32>
func.func @reshapes(%x: tensor<2x3x4xf32>) -> (tensor<24xf32>, tensor<2x3x4xf32>) {
  %a = graph.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %b = graph.reshape %a : tensor<6x4xf32> -> tensor<24xf32>
  %c = graph.reshape %b : tensor<24xf32> -> tensor<2x3x4xf32>
  func.return %b, %c : tensor<24xf32>, tensor<2x3x4xf32>
}

// Axes of extent 1 may move without a copy: such a transpose is a view.
// CHECK-LABEL: func.func @transposes(
// CHECK-NEXT: %b = graph.transpose %x permutation = [2, 0, 1] : tensor<2x3x4xf32>
// CHECK-NEXT: %d = graph.reshape %u : tensor<1x5x1x7xf32> -> tensor<1x1x5x7xf32>
// CHECK-NEXT: func.return %b, %x, %d : tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<1x1x5x7xf32>
func.func @transposes(%x: tensor<2x3x4xf32>, %u: tensor<1x5x1x7xf32>) -> (tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<1x1x5x7xf32>) {
  %a = graph.transpose %x permutation = [1, 0, 2] : tensor<2x3x4xf32>
  %b = graph.transpose %a permutation = [2, 1, 0] : tensor<3x2x4xf32>
  %c = graph.transpose %b permutation = [1, 2, 0] : tensor<4x2x3xf32>
  %d = graph.transpose %u permutation = [0, 2, 1, 3] : tensor<1x5x1x7xf32>
  func.return %b, %c, %d : tensor<4x2x3xf32>, tensor<2x3x4xf32>, tensor<1x1x5x7xf32>
}

// CHECK-LABEL: func.func @concats(
// CHECK-NEXT: %c = graph.concat %x, %y, %y axis = 0 : tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>
// CHECK-NEXT: %d = graph.concat %y, %x axis = 0 : tensor<1x3xf32>, tensor<2x3xf32>
// CHECK-NEXT: func.return %x, %c, %d : tensor<2x3xf32>, tensor<4x3xf32>, tensor<3x3xf32>
func.func @concats(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>, %n: tensor<0x3xf32>) -> (tensor<2x3xf32>, tensor<4x3xf32>, tensor<3x3xf32>) {
  %a = graph.concat %x axis = 0 : tensor<2x3xf32>
  %b = graph.concat %x, %y axis = 0 : tensor<2x3xf32>, tensor<1x3xf32>
  %c = graph.concat %b, %y axis = -2 : tensor<3x3xf32>, tensor<1x3xf32>
  %d = graph.concat %y, %n, %x axis = 0 : tensor<1x3xf32>, tensor<0x3xf32>, tensor<2x3xf32>
  func.return %a, %c, %d : tensor<2x3xf32>, tensor<4x3xf32>, tensor<3x3xf32>
}

// CHECK-LABEL: func.func @slices(
// CHECK-NEXT: %c = graph.slice %x starts = [4, 3], ends = [7, 6], steps = [2, 1] : tensor<8x6xf32>
// CHECK-NEXT: %e = graph.slice %x starts = [5, 0], ends = [2, 6], steps = [-2, 1] : tensor<8x6xf32>
// CHECK-NEXT: %f = graph.slice %x starts = [1, 0], ends = [2, 6] : tensor<8x6xf32>
// CHECK-NEXT: func.return %x, %c, %e, %f : tensor<8x6xf32>, tensor<2x3xf32>, tensor<2x6xf32>, tensor<1x6xf32>
func.func @slices(%x: tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<2x3xf32>, tensor<2x6xf32>, tensor<1x6xf32>) {
  %a = graph.slice %x starts = [0, 0], ends = [8, 6] : tensor<8x6xf32>
  %b = graph.slice %x starts = [2, 1], ends = [8, 6], steps = [2, 1] : tensor<8x6xf32>
  %c = graph.slice %b starts = [1, 2], ends = [3, 5] : tensor<3x5xf32>
  %d = graph.slice %x starts = [7, 0], ends = [-1, 6], steps = [-2, 1] : tensor<8x6xf32>
  %e = graph.slice %d starts = [1, 0], ends = [3, 6] : tensor<4x6xf32>
  %f = graph.slice %d starts = [3, 0], ends = [-1, 6], steps = [-4, 1] : tensor<4x6xf32>
  func.return %a, %c, %e, %f : tensor<8x6xf32>, tensor<2x3xf32>, tensor<2x6xf32>, tensor<1x6xf32>
}

// CHECK-LABEL: func.func @parts(
// CHECK-NEXT: %a = graph.concat %x, %y axis = 0 : tensor<2x3xf32>, tensor<4x3xf32>
// CHECK-NEXT: %b = graph.slice %y starts = [1, 0], ends = [3, 3] : tensor<4x3xf32>
// CHECK-NEXT: %c = graph.slice %a starts = [1, 0], ends = [4, 3] : tensor<6x3xf32>
// CHECK-NEXT: func.return %b, %c, %y : tensor<2x3xf32>, tensor<3x3xf32>, tensor<4x3xf32>
func.func @parts(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<3x3xf32>, tensor<4x3xf32>) {
  %a = graph.concat %x, %y axis = 0 : tensor<2x3xf32>, tensor<4x3xf32>
  %b = graph.slice %a starts = [3, 0], ends = [5, 3] : tensor<6x3xf32>
  %c = graph.slice %a starts = [1, 0], ends = [4, 3] : tensor<6x3xf32>
  %d = graph.slice %y starts = [0, 0], ends = [1, 3] : tensor<4x3xf32>
  %e = graph.slice %y starts = [1, 0], ends = [4, 3] : tensor<4x3xf32>
  %f = graph.concat %d, %e axis = 0 : tensor<1x3xf32>, tensor<3x3xf32>
  func.return %b, %c, %f : tensor<2x3xf32>, tensor<3x3xf32>, tensor<4x3xf32>
}

// A slice reads two of three parts, so it needs no concat with the third. A slice that reads all parts stays.
// CHECK-LABEL: func.func @several_parts(
// CHECK-NEXT: %a = graph.concat %x, %y, %z axis = 0 : tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x3xf32>
// CHECK-NEXT: %0 = graph.slice %x starts = [1, 0], ends = [2, 2] : tensor<2x3xf32>
// CHECK-NEXT: %1 = graph.slice %y starts = [0, 0], ends = [4, 2] : tensor<4x3xf32>
// CHECK-NEXT: %b = graph.concat %0, %1 axis = 0 : tensor<1x2xf32>, tensor<4x2xf32>
// CHECK-NEXT: %c = graph.slice %a starts = [1, 0], ends = [7, 3] : tensor<8x3xf32>
// CHECK-NEXT: func.return %b, %c : tensor<5x2xf32>, tensor<6x3xf32>
func.func @several_parts(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>, %z: tensor<2x3xf32>) -> (tensor<5x2xf32>, tensor<6x3xf32>) {
  %a = graph.concat %x, %y, %z axis = 0 : tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x3xf32>
  %b = graph.slice %a starts = [1, 0], ends = [6, 2] : tensor<8x3xf32>
  %c = graph.slice %a starts = [1, 0], ends = [7, 3] : tensor<8x3xf32>
  func.return %b, %c : tensor<5x2xf32>, tensor<6x3xf32>
}

// A slice reads one of two parts, whose axes were moved after they were joined, so that it needs no concat.
// CHECK-LABEL: func.func @moved_parts(
// CHECK: %2 = graph.slice %1 starts = [0, 0, 1], ends = [4, 1, 3] : tensor<4x1x6xf32>
// CHECK-NEXT: %d = graph.reshape %2 : tensor<4x1x2xf32> -> tensor<4x2xf32>
// CHECK-NEXT: %e = graph.transpose %a permutation = [1, 0, 2] : tensor<4x2x6xf32>
func.func @moved_parts(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<2x1x4x6xf32>) {
  %0 = graph.reshape %x : tensor<4x6xf32> -> tensor<4x1x6xf32>
  %1 = graph.reshape %y : tensor<4x6xf32> -> tensor<4x1x6xf32>
  %a = graph.concat %0, %1 axis = 1 : tensor<4x1x6xf32>
  %b = graph.transpose %a permutation = [0, 2, 1] : tensor<4x2x6xf32>
  %c = graph.slice %b starts = [0, 1, 1], ends = [4, 3, 2] : tensor<4x6x2xf32>
  %d = graph.reshape %c : tensor<4x2x1xf32> -> tensor<4x2xf32>
  %e = graph.transpose %b permutation = [2, 0, 1] : tensor<4x6x2xf32>
  %f = graph.reshape %e : tensor<2x4x6xf32> -> tensor<2x1x4x6xf32>
  func.return %d, %f : tensor<4x2xf32>, tensor<2x1x4x6xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK-NEXT: %a = graph.slice %x starts = [4, 0, 0], ends = [5, 1, 2] : tensor<6x1x2xf32>
// CHECK-NEXT: %b = graph.slice %x starts = [5, 0, 0], ends = [2, 1, 2], steps = [-2, 1, 1] : tensor<6x1x2xf32>
func.func @rows(%x: tensor<6x1x2xf32>) -> (tensor<1x1x2xf32>, tensor<2x1x2xf32>) {
  %i = graph.constant -2 : tensor<1x1xi64>
  %a = graph.gather_nd %x, %i : tensor<6x1x2xf32>, tensor<1x1xi64>
  %j = graph.constant [[5], [3]] : tensor<2x1xi64>
  %b = graph.gather_nd %x, %j : tensor<6x1x2xf32>, tensor<2x1xi64>
  func.return %a, %b : tensor<1x1x2xf32>, tensor<2x1x2xf32>
}

// CHECK-LABEL: func.func @pads(
// CHECK-NEXT: %b = graph.pad %x low = [1, 0], high = [0, 0] : tensor<2x3xf32>
// CHECK-NEXT: %c = graph.pad %x low = [2, 0], high = [1, 0] : tensor<2x3xf32>
// CHECK-NEXT: %d = graph.pad %b low = [1, 0], high = [0, 0], value = 1.0 : tensor<3x3xf32>
// CHECK-NEXT: func.return %x, %c, %d : tensor<2x3xf32>, tensor<5x3xf32>, tensor<4x3xf32>
func.func @pads(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<5x3xf32>, tensor<4x3xf32>) {
  %a = graph.pad %x low = [0, 0], high = [0, 0] : tensor<2x3xf32>
  %b = graph.pad %x low = [1, 0], high = [0, 0] : tensor<2x3xf32>
  %c = graph.pad %b low = [1, 0], high = [1, 0] : tensor<3x3xf32>
  %d = graph.pad %b low = [1, 0], high = [0, 0], value = 1.0 : tensor<3x3xf32>
  func.return %a, %c, %d : tensor<2x3xf32>, tensor<5x3xf32>, tensor<4x3xf32>
}

// A gather with consecutive indices becomes a slice; other gathers stay, also those with indices out of range, which a run reports.
// CHECK-LABEL: func.func @gathers(
// CHECK-NEXT: %l = graph.constant [0, 1, 3] : tensor<3xi64>
// CHECK-NEXT: %m = graph.constant 8 : tensor<1xi64>
// CHECK-NEXT: %0 = graph.slice %x starts = [7, 0], ends = [8, 3] : tensor<8x3xf32>
// CHECK-NEXT: %a = graph.reshape %0 : tensor<1x3xf32> -> tensor<3xf32>
// CHECK-NEXT: %1 = graph.slice %x starts = [1, 0], ends = [8, 3], steps = [2, 1] : tensor<8x3xf32>
// CHECK-NEXT: %b = graph.reshape %1 : tensor<4x3xf32> -> tensor<2x2x3xf32>
// CHECK-NEXT: %c = graph.slice %x starts = [4, 0], ends = [1, 3], steps = [-2, 1] : tensor<8x3xf32>
// CHECK-NEXT: %d = graph.gather %x, %l : tensor<8x3xf32>, tensor<3xi64>
// CHECK-NEXT: %e = graph.gather %x, %m : tensor<8x3xf32>, tensor<1xi64>
// CHECK-NEXT: func.return %a, %b, %c, %d, %e : tensor<3xf32>, tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>, tensor<1x3xf32>
func.func @gathers(%x: tensor<8x3xf32>) -> (tensor<3xf32>, tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>, tensor<1x3xf32>) {
  %i = graph.constant -1 : tensor<i64>
  %j = graph.constant [[1, 3], [5, 7]] : tensor<2x2xi64>
  %k = graph.constant [4, 2] : tensor<2xi64>
  %l = graph.constant [0, 1, 3] : tensor<3xi64>
  %m = graph.constant 8 : tensor<1xi64>
  %a = graph.gather %x, %i axis = 0 : tensor<8x3xf32>, tensor<i64>
  %b = graph.gather %x, %j axis = 0 : tensor<8x3xf32>, tensor<2x2xi64>
  %c = graph.gather %x, %k axis = 0 : tensor<8x3xf32>, tensor<2xi64>
  %d = graph.gather %x, %l axis = 0 : tensor<8x3xf32>, tensor<3xi64>
  %e = graph.gather %x, %m axis = 0 : tensor<8x3xf32>, tensor<1xi64>
  func.return %a, %b, %c, %d, %e : tensor<3xf32>, tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>, tensor<1x3xf32>
}

// CHECK-LABEL: func.func @reductions(
// CHECK-NEXT: %a = graph.reshape %x : tensor<2x1x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %d = graph.reduce max %x axes = [0, 2] : tensor<2x1x4xf32>
// CHECK-NEXT: %e = graph.reduce sum %x axes = [0] : tensor<2x1x4xf32>
// CHECK-NEXT: func.return %a, %x, %d, %e : tensor<2x4xf32>, tensor<2x1x4xf32>, tensor<1xf32>, tensor<1x4xf32>
func.func @reductions(%x: tensor<2x1x4xf32>) -> (tensor<2x4xf32>, tensor<2x1x4xf32>, tensor<1xf32>, tensor<1x4xf32>) {
  %a = graph.reduce mean %x axes = [1] : tensor<2x1x4xf32>
  %b = graph.reduce sum %x axes = [1], keep_dims : tensor<2x1x4xf32>
  %c = graph.reduce max %x axes = [0] : tensor<2x1x4xf32>
  %d = graph.reduce max %c axes = [-1] : tensor<1x4xf32>
  %e = graph.reduce sum %x axes = [-3] : tensor<2x1x4xf32>
  func.return %a, %b, %d, %e : tensor<2x4xf32>, tensor<2x1x4xf32>, tensor<1xf32>, tensor<1x4xf32>
}
