// The page of a GPU lists the constants of its kernels: fitted constants with the data of their fit, and constants taken from elsewhere.
// RUN: ndp-opt --show-device %S/Inputs/little.sheet | filecheck %s
//      CHECK: constants of kernels
//      CHECK:   copy f32 (own): made up
// CHECK-NEXT:     dram 0.5
//      CHECK: start 1250 ns
//      CHECK:   copy {{.*}}: transferred from f32 of little, as above
//      CHECK: plausible values, not fitted:
//      CHECK: sources

// Errors in a calibration are reported with their place, also by --show-device.
// RUN: not ndp-opt --show-device %S/Inputs/wrong.sheet 2>&1 | filecheck %s --check-prefix=WRONG
// WRONG: wrong.calibration:3:5: error: copy has no constant `drum`; did you mean `dram`?
