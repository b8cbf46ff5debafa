// RUN: ndp-opt %s -p 'place{policy=gpu}' --split-input-file 2>&1 | filecheck %s

// The policy `gpu` means a processor: here the primary device is a PIM, which can't run relu, and the GPU also runs the product.
// CHECK:     task.run @gpu
// CHECK:     graph.matmul
// CHECK:     task.run @gpu
// CHECK:     graph.relu
// CHECK-NOT: task.run @pim
hw.device @pim = "toy_pim"
hw.device @gpu = "toy_gpu"
hw.link @gpu to @pim = "toy_link"
func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
  %b = graph.relu %a : tensor<1x32xf32>
  func.return %b : tensor<1x32xf32>
}

// -----

// Without copies, no link is needed; a group that consists of a view is a view, and moves with its reader.
// CHECK-LABEL: @unlinked
// CHECK:       %y = task.run @gpu (%x_1 = %x) {
// CHECK-NEXT:    %v = graph.fused (%p = %x_1) {
// CHECK-NEXT:      %0 = graph.reshape %p
// CHECK-NEXT:      graph.yield %0
// CHECK-NEXT:    }
// CHECK-NEXT:    %y_1 = graph.relu %v
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
func.func @unlinked(%x: tensor<1x32xf32>) -> tensor<32xf32> {
  %v = graph.fused (%p = %x) {
    %0 = graph.reshape %p : tensor<1x32xf32> -> tensor<32xf32>
    graph.yield %0
  }
  %y = graph.relu %v : tensor<32xf32>
  func.return %y : tensor<32xf32>
}

// -----

// CHECK: note: @pim (newton) computes in f16, and @wide in f32: no op is placed there; run reduce-precision first (-p reduce-precision,place)
hw.device @gpu = "toy_gpu"
hw.device @pim = "newton"
func.func @wide(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
  func.return %a : tensor<1x32xf32>
}

// -----

// CHECK: note: @pim (toy_pim) computes in f32, and @half in f16: no op is placed there; run reduce-precision first (-p reduce-precision,place)
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
func.func @half(%x: tensor<1x32xf16>) -> tensor<1x32xf16> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf16>
  %a = graph.matmul %x, %w : tensor<1x32xf16>, tensor<32x32xf16>
  func.return %a : tensor<1x32xf16>
}
