// Times on machines of round numbers, which are calculated by hand.
// RUN: ndp-opt %s -t timeline | filecheck %s

hw.device @gpu = "toy_gpu" {idle = 0}
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// Two columns are loaded in cycles 1 and 2; the row is activated in 3, multiplied in 13 and 14, drained in 24 and
// precharged in 103, 100 cycles after the activate; with 100 ns of launch, 203 ns. Energy: 2 loads, 2 macs and a
// drain take 1 nJ each, act and pre 10 nJ each.
pim.kernel @gemv on @pim (%x: memref<8xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.act all row 0
  pim.mac all columns 0 to 2
  pim.drain all to %y
  pim.pre all
}

// CHECK: start
func.func @main(%x: !task.on<@gpu, tensor<1000x1000xf16>>) -> !task.on<@gpu, tensor<2xf32>> {
  // 1 us of launch, and 4 MB at 100 GB/s; energy of 1 Mflop at 1 pJ, and of 4 MB at 10 pJ per byte.
  // CHECK: 0 ns {{.*}} 41 us {{.*}} gpu {{.*}} relu {{.*}} memory {{.*}} 4 MB {{.*}} 41 uJ
  %a = task.run @gpu (%i = %x) {
    %0 = graph.relu %i : tensor<1000x1000xf16>
    task.yield %0
  }
  // 2 Gflop at 10 TFLOP/s take 200 us; moving the 4 MB of operand and result alone would take 40 us.
  // CHECK-NEXT: 41 us {{.*}} 201 us {{.*}} gpu {{.*}} matmul {{.*}} compute {{.*}} 4 MB {{.*}} 2.04 mJ
  %b = task.run @gpu (%i = %a) {
    %0 = graph.matmul %i, %i : tensor<1000x1000xf16>, tensor<1000x1000xf16>
    task.yield %0
  }
  // A small op takes the time of a launch, a view takes no time.
  // CHECK-NEXT: 242 us {{.*}} 2.0008 us {{.*}} gpu {{.*}} slice+cast {{.*}} launch {{.*}} 80 B
  %c = task.run @gpu (%i = %b) {
    %0 = graph.slice %i starts = [0, 0], ends = [1, 8] : tensor<1000x1000xf16>
    %1 = graph.reshape %0 : tensor<1x8xf16> -> tensor<8xf16>
    %2 = graph.cast %1 : tensor<8xf16> -> tensor<8xf32>
    task.yield %2
  }
  // A copy takes 1 us of latency, plus its bytes at 10 GB/s.
  // CHECK-NEXT: {{.*}} 1.0032 us {{.*}} gpu->pim {{.*}} latency {{.*}} 32 B
  %d = task.copy %c to @pim
  %w = graph.weight "w" = uniform(-1, 1, 7) : tensor<1x1x2x2x4xf32>
  %wp = task.resident %w on @pim
  // CHECK-NEXT: {{.*}} 203 ns {{.*}} pim {{.*}} row cycles {{.*}} 25 nJ
  %e = task.run @pim (%i = %d, %k = %wp) {
    %0 = pim.launch @gemv (%i, %k) : (tensor<8xf32>, tensor<1x1x2x2x4xf32>) -> tensor<2xf32>
    task.yield %0
  }
  // CHECK-NEXT: {{.*}} 1.0008 us {{.*}} pim->gpu {{.*}} latency
  %f = task.copy %e to @gpu
  func.return %f : !task.on<@gpu, tensor<2xf32>>
}
