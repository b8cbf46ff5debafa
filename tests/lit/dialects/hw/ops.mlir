// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

//      CHECK: hw.device @gpu = "a100"{{$}}
// CHECK-NEXT: hw.device @pim = "newton" {channels = 64, clock = "1 GHz", energy.mac = 2.5, reopen = false}
// CHECK-NEXT: hw.device @other = "mine.sheet:fast" {tRP = -3, "a b" = 1.0e+30}
// CHECK-NEXT: hw.link @gpu to @pim = "on_board" {bandwidth = 1792}
// CHECK-NEXT: hw.link @pim to @other = "pcie4"{{$}}
hw.device @gpu = "a100"
hw.device @pim = "newton" {channels = 64 : i32, clock = "1 GHz", "energy.mac" = 2.5 : f32, reopen = false}
hw.device @other = "mine.sheet:fast" {tRP = -3, "a b" = 1.0e30}
hw.link @gpu to @pim = "on_board" {bandwidth = 1792}
hw.link @pim to @other = "pcie4" {}
