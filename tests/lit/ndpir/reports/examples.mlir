// SLOW
// Runs the programs under examples/ with the commands of their first lines.
//
// RUN: ndp-opt %S/../../../../examples/mlp.mlir -p offload --summary | filecheck %s --check-prefix=SUMMARY
// RUN: ndp-opt %S/../../../../examples/mlp.mlir -p offload -t timeline | filecheck %s --check-prefix=TIMELINE
// RUN: ndp-opt %S/../../../../examples/mlp.mlir -p 'place{policy=greedy}' --print-ir-after-all --timing 2>&1 \
// RUN:   | filecheck %s --check-prefix=GREEDY
// RUN: ndp-opt %S/../../../../examples/two_devices.mlir -t timeline | filecheck %s --check-prefix=TWO

// SUMMARY: machine    @gpu = a100, @pim = newton
// SUMMARY: tasks      4, and 5 copies over links, 20.992 kB in total
// SUMMARY: speed-up   {{[2-9]\.}}{{.*}}x over @gpu alone at its best

// TIMELINE: gpu->pim  copy %x
// TIMELINE: pim       @matmul_
// TIMELINE: gpu       silu+mul
// TIMELINE: makespan
// TIMELINE: bound     {{.*}} on any schedule of these tasks and copies

// GREEDY: IR Dump After place{policy="greedy"}
// GREEDY: task.run @pim
// GREEDY: pass place

// TWO: gpu  {{.*}} matmul
// TWO: pim  {{.*}} matmul
// TWO: copied    22.528 kB
