// The weights of a GPU exceed its memory, and move between that and the host's: that is not the concern of to-pim, which
// checks that weights in the layout of the banks fit a PIM's memory. There is no PIM, and nothing is said.
// RUN: ndp-opt %s -p 'place{policy=gpu},prefetch,to-pim' -o %t.after
// RUN: ndp-opt %s -p 'place{policy=gpu},prefetch' 2>&1 -o %t.before
// RUN: diff %t.before %t.after
// RUN: ndp-opt %s -p plan -t summary | filecheck %s
// CHECK: moved

hw.device @gpu = "toy_gpu" {memory = "400 kB"}
hw.device @host = "toy_host" {paging.demand = "no"}
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %v = graph.weight "v" = uniform(-0.1, 0.1, 4) : tensor<256x256xf32>
  %w = graph.weight "w" = uniform(-0.1, 0.1, 5) : tensor<256x256xf32>
  %a = graph.matmul %x, %v : tensor<64x256xf32>, tensor<256x256xf32>
  %b = graph.matmul %a, %w : tensor<64x256xf32>, tensor<256x256xf32>
  func.return %b : tensor<64x256xf32>
}
