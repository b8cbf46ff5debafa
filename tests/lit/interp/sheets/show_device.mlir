// A sheet, printed as a page of text.
// RUN: ndp-opt --show-device newton | filecheck %s --check-prefix=NEWTON
//      NEWTON: newton : pim
//      NEWTON:   clock                 875 MHz {{ *}}[1]
//      NEWTON:   end                   13 cycles {{ *}}= tCL + tBL [
//      NEWTON:   refresh               every 1900 cycles, after drain, then reopen
//      NEWTON:   tRCD      11 cycles  12.571 ns  [1]
//      NEWTON:   mac      COMP       all                  3.7811 nJ {{ *}}= 16 * (16 * (1.1 + 0.4) + 175.814 + 1168.22 / 32) pJ [
//      NEWTON:   channel: load -> mac            51  = tRC + 16 [
//      NEWTON:   channel: act -> act             17  = tFAW [
//      NEWTON:   capacity                     4 GiB
//      NEWTON:   peak multiply-accumulates    1.792 TMAC/s
//      NEWTON:   bandwidth inside the banks   3.584 TB/s
//      NEWTON: sources
//      NEWTON:   [1] PIMFlow_ramulator, configs/GDDR6-config.cfg and src/GDDR6.h
//      NEWTON: assumed: the simulator computes no values

// RUN: ndp-opt --show-device on_board | filecheck %s --check-prefix=LINK
//      LINK: on_board : link
//      LINK:   bandwidth    28 GB/s/channel  [1]
//      LINK:   latency      392 ns           [2]

// The page of a machine shows its file, then the page of each sheet.
// RUN: ndp-opt --show-device toy | filecheck %s --check-prefix=MACHINE
//      MACHINE: toy.mlir
//      MACHINE: hw.link @gpu to @pim = "toy_link"
//      MACHINE: toy_gpu : gpu
//      MACHINE: toy_pim : pim
//      MACHINE: toy_link : link

// A variant, from the user's own file.
// RUN: ndp-opt --show-device %S/Inputs/mine.sheet:newton_fast | filecheck %s --check-prefix=VARIANT
//      VARIANT: newton_fast : pim
//      VARIANT:   clock                 1 GHz
//      VARIANT:   tRP       9 cycles
//      VARIANT:   [1] set in newton_fast, a variant ({{.*}}mine.sheet:2:34)

// RUN: not ndp-opt --show-device newtn 2>&1 | filecheck %s --check-prefix=UNKNOWN
//      UNKNOWN: error: there is no data sheet `newtn`; did you mean `newton`?
// RUN: not ndp-opt --show-device %S/Inputs/wrong.sheet 2>&1 | filecheck %s --check-prefix=WRONG
//      WRONG: wrong.sheet:4:13: error: there is no unit `GHzz`; did you mean `GHz`?

// RUN: ndp-opt --list-devices | filecheck %s --check-prefix=LIST
//      LIST: a100-newton {{ *}}machine  An A100 with 64 channels of Newton-style PIM on its board.
//      LIST: toy {{ *}}machine  A GPU and a PIM of round numbers
//      LIST: a100 {{ *}}gpu      NVIDIA A100-SXM4-40GB
//      LIST: newton {{ *}}pim
//      LIST: pcie4 {{ *}}link
