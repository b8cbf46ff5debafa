// RUN: ndp-opt %s --machine toy -t timeline | filecheck %s

// x + x reads x once: 4000 + 4000 bytes at 100 GB/s, and 1 us of launch; x + y reads two operands.
// CHECK: 1.08 us  gpu
// CHECK: 1.12 us  gpu
func.func @main(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %a = graph.add %x, %x : tensor<1000xf32>
  %b = graph.add %x, %y : tensor<1000xf32>
  func.return %a, %b : tensor<1000xf32>, tensor<1000xf32>
}
