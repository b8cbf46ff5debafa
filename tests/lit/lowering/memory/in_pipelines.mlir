// Our own pipelines plan moves for a program that exceeds the GPU's memory, in the order for which it was placed, and say
// nothing of moves for one that fits.
// RUN: ndp-opt %s -p offload -t summary 2>&1 | filecheck %s
// RUN: ndp-opt %s -p optimal -t summary 2>&1 | filecheck %s
// RUN: not ndp-opt %s -p offload --set 'gpu.memory=150 kB' 2>&1 | filecheck %s --check-prefix=LITTLE
// RUN: ndp-opt %s -p offload --set gpu.memory=1MB -t summary 2>&1 | filecheck %s --check-prefix=FITS

// CHECK: policy plan:
// CHECK: makespan   20.371 us
// CHECK: speed-up 1.00x over @gpu alone at its best
// FITS-NOT: moved
// FITS: makespan
// LITTLE: error: {{.*}} needs 327.68 kB at one time, but @gpu holds 150 kB

hw.device @gpu = "toy_gpu" {memory = "520 kB"}
hw.device @ndp = "toy_ndp"
hw.device @host = "toy_host" {paging.demand = "no"}
hw.link @gpu to @ndp = "toy_link"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: tensor<64x256xf32>, %y: tensor<64x256xf32>) -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>) {
  %v0 = graph.mul %y, %y : tensor<64x256xf32>
  %v1 = graph.mul %x, %y : tensor<64x256xf32>
  %v2 = graph.exp %v1 : tensor<64x256xf32>
  %v3 = graph.add %v1, %v0 : tensor<64x256xf32>
  %w4 = graph.weight "w4" = uniform(-0.1, 0.1, 4) : tensor<256x256xf32>
  %v4 = graph.matmul %v3, %w4 : tensor<64x256xf32>, tensor<256x256xf32>
  func.return %v2, %v4, %v0 : tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>
}