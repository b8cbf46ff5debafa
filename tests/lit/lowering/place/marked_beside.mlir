// Policies for near-data units leave ops that are marked for a device there, also products, which they never move.
// RUN: ndp-opt %s -p 'place{policy=pattern}' --check | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=xla-ndp}' --check | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=overlap}' --check | filecheck %s
// RUN: ndp-opt %s -p 'place{effort=1}' --check | filecheck %s
// RUN: ndp-opt %s -p 'place{effort=3}' --check | filecheck %s

// CHECK-DAG: %a = task.run @pim
// CHECK-DAG: %b = task.run @gpu

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
func.func @main(%x: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %a = graph.matmul %x, %w {task.on = @pim} : tensor<8x32xf32>, tensor<32x32xf32>
  %b = graph.add %x, %x : tensor<8x32xf32>
  func.return %a, %b : tensor<8x32xf32>, tensor<8x32xf32>
}
