// RUN: ndp-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @equal(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<4xf32>
// CHECK-NEXT: %other = graph.weight "u" = uniform(-0.1, 0.1, 2) : tensor<4xf32>
// CHECK-NEXT: %a = graph.add %x, %w : tensor<4xf32>
// CHECK-NEXT: %c = graph.add %x, %other : tensor<4xf32>
// CHECK-NEXT: %d = graph.mul %a, %a : tensor<4xf32>
// CHECK-NEXT: %e = graph.sub %a, %a : tensor<4xf32>
// CHECK-NEXT: func.return %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
func.func @equal(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<4xf32>
  %v = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<4xf32>
  %other = graph.weight "u" = uniform(-0.1, 0.1, 2) : tensor<4xf32>
  %a = graph.add %x, %w : tensor<4xf32>
  %b = graph.add %x, %v : tensor<4xf32>
  %c = graph.add %x, %other : tensor<4xf32>
  %d = graph.mul %a, %b : tensor<4xf32>
  %e = graph.sub %a, %b : tensor<4xf32>
  func.return %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Ops are merged only if their properties and result types are equal, too.
// CHECK-LABEL: func.func @differing(
// CHECK-NEXT: %a = graph.softmax %x : tensor<4x4xf32>
// CHECK-NEXT: %b = graph.softmax %x axis = 0 : tensor<4x4xf32>
// CHECK-NEXT: %c = graph.cast %x : tensor<4x4xf32> -> tensor<4x4xf16>
// CHECK-NEXT: %d = graph.cast %x : tensor<4x4xf32> -> tensor<4x4xbf16>
// CHECK-NEXT: func.return %a, %b, %c, %d : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xbf16>
func.func @differing(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xbf16>) {
  %a = graph.softmax %x : tensor<4x4xf32>
  %b = graph.softmax %x axis = 0 : tensor<4x4xf32>
  %c = graph.cast %x : tensor<4x4xf32> -> tensor<4x4xf16>
  %d = graph.cast %x : tensor<4x4xf32> -> tensor<4x4xbf16>
  func.return %a, %b, %c, %d : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x4xbf16>
}

// Merging two equal values makes a select between them unnecessary.
// CHECK-LABEL: func.func @then_rules(
// CHECK-NEXT: %a = graph.exp %x : tensor<4xf32>
// CHECK-NEXT: func.return %a : tensor<4xf32>
func.func @then_rules(%c: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.exp %x : tensor<4xf32>
  %b = graph.exp %x : tensor<4xf32>
  %d = graph.select %c, %a, %b : tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
  func.return %d : tensor<4xf32>
}
