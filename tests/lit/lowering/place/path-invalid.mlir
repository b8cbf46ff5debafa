// RUN: not ndp-opt %s -p 'place{policy=path width=0}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not ndp-opt %s -p 'place{policy=path width=wide}' 2>&1 | filecheck %s --check-prefix=WORD
// RUN: not ndp-opt %s -p 'place{policy=greedy width=64}' 2>&1 | filecheck %s --check-prefix=GREEDY
// RUN: not ndp-opt %s -p 'place{policy=path devices=pim}' 2>&1 | filecheck %s --check-prefix=DEVICES
// RUN: not ndp-opt %s -p 'place{policy=path}' --set gpu.memory=4kB 2>&1 | filecheck %s --check-prefix=MEMORY

// NONE:    path-invalid.mlir: error: place: `width` must be 1 or more, not 0
// WORD:    -p:1:19: error: option `width` of place must be a whole number, but is wide
// GREEDY:  path-invalid.mlir: error: place: option `width` applies to policies path and optimal, not to greedy; remove it
// DEVICES: path-invalid.mlir: error: place: option `devices` applies to policy priority, not to path; remove it
// MEMORY:  path-invalid.mlir:17:1: error: @main needs 4.352 kB on @gpu (4.096 kB of weights and constants, 256 B of live values), but toy_gpu holds 4 kB; take a device with more memory or a smaller model

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim" {rows = 4}
hw.link @gpu to @pim = "toy_link" {duplex = "no"}

func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
  func.return %a : tensor<1x32xf32>
}
