// RUN: ndp-opt %S/../../../../examples/gemv.pim.mlir -t timeline | filecheck %s
// RUN: ndp-opt %S/../../../../examples/gemv.pim.mlir -t values | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt %S/../../../../examples/gemv.pim.mlir -t 'pim-trace{kernel=gemv}' | filecheck %s --check-prefix=TRACE
// RUN: not ndp-opt %S/../../../../examples/gemv.pim.mlir -t 'pim-trace{kernel=none}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not ndp-opt %S/../../../../examples/gemv.pim.mlir -t 'pim-trace{channel=1}' 2>&1 | filecheck %s --check-prefix=IDLE

// The hand-written program of the examples takes the cycles that its comments state.
// CHECK: 0 ns  425 ns  425 ns  pim  @gemv  row cycles

// VALUES:      result 0: tensor<6xf32>
// VALUES-NEXT:   -0.47566 2.4108 -2.1739 2.0588 1.191 -0.26088

// TRACE:      0x00000000 LOAD
// TRACE-NEXT: 0x00000040 LOAD
// TRACE-NEXT: 0x00000080 LOAD
// TRACE-NEXT: 0x000000c0 LOAD
// TRACE-NEXT: 0x00000000 ACT
// TRACE-NEXT: 0x00000000 MAC
// TRACE:      DRAIN
// TRACE-NEXT: PRE
// TRACE-NEXT: 0x00000200 ACT

// NONE: error: pim-trace: there is no kernel @none; the program has @gemv
// IDLE: gemv.pim.mlir:{{.*}}: error: pim-trace: channel 1 has no commands; choose another channel
