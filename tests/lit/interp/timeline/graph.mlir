// RUN: ndp-opt %s -t timeline | filecheck %s

// Before placement the primary device runs all ops serially; views take no time, and values computed from weights alone are ready at the start.
// 100 kB in, 100 kB out: 2 us at 100 GB/s, and a launch. The group reads three times 100 kB (%x, %a, %w) and writes 100 kB: 4 us.

hw.device @gpu = "toy_gpu"

// CHECK:       start   end  time  on   task
// CHECK-NEXT:   0 ns  3 us  3 us  gpu  relu
// CHECK-NEXT:   3 us  8 us  5 us  gpu  add+mul
// CHECK-EMPTY:
// CHECK:      makespan  8 us
func.func @main(%x: tensor<25000xf32>) -> tensor<25000xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<25000xf32>
  %half = graph.constant 0.5 : tensor<25000xf32>
  %v = graph.mul %w, %half : tensor<25000xf32>
  %a = graph.relu %x : tensor<25000xf32>
  %b = graph.reshape %a : tensor<25000xf32> -> tensor<50x500xf32>
  %c = graph.reshape %b : tensor<50x500xf32> -> tensor<25000xf32>
  %d = graph.fused (%p = %x, %q = %c, %r = %v) {
    %0 = graph.add %p, %q : tensor<25000xf32>
    %1 = graph.mul %0, %r : tensor<25000xf32>
    graph.yield %1
  }
  func.return %d : tensor<25000xf32>
}
