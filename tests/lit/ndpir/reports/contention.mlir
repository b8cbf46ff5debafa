// Where two devices take turns in using one memory, the summary reports the share of the makespan that this costs.

// RUN: ndp-opt %s -p 'place{policy=priority devices=pim}' -t summary | filecheck %s

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link" {arbitration = "exclusive"}

// CHECK:      makespan   19.187 us
// CHECK:      placement  11.174 us at least, for any placement and order (load of gpu and of gpu and pim, serialized); this one 71.7 % above
// CHECK-NEXT: predicted  19.187 us by placement policy "priority devices=pim", equal to the simulation
// CHECK-NEXT: contention 9 us of the makespan, because devices take turns (10.187 us without)

func.func @main(%x: tensor<100x1000xf32>, %y: tensor<1x64xf32>) -> (tensor<100x1000xf32>, tensor<1x64xf32>) {
  %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<64x64xf32>
  %b = graph.relu %y : tensor<1x64xf32>
  %c = graph.matmul %b, %w : tensor<1x64xf32>, tensor<64x64xf32>
  %a = graph.relu %x : tensor<100x1000xf32>
  func.return %a, %c : tensor<100x1000xf32>, tensor<1x64xf32>
}
