// RUN: ndp-opt %s -p layout | filecheck %s
// RUN: ndp-opt %s -p layout -t timeline | filecheck %s --check-prefix=TIME

// A transpose between an image and a launched program with channels last is a view: the image is stored in that
// order. An argument is row-major and must be copied.
hw.device @gpu = "a100"
tile.kernel @copy on @gpu (%x: memref<1x8x8x16xf16>) -> (%y: memref<1x8x8x16xf16>) {
  tile.blocks %i = 0 to 8 warps 1, 1 {
    %t = tile.buffer register : memref<8x16xf16>
    tile.copy %x[0, %i] to %t
    tile.copy %t to %y[0, %i]
  }
}
// TIME-COUNT-1: transpose
// TIME-NOT:     transpose
func.func @main(%x: tensor<1x16x8x8xf16>) -> tensor<1x16x4x4xf16> {
  // CHECK: graph.transpose %x permutation = [0, 2, 3, 1] : tensor<1x16x8x8xf16>
  %a = graph.transpose %x permutation = [0, 2, 3, 1] : tensor<1x16x8x8xf16>
  %b = tile.launch @copy (%a) : (tensor<1x8x8x16xf16>) -> tensor<1x8x8x16xf16>
  // CHECK: graph.transpose %b permutation = [0, 3, 1, 2] {order = array<i64: 0, 1, 2, 3>} : tensor<1x8x8x16xf16>
  %c = graph.transpose %b permutation = [0, 3, 1, 2] : tensor<1x8x8x16xf16>
  %d = graph.relu %c : tensor<1x16x8x8xf16>
  // CHECK: graph.transpose %d permutation = [0, 2, 3, 1] {order = array<i64: 0, 2, 3, 1>} : tensor<1x16x8x8xf16>
  %e = graph.transpose %d permutation = [0, 2, 3, 1] : tensor<1x16x8x8xf16>
  %f = tile.launch @copy (%e) : (tensor<1x8x8x16xf16>) -> tensor<1x8x8x16xf16>
  %g = graph.transpose %f permutation = [0, 3, 1, 2] : tensor<1x8x8x16xf16>
  %y = graph.pool max %g kernel = [2, 2], strides = [2, 2] : tensor<1x16x8x8xf16>
  func.return %y : tensor<1x16x4x4xf16>
}
