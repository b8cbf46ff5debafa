// A machine is found by name or path, or is a lone sheet; its ops come first.
// RUN: ndp-opt %s --machine a100-newton | filecheck %s --check-prefix=NAME
//      NAME: hw.device @gpu = "a100"
// NAME-NEXT: hw.device @pim = "newton" {channels = 64}
// NAME-NEXT: hw.link @gpu to @pim = "on_board"
// NAME-NEXT: func.func @f

// RUN: ndp-opt %s --machine toy_gpu | filecheck %s --check-prefix=LONE
//      LONE: hw.device @gpu = "toy_gpu"
// LONE-NEXT: func.func @f

// RUN: not ndp-opt %s --machine a100-newtn 2>&1 | filecheck %s --check-prefix=UNKNOWN
//      UNKNOWN: error: there is no machine or device `a100-newtn`; did you mean `a100-newton`?
// RUN: not ndp-opt %s --machine %S/Inputs/machine_with_code.mlir 2>&1 | filecheck %s --check-prefix=CODE
//      CODE: machine_with_code.mlir:3:1: error: a machine is a file of hw.device and hw.link: `func.func` was met; a program stands

func.func @f() {
  func.return
}
