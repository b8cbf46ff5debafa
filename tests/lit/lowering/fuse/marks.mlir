// An op marked with a device is fused only with ops of the same mark: otherwise the kernel would run on another device, or move other ops to it.
// RUN: ndp-opt %s -p fuse | filecheck %s
// RUN: ndp-opt %s -p 'fuse,place{effort=1}' | filecheck %s --check-prefix=PLACED

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK-LABEL: func.func @apart
// CHECK-NOT: graph.fused
// PLACED-LABEL: func.func @apart
// PLACED: task.run @pim
// PLACED-NEXT: graph.matmul
// PLACED: task.run @gpu
// PLACED-NEXT: graph.neg
func.func @apart(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %y = graph.matmul %x, %w {task.on = @pim} : tensor<4x8xf32>, tensor<8x8xf32>
  %z = graph.neg %y : tensor<4x8xf32>
  func.return %z : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @together
// CHECK: graph.fused (%{{.*}} = %x) {
// CHECK-NEXT: graph.relu %{{.*}} : tensor<4x8xf32>
// CHECK-NEXT: graph.neg %{{.*}} : tensor<4x8xf32>
// CHECK: } attributes {task.on = @gpu}
// PLACED-LABEL: func.func @together
// PLACED: task.run @gpu
// PLACED-NOT: task.on =
func.func @together(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = graph.relu %x {task.on = @gpu} : tensor<4x8xf32>
  %z = graph.neg %y {task.on = @gpu} : tensor<4x8xf32>
  func.return %z : tensor<4x8xf32>
}
