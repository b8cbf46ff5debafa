// RUN: ndp-opt %s --split-input-file -p fuse,chain{axis=1\ stages=3} --check 2>&1 | filecheck %s --check-prefix=ROWS
// RUN: ndp-opt %s --split-input-file -p 'chain{axis=2 op=conv,pool}' --check 2>&1 | filecheck %s --check-prefix=POOL
// RUN: ndp-opt %s --split-input-file -p 'chain{axis=1 op=matmul,reshape,transpose,conv}' --check 2>&1 | filecheck %s --check-prefix=MAPPED
// RUN: ndp-opt %s --split-input-file -p 'chain{axis=0}' --check 2>&1 | filecheck %s --check-prefix=VIEWED

// The two products of a transformer block: each stage reads only the rows of the same stage.
//      ROWS: func.func @products
//      ROWS:   %[[A:.*]] = graph.fused
//      ROWS:   %[[B:.*]] = graph.fused
//      ROWS:   %[[C:.*]] = graph.fused
//  ROWS-NOT:   graph.concat
//      ROWS:   graph.fused (%g = %[[A]], %v_1 = %v, %x_1 = {{.*}})
//      ROWS:   graph.fused (%g = %[[B]], %v_1 = %v, %x_1 = {{.*}})
//      ROWS:   graph.fused (%g = %[[C]], %v_1 = %v, %x_1 = {{.*}})
//      ROWS:   graph.concat {{.*}} axis = 1 : tensor<1x65x32xf32>, tensor<1x65x32xf32>, tensor<1x66x32xf32>
func.func @products(%x: tensor<1x196x32xf32>, %w: tensor<32x64xf32>, %v: tensor<64x32xf32>) -> tensor<1x196x32xf32> {
  %a = graph.matmul %x, %w : tensor<1x196x32xf32>, tensor<32x64xf32>
  %g = graph.gelu %a : tensor<1x196x64xf32>
  %b = graph.matmul %g, %v : tensor<1x196x64xf32>, tensor<64x32xf32>
  %y = graph.add %b, %x : tensor<1x196x32xf32>
  func.return %y : tensor<1x196x32xf32>
}

// -----

// The first four rows of the pooling need eight rows of the convolution; the other four need the other eight and one of the first.
//      POOL: func.func @pooled
//      POOL:   %[[A:.*]] = graph.conv {{.*}} pads = [1, 1, 0, 1] : tensor<1x4x9x16xf32>, tensor<4x4x3x3xf32>
//      POOL:   graph.conv {{.*}} pads = [0, 1, 1, 1] : tensor<1x4x9x16xf32>, tensor<4x4x3x3xf32>
//      POOL:   graph.pool max %[[A]] kernel = [3, 3], {{.*}}pads = [1, 1, 0, 0]{{.*}} : tensor<1x4x8x16xf32>
//      POOL:   graph.pool max {{.*}}pads = [0, 1, 0, 0]{{.*}} : tensor<1x4x9x16xf32>
//      POOL:   graph.concat {{.*}} axis = 2 : tensor<1x4x4x8xf32>
func.func @pooled(%x: tensor<1x4x16x16xf32>, %w: tensor<4x4x3x3xf32>) -> tensor<1x4x8x8xf32> {
  %y = graph.conv %x, %w pads = [1, 1, 1, 1] : tensor<1x4x16x16xf32>, tensor<4x4x3x3xf32>
  %z = graph.pool max %y kernel = [3, 3], strides = [2, 2], pads = [1, 1, 0, 0] : tensor<1x4x16x16xf32>
  func.return %z : tensor<1x4x8x8xf32>
}

// -----

// A reshape makes rows of an image from the rows of a product: stages have three and four rows of the image.
//      MAPPED: func.func @mapped
//      MAPPED:   graph.matmul {{.*}} : tensor<1x21x8xf32>, tensor<8x6xf32>
//      MAPPED:   graph.matmul {{.*}} : tensor<1x28x8xf32>, tensor<8x6xf32>
//      MAPPED:   graph.reshape {{.*}} : tensor<1x21x6xf32> -> tensor<1x3x7x6xf32>
//      MAPPED:   graph.reshape {{.*}} : tensor<1x28x6xf32> -> tensor<1x4x7x6xf32>
func.func @mapped(%x: tensor<1x49x8xf32>, %w: tensor<8x6xf32>) -> tensor<1x7x7x6xf32> {
  %y = graph.matmul %x, %w : tensor<1x49x8xf32>, tensor<8x6xf32>
  %z = graph.reshape %y : tensor<1x49x6xf32> -> tensor<1x7x7x6xf32>
  func.return %z : tensor<1x7x7x6xf32>
}

// -----

// The opposite direction, through a transpose: the product is split within a row of the image, so its first stage
// reads that row to its end.
//      MAPPED: func.func @merged
//      MAPPED:   graph.conv {{.*}} : tensor<1x8x4x7xf32>, tensor<6x8x1x1xf32>
//      MAPPED:   graph.conv {{.*}} : tensor<1x8x3x7xf32>, tensor<6x8x1x1xf32>
//      MAPPED:   graph.transpose {{.*}} : tensor<1x6x4x7xf32>
//      MAPPED:   graph.reshape {{.*}} : tensor<1x4x7x6xf32> -> tensor<1x28x6xf32>
//      MAPPED:   graph.matmul {{.*}} : tensor<1x24x6xf32>, tensor<6x6xf32>
//      MAPPED:   graph.matmul {{.*}} : tensor<1x25x6xf32>, tensor<6x6xf32>
func.func @merged(%x: tensor<1x8x7x7xf32>, %w: tensor<6x8x1x1xf32>, %v: tensor<6x6xf32>) -> tensor<1x49x6xf32> {
  %a = graph.conv %x, %w : tensor<1x8x7x7xf32>, tensor<6x8x1x1xf32>
  %b = graph.transpose %a permutation = [0, 2, 3, 1] : tensor<1x6x7x7xf32>
  %c = graph.reshape %b : tensor<1x7x7x6xf32> -> tensor<1x49x6xf32>
  %d = graph.matmul %c, %v : tensor<1x49x6xf32>, tensor<6x6xf32>
  func.return %d : tensor<1x49x6xf32>
}

// -----

// A view between two products takes no time, and keeps the stages.
//      VIEWED: func.func @viewed
//      VIEWED:   graph.matmul {{.*}} : tensor<1x8x8xf32>, tensor<8x6xf32>
//      VIEWED:   graph.matmul {{.*}} : tensor<1x8x8xf32>, tensor<8x6xf32>
//      VIEWED:   %[[A:.*]] = graph.reshape {{.*}} : tensor<1x8x6xf32> -> tensor<8x6xf32>
//      VIEWED:   graph.matmul %[[A]], %v : tensor<8x6xf32>, tensor<6x6xf32>
func.func @viewed(%x: tensor<1x16x8xf32>, %w: tensor<8x6xf32>, %v: tensor<6x6xf32>) -> tensor<16x6xf32> {
  %a = graph.matmul %x, %w : tensor<1x16x8xf32>, tensor<8x6xf32>
  %b = graph.reshape %a : tensor<1x16x6xf32> -> tensor<16x6xf32>
  %c = graph.matmul %b, %v : tensor<16x6xf32>, tensor<6x6xf32>
  func.return %c : tensor<16x6xf32>
}
