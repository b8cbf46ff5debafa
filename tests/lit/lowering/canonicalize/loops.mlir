// RUN: ndp-opt %s -p canonicalize --check 2>%t | filecheck %s

// Values that are the same in all iterations are passed in once, constants move into the body, and unused values are removed (%e is only carried).
// The counter is never negative, so JAX's correction of negative indices is removed.
// CHECK-LABEL: func.func @tidy
// CHECK-NEXT: %h = graph.repeat %i = 0 to 3 (%a = %x, %b = %q, %layers = %w) {
// CHECK-NEXT:   %c2 = graph.constant 2
// CHECK-NEXT:   %back = graph.sub %c2, %i
// CHECK-NEXT:   %w1 = graph.gather %layers, %i : tensor<3x4x4xf32>, tensor<i32>
// CHECK-NEXT:   %w3 = graph.gather %layers, %back : tensor<3x4x4xf32>, tensor<i32>
// CHECK:        graph.matmul %a, %w1
// CHECK:      func.return %h : tensor<2x4xf32>
func.func @tidy(%x: tensor<2x4xf32>, %w: tensor<3x4x4xf32>, %q: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %three = graph.constant 3 : tensor<i32>
  %zero = graph.constant 0 : tensor<i32>
  %two = graph.constant 2 : tensor<i32>
  %h, %n, %u = graph.repeat %i = 0 to 3 (%a = %x, %b = %q, %e = %q, %layers = %w, %c3 = %three, %c0 = %zero, %c2 = %two, %again = %w) {
    %lt = graph.compare lt %i, %c0 : tensor<i32>
    %ip = graph.add %i, %c3 : tensor<i32>
    %at = graph.select %lt, %ip, %i : tensor<i1>, tensor<i32>, tensor<i32>
    %back = graph.sub %c2, %i : tensor<i32>
    %w1 = graph.gather %layers, %at : tensor<3x4x4xf32>, tensor<i32>
    %w3 = graph.gather %again, %back : tensor<3x4x4xf32>, tensor<i32>
    %0 = graph.matmul %a, %w1 : tensor<2x4xf32>, tensor<4x4xf32>
    %1 = graph.matmul %0, %w3 : tensor<2x4xf32>, tensor<4x4xf32>
    %2 = graph.add %1, %b : tensor<2x4xf32>
    %3 = graph.add %e, %b : tensor<2x4xf32>
    graph.yield %2, %b, %3
  }
  func.return %h : tensor<2x4xf32>
}

// A loop with no iterations becomes its start values, a loop with one iteration its body.
// CHECK-LABEL: func.func @few
// CHECK-NEXT: %i = graph.constant 7 : tensor<i32>
// CHECK-NEXT: %0 = graph.add %x, %i : tensor<4xi32>, tensor<i32>
// CHECK-NEXT: func.return %x, %0 : tensor<4xi32>, tensor<4xi32>
func.func @few(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = graph.repeat %i = 7 to 7 (%a = %x) {
    %2 = graph.add %a, %i : tensor<4xi32>, tensor<i32>
    graph.yield %2
  }
  %1 = graph.repeat %i = 7 to 8 (%a = %x) {
    %2 = graph.add %a, %i : tensor<4xi32>, tensor<i32>
    graph.yield %2
  }
  func.return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// A broadcast before a loop moves into it if element-wise ops of the loop read it: kernels never store a broadcast.
// CHECK-LABEL: @spread
// CHECK-NEXT: graph.repeat %i = 0 to 5 (%a = %x, %b = %m)
// CHECK:      graph.select %b, %a, %{{.*}} : tensor<8xi1>, tensor<4x8xf32>, tensor<4x8xf32>
func.func @spread(%x: tensor<4x8xf32>, %m: tensor<8xi1>) -> tensor<4x8xf32> {
  %0 = graph.broadcast %m : tensor<8xi1> -> tensor<4x8xi1>
  %1 = graph.repeat %i = 0 to 5 (%a = %x, %b = %0) {
    %2 = graph.neg %a : tensor<4x8xf32>
    %3 = graph.select %b, %a, %2 : tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>
    graph.yield %3
  }
  func.return %1 : tensor<4x8xf32>
}
