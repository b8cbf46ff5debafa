// Policies that split ops leave ops without axes unsplit.
// RUN: ndp-opt %s -p 'place{policy=pimflow}' | filecheck %s
// RUN: ndp-opt %s -p 'place{effort=1}' | filecheck %s

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
func.func @scalars(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %y = graph.relu %x : tensor<f32>
  func.return %y, %x : tensor<f32>, tensor<f32>
}
// CHECK: task.run @gpu
// CHECK: graph.relu
// CHECK: func.return %{{.*}}, %x
