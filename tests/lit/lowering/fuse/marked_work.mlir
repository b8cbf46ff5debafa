// A mark of an op stands on its kernel, and no other kernel does its work.
// RUN: ndp-opt %s -p fuse | filecheck %s

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// A kernel on another device does not recompute a marked value.
// CHECK-LABEL: func.func @kept
// CHECK: %y = graph.relu %x {task.on = @pim} : tensor<4x8xf32>
// CHECK-NEXT: graph.fused (%{{.*}} = %y) {
// CHECK-NEXT: graph.exp
// CHECK-NEXT: graph.softmax
func.func @kept(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = graph.relu %x {task.on = @pim} : tensor<4x8xf32>
  %e = graph.exp %y : tensor<4x8xf32>
  %z = graph.softmax %e axis = 1 : tensor<4x8xf32>
  func.return %z : tensor<4x8xf32>
}

// Each kernel on its own device recomputes it, and the mark stands on the kernels alone.
// CHECK-LABEL: func.func @repeated
// CHECK: graph.fused (%{{.*}} = %x) {
// CHECK-NEXT: graph.relu %{{.*}} : tensor<4x8xf32>
// CHECK: } attributes {task.on = @pim}
// CHECK: graph.fused (%{{.*}} = %x) {
// CHECK-NEXT: graph.relu %{{.*}} : tensor<4x8xf32>
// CHECK: } attributes {task.on = @pim}
func.func @repeated(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  %y = graph.relu %x {task.on = @pim} : tensor<4x8xf32>
  %e = graph.exp %y {task.on = @pim} : tensor<4x8xf32>
  %z = graph.softmax %e axis = 1 {task.on = @pim} : tensor<4x8xf32>
  %s = graph.reduce sum %y axes = [0] {task.on = @pim} : tensor<4x8xf32>
  func.return %z, %s : tensor<4x8xf32>, tensor<8xf32>
}

// The products' kernels load only factors that are widened on their device.
// CHECK-LABEL: func.func @widened
// CHECK: %a = graph.cast %x {task.on = @pim} : tensor<4x8xf16> -> tensor<4x8xf32>
// CHECK-NEXT: %b = graph.cast %y {task.on = @pim} : tensor<8x8xf16> -> tensor<8x8xf32>
// CHECK-NEXT: graph.matmul %a, %b
func.func @widened(%x: tensor<4x8xf16>, %y: tensor<8x8xf16>) -> tensor<4x8xf32> {
  %a = graph.cast %x {task.on = @pim} : tensor<4x8xf16> -> tensor<4x8xf32>
  %b = graph.cast %y {task.on = @pim} : tensor<8x8xf16> -> tensor<8x8xf32>
  %c = graph.matmul %a, %b : tensor<4x8xf32>, tensor<8x8xf32>
  func.return %c : tensor<4x8xf32>
}

// A copy of an op that is computed ahead of time has no mark inside of a kernel.
// CHECK-LABEL: func.func @grown
// CHECK: graph.fused
// CHECK-NOT: task.on
// CHECK: graph.yield
func.func @grown(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8xf32>
  %b = graph.broadcast %w {task.on = @pim} : tensor<8xf32> -> tensor<64x8xf32>
  %y = graph.add %x, %b : tensor<64x8xf32>
  %z = graph.relu %y : tensor<64x8xf32>
  func.return %z : tensor<64x8xf32>
}

// The bias, added on the GPU, is not moved into the product on the other device.
// CHECK-LABEL: func.func @biased
// CHECK: %y = graph.matmul %x, %w {task.on = @pim}
// CHECK-NEXT: graph.add %y, %b
func.func @biased(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %b = graph.weight "b" = uniform(-1.0, 1.0, 1) : tensor<8xf32>
  %y = graph.matmul %x, %w {task.on = @pim} : tensor<4x8xf32>, tensor<8x8xf32>
  %z = graph.add %y, %b : tensor<4x8xf32>, tensor<8xf32>
  func.return %z : tensor<4x8xf32>
}
