// RUN: ndp-opt %s -p 'fuse,split{op=conv axis=2 at=0.3}' --check | filecheck %s --check-prefix=ROWS
// RUN: ndp-opt %s -p 'fuse,split{op=conv axis=3}' --check | filecheck %s --check-prefix=COLUMNS
// RUN: ndp-opt %s -p 'fuse,split{op=conv axis=0}' --check | filecheck %s --check-prefix=BATCH
// RUN: ndp-opt %s -p 'fuse,split{op=conv axis=1 at=0.25,0.25}' --check | filecheck %s --check-prefix=CHANNELS
// RUN: ndp-opt %s -p 'fuse,split{op=matmul axis=1 at=0.25}' --check | filecheck %s --check-prefix=PRODUCT
// RUN: ndp-opt %s -p 'fuse,split{op=relu}' 2>&1 | filecheck %s --check-prefix=INSIDE

// A group is split as one op, and `op=` names it by its convolution. An operand with two readers is sliced for each
// of them: for the convolution with a halo, for the sum without.
//      ROWS: func.func @residual
//      ROWS:   %[[H:.*]] = graph.slice %x starts = [0, 0, 0, 0], ends = [2, 8, 6, 16]
//      ROWS:   %[[X:.*]] = graph.slice %x starts = [0, 0, 0, 0], ends = [2, 8, 5, 16]
// ROWS-NEXT:   %[[A:.*]] = graph.fused (%x_1 = %[[H]], %w_1 = %w, %x_2 = %[[X]]) {
// ROWS-NEXT:     %y = graph.conv %x_1, %w_1 pads = [1, 1, 0, 1] : tensor<2x8x6x16xf32>, tensor<8x8x3x3xf32>
// ROWS-NEXT:     %r = graph.relu %y : tensor<2x8x5x16xf32>
// ROWS-NEXT:     %z = graph.add %r, %x_2 : tensor<2x8x5x16xf32>
// ROWS-NEXT:     graph.yield %z
// ROWS-NEXT:   }
//      ROWS:   %[[B:.*]] = graph.fused
//      ROWS:   %z = graph.concat %[[A]], %[[B]] axis = 2 : tensor<2x8x5x16xf32>, tensor<2x8x11x16xf32>

//      COLUMNS:   graph.conv {{.*}} pads = [1, 1, 1, 0] : tensor<2x8x16x9xf32>, tensor<8x8x3x3xf32>
//      COLUMNS:   graph.concat {{.*}} axis = 3 : tensor<2x8x16x8xf32>
//      BATCH:   graph.conv {{.*}} : tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32>
//      BATCH:   graph.concat {{.*}} axis = 0 : tensor<1x8x16x16xf32>

// The parts of the filter depend on weights alone: they are sliced ahead of time.
//      CHANNELS:   %[[W:.*]] = graph.slice %w starts = [0, 0, 0, 0], ends = [2, 8, 3, 3]
//      CHANNELS:   graph.fused (%x_1 = %x, %w_1 = %[[W]], %x_2 = {{.*}})
//      CHANNELS:   graph.concat {{.*}} axis = 1 : tensor<2x2x16x16xf32>, tensor<2x2x16x16xf32>, tensor<2x4x16x16xf32>
func.func @residual(%x: tensor<2x8x16x16xf32>) -> tensor<2x8x16x16xf32> {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 1) : tensor<8x8x3x3xf32>
  %y = graph.conv %x, %w pads = [1, 1, 1, 1] : tensor<2x8x16x16xf32>, tensor<8x8x3x3xf32>
  %r = graph.relu %y : tensor<2x8x16x16xf32>
  %z = graph.add %r, %x : tensor<2x8x16x16xf32>
  func.return %z : tensor<2x8x16x16xf32>
}

// A following element-wise group with no other operands is split into the same parts; numbers in a body are immediates.
//      PRODUCT: func.func @followed
//      PRODUCT:   %[[A:.*]] = graph.fused
//      PRODUCT:     graph.matmul {{.*}} : tensor<4x8xf32>, tensor<8x2xf32>
//      PRODUCT:   graph.fused ({{.*}} = %[[A]]
//      PRODUCT:     graph.constant 0.5 : tensor<f32>
//      PRODUCT:     graph.mul {{.*}} : tensor<4x2xf32>, tensor<f32>
//      PRODUCT:   graph.concat {{.*}} axis = 1 : tensor<4x2xf32>, tensor<4x6xf32>
//      INSIDE: note: split: no op has the kind or location `relu`
func.func @followed(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %a = graph.fused (%p = %x, %q = %w) {
    %0 = graph.matmul %p, %q : tensor<4x8xf32>, tensor<8x8xf32>
    %1 = graph.relu %0 : tensor<4x8xf32>
    graph.yield %1
  }
  %b = graph.fused (%p = %a, %q = %x) {
    %0 = graph.constant 0.5 : tensor<f32>
    %1 = graph.mul %p, %0 : tensor<4x8xf32>, tensor<f32>
    %2 = graph.add %1, %q : tensor<4x8xf32>
    graph.yield %2
  }
  func.return %b : tensor<4x8xf32>
}
