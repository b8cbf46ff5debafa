// A machine without host memory: three weights of 100 kB, which the PIM can't use, exceed the GPU's memory. Pipelines that
// plan moves move them to free rows of the PIM; policies with page faults have no memory to fetch from.
// RUN: ndp-opt %s -p offload --check -t summary | filecheck %s
// RUN: ndp-opt %s -p optimal -t mlir | filecheck %s --check-prefix=MOVES
// RUN: ndp-opt %s -p swap -t mlir | filecheck %s --check-prefix=MOVES
// RUN: not ndp-opt %s -p 'place{policy=gpu},prefetch{policy=uvm}' 2>&1 | filecheck %s --check-prefix=FAULTS

// CHECK: kept by    policy plan:
// CHECK: at least   {{.*}} for any plan of moves
// MOVES: task.evict {{.*}} to @pim
// FAULTS: error: the memory behind @gpu serves no page faults, but this policy needs them;

hw.device @gpu = "toy_gpu" {memory = "410 kB"}
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
func.func @main(%x: tensor<25000xf32>) -> tensor<25000xf32> {
  %u = graph.weight "u" = uniform(-1.0, 1.0, 1) : tensor<25000xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<25000xf32>
  %w = graph.weight "w" = uniform(-1.0, 1.0, 3) : tensor<25000xf32>
  %a = graph.cumsum %x axis = 0 : tensor<25000xf32>
  %b = graph.add %a, %u : tensor<25000xf32>
  %c = graph.cumsum %b axis = 0 : tensor<25000xf32>
  %d = graph.add %c, %v : tensor<25000xf32>
  %e = graph.cumsum %d axis = 0 : tensor<25000xf32>
  %f = graph.add %e, %w : tensor<25000xf32>
  func.return %f : tensor<25000xf32>
}
