// Properties in braces after an op set defaults that its text left out, in the short and in the generic form.
// RUN: ndp-opt %s | ndp-opt | filecheck %s

// CHECK-LABEL: @set
func.func @set(%s: tensor<2x3xf32>, %x: tensor<1x3x9x9xf32>, %w: tensor<4x3x3x3xf32>) {
  // CHECK-NEXT: graph.softmax %s axis = 0 : tensor<2x3xf32>
  // CHECK-NEXT: graph.softmax %s axis = 0 : tensor<2x3xf32>
  %a = graph.softmax %s {axis = 0} : tensor<2x3xf32>
  %b = "graph.softmax"(%s) {axis = 0} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: graph.conv %x, %w strides = [2, 2], pads = [1, 1, 1, 1] {mine.note} : tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>
  // CHECK-NEXT: graph.conv %x, %w strides = [2, 2], pads = [1, 1, 1, 1] {mine.note} : tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>
  %c = graph.conv %x, %w pads = [1, 1, 1, 1] {strides = [2, 2], mine.note} : tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>
  %d = "graph.conv"(%x, %w) <{pads = [1, 1, 1, 1]}> {strides = array<i64: 2, 2>, mine.note} : (tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x5x5xf32>
  // CHECK-NEXT: graph.cumsum %s axis = 1, reverse : tensor<2x3xf32>
  %e = graph.cumsum %s {axis = 1, reverse, exclusive = false} : tensor<2x3xf32>
  // CHECK-NEXT: graph.clip %s min = 0.0, max = 6.0 : tensor<2x3xf32>
  %f = graph.clip %s min = 0.0 {max = 6} : tensor<2x3xf32>
  // CHECK-NEXT: graph.gelu %s approximate = tanh : tensor<2x3xf32>
  %g = graph.gelu %s {approximate = "tanh"} : tensor<2x3xf32>
  // CHECK-NEXT: graph.slice %x starts = [0, 0, 1, 0], ends = [1, 3, 4, 9] {order = array<i64: 0, 2, 3, 1>} : tensor<1x3x9x9xf32>
  %h = graph.slice %x {starts = [0, 0, 1, 0], ends = [1, 3, 4, 9], order = [0, 2, 3, 1]} : tensor<1x3x9x9xf32>
  func.return
}
