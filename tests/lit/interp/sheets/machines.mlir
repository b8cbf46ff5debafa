// A machine is given by name, by path, or as a single sheet; its ops precede the program.
// RUN: ndp-opt %s --machine a100-newton | filecheck %s --check-prefix=NAME
//      NAME: hw.device @gpu = "a100"
// NAME-NEXT: hw.device @pim = "newton" {channels = 64}
// NAME-NEXT: hw.link @gpu to @pim = "on_board" {bandwidth = "448 GB/s"}
// NAME-NEXT: func.func @f

// RUN: ndp-opt %s --machine toy_gpu | filecheck %s --check-prefix=LONE
//      LONE: hw.device @gpu = "toy_gpu"
// LONE-NEXT: func.func @f

// RUN: ndp-opt %s --machine pimflow | filecheck %s --check-prefix=PIMFLOW
//      PIMFLOW: hw.device @gpu = "pimflow_gpu"
// PIMFLOW-NEXT: hw.device @pim = "newton"
// PIMFLOW-NEXT: hw.link @gpu to @pim = "pimflow_channels"

// Copies are free only on machines whose sheets state it.
// RUN: ndp-opt --show-device pimflow-artifact-plus | filecheck %s --check-prefix=FREE
//      FREE: hw.device @pim = "newton_plus_artifact"
//      FREE:   skips         slice, concat, pad
//      FREE:   programs              pimflow
//      FREE:   programs buffers      1
//      FREE: pimflow_free : link
//      FREE:   latency      0 ns
//      FREE:   arbitration  partitioned

// RUN: not ndp-opt %s --machine a100-newtn 2>&1 | filecheck %s --check-prefix=UNKNOWN
//      UNKNOWN: error: there is no machine or device `a100-newtn`; did you mean `a100-newton`?
// RUN: not ndp-opt %s --machine a100,a100-newton 2>&1 | filecheck %s --check-prefix=SEVERAL
//      SEVERAL: error: a program runs on one machine; --sweep machine=a100,a100-newton compares these
// RUN: not ndp-opt %s --machine "" 2>&1 | filecheck %s --check-prefix=EMPTY
//      EMPTY: error: there is no machine or device ``; known are a100,
// RUN: not ndp-opt %s --machine %S/Inputs/machine_with_code.mlir 2>&1 | filecheck %s --check-prefix=CODE
//      CODE: machine_with_code.mlir:3:1: error: a machine file holds hw.device and hw.link ops: `func.func` was met; put the program

func.func @f() {
  func.return
}
