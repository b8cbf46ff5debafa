// RUN: ndp-opt %s -t timeline | filecheck %s --check-prefix=SHEET
// RUN: ndp-opt %s --profile %S/Inputs/relu.json -t timeline 2>&1 | filecheck %s --check-prefix=PROFILE
// RUN: ndp-opt %s --profile %S/Inputs/relu.json --summary 2>&1 | filecheck %s --check-prefix=SUMMARY
// RUN: ndp-opt %s --profile %S/Inputs/relu.json --explain times.mlir:46 2>&1 | filecheck %s --check-prefix=MEASURED
// RUN: ndp-opt %s --profile %S/Inputs/relu.json --explain times.mlir:51 2>&1 | filecheck %s --check-prefix=SIMULATED
// RUN: ndp-opt %s --profile %S/Inputs/relu.json --explain 'copy %a' 2>&1 | filecheck %s --check-prefix=COPY

// A relu of 25000 numbers reads and writes 200 kB: 2 us at 100 GB/s after a launch of 1 us. A copy of 100 kB takes 11 us.
// The profile has rows of @gpu by its name, of @npu by the name of its sheet, and of copies in one direction.

hw.device @gpu = "toy_gpu"
hw.device @npu = "toy_gpu"
hw.link @gpu to @npu = "toy_link"

// SHEET:       0 ns   3 us   3 us  gpu       relu     memory
// SHEET-NEXT:  3 us  14 us  11 us  gpu->npu  copy %a  link
// SHEET-NEXT: 14 us  17 us   3 us  npu       relu     memory
// SHEET:      makespan
// SHEET-NOT:  costs

// The median is used, so that one disturbed run (90 us) does not count.
// PROFILE:        0 ns   10.5 us  10.5 us  gpu       relu     measured
// PROFILE-NEXT: 10.5 us    16 us   5.5 us  gpu->npu  copy %a  measured
// PROFILE-NEXT:   16 us    23 us     7 us  npu       relu     simulated
// PROFILE:        23 us    34 us    11 us  npu->gpu  copy %b  link
// PROFILE:      costs     1 of 3 tasks measured (gpu 1), 1 simulated in a profile (npu 1), 1 by the sheets; 1 of 3 copies measured
// PROFILE-NOT:  note

// SUMMARY: tasks      3, and 3 copies over links, 200.03 kB in total
// SUMMARY-NEXT: costs      1 of 3 tasks measured (gpu 1), 1 simulated in a profile (npu 1), 1 by the sheets; 1 of 3 copies measured

// MEASURED: relu on @gpu = toy_gpu: 10.5 us, measured
// MEASURED: graph.relu measured: 10.5 us, the median of 5 runs from 9 us to 90 us, the middle half within 1 us (9.5 %)
// MEASURED: by the sheet's model, without the profile:
// MEASURED: longer of both  2 us

// SIMULATED: relu on @npu = toy_gpu: 7 us, simulated
// SIMULATED: graph.relu simulated: 7 us, once

// COPY: copy %a on gpu->npu: 5.5 us, measured
// COPY-NEXT: from
// COPY-NEXT: measured: 5.5 us, the median of 2 runs from 5 us to 6 us, the middle half within 500 ns (9.1 %)

func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>, %s: !task.on<@npu, tensor<8xf32>>)
    -> (!task.on<@gpu, tensor<25000xf32>>, !task.on<@gpu, tensor<8xf32>>) {
  %a = task.run @gpu (%p = %x) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %there = task.copy %a to @npu
  %b = task.run @npu (%p = %there) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %back = task.copy %b to @gpu
  %c = task.run @npu (%p = %s) {
    %0 = graph.relu %p : tensor<8xf32>
    task.yield %0
  }
  %small = task.copy %c to @gpu
  func.return %back, %small : !task.on<@gpu, tensor<25000xf32>>, !task.on<@gpu, tensor<8xf32>>
}
