// RUN: ndp-opt %s -p place{effort=1} -t summary | filecheck %s
// RUN: ndp-opt %s -t summary | filecheck %s --check-prefix=PLAIN

// 100 kB in, 100 kB out: 2 us at 100 GB/s, and 1 us of launch. A program that is not placed may use the PIM, which
// takes one of four channels and leaves 75 GB/s: 2.667 us. A placed program that does not use it has all channels. The
// speed-up is relative to the unpartitioned GPU.

hw.device @gpu = "toy_gpu" {channels = 4}
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link" {arbitration = "partitioned"}

// CHECK:      machine    @gpu = toy_gpu, @pim = toy_pim
// CHECK:      makespan   3 us
// CHECK:      speed-up   1.00x over @gpu alone at its best (3 us)
// PLAIN:      machine    @gpu = toy_gpu (3 of its 4 channels), @pim = toy_pim
// PLAIN:      makespan   3.6667 us
// PLAIN:      speed-up   0.82x over @gpu with all 4 channels alone at its best (3 us)
func.func @main(%x: tensor<25000xf32>) -> tensor<25000xf32> {
  %a = graph.relu %x : tensor<25000xf32>
  func.return %a : tensor<25000xf32>
}
