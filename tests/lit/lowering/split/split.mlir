// RUN: ndp-opt %s --split-input-file -p 'split{op=conv axis=2 at=0.5}' --check | filecheck %s --check-prefix=ROWS
// RUN: ndp-opt %s --split-input-file -p 'split{op=conv axis=1 at=0.25,0.25}' --check | filecheck %s --check-prefix=CHANNELS
// RUN: ndp-opt %s --split-input-file -p 'split{op=matmul at=0.3}' --check | filecheck %s --check-prefix=PRODUCT
// RUN: ndp-opt %s --split-input-file -p 'split{op=attention axis=1}' --check | filecheck %s --check-prefix=HEADS
// RUN: ndp-opt %s --split-input-file -p 'split{op=softmax axis=1}' 2>&1 | filecheck %s --check-prefix=WHOLE
// RUN: ndp-opt %s --split-input-file -p 'split{op=lstm}' 2>&1 | filecheck %s --check-prefix=NOTHING
// RUN: not ndp-opt %s --split-input-file -p 'split{op=softmax axis=7}' 2>&1 | filecheck %s --check-prefix=AXIS
// RUN: not ndp-opt %s -p 'split{at=1.5}' 2>&1 | filecheck %s --check-prefix=SHARE

// Halves of the rows: each reads one row of the other half; each reads the complete bias, and the activation is split, too.
//      ROWS: func.func @rows
// ROWS-NEXT:   %0 = graph.slice %x starts = [0, 0, 0, 0], ends = [1, 8, 9, 16] : tensor<1x8x16x16xf32>
//      ROWS:   graph.conv {{.*}} pads = [1, 1, 0, 1] : tensor<1x8x9x16xf32>, tensor<4x8x3x3xf32>, tensor<4xf32>
// ROWS-NEXT:   graph.relu {{.*}} : tensor<1x4x8x16xf32>
//      ROWS:   graph.slice %x starts = [0, 0, 7, 0], ends = [1, 8, 16, 16] : tensor<1x8x16x16xf32>
//      ROWS:   graph.conv {{.*}} pads = [0, 1, 1, 1] : tensor<1x8x9x16xf32>, tensor<4x8x3x3xf32>, tensor<4xf32>
// ROWS-NEXT:   graph.relu {{.*}} : tensor<1x4x8x16xf32>
// ROWS-NEXT:   graph.concat {{.*}} axis = 2 : tensor<1x4x8x16xf32>

// Three parts of the output channels: each reads a part of the filter and of the bias.
//      CHANNELS:   graph.slice %w starts = [1, 0, 0, 0], ends = [2, 8, 3, 3]
//      CHANNELS:   graph.slice %b starts = [1], ends = [2]
//      CHANNELS:   graph.concat {{.*}} axis = 1 : tensor<1x1x16x16xf32>, tensor<1x1x16x16xf32>, tensor<1x2x16x16xf32>
func.func @rows(%x: tensor<1x8x16x16xf32>, %w: tensor<4x8x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x16x16xf32> {
  %y = graph.conv %x, %w, %b pads = [1, 1, 1, 1] : tensor<1x8x16x16xf32>, tensor<4x8x3x3xf32>, tensor<4xf32>
  %z = graph.relu %y : tensor<1x4x16x16xf32>
  func.return %z : tensor<1x4x16x16xf32>
}

// -----

// The size of a part is rounded up to complete rows; an operand that broadcasts along the axis is not sliced, one that has the axis is.
//      PRODUCT: graph.matmul {{.*}} : tensor<3x8xf32>, tensor<8x6xf32>
//      PRODUCT: graph.add {{.*}} : tensor<3x6xf32>
//      PRODUCT: graph.slice %r starts = [3, 0], ends = [10, 6]
//      PRODUCT: graph.concat {{.*}} axis = 0 : tensor<3x6xf32>, tensor<7x6xf32>
func.func @product(%x: tensor<10x8xf32>, %w: tensor<8x6xf32>, %r: tensor<10x6xf32>) -> tensor<10x6xf32> {
  %y = graph.matmul %x, %w : tensor<10x8xf32>, tensor<8x6xf32>
  %z = graph.add %y, %r : tensor<10x6xf32>
  func.return %z : tensor<10x6xf32>
}

// -----

// Heads of queries are split together with the heads of keys and values that they share.
//      HEADS: graph.slice %q starts = [0, 2, 0, 0], ends = [1, 4, 5, 8]
//      HEADS: graph.slice %k starts = [0, 1, 0, 0], ends = [1, 2, 7, 8]
//      HEADS: graph.concat {{.*}} axis = 1
func.func @heads(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x7x8xf32>) -> tensor<1x4x5x8xf32> {
  %y = graph.attention %q, %k, %k causal : tensor<1x4x5x8xf32>, tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>
  func.return %y : tensor<1x4x5x8xf32>
}

// -----

// WHOLE:   split.mlir:[[#]]:8: note: graph.softmax is not split: shards along axis 1 are not independent (they are along 0)
// NOTHING: note: split: no op has the kind or location `lstm`; nothing is split
// AXIS:    split.mlir:[[#]]:8: error: split: graph.softmax has no axis 7; its result has rank 2
// SHARE:   error: {{.*}}split takes fractions between 0 and 1 with a sum below 1, not [1.5]
func.func @soft(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = graph.softmax %x : tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}
