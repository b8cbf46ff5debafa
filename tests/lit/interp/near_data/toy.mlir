// RUN: ndp-opt %s -t timeline | filecheck %s

// 2 units share the elements of each op; a launch takes 1 us. A kernel takes 100 cycles, 10 per input, 5 per op, and half a
// cycle per element of each output, or 1 cycle per element of each reduction. A cycle is 1 ns.

hw.device @gpu = "toy_gpu"
hw.device @ndp = "toy_ndp"
hw.link @gpu to @ndp = "toy_link"
func.func @main(%x: !task.on<@ndp, tensor<4096xf32>>, %y: !task.on<@ndp, tensor<4096xf32>>, %z: !task.on<@ndp, tensor<4096xf32>>)
    -> (!task.on<@ndp, tensor<4096xf32>>, !task.on<@ndp, tensor<1xf32>>, !task.on<@ndp, tensor<4096xf32>>, !task.on<@ndp, tensor<64x64xf32>>) {
  // 3 inputs, 2 ops, half of the elements: 100 + 30 + 10 + 2048 * 0.5 = 1164
  // CHECK: 0 ns 2.164 us 2.164 us ndp mul+add stream 65.536 kB
  %fma = task.run @ndp (%a = %x, %b = %y, %c = %z) {
    %0 = graph.fused (%d = %a, %e = %b, %f = %c) {
      %1 = graph.mul %d, %e : tensor<4096xf32>
      %2 = graph.add %1, %f : tensor<4096xf32>
      graph.yield %2
    }
    task.yield %0
  }
  // One input, one reduction, then combining the results of both units: (100 + 10 + 2048) + (100 + 5 + 4); each unit gets complete vectors.
  // CHECK-NEXT: 3.267 us ndp reduce stream
  %sum = task.run @ndp (%a = %x) {
    %0 = graph.reduce sum %a axes = [0], keep_dims : tensor<4096xf32>
    task.yield %0
  }
  // x * x occurs twice and is computed once, from one input; 4 ops: 100 + 10 + 20 + 1024.
  // CHECK-NEXT: 2.154 us ndp mul+mul+add+… stream 32.768 kB
  %twice = task.run @ndp (%a = %x) {
    %0 = graph.fused (%d = %a, %e = %a) {
      %1 = graph.mul %d, %d : tensor<4096xf32>
      %2 = graph.mul %e, %d : tensor<4096xf32>
      %3 = graph.add %1, %2 : tensor<4096xf32>
      %4 = graph.neg %3 : tensor<4096xf32>
      %5 = graph.abs %4 : tensor<4096xf32>
      graph.yield %5
    }
    task.yield %0
  }
  // Three phases: maximum (110 + 2048); combine, subtract, exponential, sum (3 ops: 125 + 2048); combine, divide
  // (120 + 1024).
  // CHECK-NEXT: 6.475 us ndp softmax stream
  %m = task.run @ndp (%a = %x) {
    %0 = graph.reshape %a : tensor<4096xf32> -> tensor<64x64xf32>
    %1 = graph.softmax %0 : tensor<64x64xf32>
    task.yield %1
  }
  func.return %fma, %sum, %twice, %m : !task.on<@ndp, tensor<4096xf32>>, !task.on<@ndp, tensor<1xf32>>, !task.on<@ndp, tensor<4096xf32>>, !task.on<@ndp, tensor<64x64xf32>>
}
