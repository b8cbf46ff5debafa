// Ops that a GPU's sheet lists as skipped take no time on it, by themselves or in a group; other ops do.
// RUN: ndp-opt %s -t timeline | filecheck %s

hw.device @gpu = "toy_gpu" {idle = 0, skips = "slice, pad"}

// CHECK: start
func.func @main(%x: !task.on<@gpu, tensor<1000x1000xf16>>) -> !task.on<@gpu, tensor<500x1000xf16>> {
  // CHECK-NEXT: 0 ns {{.*}} 0 ns {{.*}} gpu {{.*}} slice
  %a = task.run @gpu (%i = %x) {
    %0 = graph.slice %i starts = [0, 0], ends = [500, 1000] : tensor<1000x1000xf16>
    task.yield %0
  }
  // CHECK-NEXT: 0 ns {{.*}} 0 ns {{.*}} gpu {{.*}} slice+pad
  %b = task.run @gpu (%i = %a) {
    %0 = graph.fused (%j = %i) {
      %1 = graph.slice %j starts = [0, 0], ends = [400, 1000] : tensor<500x1000xf16>
      %2 = graph.pad %1 low = [0, 0], high = [100, 0] : tensor<400x1000xf16>
      graph.yield %2
    }
    task.yield %0
  }
  // 1 us of launch, and 2 MB at 100 GB/s: a copy by an op that is not skipped.
  // CHECK-NEXT: 0 ns {{.*}} 21 us {{.*}} gpu {{.*}} relu {{.*}} 2 MB
  %c = task.run @gpu (%i = %b) {
    %0 = graph.relu %i : tensor<500x1000xf16>
    task.yield %0
  }
  func.return %c : !task.on<@gpu, tensor<500x1000xf16>>
}
