// Element-wise ops of two operands and select, with broadcasting.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// CHECK-LABEL: func.func @binary
func.func @binary(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %s: tensor<f32>, %n: tensor<i64>, %column: tensor<2x1xf32>,
                  %e: tensor<0x3xf32>, %one: tensor<1x3xf32>, %p: tensor<2x3xi1>, %q: tensor<1xi1>, %m: tensor<4xui32>) {
  // CHECK-NEXT: %add = graph.add %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %add = graph.add %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %sub = graph.sub %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %sub = graph.sub %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %mul = graph.mul %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %mul = graph.mul %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %div = graph.div %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %div = graph.div %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %min = graph.min %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %min = graph.min %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %max = graph.max %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %max = graph.max %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %same = graph.add %a, %a : tensor<2x3xf32>
  %same = graph.add %a, %a : tensor<2x3xf32>
  // CHECK-NEXT: %scalar = graph.mul %a, %s : tensor<2x3xf32>, tensor<f32>
  %scalar = graph.mul %a, %s : tensor<2x3xf32>, tensor<f32>
  // CHECK-NEXT: %outer = graph.sub %column, %b : tensor<2x1xf32>, tensor<3xf32>
  %outer = graph.sub %column, %b : tensor<2x1xf32>, tensor<3xf32>
  // CHECK-NEXT: %empty = graph.add %e, %one : tensor<0x3xf32>, tensor<1x3xf32>
  %empty = graph.add %e, %one : tensor<0x3xf32>, tensor<1x3xf32>
  // CHECK-NEXT: %square = graph.pow %a, %n : tensor<2x3xf32>, tensor<i64>
  %square = graph.pow %a, %n : tensor<2x3xf32>, tensor<i64>
  // CHECK-NEXT: %rem = graph.rem %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %rem = graph.rem %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %rem_u = graph.rem %m, %m : tensor<4xui32>
  %rem_u = graph.rem %m, %m : tensor<4xui32>
  // CHECK-NEXT: %angle = graph.atan2 %a, %s : tensor<2x3xf32>, tensor<f32>
  %angle = graph.atan2 %a, %s : tensor<2x3xf32>, tensor<f32>
  // CHECK-NEXT: %left = graph.shift left %m, %m : tensor<4xui32>
  %left = graph.shift left %m, %m : tensor<4xui32>
  // CHECK-NEXT: %right = graph.shift right %n, %n : tensor<i64>
  %right = graph.shift right %n, %n : tensor<i64>
  // CHECK-NEXT: %signed = graph.shift arithmetic %n, %n : tensor<i64>
  %signed = graph.shift arithmetic %n, %n : tensor<i64>
  // CHECK-NEXT: %and = graph.and %p, %q : tensor<2x3xi1>, tensor<1xi1>
  %and = graph.and %p, %q : tensor<2x3xi1>, tensor<1xi1>
  // CHECK-NEXT: %or = graph.or %p, %q : tensor<2x3xi1>, tensor<1xi1>
  %or = graph.or %p, %q : tensor<2x3xi1>, tensor<1xi1>
  // CHECK-NEXT: %xor = graph.xor %p, %q : tensor<2x3xi1>, tensor<1xi1>
  %xor = graph.xor %p, %q : tensor<2x3xi1>, tensor<1xi1>
  // CHECK-NEXT: %bits = graph.xor %m, %m : tensor<4xui32>
  %bits = graph.xor %m, %m : tensor<4xui32>
  // CHECK-NEXT: %eq = graph.compare eq %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %eq = graph.compare eq %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %ne = graph.compare ne %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %ne = graph.compare ne %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %lt = graph.compare lt %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %lt = graph.compare lt %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %le = graph.compare le %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %le = graph.compare le %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %gt = graph.compare gt %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %gt = graph.compare gt %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %ge = graph.compare ge %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %ge = graph.compare ge %a, %b : tensor<2x3xf32>, tensor<3xf32>
  // CHECK-NEXT: %truths = graph.compare eq %p, %q : tensor<2x3xi1>, tensor<1xi1>
  %truths = graph.compare eq %p, %q : tensor<2x3xi1>, tensor<1xi1>
  // CHECK-NEXT: %either = graph.select %p, %a, %s : tensor<2x3xi1>, tensor<2x3xf32>, tensor<f32>
  %either = graph.select %p, %a, %s : tensor<2x3xi1>, tensor<2x3xf32>, tensor<f32>
  func.return
}
