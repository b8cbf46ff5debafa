// RUN: ndp-opt %s -p recompute 2>&1 | filecheck %s
// RUN: ndp-opt %s -p recompute --check -t timeline 2>&1 | filecheck %s --check-prefix TIME
// RUN: ndp-opt %s --set gpu.memory=500kB -p recompute -t timeline 2>&1 | filecheck %s --check-prefix FITS
// RUN: not ndp-opt %s --set gpu.memory=300kB -p recompute -t timeline 2>&1 | filecheck %s --check-prefix NEVER

// Each value takes 100 kB. While %c and %d are computed, %a is kept for a later reader, besides %x: 500 kB. If the
// memory has 400 kB, %a is recomputed.

hw.device @gpu = "toy_gpu" {memory = "400 kB"}

// CHECK: note: recompute: 1 op of 5 are recomputed, which takes {{.*}} more time; the program then needs at most 400 kB on @gpu, not 500 kB
// CHECK:      %a = graph.relu %x
// CHECK-NEXT: %b = graph.exp %a
// CHECK-NEXT: %c = graph.sqrt %b
// CHECK-NEXT: %d = graph.add %b, %c
// CHECK-NEXT: %a_1 = graph.relu %x
// CHECK-NEXT: %e = graph.add %d, %a_1
// CHECK-NEXT: func.return %e

// TIME: check: recompute: 1 result equal
// TIME: gpu {{.*}} 400 kB

// FITS-NOT: note: recompute
// FITS: gpu {{.*}} 500 kB

// NEVER: recompute.mlir:[[# @LINE + 2]]:1: note: recompute: @gpu holds 300 kB and the program needs 500 kB; no selection of recomputed ops makes it fit; move values to other memory, or give the device more memory
// NEVER: error: @main needs 500 kB on @gpu
func.func @main(%x: tensor<25000xf32> {task.state = "read"}) -> tensor<25000xf32> {
  %a = graph.relu %x : tensor<25000xf32>
  %b = graph.exp %a : tensor<25000xf32>
  %c = graph.sqrt %b : tensor<25000xf32>
  %d = graph.add %b, %c : tensor<25000xf32>
  %e = graph.add %d, %a : tensor<25000xf32>
  func.return %e : tensor<25000xf32>
}
