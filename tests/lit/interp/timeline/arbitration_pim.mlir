// RUN: ndp-opt %s -p 'place{policy=pim-first}' -t timeline | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=pim-first},to-pim' -t timeline | filecheck %s

// The bandwidth that a PIM's task needs counts the data of its commands, but not weights in the banks, both before and after
// lowering. The GPU's memory has 0.1 bytes per ns here, less than the matmul's loads and drains of 7 us need, so that the matmul
// needs all of it. So does the relu: 400 bytes in 4 us. It starts together with a copy that also needs all, and takes 8 us.

hw.device @gpu = "toy_gpu" {launch = "0 ns", bandwidth = "100 MB/s"}
hw.device @pim = "toy_pim" {launch = "0 ns"}
hw.link @gpu to @pim = "toy_link" {latency = "0 ns", arbitration = "shared"}
// CHECK:        0 ns    51.2 ns   25.6 ns  gpu->pim  copy %x
// CHECK-NEXT:   0 ns       8 us      4 us  gpu       relu
// CHECK-NEXT: 51.2 ns  11.057 us  7.031 us  pim       {{matmul|@matmul_1x64x64_f32}}
// CHECK:      makespan  11.082 us
// CHECK-NEXT: bound     11.082 us, {{.*}} (memory bandwidth of gpu)
func.func @main(%x: tensor<1x64xf32>, %z: tensor<50xf32>) -> (tensor<1x64xf32>, tensor<50xf32>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<64x64xf32>
  %a = graph.matmul %x, %w : tensor<1x64xf32>, tensor<64x64xf32>
  %r = graph.relu %z : tensor<50xf32>
  func.return %a, %r : tensor<1x64xf32>, tensor<50xf32>
}
