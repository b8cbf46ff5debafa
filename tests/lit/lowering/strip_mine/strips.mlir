// Large element-wise kernels run strip by strip in programs that exceed the memory.
// RUN: ndp-opt %s --split-input-file -p strip-mine --check | filecheck %s

// The operands and results take 1.2 MB of 1 MB: four strips, as many as the first axis permits. %v has no such axis.
// CHECK:       %y = graph.repeat %i = 0 to 4 (%y_1 = %x, %x_1 = %x, %v_1 = %v) {
// CHECK-NEXT:    %0 = graph.constant 0 : tensor<i32>
// CHECK-NEXT:    %1 = graph.dynamic_slice %x_1, %i, %0 sizes = [1, 30000] : tensor<4x30000xf32>, tensor<i32>, tensor<i32>
// CHECK-NEXT:    %2 = graph.add %1, %v_1 : tensor<1x30000xf32>, tensor<30000xf32>
// CHECK-NEXT:    %3 = graph.dynamic_update_slice %y_1, %2, %i, %0 in_place
// CHECK-NEXT:    graph.yield %3
// CHECK-NEXT:  }
// CHECK-NEXT:  %z = graph.matmul
hw.device @gpu = "toy_gpu" {memory = "1 MB"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: tensor<4x30000xf32> {task.state = "read"}, %v: tensor<30000xf32>, %w: tensor<30000x4xf32>) -> (tensor<4x30000xf32>, tensor<4x4xf32>) {
  %y = graph.add %x, %v : tensor<4x30000xf32>, tensor<30000xf32>
  %z = graph.matmul %y, %w : tensor<4x30000xf32>, tensor<30000x4xf32>
  func.return %y, %z : tensor<4x30000xf32>, tensor<4x4xf32>
}

// -----

// A group with two results: each takes the memory of an operand of its type, that which is donated to it if there is
// one. Strips of several rows are slices of a view with an axis of strips.
// CHECK:       %[[M:.*]] = graph.reshape %m : tensor<200x1000xf32> -> tensor<50x4x1000xf32>
// CHECK:       graph.repeat %i = 0 to 50 ({{.*}}%[[M]]
// CHECK:         graph.dynamic_slice {{.*}} sizes = [1, 4, 1000]
// CHECK:         graph.fused
// CHECK:           graph.add %{{.*}}, %{{.*}} : tensor<4x1000xf32>
// CHECK:       graph.reshape {{.*}} : tensor<50x4x1000xf32> -> tensor<200x1000xf32>
hw.device @gpu = "toy_gpu" {memory = "2 MB"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%g: tensor<200x1000xf32>, %m: tensor<200x1000xf32> {task.state = "overwritten, result 0"}, %p: tensor<200x1000xf32> {task.state = "overwritten, result 1"}) -> (tensor<200x1000xf32>, tensor<200x1000xf32>) {
  %n, %q = graph.fused (%a = %g, %b = %m, %c = %p) {
    %0 = graph.add %b, %a : tensor<200x1000xf32>
    %1 = graph.sub %c, %0 : tensor<200x1000xf32>
    graph.yield %0, %1
  }
  func.return %n, %q : tensor<200x1000xf32>, tensor<200x1000xf32>
}

// -----

// A program that fits is not changed, nor a kernel on little of the memory.
// CHECK-NOT: graph.repeat
hw.device @gpu = "toy_gpu" {memory = "2 MB"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: tensor<4x30000xf32>, %v: tensor<30000xf32>) -> tensor<4x30000xf32> {
  %y = graph.add %x, %v : tensor<4x30000xf32>, tensor<30000xf32>
  func.return %y : tensor<4x30000xf32>
}
