// The summary shows the notes of `place` next to the simulated time: a lower bound on all placements, the policy's
// prediction, and the effects of overlap, later passes and shared memory.

// RUN: ndp-opt %s -p 'place{policy=priority devices=pim}' | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=priority devices=pim}' -t summary | filecheck %s --check-prefix=PLACED
// RUN: ndp-opt %s -p 'place{policy=priority devices=pim},order' -t summary | filecheck %s --check-prefix=ORDER
// RUN: ndp-opt %s -p 'place{policy=priority devices=pim},to-pim' -t summary | filecheck %s --check-prefix=PLACED
// RUN: ndp-opt %s -p 'place{policy=pimflow mode=newton}' -t summary | filecheck %s --check-prefix=PARTS

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK: task.plan = #task.plan<"priority devices=pim", ns = 19187.32, bound = 10187.32 "branch and bound", machine = "{{[0-9a-f]+}}">

// @pim waits for the second relu, which waits for the first one, until the pass `order` swaps them.

// PLACED:      makespan   19.187 us
// PLACED:      placement  10.187 us at least, for any placement and order (branch and bound); this one 88.3 % above
// PLACED-NEXT: predicted  19.187 us by placement policy "priority devices=pim", equal to the simulation
// PLACED-NEXT: speed-up

// ORDER:      makespan   10.187 us
// ORDER:      placement  10.187 us at least, for any placement and order ({{.*}}); this one 0.0 % above
// ORDER-NEXT: predicted  19.187 us by placement policy "priority devices=pim"; later passes save 9 us; without overlap 19.187 us (overlap saves 9 us)

// The bound on unsplit ops does not hold for PIMFlow's splits.

// PARTS-NOT:  placement {{[0-9]}}
// PARTS:      predicted  19.187 us by placement policy "pimflow mode=newton", equal to the simulation
// PARTS-NEXT: splits     10.005 us lower bound with splits; this one 91.8 % above

func.func @main(%x: tensor<100x1000xf32>, %y: tensor<1x64xf32>) -> (tensor<100x1000xf32>, tensor<1x64xf32>) {
  %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<64x64xf32>
  %a = graph.relu %x : tensor<100x1000xf32>
  %b = graph.relu %y : tensor<1x64xf32>
  %c = graph.matmul %b, %w : tensor<1x64xf32>, tensor<64x64xf32>
  func.return %a, %c : tensor<100x1000xf32>, tensor<1x64xf32>
}
