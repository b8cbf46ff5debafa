// SLOW
// RUN: ndp-opt %s -p 'place{policy=pimflow mode=mddp}' --split-input-file | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=pimflow mode=mddp}' --split-input-file -t timeline | filecheck %s --check-prefix=TIME
// RUN: ndp-opt %s -p 'place{policy=pimflow mode=pipeline}' --split-input-file -t timeline | filecheck %s --check-prefix=HALVES
// RUN: not ndp-opt %s -p 'place{policy=pimflow mode=x}' 2>&1 | filecheck %s --check-prefix=MODE

// MODE: error: option `mode` of place must be one of newton, pipeline, mddp, pimflow, but is x

// Of 10 rows of 200 B the GPU, which moves 1 B/ns, reads and writes 6: with 4 B of filter 2404 ns. Meanwhile the PIM, which takes 12 ns
// per element (load 1, mac 1, drain 10 cycles) and 3 more, computes 4 rows of 50: 2403 ns. At 50 % it would be 3003 ns, at 70 % the GPU
// 2804 ns. With one channel, rows are contiguous: slices and the concat are views, and only 800 B are copied, in each direction in 0.8 ns.
hw.device @gpu = "toy_gpu" {launch = "0 ns", bandwidth = "1 GB/s"}
hw.device @pim = "toy_pim" {launch = "0 ns"}
hw.link @gpu to @pim = "toy_link" {latency = "0 ns", bandwidth = "1000 GB/s"}

// CHECK-LABEL: func.func @pays
// CHECK:       task.run @gpu
// CHECK-NEXT:  graph.slice %x_1 starts = [0, 0, 0, 0], ends = [1, 1, 6, 50] {order = array<i64: 0, 1, 2, 3>}
// CHECK:       graph.slice %x_1 starts = [0, 0, 6, 0], ends = [1, 1, 10, 50] {order = array<i64: 0, 1, 2, 3>}
// CHECK:       task.run @pim
// CHECK-NEXT:  graph.conv %5, %w_1 : tensor<1x1x4x50xf32>
// CHECK:       graph.concat %6, %7 axis = 2 {order = array<i64: 0, 1, 2, 3>}
// TIME:        0 ns 0.8 ns 0.8 ns gpu->pim copy of slice
// TIME-NEXT:   0 ns 2.404 us 2.404 us gpu conv
// TIME-NEXT:   0.8 ns 2.4038 us 2.403 us pim conv
// TIME-NEXT:   2.4038 us 2.4046 us 0.8 ns pim->gpu copy of conv
// TIME:        makespan 2.4046 us
// HALVES:      makespan 4.004 us
func.func @pays(%x: tensor<1x1x10x50xf32>) -> tensor<1x1x10x50xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<1x1x1x1xf32>
  %y = graph.conv %x, %w : tensor<1x1x10x50xf32>, tensor<1x1x1x1xf32>
  func.return %y : tensor<1x1x10x50xf32>
}

// -----

// At twice the bandwidth, the GPU computes all 10 rows in 2002 ns, 9 of them in 1802 ns. A launch of the PIM takes 2 us, so it does not help.
hw.device @gpu = "toy_gpu" {launch = "0 ns", bandwidth = "2 GB/s"}
hw.device @pim = "toy_pim" {launch = "2 us"}
hw.link @gpu to @pim = "toy_link" {latency = "0 ns", bandwidth = "1000 GB/s"}

// CHECK-LABEL: func.func @does_not_pay
// CHECK-NOT:   task.run @pim
// CHECK-NOT:   graph.slice
// TIME:        makespan 2.002 us
func.func @does_not_pay(%x: tensor<1x1x10x50xf32>) -> tensor<1x1x10x50xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<1x1x1x1xf32>
  %y = graph.conv %x, %w : tensor<1x1x10x50xf32>, tensor<1x1x1x1xf32>
  func.return %y : tensor<1x1x10x50xf32>
}

// -----

// At 0.5 B/ns the first layer takes 8072 ns on the GPU, the second one 6003 ns on the PIM: serially 14075 ns. In halves
// of 5 rows, where each half of the first layer also reads one row of the other half, the first layer takes 6 x 200 + 5
// x 200 + 36 B or 4472 ns, the PIM's half 3003 ns: 4472 + 4472 + 3003, and copies of 1000 B in 1 ns to the PIM and back.
hw.device @gpu = "toy_gpu" {launch = "0 ns", bandwidth = "500 MB/s"}
hw.device @pim = "toy_pim" {launch = "0 ns"}
hw.link @gpu to @pim = "toy_link" {latency = "0 ns", bandwidth = "1000 GB/s"}

// CHECK-LABEL: func.func @halves
// HALVES:      0 ns 4.472 us 4.472 us gpu conv
// HALVES-NEXT: 4.472 us 4.473 us 1 ns gpu->pim copy of conv
// HALVES-NEXT: 4.472 us 8.944 us 4.472 us gpu conv
// HALVES-NEXT: 4.473 us 7.476 us 3.003 us pim conv
// HALVES-NEXT: 7.476 us 7.477 us 1 ns pim->gpu copy of conv
// HALVES-NEXT: 8.944 us 8.945 us 1 ns gpu->pim copy of conv
// HALVES-NEXT: 8.945 us 11.948 us 3.003 us pim conv
// HALVES-NEXT: 11.948 us 11.949 us 1 ns pim->gpu copy of conv
func.func @halves(%x: tensor<1x1x10x50xf32>) -> tensor<1x1x10x50xf32> {
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<1x1x3x3xf32>
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<1x1x1x1xf32>
  %h = graph.conv %x, %v pads = [1, 1, 1, 1] : tensor<1x1x10x50xf32>, tensor<1x1x3x3xf32>
  %y = graph.conv %h, %w : tensor<1x1x10x50xf32>, tensor<1x1x1x1xf32>
  func.return %y : tensor<1x1x10x50xf32>
}
