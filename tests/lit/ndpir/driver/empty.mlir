// A file that has only comments is a program without ops.
// RUN: ndp-opt %s | filecheck %s
// CHECK: builtin.module {
// CHECK-NEXT: }
