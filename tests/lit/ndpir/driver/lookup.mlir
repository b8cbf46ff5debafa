// RUN: not ndp-opt %s 2>&1 | filecheck %s

// xDSL's func.return looks up the type of the surrounding function, which is missing in the text.
// CHECK: lookup.mlir:7:3: error: func.return: the op, or the op that contains it, needs 'function_type', which is missing; add it
"func.func"() <{sym_name = "main"}> ({
^bb0:
  "func.return"() : () -> ()
}) : () -> ()
