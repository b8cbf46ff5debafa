// The fixed-function unit of fixed.py: policies choose it where the program then ends first.
// RUN: ndp-opt --plugin %S/../fixed.py %S/../attend.mlir --machine a100-newton-fixed -p offload --check --summary 2>&1 | filecheck %s
// CHECK: check: place: 1 result equal
// CHECK: machine    @gpu = a100, @pim = newton, @unit = fixed_unit
// CHECK: {{^}}unit {{ *}}1

// RUN: ndp-opt --plugin %S/../fixed.py %S/../attend.mlir -p 'place{policy=gpu}' --machine a100-newton-fixed | filecheck %s --check-prefix=GPU
// GPU-NOT: task.run @unit
// GPU: task.run @gpu
