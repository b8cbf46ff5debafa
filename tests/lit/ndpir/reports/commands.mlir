// The commands of a bank program with their cycles. An iteration of @gemv takes 110 cycles: a row stays open for 100 cycles, and its
// precharge takes 10. Each wait names the constraint that ends when the command issues, and the line of the sheet that states it.
//
// RUN: ndp-opt %s -t commands | filecheck %s
// RUN: ndp-opt %s -t 'commands{from=11000000000 to=11000000130 channel=1 kernel=gemv}' | filecheck %s --check-prefix=WINDOW
// RUN: ndp-opt %s -t 'commands{csv limit=2 kernel=gemv}' 2>&1 | filecheck %s --check-prefix=CSV
// RUN: ndp-opt %s -t 'commands{csv columns=cycle,command,row to=16 kernel=gemv}' | filecheck %s --check-prefix=COLUMNS
// RUN: ndp-opt %s -t 'commands{ramulator channel=all limit=1 kernel=copied}' 2> /dev/null | filecheck %s --check-prefix=TRACE
// RUN: not ndp-opt %s -t 'commands{kernel=none}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not ndp-opt %s -t 'commands{channel=3 kernel=gemv}' 2>&1 | filecheck %s --check-prefix=CHANNEL
// RUN: not ndp-opt %s -t 'commands{csv json}' 2>&1 | filecheck %s --check-prefix=FORMS
// RUN: not ndp-opt %s -t 'commands{csv columns=cicle}' 2>&1 | filecheck %s --check-prefix=COLUMN
// RUN: not ndp-opt %s -t 'commands{from=7 to=7}' 2>&1 | filecheck %s --check-prefix=EMPTY
// RUN: not ndp-opt %s -t 'commands{ramulator}' 2>&1 | filecheck %s --check-prefix=SEVERAL

hw.device @pim = "toy_simd" {channels = 2}

// CHECK:       kernel  channel  cycle  command  banks  operands                               wait  waits for    constraint                     sheet         source
// CHECK-NEXT:  gemv          0      1  LOAD     all    buffer 0                                  1  buffer fill                                          {{.*}}commands.mlir:60:5
// CHECK-NEXT:  gemv          0      2  LOAD     all    buffer 1                                  1  buffer fill
// CHECK-NEXT:  gemv          0      3  LOAD     all    buffer 2                                  1  buffer fill
// CHECK-NEXT:  gemv          0      4  LOAD     all    buffer 3                                  1  buffer fill
// CHECK-NEXT:  gemv          0      5  ACT      all    row 0                                     1  row cycles
// CHECK-NEXT:  gemv          0     15  MAC      all    row 0 column 0 buffer 0 accumulator 0    10  row cycles   bank: act -> mac, tRCD = 10    toy.sheet:39
// CHECK-NEXT:  gemv          0     16  MAC      all    row 0 column 1 buffer 1 accumulator 0     1  mac cadence
// CHECK-NEXT:  gemv          0     17  MAC      all    row 0 column 2 buffer 2 accumulator 0     1  mac cadence
// CHECK-NEXT:  gemv          0     18  MAC      all    row 0 column 3 buffer 3 accumulator 0     1  mac cadence
// CHECK-NEXT:  gemv          0     28  DRAIN    all    accumulator 0                            10  mac cadence  channel: mac -> drain, 10      toy.sheet:37
// CHECK-NEXT:  gemv          0    105  PRE      all    row 0                                    77  row cycles   bank: act -> pre, tRAS = 100   toy.sheet:40
// CHECK-NEXT:  gemv          0    115  ACT      all    row 1                                    10  row cycles   bank: pre -> act, tRP = 10     toy.sheet:42
// CHECK:       gemv has more commands; from={{[0-9]+}} shows the next ones, limit=0 all

// The loop is not unrolled: 3 * 100,000,000 iterations take 33,000,000,004 cycles.
// WINDOW:      kernel  channel        cycle  command  banks
// WINDOW-NEXT: gemv          1  11000000005  ACT      all    row 1
// WINDOW-NEXT: gemv          1  11000000015  MAC      all    row 1 column 0 buffer 0 accumulator 0    10  row cycles
// WINDOW-NEXT: gemv          1  11000000016  MAC      all    row 1 column 1 buffer 1

// CSV:      note: channel 0 has more than 2 commands of gemv; limit=0 writes all
// CSV:      kernel,cycle,channel,pseudochannel,group,bank,command,verb,scope,unit,row,column,buffer,accumulator,wait,waits_for,constraint,constraint_cycles,constraint_formula,sheet,by_controller,place
// CSV:      gemv,1,0,0,0,,LOAD,load,all,0,,,0,,1,buffer fill,,,,,false,{{.*}}commands.mlir:

// COLUMNS:      cycle,command,row
// COLUMNS-NEXT: 1,LOAD,
// COLUMNS:      15,MAC,0
// COLUMNS-NOT:  16,

// Ramulator 2: cycle, command, channel, bank group, bank, row, column
// TRACE:      1, ACT, 0, -1, -1, 100, -1

// NONE: error: commands: there is no kernel none; the program has gemv, copied
// CHANNEL: error: commands: gemv uses the channels 0 to 1 of toy_simd, but not 3; write some of these numbers, or channel=all
// FORMS: -t:1:{{[0-9]+}}: error: commands writes one form, but json and csv are given; keep one
// COLUMN: error: commands has no column `cicle`; did you mean `cycle`?
// EMPTY: error: commands shows cycles from 1 on, and `to` is greater than `from`; not from=7 to=7
// SEVERAL: error: commands: a command trace shows one kernel; choose one with kernel=…, one of gemv, copied

pim.kernel @gemv on @pim (%x: memref<16xf32>, %w: memref<2x3x2x4x4xf32> at row 0) -> (%y: memref<2x3x2xf32>) {
  pim.channels %c = 0 to 2 {
    pim.load %x
    pim.for %times = 0 to 100000000 {
      pim.for %r = 0 to 3 {
        pim.act all row %r
        pim.mac all columns 0 to 4
        pim.drain all add to %y[%c, %r]
        pim.pre all
      }
    }
  }
}

pim.kernel @copied on @pim (%a: memref<2x16xf32>) -> (%b: memref<2x16xf32>) {
  pim.act all row 100
  pim.for %n = 0 to 2 {
    pim.write bank %n columns 0 to 4 from %a[%n]
  }
  pim.for %n = 0 to 2 {
    pim.read bank %n columns 0 to 4 to %b[%n]
  }
  pim.pre all
}
