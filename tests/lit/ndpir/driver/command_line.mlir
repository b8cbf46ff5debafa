// Wrong command lines: the message names the error and its place in the flag's value, and the status is 2.
// RUN: not ndp-opt %s -p cse,canonicalise 2>&1 | filecheck %s --check-prefix=PASS
// PASS: {{^}}-p:1:5: error: unknown pass `canonicalise`; did you mean `canonicalize`?
// PASS-NEXT: {{^}}cse,canonicalise
// PASS-NEXT: {{^}}    ^{{$}}

// RUN: not ndp-opt %s -p 'cse,canonicalize{folds=true}' 2>&1 | filecheck %s --check-prefix=OPTION
// OPTION: -p:1:18: error: canonicalize has no option `folds`; did you mean `fold`?

// RUN: not ndp-opt %s -p 'canonicalize{cse=3}' 2>&1 | filecheck %s --check-prefix=TYPE
// TYPE: -p:1:14: error: option `cse` of canonicalize must be true or false, but is 3

// RUN: not ndp-opt %s -p 'dce{x=1}' 2>&1 | filecheck %s --check-prefix=NONE
// NONE: -p:1:5: error: dce has no options, but `x` is given

// RUN: not ndp-opt %s -p 'cse,,dce' 2>&1 | filecheck %s --check-prefix=COMMA
// COMMA: -p:1:5: error: `,` is not expected here; write passes as `NAME{option=value other=1,2}`, with a comma between two passes

// RUN: not ndp-opt %s -p 'offload{policy=gpu}' 2>&1 | filecheck %s --check-prefix=PIPELINE
// PIPELINE: -p:1:1: error: offload is a pipeline, which has no options; write its passes with options instead: inline,canonicalize,

// RUN: not ndp-opt %s -t timelin 2>&1 | filecheck %s --check-prefix=TARGET
// TARGET: -t:1:1: error: unknown target `timelin`; did you mean `timeline`?

// RUN: not ndp-opt %s --dim b=8 2>&1 | filecheck %s --check-prefix=DIM
// DIM: ndp-opt: error: --dim applies only to models of ONNX (.onnx) and PyTorch (.pt2) and to configs (.json), but {{.*}}command_line.mlir is text

// RUN: not ndp-opt %s --shape x=1x3 2>&1 | filecheck %s --check-prefix=SHAPE
// SHAPE: ndp-opt: error: --shape applies only to models of ONNX (.onnx) and PyTorch (.pt2) and to configs (.json), but {{.*}}command_line.mlir is text

// RUN: not ndp-opt x.onnx --shape x=1,3 2>&1 | filecheck %s --check-prefix=EXTENTS
// EXTENTS: ndp-opt: error: argument --shape: `x=1,3` is not INPUT=AxBx…, as in --shape image=1x3x64x64

// RUN: not ndp-opt %s --timingg 2>&1 | filecheck %s --check-prefix=FLAG
// FLAG: ndp-opt: error: unknown flag --timingg; did you mean --timing?

// RUN: not ndp-opt %s -p cse --print-ir-after=dce 2>&1 | filecheck %s --check-prefix=PRINT
// PRINT: ndp-opt: error: --print-ir-before and --print-ir-after need a pass that -p runs, and `dce` is not among them

// Spaces in a list of passes are no error.
// RUN: ndp-opt %s -p ' cse , canonicalize{ cse=false  dce = true } ' | filecheck %s
// CHECK: builtin.module
