// RUN: ndp-opt %s -p 'place{policy=pim-first},to-pim' | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=pim-first},to-pim' --check --seed 3 -t values | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt %s --seed 3 -t values | filecheck %s --check-prefix=VALUES

// A 1x1 convolution reads pixels without unfolding; a strided one with padding unfolds its windows first. Each op keeps its location.
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// 9 pixels of 4 channels: 8 share the buffer, the last one is loaded separately. All weights are in one row, which stays open.
//      CHECK: pim.kernel @matmul_9x3x4_f32 on @pim (%x: memref<9x4xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<9x2x2xf32>)
//      CHECK:   pim.act all row 0
// CHECK-NEXT:   pim.load %x[0 to 8, 0 to 4]
//      CHECK:   pim.mac all columns %s to %s + 1 buffer %v
//      CHECK:   pim.load %x[8, 0 to 4]
//      CHECK:   pim.pre all
// 2 x 2 windows of 3 x 9 numbers take 7 columns each, so one window fills the buffer.
//      CHECK: pim.kernel @matmul_4x2x27_f32 on @pim (%x: memref<4x27xf32>
//      CHECK:   pim.for %p = 0 to 4 {
// CHECK-NEXT:     pim.load %x[%p, 0 to 27]
//      CHECK: task.run @pim
//      CHECK:   %{{.*}} = graph.transpose %{{.*}} permutation = [1, 2, 0] : tensor<4x3x3xf32>
//      CHECK:   pim.launch @matmul_9x3x4_f32
//      CHECK: task.run @pim
// CHECK-NEXT:   %{{.*}} = graph.im2col %{{.*}} kernel = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]{{.*}} : tensor<1x3x3x3xf32>
//      CHECK:   pim.launch @matmul_4x2x27_f32

// VALUES:      result 0: tensor<1x2x2x2xf32>
// VALUES-NEXT:   {{[0-9-]}}
func.func @main(%x: tensor<1x4x3x3xf32>) -> tensor<1x2x2x2xf32> {
  %w = graph.weight "one" = uniform(-1.0, 1.0, 1) : tensor<3x4x1x1xf32>
  %v = graph.weight "three" = uniform(-1.0, 1.0, 2) : tensor<2x3x3x3xf32>
  %a = graph.conv %x, %w : tensor<1x4x3x3xf32>, tensor<3x4x1x1xf32>
  %b = graph.conv %a, %v strides = [2, 2], pads = [1, 1, 1, 1] : tensor<1x3x3x3xf32>, tensor<2x3x3x3xf32>
  func.return %b : tensor<1x2x2x2xf32>
}
