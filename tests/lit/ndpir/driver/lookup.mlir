// RUN: not ndp-opt %s 2>&1 | filecheck %s

// xDSL's func.return asks the function around it for a type that was never written.
// CHECK: lookup.mlir:7:3: error: func.return: the op, or the op that contains it, lacks 'function_type'; add it
"func.func"() <{sym_name = "main"}> ({
^bb0:
  "func.return"() : () -> ()
}) : () -> ()
