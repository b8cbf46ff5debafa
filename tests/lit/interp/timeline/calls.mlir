// RUN: ndp-opt %s -t timeline | filecheck %s
// RUN: ndp-opt %s -t 'timeline{entry=twice}' | filecheck %s --check-prefix=ENTRY

hw.device @gpu = "toy_gpu"

// CHECK: makespan  12 us
// ENTRY: makespan  6 us
func.func @twice(%x: tensor<25000xf32>) -> tensor<25000xf32> {
  %a = graph.relu %x : tensor<25000xf32>
  %b = graph.relu %a : tensor<25000xf32>
  func.return %b : tensor<25000xf32>
}
func.func @main(%x: tensor<25000xf32>) -> tensor<25000xf32> {
  %a = func.call @twice(%x) : (tensor<25000xf32>) -> tensor<25000xf32>
  %b = func.call @twice(%a) : (tensor<25000xf32>) -> tensor<25000xf32>
  func.return %b : tensor<25000xf32>
}
