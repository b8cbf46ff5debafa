// RUN: ndp-opt %s --split-input-file -p fuse,chain --check 2>&1 | filecheck %s --check-prefix=TWO
// RUN: ndp-opt %s --split-input-file -p fuse,chain{stages=4} --check 2>&1 | filecheck %s --check-prefix=FOUR
// RUN: ndp-opt %s --split-input-file -p fuse,chain,split{op=conv\ axis=1\ at=0.25} --check 2>&1 | filecheck %s --check-prefix=NESTED

// A block of MobileNet as groups. For its shortcut, each stage of the sum reads the rows of %x that it adds.
// The groups keep the names in their bodies.
//      TWO: func.func @residual
//      TWO:   %[[X0:.*]] = graph.slice %x starts = [0, 0, 0, 0], ends = [1, 8, 9, 16]
// TWO-NEXT:   %[[A:.*]] = graph.fused (%x_1 = %[[X0]], %v_1 = %v) {
// TWO-NEXT:     %y = graph.conv
// TWO-NEXT:     %r = graph.relu %y : tensor<1x32x9x16xf32>
//      TWO:   %[[B:.*]] = graph.fused
//      TWO:     graph.relu {{.*}} : tensor<1x32x7x16xf32>
//      TWO:   %[[C:.*]] = graph.conv %[[A]], %w groups = 32, pads = [1, 1, 0, 1]
//      TWO:   %[[X1:.*]] = graph.slice %x starts = [0, 0, 0, 0], ends = [1, 8, 8, 16]
// TWO-NEXT:   graph.fused (%z = %[[C]], %u_1 = %u, %x_1 = %[[X1]])
//      TWO:   graph.slice %x starts = [0, 0, 8, 0], ends = [1, 8, 16, 16]
//      TWO:   graph.concat {{.*}} axis = 2 : tensor<1x8x8x16xf32>

// A stage depends only on stages that it reads: the third one reads two rows of the second one of the op before, and the third.
//      FOUR: func.func @residual
//      FOUR:   graph.relu {{.*}} : tensor<1x32x5x16xf32>
//      FOUR:   %[[B:.*]] = graph.fused
//      FOUR:     graph.relu {{.*}} : tensor<1x32x4x16xf32>
//      FOUR:   %[[C:.*]] = graph.fused
//      FOUR:     graph.relu {{.*}} : tensor<1x32x4x16xf32>
//      FOUR:   %[[D:.*]] = graph.fused
//      FOUR:     graph.relu {{.*}} : tensor<1x32x3x16xf32>
//  FOUR-NOT:   graph.concat {{.*}}tensor<1x32x5x16xf32>, tensor<1x32x4x16xf32>
//      FOUR:   %[[H:.*]] = graph.slice %[[B]] starts = [0, 0, 2, 0], ends = [1, 32, 4, 16]
// FOUR-NEXT:   %[[I:.*]] = graph.concat %[[H]], %[[C]] axis = 2
// FOUR-NEXT:   graph.conv %[[I]], %w groups = 32, pads = [0, 1, 0, 1]
//      FOUR:   graph.concat {{.*}} axis = 2 : tensor<1x8x4x16xf32>

// A stage is an ordinary op, and may be split again.
//      NESTED: func.func @residual
//      NESTED:   graph.slice %v starts = [0, 0, 0, 0], ends = [8, 8, 1, 1]
//      NESTED:   graph.relu {{.*}} : tensor<1x8x9x16xf32>
//      NESTED:   graph.relu {{.*}} : tensor<1x24x9x16xf32>
//      NESTED:   graph.relu {{.*}} : tensor<1x8x7x16xf32>
func.func @residual(%x: tensor<1x8x16x16xf32>, %v: tensor<32x8x1x1xf32>, %w: tensor<32x1x3x3xf32>, %u: tensor<8x32x1x1xf32>) -> tensor<1x8x16x16xf32> {
  %y = graph.conv %x, %v : tensor<1x8x16x16xf32>, tensor<32x8x1x1xf32>
  %r = graph.relu %y : tensor<1x32x16x16xf32>
  %z = graph.conv %r, %w groups = 32, pads = [1, 1, 1, 1] : tensor<1x32x16x16xf32>, tensor<32x1x3x3xf32>
  %p = graph.conv %z, %u : tensor<1x32x16x16xf32>, tensor<8x32x1x1xf32>
  %o = graph.add %p, %x : tensor<1x8x16x16xf32>
  func.return %o : tensor<1x8x16x16xf32>
}

// -----

// A block of EfficientNet: the mean needs all rows and is not split, nor are the small products after it; it reads
// a concat of the depthwise convolution's stages, while each stage of the product reads one of them.
//      TWO: func.func @squeeze
//      TWO:   %q = graph.concat %[[A:.*]], %[[B:.*]] axis = 2 : tensor<1x32x8x16xf32>
// TWO-NEXT:   %m = graph.reduce mean %q
//      TWO:   graph.mul %[[A]], %[[D:.*]] : tensor<1x32x8x16xf32>, tensor<1x32x1x1xf32>
// TWO-NEXT:   graph.mul %[[B]], %[[D]] : tensor<1x32x8x16xf32>, tensor<1x32x1x1xf32>
//      TWO:   graph.concat {{.*}} axis = 2 : tensor<1x8x8x16xf32>
func.func @squeeze(%x: tensor<1x8x16x16xf32>, %v: tensor<32x8x1x1xf32>, %w: tensor<32x1x3x3xf32>, %s: tensor<4x32x1x1xf32>, %t: tensor<32x4x1x1xf32>, %u: tensor<8x32x1x1xf32>) -> tensor<1x8x16x16xf32> {
  %y = graph.conv %x, %v : tensor<1x8x16x16xf32>, tensor<32x8x1x1xf32>
  %r = graph.silu %y : tensor<1x32x16x16xf32>
  %z = graph.conv %r, %w groups = 32, pads = [1, 1, 1, 1] : tensor<1x32x16x16xf32>, tensor<32x1x3x3xf32>
  %q = graph.silu %z : tensor<1x32x16x16xf32>
  %m = graph.reduce mean %q axes = [2, 3], keep_dims : tensor<1x32x16x16xf32>
  %a = graph.conv %m, %s : tensor<1x32x1x1xf32>, tensor<4x32x1x1xf32>
  %b = graph.silu %a : tensor<1x4x1x1xf32>
  %c = graph.conv %b, %t : tensor<1x4x1x1xf32>, tensor<32x4x1x1xf32>
  %d = graph.sigmoid %c : tensor<1x32x1x1xf32>
  %e = graph.mul %q, %d : tensor<1x32x16x16xf32>, tensor<1x32x1x1xf32>
  %p = graph.conv %e, %u : tensor<1x32x16x16xf32>, tensor<8x32x1x1xf32>
  %o = graph.add %p, %x : tensor<1x8x16x16xf32>
  func.return %o : tensor<1x8x16x16xf32>
}
