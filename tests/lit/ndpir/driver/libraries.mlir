// RUN: ndp-opt --list-libraries | filecheck %s --check-prefix=LIST
// RUN: ndp-opt --list-libraries --sheets %S/Inputs/libraries | filecheck %s --check-prefix=MINE
// RUN: ndp-opt %s --machine h100_sxm -p place --summary | filecheck %s --check-prefix=OWN
// RUN: ndp-opt %s --machine h100_sxm --library trtllm -p place --summary | filecheck %s --check-prefix=TRTLLM
// RUN: ndp-opt %s --machine h100_sxm --library trtllm --explain gelu | filecheck %s --check-prefix=INSTEAD
// RUN: ndp-opt %s --machine h100_sxm --library mylib --sheets %S/Inputs/libraries --explain matmul | filecheck %s --check-prefix=MYLIB
// RUN: ndp-opt %s --machine l20 -p place --summary | filecheck %s --check-prefix=UNMEASURED
// RUN: ndp-opt %s --machine l20 --explain matmul | filecheck %s --check-prefix=CHIP
// RUN: ndp-opt %s --machine h100_sxm --library trtllm --set gpu.library=sglang -p place --summary | filecheck %s --check-prefix=SET
// RUN: ndp-opt %s --machine a100-newton -p place --sweep library=vllm,vlm 2>/dev/null | filecheck %s --check-prefix=SWEEP
// RUN: not ndp-opt %s --machine h100_sxm --library vlm -p place 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not ndp-opt %s --machine h100_sxm --set gpu.library=vlm -p place 2>&1 | filecheck %s --check-prefix=UNKNOWN-SET
// RUN: not ndp-opt %s --machine my_gpu --sheets %S/Inputs/libraries -p place 2>&1 | filecheck %s --check-prefix=UNKNOWN-SHEET
// RUN: not ndp-opt %s --machine toy --library vllm -p place 2>&1 | filecheck %s --check-prefix=NO-GPU

// A library has kernels for compute capabilities, measured for classes of kernels and element types.
//      LIST: generic: means over libraries
//      LIST: vllm: vLLM
// LIST-NEXT:     compute capabilities 8.0, {{.*}}9.0
//      LIST:     gemm {{ *}}bf16 {{ *}}8.0, {{.*}}9.0
//      MINE: mylib: made up
// MINE-NEXT:     compute capabilities 9.0
// MINE-NEXT:     gemm  f16  9.0

// The summary names the library of each GPU, and kernels that stand for those that it has no measurements of.
//        OWN: library    vllm on @gpu
//    OWN-NOT: substitute
//     TRTLLM: library    trtllm on @gpu
// TRTLLM-NEXT: substitute {{.*}} % of the time of @gpu's kernels is of the mean of all libraries: elementwise f16 (
//    INSTEAD:   library   trtllm, not measured for elementwise f16 on this compute capability: the mean of all libraries used instead (
// INSTEAD-NEXT:   constants transferred from the mean of all libraries: mean of
//      MYLIB:   library   mylib
// MYLIB-NEXT:   constants mylib: 12 kernels of h100_sxm; 7.5 % off on 3 others

// This GPU is in no fit; its kernels are those of the library for its compute capability.
// UNMEASURED: library    vllm on @gpu
// UNMEASURED-NEXT: unmeasured 100.0 % of the time of @gpu's kernels, on this GPU: {{.*}}gemm{{.*}} ({{.*}} a chip was left out with its siblings
//       CHIP:   constants transferred from bf16 of vllm: {{.*}} kernels of l40s, rtx4090
//  CHIP-NEXT:   chip      not measured for gemm, constants of {{.*}}: {{.*}} a chip was left out with its siblings

// A setting for one GPU has precedence.
//        SET: library    sglang on @gpu

//      SWEEP: library,
// SWEEP-NEXT: vllm,{{[0-9]}}
// SWEEP-NEXT: vlm,,{{.*}}library: there is no library `vlm`

//       UNKNOWN: --library:1:1: error: there is no library `vlm` (known are cudnn7, generic, {{.*}}vllm{{.*}}); did you mean `vllm`?
//   UNKNOWN-SET: --set:1:13: error: there is no library `vlm` (known are {{.*}}); did you mean `vllm`?
// UNKNOWN-SHEET: my_gpu.sheet:1:{{[0-9]+}}: error: there is no library `mylip` (known are {{.*}}mylib{{.*}}); did you mean `mylib`?
//        NO-GPU: --library:1:1: error: --library needs a GPU whose sheet states `model kernels`, but the machine has none (@gpu = toy_gpu, @pim = toy_pim); leave it out
func.func @layer(%x: tensor<512x4096xf16>, %w: tensor<4096x11008xf16>) -> tensor<512x11008xf16> {
  %h = graph.matmul %x, %w : tensor<512x4096xf16>, tensor<4096x11008xf16>
  %y = graph.gelu %h : tensor<512x11008xf16>
  func.return %y : tensor<512x11008xf16>
}
