// RUN: ndp-opt %s -p 'place{policy=cost}' -t timeline | filecheck %s --check-prefix=SURE
// RUN: ndp-opt %s -p 'place{policy=cost robust=0.2}' -t timeline 2>&1 | filecheck %s --check-prefix=WORST
// RUN: ndp-opt %s -p 'place{policy=cost robust=0.2 regret=expected}' -t timeline 2>&1 | filecheck %s --check-prefix=MEAN
// RUN: not ndp-opt %s -p 'place{policy=best robust=0.2}' 2>&1 | filecheck %s --check-prefix=PLANNER
// RUN: not ndp-opt %s -p 'place{robust=1.5}' 2>&1 | filecheck %s --check-prefix=MUCH
// RUN: not ndp-opt %s -p 'place{regret=expected}' 2>&1 | filecheck %s --check-prefix=REGRET

// At the given costs, the PIM is faster: 5.7276 us (policies.mlir), against two launches of 2.85 us and 87 ns, in total
// 5.787 us. But the GPU's whole time depends on one cost, the PIM's on two, products and copies, which are seldom both
// underestimated. So the mean over scenarios favours the GPU, and the price of robustness is 5.787 / 5.7276.
hw.device @gpu = "toy_gpu" {launch = 2.85}
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// SURE: makespan  5.7276 us

// WORST: note: robust: worst regret 23.3 % instead of 23.3 % over 16 scenarios of costs wrong by up to 20 %, and 25.8 % instead of 25.8 % over 16 others; price 0.0 % at nominal costs
// WORST: makespan  5.7276 us

// MEAN: note: robust: mean regret 4.5 % instead of 6.3 % over 16 scenarios of costs wrong by up to 20 %, and 7.0 % instead of 8.8 % over 16 others; price 1.0 % at nominal costs
// MEAN: makespan  5.787 us

// PLANNER: error: place: option `robust` applies to policies gpu, pim-first, priority, greedy, cost, path{{.*}}optimal{{.*}}, not to best; remove it
// MUCH: error: place: `robust` must be 0 or more and below 1, not 1.5
// REGRET: robust.mlir: error: place: option `regret=expected` applies to robust plans only; add robust=0.2
func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<32x32xf32>
  %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
  %b = graph.matmul %a, %v : tensor<1x32xf32>, tensor<32x32xf32>
  func.return %b : tensor<1x32xf32>
}
