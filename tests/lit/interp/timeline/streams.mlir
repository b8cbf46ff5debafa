// RUN: ndp-opt %s -t timeline | filecheck %s
// RUN: not ndp-opt %s --set toy_ndp.fly=none -t timeline 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not ndp-opt %s --set toy_ndp.fly=reads -t timeline 2>&1 | filecheck %s --check-prefix=READS
// RUN: ndp-opt %s --set 'toy_ndp.bandwidth=100 GB/s' -t timeline | filecheck %s --check-prefix=MEMORY
// RUN: ndp-opt %s --set toy_ndp.channels=1 --set toy_link.arbitration=shared --set 'toy_link.bandwidth=1000000 TB/s' -t timeline | filecheck %s --check-prefix=SHARED

// Near-data units compute on data while the GPU writes or reads it. On 20,000 numbers a relu takes the GPU 1.6 us
// and the units 5.115 us, a copy takes 0.8 us; on 4096 numbers, a relu takes the GPU 0.32768 us, a copy 0.16384 us.

hw.device @gpu = "toy_gpu" {launch = "0 ns"}
hw.device @ndp = "toy_ndp" {launch = "0 ns", bandwidth = "1000 GB/s"}
hw.link @gpu to @ndp = "toy_link" {bandwidth = "100 GB/s", latency = "0 ns"}

// The units start together with the GPU, on the data that it writes; the copy over the link ends together with the GPU's op.
// CHECK:      0 ns   1.6 us  1.6 us  gpu       relu
// CHECK-NEXT: 0 ns   1.6 us  800 ns  gpu->ndp  stream %y
// CHECK-NEXT: 0 ns 5.115 us 5.115 us ndp       relu
// A softmax has three phases of 2.158, 2.173 and 1.144 us. The first two end at 9.446 us; the third runs together
// with the GPU's relu, which reads its results over the link, and ends at the same time.
// CHECK-NEXT: 5.115 us 10.59 us  5.475 us  ndp  softmax
// CHECK-NEXT: 9.446 us 10.59 us 163.84 ns  ndp->gpu  stream %s
// CHECK-NEXT: 9.446 us 10.59 us 327.68 ns  gpu  relu
// CHECK:      makespan  10.59 us
// CHECK-NEXT: bound     10.59 us
// The GPU counts as busy while it waits for the units.
// CHECK:      gpu       2.744 us

// The copy writes 100 GB/s to the units' memory for 0.8 us, and the units only write 80 kB in 5.115 us, 15.64 GB/s, since they read the
// stream: at 100 GB/s, both take 1.1564 times as long until the copy has moved its bytes, at 0.9251 us. The units lose 0.1251 us.
// MEMORY:      0 ns   1.6 us  1.6 us  gpu       relu
// MEMORY-NEXT: 0 ns   1.6 us  800 ns  gpu->ndp  stream %y
// MEMORY-NEXT: 0 ns 5.2401 us 5.115 us ndp      relu

// Both use the GPU's memory: the GPU moves 160 kB in 1.6 us; the units need bandwidth only for the 80 kB that they
// write in 5.115 us, which is 15.64 % of 100 GB/s. So both take 1.1564 times as long.
// SHARED: 0 ns 1.8502 us 1.6 us gpu relu

// NONE:  streams.mlir:{{.*}}: error: task.copy: @gpu cannot stream to @ndp, since neither @ndp (toy_ndp) computes on data while others write it, nor @gpu (toy_gpu) while others read it (`fly` in their sheets); remove `stream`
// READS: streams.mlir:{{.*}}: error: task.copy: @gpu cannot stream to @ndp
func.func @main(%x: !task.on<@gpu, tensor<20000xf32>>, %w: !task.on<@ndp, tensor<64x64xf32>>)
    -> (!task.on<@ndp, tensor<20000xf32>>, !task.on<@gpu, tensor<64x64xf32>>) {
  %y = task.run @gpu (%a = %x) {
    %0 = graph.relu %a : tensor<20000xf32>
    task.yield %0
  }
  %yn = task.copy stream %y to @ndp
  %z = task.run @ndp (%a = stream %yn) {
    %0 = graph.relu %a : tensor<20000xf32>
    task.yield %0
  }
  %s = task.run @ndp (%a = %w) {
    %0 = graph.softmax %a : tensor<64x64xf32>
    task.yield %0
  }
  %sg = task.copy stream %s to @gpu
  %r = task.run @gpu (%a = stream %sg) {
    %0 = graph.relu %a : tensor<64x64xf32>
    task.yield %0
  }
  func.return %z, %r : !task.on<@ndp, tensor<20000xf32>>, !task.on<@gpu, tensor<64x64xf32>>
}
