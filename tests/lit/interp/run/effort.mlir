// The work of loops and calls is counted before a run starts, and a run that would take hours is an error at the loop or call.
// RUN: not ndp-opt %s -t values 2>&1 | filecheck %s --check-prefix=LOOP
// LOOP: effort.mlir:8:3: error: a run executes 7,000,000,004 ops and commands serially, but at most 10,000,000 are allowed; this loop makes 1,000,000,000 rounds: shorten it, or request only time and energy (-t timeline, -t banks), or allow it (--effort 701)
// RUN: ndp-opt %s -t timeline | filecheck %s --check-prefix=TIME
// TIME: makespan
hw.device @pim = "toy_pim"
pim.kernel @long on @pim (%x: memref<4xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<1x2xf32>) {
  pim.for %i = 0 to 1000000000 {
    pim.for %j = 0 to 7 {
      pim.load %x
    }
  }
  pim.act all row 0
  pim.mac all columns 0 to 1
  pim.drain all to %y[0]
  pim.pre all
}
