// RUN: ndp-opt %s -t values{entry=sum} | filecheck %s
// RUN: not ndp-opt %s -t values{entry=long} 2>&1 | filecheck %s --check-prefix LONG
// RUN: ndp-opt %s -t timeline{entry=long} | filecheck %s --check-prefix TIME

hw.device @gpu = "toy_gpu"

// The sum of -1, 0, …, 3 times 2 to the power of the iteration: -1 + 0 + 4 + 16 + 48, and 2^5; the other loop swaps its carried values.
// CHECK: result 0: tensor<i32>
// CHECK-NEXT: 67
// CHECK-NEXT: result 1: tensor<i32>
// CHECK-NEXT: 32
// CHECK-NEXT: result 2: tensor<i32>
// CHECK-NEXT: 32
func.func @sum() -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  %0 = graph.constant 0 : tensor<i32>
  %1 = graph.constant 1 : tensor<i32>
  %2 = graph.constant 2 : tensor<i32>
  %s, %p = graph.repeat %i = -1 to 4 (%a = %0, %b = %1, %two = %2) {
    %3 = graph.mul %i, %b : tensor<i32>
    %4 = graph.add %a, %3 : tensor<i32>
    %5 = graph.mul %b, %two : tensor<i32>
    graph.yield %4, %5
  }
  %u, %v = graph.repeat %i = 0 to 3 (%a = %s, %b = %p) {
    graph.yield %b, %a
  }
  func.return %s, %p, %u : tensor<i32>, tensor<i32>, tensor<i32>
}

// Iterations run in sequence; their times add up.
// LONG: loops.mlir:[[# @LINE + 4]]:10: error: a run executes 8,000,004,000,002 ops and commands serially, but at most 10,000,000 are allowed; this loop runs 2,000,000 times: shorten it, or request only time and energy (-t timeline)
// TIME: makespan  4001280 s
func.func @long(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.repeat %i = 0 to 2000000 (%a = %x) {
    %z = graph.repeat %j = 0 to 2000000 (%b = %a) {
      %0 = graph.exp %b : tensor<4xf32>
      graph.yield %0
    }
    graph.yield %z
  }
  func.return %y : tensor<4xf32>
}
