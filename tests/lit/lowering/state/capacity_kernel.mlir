// The room for more rows counts beside new rows that a kernel copies: 10 rows of 4000 bytes for the state, and one for the argument.
// RUN: ndp-opt %s -p state{capacity=10} -t timeline 2>/dev/null | filecheck %s

hw.device @gpu = "toy_gpu"
// CHECK: gpu {{.*}} concat
// CHECK: gpu {{.*}} 44 kB
func.func @main(%past: tensor<2x1000xf32>, %x: tensor<1x1000xf32>) -> tensor<3x1000xf32> {
  %k = graph.concat %past, %x axis = 0 : tensor<2x1000xf32>, tensor<1x1000xf32>
  func.return %k : tensor<3x1000xf32>
}
