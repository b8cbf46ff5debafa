// A layer of experts is one kernel, as libraries measure it: from the router's logits and the tokens to the weighted sums.
// RUN: ndp-opt %s -p canonicalize,fuse | filecheck %s
// RUN: ndp-opt %s -p fuse --check

// CHECK-LABEL: func.func @layer
func.func @layer(%x: tensor<8x16xf32>, %logits: tensor<8x4xf32>, %w: tensor<4x16x64xf32>, %v: tensor<4x32x16xf32>) -> tensor<8x16xf32> {
  // CHECK-NEXT: [[ROWS:%.*]] = graph.reshape %x
  // CHECK-NEXT: [[Y:%.*]] = graph.fused experts ({{.*}} = %logits, {{.*}} = [[ROWS]], {{.*}} = %w, {{.*}} = %v) {
  // CHECK:        graph.argsort
  // CHECK:        graph.softmax
  // CHECK:        graph.grouped_matmul
  // CHECK:        graph.silu
  // CHECK:        graph.grouped_matmul
  // CHECK:        [[SUM:%.*]] = graph.reduce sum
  // CHECK-NEXT:   graph.yield [[SUM]]
  // CHECK:      graph.add %x, [[Y]]
  %order = graph.argsort %logits axis = 1, descending : tensor<8x4xf32>
  %ids = graph.slice %order starts = [0, 0], ends = [8, 2] : tensor<8x4xi32>
  %best = graph.gather_elements %logits, %ids axis = 1 : tensor<8x4xf32>, tensor<8x2xi32>
  %p = graph.softmax %best : tensor<8x2xf32>
  %rows = graph.reshape %x : tensor<8x16xf32> -> tensor<8x1x16xf32>
  %h = graph.grouped_matmul %rows, %w, %ids : tensor<8x1x16xf32>, tensor<4x16x64xf32>, tensor<8x2xi32>
  %g = graph.slice %h starts = [0, 0, 0], ends = [8, 2, 32] : tensor<8x2x64xf32>
  %u = graph.slice %h starts = [0, 0, 32], ends = [8, 2, 64] : tensor<8x2x64xf32>
  %act = graph.silu %g : tensor<8x2x32xf32>
  %m = graph.mul %act, %u : tensor<8x2x32xf32>
  %d = graph.grouped_matmul %m, %v, %ids : tensor<8x2x32xf32>, tensor<4x32x16xf32>, tensor<8x2xi32>
  %weights = graph.reshape %p : tensor<8x2xf32> -> tensor<8x2x1xf32>
  %weighed = graph.mul %d, %weights : tensor<8x2x16xf32>, tensor<8x2x1xf32>
  %sum = graph.reduce sum %weighed axes = [1] : tensor<8x2x16xf32>
  %y = graph.add %x, %sum : tensor<8x16xf32>
  func.return %y : tensor<8x16xf32>
}

// What others read is stored: ids that are returned are computed before the layer, and a product whose values are returned is a kernel of its own.
// CHECK-LABEL: func.func @read
func.func @read(%x: tensor<8x1x16xf32>, %logits: tensor<8x4xf32>, %w: tensor<4x16x32xf32>, %v: tensor<4x32x16xf32>)
    -> (tensor<8x2x16xf32>, tensor<8x2xi32>, tensor<8x2x32xf32>) {
  // CHECK-NOT: graph.fused experts
  %order = graph.argsort %logits axis = 1, descending : tensor<8x4xf32>
  %ids = graph.slice %order starts = [0, 0], ends = [8, 2] : tensor<8x4xi32>
  %h = graph.grouped_matmul %x, %w, %ids : tensor<8x1x16xf32>, tensor<4x16x32xf32>, tensor<8x2xi32>
  %r = graph.relu %h : tensor<8x2x32xf32>
  %d = graph.grouped_matmul %r, %v, %ids : tensor<8x2x32xf32>, tensor<4x32x16xf32>, tensor<8x2xi32>
  func.return %d, %ids, %h : tensor<8x2x16xf32>, tensor<8x2xi32>, tensor<8x2x32xf32>
}

// Experts that square a ReLU, without a gate, of which this device has 4 of 16; ids are arguments.
// CHECK-LABEL: func.func @ungated
func.func @ungated(%x: tensor<8x1x16xf32>, %ids: tensor<8x2xi32>, %p: tensor<8x2x1xf32>, %w: tensor<4x16x32xf32>, %v: tensor<4x32x16xf32>) -> tensor<8x16xf32> {
  // CHECK-NEXT: graph.fused experts
  %h = graph.grouped_matmul %x, %w, %ids experts = 16 : tensor<8x1x16xf32>, tensor<4x16x32xf32>, tensor<8x2xi32>
  %r = graph.relu %h : tensor<8x2x32xf32>
  %q = graph.mul %r, %r : tensor<8x2x32xf32>
  %d = graph.grouped_matmul %q, %v, %ids experts = 16 : tensor<8x2x32xf32>, tensor<4x32x16xf32>, tensor<8x2xi32>
  %weighed = graph.mul %d, %p : tensor<8x2x16xf32>, tensor<8x2x1xf32>
  %sum = graph.reduce sum %weighed axes = [1] : tensor<8x2x16xf32>
  func.return %sum : tensor<8x16xf32>
}
