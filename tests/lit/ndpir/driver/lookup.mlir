// RUN: not ndp-opt %s 2>&1 | filecheck %s

// xDSL's func.return asks the function around it for a type that was never written.
// CHECK: lookup.mlir:7:3: error: func.return: 'function_type' is missing in it or in the op around it; write it out
"func.func"() <{sym_name = "main"}> ({
^bb0:
  "func.return"() : () -> ()
}) : () -> ()
