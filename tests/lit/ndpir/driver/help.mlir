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
// PIPELINES: gpu-only = inline,canonicalize,state,choose-form{devices=primary},place{policy=gpu}
// PIPELINES-NEXT: inline
// PIPELINES-NEXT: canonicalize fold what is constant
// PIPELINES: offload = inline,canonicalize,state,choose-form,place{effort=1},order,prefetch{short=true},to-pim

// RUN: ndp-opt --list-passes | filecheck %s --check-prefix=PASSES
// PASSES: canonicalize: {{.+}}
// PASSES: place: {{.+}}
// PASSES-NEXT: policy: one of gpu, pim-first, priority, greedy, path{{.*}}, optimal (default optimal)
// PASSES: passes of xDSL:
// PASSES-NEXT: apply-eqsat-pdl

// RUN: ndp-opt --list-targets | filecheck %s --check-prefix=TARGETS
// TARGETS: timeline: {{.+}}
// TARGETS: sort: one of start, time, energy, bytes, program (default start)
// TARGETS: targets of xDSL:

// RUN: ndp-opt --list-ops | filecheck %s --check-prefix=OPS
// OPS: graph.constant {{ +}}A small tensor with literal elements
// OPS: graph.matmul {{ +}}Matrix product over the last two axes
// OPS: task.copy {{ +}}Copy a value to another device
// OPS: pim.mac {{ +}}Multiply columns of the open row
// OPS: hw.link {{ +}}

// An op is found by part of its name or by a name from another framework; a single op is described in full.
// RUN: ndp-opt --list-ops softm | filecheck %s --check-prefix=SOFTMAX
// SOFTMAX: graph.softmax {{ *}}exp(x - max)
// SOFTMAX-NEXT: pim.softmax {{ *}}Softmax of entries of the softmax buffer
// RUN: ndp-opt --list-ops Gemm | filecheck %s --check-prefix=GEMM
// GEMM: graph.matmul
// GEMM: {{^    }}%y = graph.matmul %a, %b, [%bias] [transpose_a = …], [transpose_b = …] : operand types
// GEMM: Matrix product over the last two axes
// GEMM: - (C2) K is the same in both.
// GEMM: property transpose_a true or false default false
// GEMM: elsewhere: gemm
// GEMM: %y = graph.matmul %a, %b : tensor<1x4096xf16>, tensor<4096x11008xf16>
// RUN: not ndp-opt --list-ops zzz 2>&1 | filecheck %s --check-prefix=NOOP
// NOOP: --list-ops:1:1: error: no op is called `zzz` in ndpir or in another system; ndp-opt --list-ops shows all

// RUN: ndp-opt --list-devices | filecheck %s --check-prefix=DEVICES
// DEVICES: a100-newton machine
// DEVICES: toy_pim pim

// RUN: ndp-opt --show-device toy_pim | filecheck %s --check-prefix=DEVICE
// DEVICE: toy_pim : pim
// RUN: not ndp-opt --show-device toy_pin 2>&1 | filecheck %s --check-prefix=NODEVICE
// NODEVICE: error: there is no data sheet `toy_pin`; did you mean `toy_pim`?
