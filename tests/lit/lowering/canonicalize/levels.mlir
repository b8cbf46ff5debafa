// RUN: ndp-opt %s -p canonicalize | filecheck %s

// The same rules apply inside of a task; tasks, copies and the values between them stay.
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>
// CHECK-NEXT: %r = task.resident %w on @pim
// CHECK-NEXT: %c = task.copy %x to @pim
// CHECK-NEXT: %y = task.run @pim (%a = %c, %b = %r) {
// CHECK-NEXT: %0 = graph.matmul %a, %b transpose_b : tensor<2x4xf32>, tensor<4x4xf32>
// CHECK-NEXT: task.yield %0
// CHECK-NEXT: }
// CHECK-NEXT: %z = task.copy %y to @gpu
// CHECK-NEXT: %v = task.run @gpu (%a = %z) {
// CHECK-NEXT: %0 = graph.reshape %a : tensor<2x4xf32> -> tensor<8xf32>
// CHECK-NEXT: task.yield %0
// CHECK-NEXT: }
// CHECK-NEXT: func.return %v : !task.on<@gpu, tensor<8xf32>>
func.func @main(%x: !task.on<@gpu, tensor<2x4xf32>>) -> !task.on<@gpu, tensor<8xf32>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>
  %t = graph.transpose %w permutation = [1, 0] : tensor<4x4xf32>
  %u = graph.transpose %t permutation = [1, 0] : tensor<4x4xf32>
  %r = task.resident %u on @pim
  %c = task.copy %x to @pim
  %y = task.run @pim (%a = %c, %b = %r) {
    %one = graph.constant 1.0 : tensor<f32>
    %0 = graph.mul %a, %one : tensor<2x4xf32>, tensor<f32>
    %1 = graph.transpose %b permutation = [1, 0] : tensor<4x4xf32>
    %2 = graph.matmul %0, %1 : tensor<2x4xf32>, tensor<4x4xf32>
    %3 = graph.exp %2 : tensor<2x4xf32>
    task.yield %2
  }
  %z = task.copy %y to @gpu
  %v = task.run @gpu (%a = %z) {
    %0 = graph.reshape %a : tensor<2x4xf32> -> tensor<4x2xf32>
    %1 = graph.reshape %0 : tensor<4x2xf32> -> tensor<8xf32>
    task.yield %1
  }
  func.return %v : !task.on<@gpu, tensor<8xf32>>
}
