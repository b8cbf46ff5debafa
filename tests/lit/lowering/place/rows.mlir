// RUN: ndp-opt %s -p 'place{policy=pim-first},to-pim' -t timeline | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=pim-first}' -t timeline | filecheck %s

// A weight of 32 x 48 numbers takes 24 rows of both banks: 48 outputs, two at a time, each a full row of 8 columns of 4 lanes. The PIM
// has 40 rows, so one product stays on the primary device. The other one takes 24 x 256 bytes, and 128 + 192 bytes for %x and its result.

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim" {rows = 40}
hw.link @gpu to @pim = "toy_link"

// CHECK:     gpu  {{ *}}matmul
// CHECK:     pim  {{ *}}{{@?}}matmul
// CHECK-NOT: matmul
// CHECK:     makespan
// CHECK:     pim  {{.*}}  6.464 kB       63.1 %
func.func @main(%x: tensor<1x32xf32>) -> (tensor<1x48xf32>, tensor<1x48xf32>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x48xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<32x48xf32>
  %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x48xf32>
  %b = graph.matmul %x, %v : tensor<1x32xf32>, tensor<32x48xf32>
  func.return %a, %b : tensor<1x48xf32>, tensor<1x48xf32>
}
