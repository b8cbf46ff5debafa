builtin.module {
  hw.device @gpu = "toy_gpu"
  hw.device @pim = "toy_pim"
  hw.link @gpu to @pim = "toy_link"
  func.func @main(%x: !task.on<@gpu, tensor<1x16xf32>>, %z: !task.on<@gpu, tensor<4x16xf32>>) -> (!task.on<@gpu, tensor<1x8xf32>>, !task.on<@gpu, tensor<4x16xf32>>) {
    %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<16x16xf32>
    %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<16x8xf32>
    %x_pim = task.copy %x to @pim
    %w_pim = task.resident %w on @pim
    %0 = task.run @pim (%x_1 = %x_pim, %w_1 = %w_pim) {
      %1 = graph.matmul %x_1, %w_1 : tensor<1x16xf32>, tensor<16x16xf32>
      task.yield %1
    }
    %1 = task.copy %0 to @gpu
    %2 = task.run @gpu (%3 = %1) {
      %4 = graph.relu %3 : tensor<1x16xf32>
      task.yield %4
    }
    %3 = task.copy %2 to @pim
    %v_pim = task.resident %v on @pim
    %4 = task.run @pim (%5 = %3, %v_1 = %v_pim) {
      %6 = graph.matmul %5, %v_1 : tensor<1x16xf32>, tensor<16x8xf32>
      task.yield %6
    }
    %5 = task.run @gpu (%z_1 = %z) {
      %6 = graph.softmax %z_1 axis = 1 : tensor<4x16xf32>
      task.yield %6
    }
    %6 = task.copy %5 to @pim
    %7 = task.run @pim (%8 = %6, %w_1 = %w_pim) {
      %9 = graph.matmul %8, %w_1 : tensor<4x16xf32>, tensor<16x16xf32>
      task.yield %9
    }
    %8 = task.copy %7 to @gpu
    %9 = task.run @gpu (%10 = %8, %z_1 = %z) {
      %11 = graph.add %10, %z_1 : tensor<4x16xf32>
      task.yield %11
    }
    %10 = task.copy %4 to @gpu
    func.return %10, %9 : !task.on<@gpu, tensor<1x8xf32>>, !task.on<@gpu, tensor<4x16xf32>>
  }
}

