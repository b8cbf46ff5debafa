// SLOW
// An error in one part does not stop the parts before or after it; line numbers count in the complete file.
// RUN: not ndp-opt %s --split-input-file 2>&1 | filecheck %s
// RUN: not ndp-opt %s --split-input-file 2>/dev/null | filecheck %s --check-prefix=OUT
// REQUIRES-PROCESS

// CHECK: split.mlir:14:1: error: unknown op `no.such`
// OUT: "test.op"() {a = 1 : i64} : () -> ()
// OUT: // -----
// OUT: // -----
// OUT: "test.op"() {a = 3 : i64} : () -> ()
"test.op"() {a = 1} : () -> ()
// -----
"no.such"() : () -> ()
// -----
"test.op"() {a = 3} : () -> ()
