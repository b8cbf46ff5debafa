// The page of a GPU says which constants hold for its kernels: its own, and what they were fitted on; others.
// RUN: ndp-opt --show-device %S/Inputs/little.sheet | filecheck %s
//      CHECK: constants of kernels
//      CHECK:   copy f32 (own): made up
// CHECK-NEXT:     dram 0.5
//      CHECK: start 1250 ns
//      CHECK:   copy {{.*}}: transferred from f32 of little, as above
//      CHECK: plausible values, not fitted:
//      CHECK: sources

// What is wrong in a calibration is told with its place, also from here.
// RUN: not ndp-opt --show-device %S/Inputs/wrong.sheet 2>&1 | filecheck %s --check-prefix=WRONG
// WRONG: wrong.calibration:3:5: error: copy has no constant `drum`; did you mean `dram`?
