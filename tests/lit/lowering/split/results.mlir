// RUN: ndp-opt %s -p 'split{op=matmul axis=0 at=0.25}' --check | filecheck %s
// RUN: ndp-opt %s -p 'chain{axis=0}' --check | filecheck %s --check-prefix=CHAIN

// All results of a group are split into the same parts; marks stay on the parts. An inner value of which several
// ops need different parts is computed in one part that contains all of them.
//      CHECK: func.func @two
//      CHECK:   %[[A:.*]], %[[B:.*]] = graph.fused (%p = {{.*}}, %q = %w) {
//      CHECK:     graph.matmul %p, %q : tensor<2x8xf32>, tensor<8x8xf32>
//      CHECK:   } attributes {task.on = @pim}
//      CHECK:   %[[C:.*]], %[[D:.*]] = graph.fused
//      CHECK:   } attributes {task.on = @pim}
//      CHECK:   %a = graph.concat %[[A]], %[[C]] axis = 0 : tensor<2x8xf32>, tensor<6x8xf32>
//      CHECK:   %b = graph.concat %[[B]], %[[D]] axis = 0 : tensor<2x8xf32>, tensor<6x8xf32>

// A reader of a second result of a group is split, too.
//      CHAIN: func.func @two
//      CHAIN:   %[[A:.*]], %[[B:.*]] = graph.fused
//      CHAIN:   %[[C:.*]], %[[D:.*]] = graph.fused
//      CHAIN:   graph.matmul %[[B]], %w : tensor<4x8xf32>, tensor<8x8xf32>
//      CHAIN:   graph.matmul %[[D]], %w : tensor<4x8xf32>, tensor<8x8xf32>
func.func @two(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %a, %b = graph.fused (%p = %x, %q = %w) {
    %0 = graph.matmul %p, %q : tensor<8x8xf32>
    %1 = graph.relu %0 : tensor<8x8xf32>
    graph.yield %0, %1
  } attributes {task.on = @pim}
  %c = graph.matmul %b, %w : tensor<8x8xf32>
  func.return %a, %c : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @hull
//      CHECK:     %s = graph.matmul {{.*}} : tensor<3x8xf32>, tensor<8x8xf32>
//      CHECK:     graph.slice %s starts = [0, 0], ends = [2, 8] : tensor<3x8xf32>
//      CHECK:     graph.slice %s starts = [1, 0], ends = [3, 8] : tensor<3x8xf32>
func.func @hull(%x: tensor<9x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = graph.fused (%p = %x, %q = %w) {
    %s = graph.matmul %p, %q : tensor<9x8xf32>, tensor<8x8xf32>
    %0 = graph.slice %s starts = [0, 0], ends = [8, 8] : tensor<9x8xf32>
    %1 = graph.slice %s starts = [1, 0], ends = [9, 8] : tensor<9x8xf32>
    %2 = graph.max %0, %1 : tensor<8x8xf32>
    graph.yield %2
  }
  func.return %y : tensor<8x8xf32>
}
