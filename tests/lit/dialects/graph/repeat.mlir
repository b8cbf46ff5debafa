// Loops: carried values come first, then values that are the same in all iterations; a nested loop; a loop without operands; a loop with a note.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// CHECK-LABEL: func.func @loops
func.func @loops(%x: tensor<2x4xf32>, %w: tensor<3x4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK-NEXT: %h, %n = graph.repeat %i = 0 to 3 (%a = %x, %b = %x, %layers = %w) {
  // CHECK-NEXT: %w1 = graph.gather %layers, %i : tensor<3x4x4xf32>, tensor<i32>
  // CHECK-NEXT: %0 = graph.matmul %a, %w1 : tensor<2x4xf32>, tensor<4x4xf32>
  // CHECK-NEXT: %1 = graph.repeat %j = -1 to 4 (%c = %0) {
  // CHECK-NEXT: %2 = graph.add %c, %c : tensor<2x4xf32>
  // CHECK-NEXT: graph.yield %2
  // CHECK-NEXT: }
  // CHECK-NEXT: graph.yield %0, %1
  // CHECK-NEXT: } attributes {mine.note}
  %h, %n = graph.repeat %i = 0 to 3 (%a = %x, %b = %x, %layers = %w) {
    %w1 = graph.gather %layers, %i : tensor<3x4x4xf32>, tensor<i32>
    %0 = graph.matmul %a, %w1 : tensor<2x4xf32>, tensor<4x4xf32>
    %1 = graph.repeat %j = -1 to 4 (%c = %0) {
      %2 = graph.add %c, %c : tensor<2x4xf32>
      graph.yield %2
    }
    graph.yield %0, %1
  } attributes {mine.note}
  // CHECK-NEXT: graph.repeat %i = 5 to 5 () {
  // CHECK-NEXT: graph.yield
  // CHECK-NEXT: }
  graph.repeat %i = 5 to 5 () {
    graph.yield
  }
  func.return %h, %n : tensor<2x4xf32>, tensor<2x4xf32>
}
