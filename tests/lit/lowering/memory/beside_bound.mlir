// A GPU beside a PIM, whose results it waits for. While its kernels wait for memory, the PIM goes on, so that the waits
// become shorter: a lower bound on all plans of moves may not add them to the waits for memory. It is below the time of
// this plan.
// RUN: ndp-opt %s -p 'place{policy=gpu},prefetch' -t summary | filecheck %s

// CHECK: makespan   8{{[0-9.]+}} us
// CHECK: kept by    policy plan: mode copy
// CHECK: at least   7{{[0-9.]+}} us, for any plan of moves (bytes of idle tensors, link bandwidth, tier capacity); this one {{[1-9][0-9.]*}} % above

hw.device @gpu = "toy_gpu" {memory = "297036 B"}
hw.device @pim = "toy_pim"
hw.device @host = "toy_host" {paging.demand = "no"}
hw.link @gpu to @pim = "toy_link"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: tensor<1x256xf32>) -> (tensor<1x64xf32>, tensor<1x128xf32>, tensor<1x32xf32>, tensor<1x64xf32>, tensor<1x128xf32>, tensor<1x64xf32>) {
  %w0 = graph.weight "w0" = uniform(-0.1, 0.1, 1) : tensor<256x64xf32>
  %o0 = graph.matmul %x, %w0 {task.on = @pim} : tensor<1x256xf32>, tensor<256x64xf32>
  %o1 = graph.softmax %x axis = 1 : tensor<1x256xf32>
  %w2 = graph.weight "w2" = uniform(-0.1, 0.1, 3) : tensor<256x256xf32>
  %o2 = graph.matmul %x, %w2 {task.on = @gpu} : tensor<1x256xf32>, tensor<256x256xf32>
  %o3 = graph.softmax %o2 axis = 1 : tensor<1x256xf32>
  %w4 = graph.weight "w4" = uniform(-0.1, 0.1, 5) : tensor<256x128xf32>
  %o4 = graph.matmul %o1, %w4 {task.on = @gpu} : tensor<1x256xf32>, tensor<256x128xf32>
  %o5 = graph.relu %o3 : tensor<1x256xf32>
  %o6 = graph.relu %o2 : tensor<1x256xf32>
  %w7 = graph.weight "w7" = uniform(-0.1, 0.1, 8) : tensor<256x256xf32>
  %o7 = graph.matmul %o5, %w7 {task.on = @gpu} : tensor<1x256xf32>, tensor<256x256xf32>
  %w8 = graph.weight "w8" = uniform(-0.1, 0.1, 9) : tensor<256x32xf32>
  %o8 = graph.matmul %o7, %w8 {task.on = @gpu} : tensor<1x256xf32>, tensor<256x32xf32>
  %w9 = graph.weight "w9" = uniform(-0.1, 0.1, 10) : tensor<256x64xf32>
  %o9 = graph.matmul %o6, %w9 {task.on = @gpu} : tensor<1x256xf32>, tensor<256x64xf32>
  %w10 = graph.weight "w10" = uniform(-0.1, 0.1, 11) : tensor<256x32xf32>
  %o10 = graph.matmul %o7, %w10 {task.on = @pim} : tensor<1x256xf32>, tensor<256x32xf32>
  %w11 = graph.weight "w11" = uniform(-0.1, 0.1, 12) : tensor<256x128xf32>
  %o11 = graph.matmul %o6, %w11 {task.on = @gpu} : tensor<1x256xf32>, tensor<256x128xf32>
  %w12 = graph.weight "w12" = uniform(-0.1, 0.1, 13) : tensor<32x256xf32>
  %o12 = graph.matmul %o10, %w12 {task.on = @gpu} : tensor<1x32xf32>, tensor<32x256xf32>
  %w13 = graph.weight "w13" = uniform(-0.1, 0.1, 14) : tensor<256x64xf32>
  %o13 = graph.matmul %o12, %w13 {task.on = @pim} : tensor<1x256xf32>, tensor<256x64xf32>
  func.return %o0, %o4, %o8, %o9, %o11, %o13 : tensor<1x64xf32>, tensor<1x128xf32>, tensor<1x32xf32>, tensor<1x64xf32>, tensor<1x128xf32>, tensor<1x64xf32>
}
