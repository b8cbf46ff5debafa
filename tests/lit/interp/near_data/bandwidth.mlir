// The memory behind all units moves the bytes of kernels and copies at its bandwidth, here 10 GB/s, 10 bytes per cycle of 1 ns.
// RUN: ndp-opt %s -t timeline | filecheck %s
// RUN: ndp-opt %s -t ndp | filecheck %s --check-prefix=PROGRAM
// RUN: ndp-opt %s --set 'toy_ndp.bandwidth=100 GB/s' -t ndp | filecheck %s --check-prefix=FAST
// RUN: ndp-opt %s --set 'toy_ndp.bandwidth=2.5 GB/s' -t timeline | filecheck %s --check-prefix=SLOW
// RUN: not ndp-opt %s --set toy_ndp.bandwidth=0 -t timeline 2>&1 | filecheck %s --check-prefix=NONE

hw.device @gpu = "toy_gpu"
hw.device @ndp = "toy_ndp" {bandwidth = "10 GB/s", launch = "0 ns"}
hw.link @gpu to @ndp = "toy_link" {bandwidth = "5 GB/s", latency = "0 ns"}

// The units take 100 + 30 + 10 + 2048 * 0.5 cycles; the memory takes 6554 cycles for the 65,536 bytes that they move after the first 140.
// PROGRAM: fma 1 1 4,096 3 1 0 2 8 65,536 1,164 6,694 memory
// The first phase loads 16,384 bytes and reduces them: 110 + max(2048, 1638). The second stores and combines 16 sums: 105 + max(4, 6.4).
// PROGRAM: sums 1 2 4,096 1 1 1 1 7 16,448 2,267 2,269 stream
// At ten times the bandwidth, the units bound the first program.
// FAST: fma 1 1 4,096 3 1 0 2 8 65,536 1,164 1,164 stream
// FAST: sums 1 2 4,096 1 1 1 1 7 16,448 2,267 2,267 stream
ndp.program @fma on @ndp (%a: memref<4096xf32>, %b: memref<4096xf32>, %c: memref<4096xf32>) -> (%r: memref<4096xf32>) {
  ndp.filter %a, %b, %c
  %x = ndp.load %a
  %y = ndp.load %b
  %z = ndp.load %c
  %p = graph.mul %x, %y : tensor<4096xf32>
  %s = graph.add %p, %z : tensor<4096xf32>
  ndp.store %s to %r
  ndp.join
}
ndp.program @sums on @ndp (%a: memref<16x256xf32>) -> (%r: memref<16xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  %p = ndp.reduce sum %x axes = [1] : tensor<16x256xf32>
  ndp.barrier
  %s = ndp.combine %p : tensor<16xf32>
  ndp.store %s to %r
  ndp.join
}

// Alone, the first kernel would take 6.6936 us and draw 9.791 GB/s; a copy over the link, at 5 GB/s, draws half of the bandwidth while it
// runs, for 3.2768 us alone. Together they draw 1.4791 times the bandwidth, until the copy has ended at 4.8467 us; the kernel loses 1.5699 us.
// CHECK:      0 ns 4.8467 us 3.2768 us gpu->ndp copy %g link 16.384 kB
// CHECK-NEXT: 0 ns 8.2635 us 6.6936 us ndp @fma memory 65.536 kB
// The memory, at 2.5 GB/s, is slower than the link.
// SLOW: 6.5536 us gpu->ndp copy %g memory 16.384 kB
// NONE: error: 0 B/s was met, but a number above 0 is expected
func.func @main(%x: !task.on<@ndp, tensor<4096xf32>>, %g: !task.on<@gpu, tensor<16x256xf32>>)
    -> (!task.on<@ndp, tensor<4096xf32>>, !task.on<@ndp, tensor<16xf32>>) {
  %y = task.run @ndp (%a = %x) {
    %0 = ndp.launch @fma (%a, %a, %a) : (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    task.yield %0
  }
  %n = task.copy %g to @ndp
  %z = task.run @ndp (%a = %n) {
    %0 = ndp.launch @sums (%a) : (tensor<16x256xf32>) -> tensor<16xf32>
    task.yield %0
  }
  func.return %y, %z : !task.on<@ndp, tensor<4096xf32>>, !task.on<@ndp, tensor<16xf32>>
}
