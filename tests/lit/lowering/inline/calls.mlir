// RUN: ndp-opt %s -p inline | filecheck %s
// RUN: ndp-opt %s -p inline --check -t values | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt %s -p 'place{policy=pim-first},to-pim' --check -t 'timeline{entry=main}' | filecheck %s --check-prefix=TIME

// The weight of @layer is in @main once, and in the banks once, although @main calls @layer twice through @both.

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK-NOT:   @both
// CHECK-LABEL: func.func @layer
// CHECK-LABEL: func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
// CHECK-NEXT:    %w = graph.weight "a"
// CHECK-NEXT:    %y = graph.matmul %x, %w
// CHECK-NEXT:    %y_1 = graph.matmul %y, %w
// CHECK-NEXT:    func.return %y_1
// VALUES:      result 0: tensor<1x32xf32>
// TIME:        pim       @matmul_1x32x32_f32
// TIME:        pim       @matmul_1x32x32_f32
// TIME:        makespan
func.func @layer(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = graph.weight "a" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %y = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
  func.return %y : tensor<1x32xf32>
}
func.func private @both(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %y = func.call @layer(%x) : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %z = func.call @layer(%y) : (tensor<1x32xf32>) -> tensor<1x32xf32>
  func.return %z : tensor<1x32xf32>
}
func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %y = func.call @both(%x) : (tensor<1x32xf32>) -> tensor<1x32xf32>
  func.return %y : tensor<1x32xf32>
}
