// RUN: ndp-opt %s -t timeline | filecheck %s
// RUN: ndp-opt %s -t 'timeline{sort=bytes limit=1}' | filecheck %s --check-prefix=CUT

// 25000 numbers are 100 kB. toy_gpu: 1 us of launch, 200 kB at 100 GB/s: 3 us per relu. toy_link: 1 us, 100 kB at 10 GB/s: 11 us per copy.
//
// The link serves copies in the order in which they are ready: %e, of another queue, at 0; then %c, ready at 3 us,
// then %d, ready at 6 us. %back uses the other direction, at the same time as %d.

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK:      start    end   time  on          task     bound    bytes    energy  source
// CHECK-NEXT:  0 ns   3 us   3 us  gpu         relu     memory  200 kB  2.025 uJ  {{.*}}queues.mlir:33:8
// CHECK-NEXT:  0 ns  11 us  11 us  gpu->pim.1  copy %x  link    100 kB      1 uJ  {{.*}}queues.mlir:43:8
// CHECK-NEXT:  3 us   6 us   3 us  gpu         relu     memory  200 kB  2.025 uJ  {{.*}}queues.mlir:38:8
// CHECK-NEXT: 11 us  22 us  11 us  gpu->pim    copy %a  link    100 kB      1 uJ  {{.*}}queues.mlir:37:8
// CHECK-NEXT: 22 us  33 us  11 us  gpu->pim    copy %b  link    100 kB      1 uJ  {{.*}}queues.mlir:42:8
// CHECK-NEXT: 22 us  33 us  11 us  pim->gpu    copy %c  link    100 kB      1 uJ  {{.*}}queues.mlir:44:11
// CHECK-EMPTY:
// CHECK-NEXT: makespan  33 us
// CHECK-NEXT: bound     33 us, on any schedule of these tasks and copies (load of gpu->pim)
// CHECK-NEXT: gap       0.0 %
// CHECK-NEXT: energy    338.05 uJ
// CHECK-NEXT: copied    400 kB
// CHECK-EMPTY:
// CHECK-NEXT: on         busy  of makespan   energy  idle energy
// CHECK-NEXT: gpu        6 us       18.2 %  4.05 uJ       330 uJ
// CHECK-NEXT: pim        0 ns        0.0 %     0 pJ         0 pJ
// CHECK-NEXT: gpu->pim  33 us      100.0 %     3 uJ
// CHECK-NEXT: pim->gpu  11 us       33.3 %     1 uJ
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> {
  %a = task.run @gpu (%p = %x) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %c = task.copy %a to @pim
  %b = task.run @gpu (%p = %a) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %d = task.copy %b to @pim
  %e = task.copy %x to @pim queue 1
  %back = task.copy %c to @gpu
  func.return %back : !task.on<@gpu, tensor<25000xf32>>
}

// CUT:      start
// CUT-NEXT: relu
// CUT-NEXT: ... 5 more (timeline{limit=0} shows all)
// CUT:      makespan  33 us
