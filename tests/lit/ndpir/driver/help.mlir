// RUN: ndp-opt --help | filecheck %s
// CHECK: usage: ndp-opt [FILE] [-p PASSES] [-t TARGET] [-o FILE] [flags]
// CHECK: input:
// CHECK-NEXT: FILE
// CHECK: machine:
// CHECK: --machine NAME|FILE
// CHECK: passes:
// CHECK: output:
// CHECK: checking:
// CHECK: watching a run (all on stderr):
// CHECK: plugins:
// CHECK: examples:
// CHECK: exit status: 0 done, 1 an error in the input

// RUN: ndp-opt --version | filecheck %s --check-prefix=VERSION
// VERSION: ndp-opt {{[0-9.]+}} (xDSL 0.74.{{[0-9]+}})

// RUN: ndp-opt --list-pipelines | filecheck %s --check-prefix=PIPELINES
// PIPELINES: gpu-only = inline,canonicalize,narrow,fuse,layout,place{policy=gpu}
// PIPELINES-NEXT: inline
// PIPELINES-NEXT: canonicalize fold what is constant
// PIPELINES: offload = inline,canonicalize,narrow,fuse,layout,place{policy=cost},order,to-pim

// RUN: ndp-opt --list-passes | filecheck %s --check-prefix=PASSES
// PASSES: canonicalize: {{.+}}
// PASSES: place: {{.+}}
// PASSES-NEXT: policy: one of gpu, pim-first, priority, greedy, cost, path, optimal{{.*}} (default cost)
// PASSES: passes of xDSL:
// PASSES-NEXT: apply-eqsat-pdl

// RUN: ndp-opt --list-targets | filecheck %s --check-prefix=TARGETS
// TARGETS: timeline: {{.+}}
// TARGETS: sort: one of start, time, energy, bytes, program (default start)
// TARGETS: targets of xDSL:

// RUN: ndp-opt --list-devices | filecheck %s --check-prefix=DEVICES
// DEVICES: a100-newton machine
// DEVICES: toy_pim pim

// RUN: ndp-opt --show-device toy_pim | filecheck %s --check-prefix=DEVICE
// DEVICE: toy_pim : pim
// RUN: not ndp-opt --show-device toy_pin 2>&1 | filecheck %s --check-prefix=NODEVICE
// NODEVICE: error: there is no data sheet `toy_pin`; did you mean `toy_pim`?
