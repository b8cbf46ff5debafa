// Output about passes goes to stderr, so that stdout holds only the program.
// RUN: ndp-opt %s -p cse,dce --print-ir-after-all | filecheck %s --check-prefix=OUT
// RUN: ndp-opt %s -p cse,dce --print-ir-after-all 2>&1 | filecheck %s --check-prefix=ALL
// RUN: ndp-opt %s -p cse,dce --print-ir-after=cse 2>&1 | filecheck %s --check-prefix=ONE
// RUN: ndp-opt %s -p cse,dce --print-ir-before=dce 2>&1 | filecheck %s --check-prefix=BEFORE
// RUN: ndp-opt %s -p cse,dce --timing 2>&1 | filecheck %s --check-prefix=TIMING

// OUT-NOT: IR Dump
// OUT: func.func @f

// ALL: // -----// IR Dump After cse //----- //
// ALL: func.func @f
// ALL: // -----// IR Dump After dce //----- //

// ONE: // -----// IR Dump After cse //----- //
// ONE-NOT: IR Dump

// BEFORE: // -----// IR Dump Before dce //----- //
// BEFORE-NOT: IR Dump

// TIMING: seconds share section
// TIMING: 100.0% total
// TIMING: import
// TIMING: read
// TIMING: verify
// TIMING: pass cse
// TIMING: pass dce
// TIMING: target mlir
func.func @f() {
  func.return
}
