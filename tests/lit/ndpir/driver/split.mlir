// SLOW
// A part that is wrong stops neither those before nor those behind it; places count lines of the whole file.
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
