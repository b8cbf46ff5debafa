// RUN: ndp-opt %s -p chain --check 2>&1 | filecheck %s --check-prefix=EQUAL
//      EQUAL: check: chain: 1 result equal
// RUN: ndp-opt %s -p chain --check 2>&1 | filecheck %s
// RUN: ndp-opt %s -p 'chain{stages=3 axis=0 op=matmul}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not ndp-opt %s -p 'chain{stages=1}' 2>&1 | filecheck %s --check-prefix=STAGES

// A pointwise convolution, a depthwise one and a pointwise one. The first half of the depthwise rows needs one more
// row of the op before it; the second half reads rows of both halves. No row is computed twice.
//      CHECK: graph.slice %x starts = [0, 0, 0, 0], ends = [1, 8, 9, 16]
// CHECK-NEXT: %[[A:.*]] = graph.conv {{.*}} : tensor<1x8x9x16xf32>, tensor<32x8x1x1xf32>
//      CHECK: %[[B:.*]] = graph.conv {{.*}} : tensor<1x8x7x16xf32>, tensor<32x8x1x1xf32>
// CHECK-NEXT: %[[FIRST:.*]] = graph.relu %[[A]]
// CHECK-NEXT: %[[SECOND:.*]] = graph.relu %[[B]]
// CHECK-NEXT: %r = graph.concat %[[FIRST]], %[[SECOND]] axis = 2
// CHECK-NEXT: %[[C:.*]] = graph.conv %[[FIRST]], %w groups = 32, pads = [1, 1, 0, 1]
// CHECK-NEXT: %[[HALO:.*]] = graph.slice %r starts = [0, 0, 7, 0], ends = [1, 32, 16, 16]
// CHECK-NEXT: %[[D:.*]] = graph.conv %[[HALO]], %w groups = 32, pads = [0, 1, 1, 1]
// CHECK-NEXT: %[[E:.*]] = graph.conv %[[C]], %u
// CHECK-NEXT: graph.conv %[[D]], %u
//      CHECK: graph.add %[[E]], {{.*}} : tensor<1x8x8x16xf32>
//      CHECK: graph.concat {{.*}} axis = 2 : tensor<1x8x8x16xf32>
// NONE:      note: chain: no dependent ops of kind matmul can be pipelined along axis 0
// STAGES:    chain takes an axis from 0 on and 2 stages or more, not 2 and 1
func.func @f(%x: tensor<1x8x16x16xf32>, %v: tensor<32x8x1x1xf32>, %w: tensor<32x1x3x3xf32>, %u: tensor<8x32x1x1xf32>) -> tensor<1x8x16x16xf32> {
  %y = graph.conv %x, %v : tensor<1x8x16x16xf32>, tensor<32x8x1x1xf32>
  %r = graph.relu %y : tensor<1x32x16x16xf32>
  %z = graph.conv %r, %w groups = 32, pads = [1, 1, 1, 1] : tensor<1x32x16x16xf32>, tensor<32x1x3x3xf32>
  %p = graph.conv %z, %u : tensor<1x32x16x16xf32>, tensor<8x32x1x1xf32>
  %o = graph.add %p, %x : tensor<1x8x16x16xf32>
  func.return %o : tensor<1x8x16x16xf32>
}
