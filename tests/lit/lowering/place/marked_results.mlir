// A marked result is brought to its device: a prefill leaves keys where a later step reads them.
// RUN: ndp-opt %s -p place{policy=gpu} | filecheck %s
// RUN: ndp-opt %s -p place{policy=gpu} -t timeline | filecheck %s --check-prefix=TIME

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
// CHECK: func.func @main(%x: !task.on<@gpu, tensor<64x64xf32>>) -> (!task.on<@pim, tensor<64x64xf32>>, !task.on<@gpu, tensor<64x64xf32>>)
// CHECK: %k_pim = task.copy %k to @pim
// CHECK: func.return %k_pim, %y
// TIME: gpu->pim {{.*}} copy %k
func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32> {task.on = @pim}, tensor<64x64xf32>) {
  %k = graph.exp %x : tensor<64x64xf32>
  %y = graph.relu %k : tensor<64x64xf32>
  func.return %k, %y : tensor<64x64xf32>, tensor<64x64xf32>
}
