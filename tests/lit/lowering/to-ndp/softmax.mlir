// A group, a softmax, and the steps by which passes improve their programs, which first have one op per phase.
// RUN: ndp-opt %s -p to-ndp --check | filecheck %s --check-prefix=NAIVE
// RUN: ndp-opt %s -p to-ndp,forward-stores --check | filecheck %s --check-prefix=FORWARDED
// RUN: ndp-opt %s -p to-ndp,forward-stores,number-values --check | filecheck %s --check-prefix=NUMBERED
// RUN: ndp-opt %s -p to-ndp -t ndp | filecheck %s --check-prefix=BEFORE
// RUN: ndp-opt %s -p to-ndp,forward-stores,number-values -t ndp | filecheck %s --check-prefix=AFTER
// RUN: ndp-opt %s -t timeline | filecheck %s --check-prefix=TIME
// RUN: ndp-opt %s -p to-ndp,forward-stores,number-values -t timeline | filecheck %s --check-prefix=TIME

hw.device @ndp = "toy_ndp"

// NAIVE:      ndp.program @mul_add_relu on @ndp (%a: memref<4096xf32>) -> (%0: memref<4096xf32>) {
// NAIVE-NEXT:   ndp.filter %a
// NAIVE-NEXT:   %1 = ndp.load %a
// NAIVE-NEXT:   %2 = ndp.load %a
// NAIVE-NEXT:   %3 = graph.mul %1, %2
// NAIVE-NEXT:   %4 = ndp.alloc
// NAIVE-NEXT:   ndp.store %3 to %4
// NAIVE-NEXT:   %5 = ndp.load %4
// NAIVE-NEXT:   %6 = ndp.load %a
// NAIVE-NEXT:   %7 = graph.add %5, %6
// NAIVE-NEXT:   %8 = ndp.alloc
// NAIVE-NEXT:   ndp.store %7 to %8
// NAIVE-NEXT:   %9 = ndp.load %8
// NAIVE-NEXT:   %10 = graph.relu %9
// NAIVE-NEXT:   ndp.store %10 to %0
// NAIVE-NEXT:   ndp.join

// FORWARDED:      ndp.program @mul_add_relu
// FORWARDED-NEXT:   ndp.filter %a
// FORWARDED-NEXT:   %1 = ndp.load %a
// FORWARDED-NEXT:   %2 = ndp.load %a
// FORWARDED-NEXT:   %3 = graph.mul %1, %2
// FORWARDED-NEXT:   %4 = ndp.load %a
// FORWARDED-NEXT:   %5 = graph.add %3, %4
// FORWARDED-NEXT:   %6 = graph.relu %5
// FORWARDED-NEXT:   ndp.store %6 to %0
// FORWARDED-NEXT:   ndp.join

// NUMBERED:      ndp.program @mul_add_relu
// NUMBERED-NEXT:   ndp.filter %a
// NUMBERED-NEXT:   %1 = ndp.load %a
// NUMBERED-NEXT:   %2 = graph.mul %1, %1
// NUMBERED-NEXT:   %3 = graph.add %2, %1
// NUMBERED-NEXT:   %4 = graph.relu %3
// NUMBERED-NEXT:   ndp.store %4 to %0
// NUMBERED-NEXT:   ndp.join

// The maximum; exponentials and their sum; the quotient: each phase needs the combined result of the one before.
// NUMBERED:      ndp.program @softmax on @ndp (%a: memref<64x64xf32>) -> (%0: memref<64x64xf32>) {
// NUMBERED-NEXT:   ndp.filter %a
// NUMBERED-NEXT:   %1 = ndp.load %a
// NUMBERED-NEXT:   %2 = ndp.reduce max %1 axes = [-1], keep_dims
// NUMBERED-NEXT:   ndp.barrier
// NUMBERED-NEXT:   %3 = ndp.combine %2
// NUMBERED-NEXT:   %4 = ndp.load %a
// NUMBERED-NEXT:   %5 = graph.sub %4, %3
// NUMBERED-NEXT:   %6 = graph.exp %5
// NUMBERED-NEXT:   %7 = ndp.alloc
// NUMBERED-NEXT:   ndp.store %6 to %7
// NUMBERED-NEXT:   %8 = ndp.reduce sum %6 axes = [-1], keep_dims
// NUMBERED-NEXT:   ndp.barrier
// NUMBERED-NEXT:   %9 = ndp.combine %8
// NUMBERED-NEXT:   %10 = ndp.load %7
// NUMBERED-NEXT:   %11 = graph.div %10, %9
// NUMBERED-NEXT:   ndp.store %11 to %0
// NUMBERED-NEXT:   ndp.join

// The first program stores to and loads from its own memory twice: 100 + 5 * 10 + 3 * 5 + 4 * 1024 cycles; the improved one takes 100 + 10 + 3 * 5 + 1024.
// BEFORE: mul_add_relu 1 1 4,096 5 3 0 3 15 65,536 4,261 4,261 stream
// AFTER:  mul_add_relu 1 1 4,096 1 1 0 3 7 32,768 1,149 1,149 stream

// Before lowering, the clock reports the times of the improved programs: 1149 and 5475 cycles, and launches.
// TIME: 2.149 us ndp {{.*}} stream
// TIME-NEXT: 6.475 us ndp {{.*}} stream
func.func @main(%x: !task.on<@ndp, tensor<4096xf32>>) -> !task.on<@ndp, tensor<64x64xf32>> {
  %y = task.run @ndp (%a = %x) {
    %0 = graph.fused (%b = %a) {
      %1 = graph.mul %b, %b : tensor<4096xf32>
      %2 = graph.add %1, %b : tensor<4096xf32>
      %3 = graph.relu %2 : tensor<4096xf32>
      graph.yield %3
    }
    task.yield %0
  }
  %z = task.run @ndp (%b = %y) {
    %a = graph.reshape %b : tensor<4096xf32> -> tensor<64x64xf32>
    %0 = graph.softmax %a : tensor<64x64xf32>
    task.yield %0
  }
  func.return %z : !task.on<@ndp, tensor<64x64xf32>>
}
