// Placement and the lowering to banks do not change results, either.
// RUN: ndp-opt %s -p 'canonicalize,fuse,place{policy=pim-first},canonicalize,fuse' --machine toy --check 2>&1 | filecheck %s
// CHECK:      check: canonicalize: 1 result equal
// CHECK-NEXT: check: fuse: 1 result equal
// CHECK-NEXT: check: place: 1 result equal
// CHECK-NEXT: check: canonicalize: 1 result equal
// CHECK-NEXT: check: fuse: 1 result equal
func.func @main(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %y = graph.matmul %x, %w : tensor<1x8xf32>, tensor<8x8xf32>
  %z = graph.exp %y : tensor<1x8xf32>
  func.return %z : tensor<1x8xf32>
}
