// A GPU beside a PIM: its memory holds one of two weights at a time. The second product reads a result of the PIM, and so
// waits for a copy. The rest of its weight has room only from then on: its prefetch waits for the copy, too.
// RUN: ndp-opt %s -p 'place{policy=gpu},prefetch' --check | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=gpu},prefetch' -t summary | filecheck %s --check-prefix=TIME

// CHECK: %p_gpu = task.copy %p to @gpu
// CHECK: task.prefetch %w1_gpu [{{[0-9]+}} to 409600] after %p_gpu
// CHECK: %c = task.run @gpu
// TIME: makespan   3{{[0-9.]+}} us
// TIME: at least   3{{[0-9.]+}} us, for any plan of moves

hw.device @gpu = "toy_gpu" {memory = "460 kB"}
hw.device @pim = "toy_pim"
hw.device @host = "toy_host" {paging.demand = "no"}
hw.link @gpu to @pim = "toy_link"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: tensor<4x512xf32>) -> (tensor<4x200xf32>, tensor<4x250xf32>) {
  %wp = graph.weight "wp" = uniform(-1.0, 1.0, 1) : tensor<512x400xf32>
  %w1 = graph.weight "w1" = uniform(-1.0, 1.0, 2) : tensor<512x200xf32>
  %w2 = graph.weight "w2" = uniform(-1.0, 1.0, 3) : tensor<400x250xf32>
  %p = graph.matmul %x, %wp {task.on = @pim} : tensor<4x512xf32>, tensor<512x400xf32>
  %a = graph.matmul %x, %w1 {task.on = @gpu} : tensor<4x512xf32>, tensor<512x200xf32>
  %c = graph.matmul %p, %w2 {task.on = @gpu} : tensor<4x400xf32>, tensor<400x250xf32>
  func.return %a, %c : tensor<4x200xf32>, tensor<4x250xf32>
}
