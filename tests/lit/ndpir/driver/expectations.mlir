// --verify-diagnostics fails on errors that are not expected, on expected errors that do not occur, and on expectations that can't be parsed.
// RUN: not ndp-opt %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s

// CHECK: expectations.mlir:5:1: error: unexpected error: unknown op `nobody.expects`
"nobody.expects"() : () -> ()
// -----
// CHECK: expectations.mlir:8:4: error: expected error "in vain" was not reported
// expected-error @+1 {{in vain}}
"test.op"() : () -> ()
// -----
// CHECK: expectations.mlir:13:1: error: unexpected error: unknown op `nobody.expects`
// CHECK: expectations.mlir:14:{{.*}}: error: expected error "unknown op" was not reported
"nobody.expects"() : () -> ()
// expected-error {{unknown op}}
// -----
// CHECK: expectations.mlir:17:1: error: this expectation has the wrong form; write
// expected-error @+1 "text"
// -----
// CHECK: expectations.mlir:20:{{.*}}: error: the text is not a valid regular expression: missing ), unterminated subpattern
// expected-error-re {{in {{(}}}}
// -----
// CHECK-NOT: error:
// expected-error @+1 {{unknown op `an.other`}}
"an.other"() : () -> ()
// -----
// expected-error-re @+1 {{unknown op `{{[a-z]+\.[a-z]+}}`}}
"an.other"() : () -> ()
// -----
// expected-error-re @+1 {{unknown op .* there is no dialect `an`}}
"an.other"() : () -> ()
