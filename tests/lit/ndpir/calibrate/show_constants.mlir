// The page of a GPU lists the constants of its kernels: fitted constants with the data of their fit, and constants taken from elsewhere.
// RUN: ndp-opt --show-device %S/Inputs/little.sheet | filecheck %s
//      CHECK: constants of kernels: library {{[a-z]+}}
//      CHECK:   copy f32 (own): made up
// CHECK-NEXT:     3 of the chip: dram 0.5
//      CHECK: start 1250 ns
//      CHECK:   copy {{.*}}: transferred from f32 of little, as above
//      CHECK: plausible values, not fitted:
//      CHECK: sources

// Kernels of another library, and the number of constants of each kind.
// RUN: ndp-opt --show-device h200_sxm --library trtllm | filecheck %s --check-prefix=LIBRARY
//      LIBRARY: constants of kernels: library trtllm
// LIBRARY-NEXT:   gemm {{.*}}bf16{{.*}} (own): trtllm: {{.*}} kernels of {{.*}}h200_sxm
//      LIBRARY:     {{[0-9]+}} of the chip: dram
//      LIBRARY:     {{[0-9]+}} of the library: tile
//      LIBRARY:     {{[0-9]+}} not fitted:
// RUN: not ndp-opt --show-device h200_sxm --library trtlm 2>&1 | filecheck %s --check-prefix=UNKNOWN
// UNKNOWN: --library:1:1: error: there is no library `trtlm` ({{.*}}); did you mean `trtllm`?

// Errors in a calibration are reported with their place, also by --show-device.
// RUN: not ndp-opt --show-device %S/Inputs/wrong.sheet 2>&1 | filecheck %s --check-prefix=WRONG
// WRONG: wrong.calibration:3:5: error: copy has no constant `drum`; did you mean `dram`?
