// RUN: ndp-opt %s -p 'place{policy=gpu}' -t timeline | filecheck %s --check-prefix=GPU
// RUN: ndp-opt %s -p 'place{policy=pim-first}' -t timeline | filecheck %s --check-prefix=PIM
// RUN: ndp-opt %s -p 'place{policy=greedy}' -t timeline | filecheck %s --check-prefix=GREEDY
// RUN: ndp-opt %s -p 'place{effort=1}' -t timeline | filecheck %s --check-prefix=COST
// RUN: ndp-opt %s -p place{effort=1},to-pim -t timeline | filecheck %s --check-prefix=COST
// RUN: ndp-opt %s -p 'place{effort=1}' -t summary | filecheck %s --check-prefix=SUMMARY

// A launch on this GPU takes 5 us, and moving 4.352 kB at 100 GB/s 43.5 ns. A product takes the PIM 1.851 us: 100 ns of launch, and 16 rows
// of 110 ns (100 from act to pre, 10 from pre), minus 9 after the last row; loads overlap open rows. A copy of 128 bytes takes 1.0128 us.
hw.device @gpu = "toy_gpu" {launch = 5}
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// GPU: makespan  10.087 us

// PIM:      gpu->pim  copy %x
// PIM-NEXT: pim       matmul
// PIM-NEXT: pim       matmul
// PIM-NEXT: pim->gpu  copy %b
// PIM:      makespan  5.7276 us

// On the PIM the first product ends at 3.8766 us, including copies, on the GPU at 5.0435 us: greedy takes the PIM, and so for the next ones.
// GREEDY: makespan  5.7276 us

// COST: makespan  5.7276 us

// SUMMARY: speed-up   1.76x over @gpu alone at its best (10.087 us)
func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<32x32xf32>
  %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
  %b = graph.matmul %a, %v : tensor<1x32xf32>, tensor<32x32xf32>
  func.return %b : tensor<1x32xf32>
}
