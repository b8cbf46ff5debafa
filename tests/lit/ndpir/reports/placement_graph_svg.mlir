// REQUIRES: dot
// RUN: ndp-opt %s --machine toy -t 'placement-graph{format=svg}' | filecheck %s

// CHECK: <svg
// CHECK: start @gpu
// CHECK: 0 relu
// CHECK: gpu: 1.0006 us
// CHECK: </svg>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = graph.relu %x : tensor<8xf32>
  func.return %a : tensor<8xf32>
}
