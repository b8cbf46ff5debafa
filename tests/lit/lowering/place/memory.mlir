// RUN: ndp-opt %s -p 'place{policy=pim-first}' -t timeline | filecheck %s

// Two weights of 4 kB each, but the PIM has 16 rows of 128 bytes in each of two banks, 4 kB in total: not even one weight and %x fit.

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim" {rows = 16}
hw.link @gpu to @pim = "toy_link"

// CHECK:     gpu  matmul
// CHECK:     gpu  matmul
// CHECK-NOT: copy %
// CHECK:     makespan
func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<32x32xf32>
  %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
  %b = graph.matmul %a, %v : tensor<1x32xf32>, tensor<32x32xf32>
  func.return %b : tensor<1x32xf32>
}
