// RUN: ndp-opt %s -p inline --check 2>%t | filecheck %s

// Calls in the body of a loop are replaced by the called function's body, and so are calls in loops of called functions.
// CHECK-NOT: func.call
// CHECK: func.func @main
// CHECK-NEXT: graph.repeat %i = 0 to 2 (%a = %x) {
// CHECK-NEXT: graph.repeat %j = 0 to 3 (%b = %a) {
// CHECK-NEXT: graph.exp %b : tensor<4xf32>
// CHECK-NOT: func.call
func.func private @exp(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.exp %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
func.func private @thrice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.repeat %j = 0 to 3 (%b = %x) {
    %0 = func.call @exp(%b) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %0
  }
  func.return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.repeat %i = 0 to 2 (%a = %x) {
    %0 = func.call @thrice(%a) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %0
  }
  func.return %y : tensor<4xf32>
}
