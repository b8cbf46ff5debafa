// RUN: ndp-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT: %b = graph.reshape %x : tensor<2x3xf32> -> tensor<1x2x3xf32>
// CHECK-NEXT: func.return %x, %b : tensor<2x3xf32>, tensor<1x2x3xf32>
func.func @nothing(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1x2x3xf32>) {
  %a = graph.broadcast %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %b = graph.broadcast %x : tensor<2x3xf32> -> tensor<1x2x3xf32>
  func.return %a, %b : tensor<2x3xf32>, tensor<1x2x3xf32>
}

// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: %c = graph.broadcast %x : tensor<3xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT: func.return %c : tensor<4x2x3xf32>
func.func @chain(%x: tensor<3xf32>) -> tensor<4x2x3xf32> {
  %a = graph.broadcast %x : tensor<3xf32> -> tensor<2x3xf32>
  %b = graph.reshape %a : tensor<2x3xf32> -> tensor<1x2x3xf32>
  %c = graph.broadcast %b : tensor<1x2x3xf32> -> tensor<4x2x3xf32>
  func.return %c : tensor<4x2x3xf32>
}

// The sum broadcasts %b itself; a product of two broadcast vectors keeps one broadcast.
// CHECK-LABEL: func.func @anyway(
// CHECK-NEXT: %a = graph.add %x, %b : tensor<2x3xf32>, tensor<3xf32>
// CHECK-NEXT: %u = graph.broadcast %c : tensor<2x1xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT: %d = graph.mul %b, %u : tensor<3xf32>, tensor<4x2x3xf32>
// CHECK-NEXT: func.return %a, %d : tensor<2x3xf32>, tensor<4x2x3xf32>
func.func @anyway(%x: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<4x2x3xf32>) {
  %s = graph.broadcast %b : tensor<3xf32> -> tensor<2x3xf32>
  %a = graph.add %x, %s : tensor<2x3xf32>
  %t = graph.broadcast %b : tensor<3xf32> -> tensor<4x2x3xf32>
  %u = graph.broadcast %c : tensor<2x1xf32> -> tensor<4x2x3xf32>
  %d = graph.mul %t, %u : tensor<4x2x3xf32>
  func.return %a, %d : tensor<2x3xf32>, tensor<4x2x3xf32>
}

// A mask is computed once, and broadcast by the op that adds it.
// CHECK-LABEL: func.func @mask(
// CHECK-NEXT: %fill = graph.constant -inf : tensor<f32>
// CHECK-NEXT: %a = graph.cast %keep : tensor<1x4xi64> -> tensor<1x4xi1>
// CHECK-NEXT: %0 = graph.constant 0.0 : tensor<f32>
// CHECK-NEXT: %1 = graph.select %a, %0, %fill : tensor<1x4xi1>, tensor<f32>, tensor<f32>
// CHECK-NEXT: %e = graph.add %x, %1 : tensor<3x4xf32>, tensor<1x4xf32>
// CHECK-NEXT: func.return %e : tensor<3x4xf32>
func.func @mask(%keep: tensor<1x4xi64>, %x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %true = graph.constant true : tensor<3x1xi1>
  %zero = graph.constant 0.0 : tensor<3x4xf32>
  %fill = graph.constant -inf : tensor<f32>
  %a = graph.cast %keep : tensor<1x4xi64> -> tensor<1x4xi1>
  %b = graph.and %true, %a : tensor<3x1xi1>, tensor<1x4xi1>
  %c = graph.not %b : tensor<3x4xi1>
  %d = graph.select %c, %fill, %zero : tensor<3x4xi1>, tensor<f32>, tensor<3x4xf32>
  %e = graph.add %x, %d : tensor<3x4xf32>
  func.return %e : tensor<3x4xf32>
}
