// The flag --sheets adds a folder of sheets and machines.
// RUN: ndp-opt %s --sheets %S/../../../../examples/plugin/sheets --machine a100-fast | filecheck %s
// CHECK: hw.device @pim = "newton_fast" {channels = 64}
// RUN: ndp-opt %s --machine %S/../../../../examples/plugin/sheets/a100-fast.mlir | filecheck %s
// RUN: not ndp-opt %s --sheets %S/nosuch 2>&1 | filecheck %s --check-prefix=NONE
// NONE: nosuch: error: there is no folder of data sheets at this path
func.func @f() {
  func.return
}
