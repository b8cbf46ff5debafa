// RUN: ndp-opt %s --machine h100_sxm --explain explain.mlir:55 | filecheck %s --check-prefix=GEMM
// RUN: ndp-opt %s --machine h100_sxm --explain '' | filecheck %s --check-prefix=LONGEST
// RUN: ndp-opt %s --machine h100_sxm --explain relu -t timeline 2>&1 | filecheck %s --check-prefix=BOTH
// RUN: ndp-opt %s --machine h100_sxm --set h100_sxm.submits=eager --explain relu | filecheck %s --check-prefix=EAGER
// RUN: ndp-opt %s --machine toy_gpu -t explain{task=relu} | filecheck %s --check-prefix=ROOFLINE
// RUN: ndp-opt %s --machine toy -p place{policy=pim-first} --explain explain.mlir:53:12 | filecheck %s --check-prefix=PIM
// RUN: ndp-opt %s --machine toy -p place{policy=pim-first} --explain 'copy %x' | filecheck %s --check-prefix=COPY
// RUN: not ndp-opt %s --machine h100_sxm --explain relv 2>&1 | filecheck %s --check-prefix=NEAR
// RUN: not ndp-opt %s --machine h100_sxm --explain explain.mlir 2>&1 | filecheck %s --check-prefix=SEVERAL

// An explanation describes the kernel, the components of its time, its distance from the peaks, and the alternatives that were tried.
//      GEMM: matmul on @gpu = h100_sxm: {{.*}} us, bound by
//      GEMM: kernel 1 of 1: gemm f16, for graph.matmul (batch 1, m 4,096, n 4,096, k 4,096
//      GEMM: launch {{.*}} gap between the previous kernel and this one
//      GEMM: compute {{.*}} 1.374e+11 flops, {{.*}} GFLOP/s over the kernel's time
//      GEMM: dram {{.*}} GB/s over the kernel's time, {{.*}} % of peak
//      GEMM: l2 {{.*}} GB/s
//      GEMM: total {{.*}} bound by
//      GEMM: energy {{.*}} by component: arithmetic
//      GEMM: board {{.*}} W while it runs
// The clock of thread blocks chose the tile; it differs from the one with the least padding.
// GEMM-NEXT:   modelled  one sum over K, the fastest of 5; a library may run another kernel
// GEMM-NEXT:   slower {{.*}}split-K 2 +{{.*}} %
// GEMM-NEXT:   tile {{.*}}x{{.*}} in {{.*}} stages, {{.*}} us by the model of thread blocks; a library may use another tile
// The kernels are those of a library, fitted for the compute capability; the chip has constants of its own.
// GEMM-NEXT:   library   vllm
// GEMM-NEXT:   constants vllm: {{.*}} kernels of {{.*}}h100_sxm
// GEMM-NEXT:   chip      constants of {{.*}}h100_sxm
// GEMM-NEXT:   power     error unknown for this GPU; transferred from the hopper family: fitted on

// LONGEST: matmul on @gpu

// If a target is given, too, the explanation goes to stderr.
// BOTH-DAG: relu on @gpu = h100_sxm: {{.*}}, bound by launch
// BOTH-DAG: start{{ *}}end{{ *}}time

// A framework that launches kernels one by one takes longer to launch them than they run.
// EAGER: dispatch {{.*}} 25 us {{.*}}the host's, eager
// EAGER: total 25 us {{.*}}bound by launch

// ROOFLINE: relu on @gpu = toy_gpu
// ROOFLINE: graph.relu: a plain roofline (toy_gpu states `model roofline`)

// PIM: matmul on @pim = toy_pim
// PIM: launches  channels  cycles
// PIM: waits for
// COPY: copy %x on gpu->pim: {{.*}}, bound by latency

//    NEAR: error: explain: there is no task `relv`; did you mean `relu`?
// SEVERAL: error: explain: `explain.mlir` occurs in {{.*}}explain.mlir:{{.*}}; give a full name or source location
func.func @main(%x: tensor<1x16xf32>, %a: tensor<4096x4096xf16>) -> (tensor<1x4xf32>, tensor<4096x4096xf16>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<16x4xf32>
  %small = graph.matmul %x, %w : tensor<1x16xf32>, tensor<16x4xf32>
  %y = graph.relu %small : tensor<1x4xf32>
  %big = graph.matmul %a, %a : tensor<4096x4096xf16>
  func.return %y, %big : tensor<1x4xf32>, tensor<4096x4096xf16>
}
