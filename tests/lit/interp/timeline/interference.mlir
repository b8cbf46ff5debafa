// RUN: ndp-opt %s -t timeline | filecheck %s
// RUN: ndp-opt %s -t summary | filecheck %s --check-prefix=SUMMARY
// RUN: ndp-opt %s --set toy_ndp.interference=1 -t timeline | filecheck %s --check-prefix=ALONE

// A kernel of these units slows a parallel matrix product down by a factor of 2. The product's 10 million operations take
// 10 us alone; half of the kernel's 5.115 us is lost for it. The column of times shows the time that each would take alone.

hw.device @gpu = "toy_gpu" {launch = "0 ns"}
hw.device @ndp = "toy_ndp" {launch = "0 ns", interference = 2}

// CHECK:      0 ns 5.115 us 5.115 us ndp relu
// CHECK-NEXT: 0 ns 12.557 us 10 us gpu matmul
// A relu on the GPU is not slowed down.
// CHECK-NEXT: 12.557 us 14.158 us 1.6 us gpu relu
// CHECK:      makespan 14.158 us
// CHECK:      gpu 14.158 us
// SUMMARY:    contention 2.5575 us of the makespan, because devices slow contractions (11.6 us without)
// ALONE:      makespan 11.6 us
func.func @main(%x: !task.on<@ndp, tensor<20000xf32>>, %y: !task.on<@gpu, tensor<20000xf32>>, %a: !task.on<@gpu, tensor<100x500xf32>>, %b: !task.on<@gpu, tensor<500x100xf32>>)
    -> (!task.on<@ndp, tensor<20000xf32>>, !task.on<@gpu, tensor<20000xf32>>, !task.on<@gpu, tensor<100x100xf32>>) {
  %z = task.run @ndp (%p = %x) {
    %0 = graph.relu %p : tensor<20000xf32>
    task.yield %0
  }
  %c = task.run @gpu (%p = %a, %q = %b) {
    %0 = graph.matmul %p, %q : tensor<100x500xf32>, tensor<500x100xf32>
    task.yield %0
  }
  %r = task.run @gpu (%p = %y) {
    %0 = graph.relu %p : tensor<20000xf32>
    task.yield %0
  }
  func.return %z, %r, %c : !task.on<@ndp, tensor<20000xf32>>, !task.on<@gpu, tensor<20000xf32>>, !task.on<@gpu, tensor<100x100xf32>>
}
