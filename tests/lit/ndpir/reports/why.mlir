// What decisions are worth: plans are made again without other devices, without moves, without pipelined kernels, and
// without any two of these. The program exceeds the GPU's memory: without moves, a part of it runs near the data, and
// without both, nothing runs. No matrix unit multiplies f32 by our templates, so pipelining does not matter.
// RUN: ndp-opt %s -p plan -O1 --summary=why 2> %t | filecheck %s
// CHECK: makespan   20.371 us
// CHECK: without                                      makespan  factor  because
// CHECK-NEXT: nothing: the plan                           20.371 us   1.00x
// CHECK-NEXT: other devices                               {{[0-9.]+}} us   1.{{[0-9]+}}x  all runs on @gpu, {{[0-9.]+}} kB move between memories
// CHECK-NEXT: moves and repeated runs                     2{{[0-9.]+}} us   1.{{[0-9]+}}x  what @gpu can't hold runs on @ndp
// CHECK-NEXT: pipelined kernels                                   -       -  no product has a kernel of thread blocks on @gpu
// CHECK-NEXT: other devices, moves and repeated runs              -       -  nothing runs: @main needs 524.29 kB on @gpu
// CHECK-NEXT: other devices, pipelined kernels                    -       -  no product has a kernel of thread blocks on @gpu
// CHECK-NEXT: moves and repeated runs, pipelined kernels          -       -  no product has a kernel of thread blocks on @gpu

// The restrictions are options of the pass that plans; progress is shown on terminals alone.
// RUN: ndp-opt %s -p 'choose-form,place{effort=1 without=moves}' -t summary 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: filecheck %s --check-prefix=QUIET --input-file %t
// OPTION: by placement policy "optimal effort=1 without=moves"
// QUIET-NOT: a plan without

// RUN: not ndp-opt %s -p 'place{without=copies}' 2>&1 | filecheck %s --check-prefix=WORD
// WORD: error: place: option `without` takes devices, moves, stages, not `copies`
// RUN: not ndp-opt %s -p 'place{policy=gpu without=moves}' 2>&1 | filecheck %s --check-prefix=POLICY
// POLICY: error: place: option `without` applies to policy optimal, not to gpu; remove it
// RUN: not ndp-opt %s -p 'place{without=stages}' 2>&1 | filecheck %s --check-prefix=STAGES
// STAGES: error: no product of @main has a kernel of thread blocks on @gpu
// RUN: not ndp-opt %s -p inline --summary=why 2>&1 | filecheck %s --check-prefix=SEARCH
// SEARCH: error: what decisions are worth is known of plans by search, but no pass of -p makes one; use the pipeline plan, or place{policy=optimal}
// RUN: not ndp-opt %s -p plan --summary=what 2>&1 | filecheck %s --check-prefix=VALUE
// VALUE: error: --summary takes no value but `why`, not `what`; write --summary or --summary=why

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
