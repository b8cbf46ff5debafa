// Near-data programs in both forms are printed as they were read.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// A fused multiply-add in ten lines.
// CHECK:      ndp.program @fma on @ndp (%a: memref<4096xf32>, %b: memref<4096xf32>, %c: memref<4096xf32>) -> (%r: memref<4096xf32>) {
// CHECK-NEXT:   ndp.filter %a, %b, %c
// CHECK-NEXT:   %x = ndp.load %a
// CHECK-NEXT:   %y = ndp.load %b
// CHECK-NEXT:   %z = ndp.load %c
// CHECK-NEXT:   %p = graph.mul %x, %y : tensor<4096xf32>
// CHECK-NEXT:   %s = graph.add %p, %z : tensor<4096xf32>
// CHECK-NEXT:   ndp.store %s to %r
// CHECK-NEXT:   ndp.join
// CHECK-NEXT: }
ndp.program @fma on @ndp (%a: memref<4096xf32>, %b: memref<4096xf32>, %c: memref<4096xf32>) -> (%r: memref<4096xf32>) {
  ndp.filter %a, %b, %c
  %x = ndp.load %a
  %y = ndp.load %b
  %z = ndp.load %c
  %p = graph.mul %x, %y : tensor<4096xf32>
  %s = graph.add %p, %z : tensor<4096xf32>
  ndp.store %s to %r
  ndp.join
}

// A mean in two levels is subtracted; scratch memory holds the values of the first phase that the second one reads.
// CHECK:      ndp.program @centre on @ndp (%a: memref<8x64xf32>) -> (%r: memref<8x64xf32>) attributes {mine.note = "kept", ndp.outputs = #ndp.outputs<together>} {
// CHECK-NEXT:   ndp.filter %a
// CHECK-NEXT:   %x = ndp.load %a
// CHECK-NEXT:   %e = graph.exp %x : tensor<8x64xf32>
// CHECK-NEXT:   %t = ndp.alloc : memref<8x64xf32>
// CHECK-NEXT:   ndp.store %e to %t
// CHECK-NEXT:   %p = ndp.reduce mean %e axes = [1], keep_dims : tensor<8x64xf32>
// CHECK-NEXT:   ndp.barrier
// CHECK-NEXT:   %m = ndp.combine %p : tensor<8x1xf32>
// CHECK-NEXT:   %y = ndp.load %t {mine.note}
// CHECK-NEXT:   %d = graph.sub %y, %m : tensor<8x64xf32>, tensor<8x1xf32>
// CHECK-NEXT:   ndp.store %d to %r
// CHECK-NEXT:   ndp.join
// CHECK-NEXT: }
ndp.program @centre on @ndp (%a: memref<8x64xf32>) -> (%r: memref<8x64xf32>) attributes {mine.note = "kept", ndp.outputs = #ndp.outputs<together>} {
  ndp.filter %a
  %x = ndp.load %a
  %e = graph.exp %x : tensor<8x64xf32>
  %t = ndp.alloc : memref<8x64xf32>
  ndp.store %e to %t
  %p = ndp.reduce mean %e axes = [1], keep_dims : tensor<8x64xf32>
  ndp.barrier
  %m = ndp.combine %p : tensor<8x1xf32>
  %y = ndp.load %t {mine.note}
  %d = graph.sub %y, %m : tensor<8x64xf32>, tensor<8x1xf32>
  ndp.store %d to %r
  ndp.join
}

// CHECK:      func.func @main
// CHECK-NEXT:   %y = ndp.launch @centre (%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = ndp.launch @centre (%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
  func.return %y : tensor<8x64xf32>
}
