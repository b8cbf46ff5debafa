// Products of experts on a machine of round numbers, which are calculated by hand: what tokens choose is read, and no other matrix.
// RUN: ndp-opt %s -t timeline | filecheck %s

hw.device @gpu = "toy_gpu" {idle = 0}

// CHECK: start
func.func @main(%x: !task.on<@gpu, tensor<1x1x1000xf16>>, %w: !task.on<@gpu, tensor<64x1000x1000xf16>>, %q: !task.on<@gpu, tensor<64x1000x1000xi4>>,
    %s: !task.on<@gpu, tensor<64x1000x1xf16>>, %ids: !task.on<@gpu, tensor<1x4xi64>>) -> !task.on<@gpu, tensor<1x4x1000xf16>> {
  // One token chooses 4 of 64 matrices of 2 MB: 8 MB at 100 GB/s, beside 10 kB of rows, and 1 us of launch.
  // CHECK: 0 ns {{.*}} 81.1 us {{.*}} gpu {{.*}} grouped_matmul {{.*}} memory {{.*}} 8.01 MB
  %a = task.run @gpu (%i = %x, %m = %w, %n = %ids) {
    %0 = graph.grouped_matmul %i, %m, %n : tensor<1x1x1000xf16>, tensor<64x1000x1000xf16>, tensor<1x4xi64>
    task.yield %0
  }
  // The same of 4 bits an element, with a scale for each row: 2 MB of elements, 8 kB of scales and 16 kB of rows.
  // CHECK-NEXT: 81.1 us {{.*}} 21.2{{[0-9]*}} us {{.*}} gpu {{.*}} dequantize+grouped_matmul {{.*}} memory {{.*}} 2.024 MB
  %b = task.run @gpu (%i = %a, %m = %q, %t = %s, %n = %ids) {
    %0 = graph.fused (%r = %i, %c = %m, %f = %t, %e = %n) {
      %1 = graph.dequantize %c, %f : tensor<64x1000x1000xi4>, tensor<64x1000x1xf16>
      %2 = graph.grouped_matmul %r, %1, %e : tensor<1x4x1000xf16>, tensor<64x1000x1000xf16>, tensor<1x4xi64>
      graph.yield %2
    }
    task.yield %0
  }
  func.return %b : !task.on<@gpu, tensor<1x4x1000xf16>>
}
