// Results and times of typed near-data programs, on units of round numbers.
// RUN: ndp-opt %s -t timeline | filecheck %s
// RUN: ndp-opt %s -t values | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt %s -t ndp | filecheck %s --check-prefix=COUNTS

hw.device @ndp = "toy_ndp"

// COUNTS:      program launches phases elements inputs outputs reductions ops lines bytes unit cycles cycles bound
// COUNTS-NEXT: fma 1 1 4,096 3 1 0 2 8 65,536 1,164 1,164 stream
// COUNTS-NEXT: centre 1 2 4,096 2 2 1 3 12 65,536 3,307 3,307 stream
// COUNTS-NEXT: all launches 2 3 8,192 5 3 1 5 20 131,072 4,471 4,471

// 3 inputs, 2 ops, half of the elements for each of two units: 100 + 30 + 10 + 2048 * 0.5 cycles of 1 ns, and a launch.
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

// First an input, an op, a store and a reduction: 100 + 10 + 5 + 2048 cycles; then an input, two ops and a store: 100 + 10 + 10 + 1024.
ndp.program @centre on @ndp (%a: memref<64x64xf32>) -> (%r: memref<64x64xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  %e = graph.abs %x : tensor<64x64xf32>
  %t = ndp.alloc : memref<64x64xf32>
  ndp.store %e to %t
  %p = ndp.reduce mean %e axes = [1], keep_dims : tensor<64x64xf32>
  ndp.barrier
  %m = ndp.combine %p : tensor<64x1xf32>
  %y = ndp.load %t
  %d = graph.sub %y, %m : tensor<64x64xf32>, tensor<64x1xf32>
  ndp.store %d to %r
  ndp.join
}

// CHECK: 0 ns 2.164 us 2.164 us ndp @fma stream 65.536 kB
// CHECK-NEXT: 2.164 us 6.471 us 4.307 us ndp @centre stream 65.536 kB
// VALUES: result 0: tensor<4096xf32>
// VALUES: result 1: tensor<64x64xf32>, mean {{-?0|-?[0-9.]+e-0[89]}}
func.func @main(%x: !task.on<@ndp, tensor<4096xf32>>) -> (!task.on<@ndp, tensor<4096xf32>>, !task.on<@ndp, tensor<64x64xf32>>) {
  %y = task.run @ndp (%a = %x) {
    %0 = ndp.launch @fma (%a, %a, %a) : (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
    task.yield %0
  }
  %z = task.run @ndp (%a = %y) {
    %0 = graph.reshape %a : tensor<4096xf32> -> tensor<64x64xf32>
    %1 = ndp.launch @centre (%0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    task.yield %1
  }
  func.return %y, %z : !task.on<@ndp, tensor<4096xf32>>, !task.on<@ndp, tensor<64x64xf32>>
}
