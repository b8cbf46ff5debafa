// NVIDIA's current GPUs with each PIM. The PIM of an H100 or H200 equals the PIM of the A100's machine; an RTX 4090 gives half of its memory
// channels to Newton or AiM, and reaches HBM-PIM over PCI Express.
// RUN: ndp-opt %s --machine h100-newton -p 'place{policy=pim-first}' -t timeline | filecheck %s --check-prefix=NEWTON
// RUN: ndp-opt %s --machine h200-newton -p 'place{policy=pim-first}' -t timeline | filecheck %s --check-prefix=NEWTON
// NEWTON:      396.57 ns  gpu->pim  copy %x
// NEWTON-NEXT: 316.57 ns  pim       matmul   row cycles

// RUN: ndp-opt %s --machine h100-aim -p 'reduce-precision{to=bf16},place{policy=pim-first}' -t timeline | filecheck %s --check-prefix=AIM
// RUN: ndp-opt %s --machine h200-aim -p 'reduce-precision{to=bf16},place{policy=pim-first}' -t timeline | filecheck %s --check-prefix=AIM
// AIM:      396.57 ns  gpu->pim  copy %x
// AIM-NEXT:    349 ns  pim       matmul   mac cadence

// RUN: ndp-opt %s --machine h100-hbm_pim -p 'place{policy=pim-first}' -t timeline | filecheck %s --check-prefix=HBM
// RUN: ndp-opt %s --machine h200-hbm_pim -p 'place{policy=pim-first}' -t timeline | filecheck %s --check-prefix=HBM
// HBM:      396.57 ns  gpu->pim  copy %x
// HBM-NEXT: 620.83 ns  pim       matmul   mac cadence

// RUN: ndp-opt %s --machine rtx4090-newton -p 'place{policy=pim-first}' -t timeline | filecheck %s --check-prefix=HALF_NEWTON
// HALF_NEWTON:       398.1 ns  gpu->pim  copy %x
// HALF_NEWTON-NEXT: 1.7257 us  pim       matmul   row cycles

// RUN: ndp-opt %s --machine rtx4090-aim -p 'reduce-precision{to=bf16},place{policy=pim-first}' -t timeline | filecheck %s --check-prefix=HALF_AIM
// HALF_AIM:      397.33 ns  gpu->pim  copy %x
// HALF_AIM-NEXT:    921 ns  pim       matmul   mac cadence

// RUN: ndp-opt %s --machine rtx4090-hbm_pim -p 'place{policy=pim-first}' -t timeline | filecheck %s --check-prefix=CUBES
// CUBES:       5.065 us  gpu->pim  copy %x
// CUBES-NEXT: 959.17 ns  pim       matmul   mac cadence

func.func @main(%x: tensor<1x1024xf16>) -> tensor<1x1024xf16> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<1024x1024xf16>
  %y = graph.matmul %x, %w : tensor<1x1024xf16>, tensor<1024x1024xf16>
  func.return %y : tensor<1x1024xf16>
}
