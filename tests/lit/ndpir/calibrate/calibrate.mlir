// The form of a file with measurements.
// RUN: ndp-calibrate --list-classes | filecheck %s --check-prefix=CLASSES
//      CLASSES: columns of every class
// CLASSES-NEXT:     class    class of the kernel
//      CLASSES: gemm: C[m, n] = A[m, k] B[k, n]
//      CLASSES:     m {{ *}}rows of the result

// Unusable rows are reported with their place; the fit continues without them, unless no row is left.
// RUN: not ndp-calibrate %S/Inputs/rows.csv --device p4 -o %t 2>&1 | filecheck %s --check-prefix=ROWS
//      ROWS: rows.csv:3:1: note: there is no class of kernels `coppy`; did you mean `copy`? This row is skipped
// ROWS-NEXT: rows.csv:4:21: note: `lat_us` is 0, but must be above 0; this row is skipped
// ROWS-NEXT: rows.csv:2:21: note: copy f32 has only 1 shapes to fit, so it is not fitted; measure 10 or more
// ROWS-NEXT: rows.csv: error: no class could be fitted, so nothing is written

// RUN: not ndp-calibrate %S/Inputs/rows.csv --device p3 2>&1 | filecheck %s --check-prefix=DEVICE
// DEVICE: ndp-calibrate: error: there is no data sheet `p3`
