// A vendor's trace is recognized by its suffix, read for the device of --machine, and printed unchanged.
//
// RUN: ndp-opt %S/../../../data/aim/traces/m18_mac_rdmac.trace --machine aim_ramulator | filecheck %s
// RUN: ndp-opt %S/../../../data/aim/traces/m18_mac_rdmac.trace --machine aim_ramulator -t pim-trace | filecheck %s --check-prefix=TRACE
// RUN: ndp-opt %S/../../../data/aim/traces/m18_mac_rdmac.trace --machine aim_ramulator -t timeline | filecheck %s --check-prefix=TIME
// RUN: not ndp-opt %S/../../../data/aim/traces/m18_mac_rdmac.trace 2>&1 | filecheck %s --check-prefix=WHOSE
// RUN: not ndp-opt %S/../../../data/aim/traces/m18_mac_rdmac.trace --machine attacc 2>&1 | filecheck %s --check-prefix=OTHER

// CHECK:      pim.kernel @trace on @pim
// CHECK-NEXT:   pim.channels %c = 31 to 32 {
// CHECK-NEXT:     pim.act all row 0
// CHECK-NEXT:     pim.mac all columns 0 to 1
// CHECK-NEXT:     pim.drain all to %out[-%c + 31]

// TRACE:      AiM MAC_ABK 1 1 0
// TRACE-NEXT: AiM RD_MAC 0 1
// TRACE-NEXT: AiM EOC

// 95 cycles at 2 GHz.
// TIME: 47.5 ns  pim  @trace

// WHOSE: m18_mac_rdmac.trace: error: the file is a trace of AiM's simulator (`AiM …`, `W CFR …`), which names no device to run on; select one (--machine
// OTHER: m18_mac_rdmac.trace:1:1: error: this is a trace of AiM's simulator (`AiM …`, `W CFR …`), but attacc reads a trace of AttAcc's simulator
