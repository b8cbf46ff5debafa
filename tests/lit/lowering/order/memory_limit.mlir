// RUN: ndp-opt %s -p order 2>&1 | filecheck %s

// 25000 numbers are 100 kB; a relu takes 3 us, a copy 11 us.
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim" {rows = 500}
hw.link @gpu to @pim = "toy_link"

// CHECK: memory_limit.mlir:{{[0-9]+}}:1: note: @calling keeps the order of its ops, since it calls other functions; inline these first (-p inline)

// With %c before %b the program would end 14 us earlier (branches.mlir), but then %a and %c would be on the PIM at once: 200 kB in 128 kB.
// CHECK-LABEL: func.func @full
// CHECK:         task.copy %a to @pim
// CHECK:         task.copy %a_pim to @gpu
// CHECK:         %b = task.run
// CHECK:         %c = task.run
// CHECK:         task.copy %c to @pim
func.func @full(%x: !task.on<@gpu, tensor<25000xf32>>, %y: !task.on<@gpu, tensor<25000xf32>>)
    -> (!task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>) {
  %a = task.run @gpu (%p = %x) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %a_pim = task.copy %a to @pim
  %a_gpu = task.copy %a_pim to @gpu
  %b = task.run @gpu (%p = %a_gpu) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %c = task.run @gpu (%p = %y) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %c_pim = task.copy %c to @pim
  func.return %b, %c_pim : !task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>
}

// CHECK-LABEL: func.func @calling
// CHECK-NEXT:    %a = func.call @called
// CHECK-NEXT:    %b = task.copy %y to @pim
func.func @calling(%x: !task.on<@gpu, tensor<25000xf32>>, %y: !task.on<@gpu, tensor<25000xf32>>)
    -> (!task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>) {
  %a = func.call @called(%x) : (!task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>>
  %b = task.copy %y to @pim
  func.return %a, %b : !task.on<@gpu, tensor<25000xf32>>, !task.on<@pim, tensor<25000xf32>>
}
func.func private @called(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> {
  %a = task.run @gpu (%p = %x) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  func.return %a : !task.on<@gpu, tensor<25000xf32>>
}

// A program that is not placed is not reordered.
// CHECK-LABEL: func.func @plain
func.func @plain(%x: tensor<25000xf32>) -> tensor<25000xf32> {
  %a = graph.relu %x : tensor<25000xf32>
  func.return %a : tensor<25000xf32>
}
