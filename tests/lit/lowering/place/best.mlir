// SLOW
// RUN: ndp-opt %s -p 'place' --split-input-file -t timeline --check 2>/dev/null | filecheck %s
// RUN: ndp-opt %s -p 'place' --split-input-file -t summary | filecheck %s --check-prefix=SUMMARY

// Rows of a product are split at any ratio: of 16 rows the GPU, which moves 1 B/ns, computes 5 with 5 x 2 x 32 + 256 B, the PIM the other 11.
// Slices and the concat are views; 11 x 32 B are copied in 0.352 ns in each direction.
hw.device @gpu = "toy_gpu" {launch = "0 ns", bandwidth = "1 GB/s"}
hw.device @pim = "toy_pim" {launch = "0 ns"}
hw.link @gpu to @pim = "toy_link" {latency = "0 ns", bandwidth = "1000 GB/s"}

//      CHECK: 0 ns 0.352 ns 0.352 ns gpu->pim copy of slice
// CHECK-NEXT: 0 ns 576 ns 576 ns gpu matmul
// CHECK-NEXT: 0.352 ns 553.35 ns 553 ns pim matmul
// CHECK-NEXT: 553.35 ns 553.7 ns 0.352 ns pim->gpu copy of matmul
//      CHECK: makespan 576 ns

// The primary device alone takes 2 x 512 + 256 ns. The lower bound with splits follows from the work of both devices.
// SUMMARY: splits     {{[0-9.]+}} ns lower bound with splits; this one {{[0-9.]+}} % above
// SUMMARY: speed-up 2.22x over @gpu alone at its best (1.28 us)
func.func @rows(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %y = graph.matmul %x, %w : tensor<16x8xf32>, tensor<8x8xf32>
  func.return %y : tensor<16x8xf32>
}

// -----

// Each launch and each copy takes 1 us, so offloading does not pay off: 1000 + 1280 / 100 ns.
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

//     CHECK: 0 ns 1.0128 us 1.0128 us gpu matmul
// CHECK-NOT: pim matmul
//     CHECK: makespan 1.0128 us
func.func @whole(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %y = graph.matmul %x, %w : tensor<16x8xf32>, tensor<8x8xf32>
  func.return %y : tensor<16x8xf32>
}

// -----

// Stages, and splits inside of stages. A row has 200 B: the GPU, at 0.8 B/ns, takes 500 ns per row for the convolution as for
// silu, the PIM 600 ns (12 ns per element). In each of 4 stages of 8 rows, the GPU computes 2 rows of the convolution in 1005
// ns (with 4 B of filter), the PIM 6 rows in 3603 ns, then the GPU silu in 4000 ns: from 4 x 1005 ns on the GPU is never idle,
// 20.02 us in total. With unsplit stages, the PIM would compute for 4 x 4803 ns, and one more silu would follow: 23.2 us.
hw.device @gpu = "toy_gpu" {launch = "0 ns", bandwidth = "800 MB/s"}
hw.device @pim = "toy_pim" {launch = "0 ns"}
hw.link @gpu to @pim = "toy_link" {latency = "0 ns", bandwidth = "1000 GB/s"}

// CHECK:      0 ns 1.005 us 1.005 us gpu conv
// CHECK-NEXT: 6.4 ns 3.6094 us 3.603 us pim conv
// CHECK:      3.015 us 4.02 us 1.005 us gpu conv
// CHECK:      3.6094 us 7.2124 us 3.603 us pim conv
// CHECK-NEXT: 4.02 us 8.02 us 4 us gpu silu
// CHECK:      16.02 us 20.02 us 4 us gpu silu
// CHECK:      makespan 20.02 us
func.func @nested(%x: tensor<1x1x32x50xf32>) -> tensor<1x1x32x50xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<1x1x1x1xf32>
  %y = graph.conv %x, %w : tensor<1x1x32x50xf32>, tensor<1x1x1x1xf32>
  %z = graph.silu %y : tensor<1x1x32x50xf32>
  func.return %z : tensor<1x1x32x50xf32>
}
