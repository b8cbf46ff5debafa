// Memory is reserved for as many rows as a state may get: 10 of 4000 bytes, of which it has 3 after the step, where it lies.
// RUN: ndp-opt %s -p state{capacity=10},place{policy=gpu} 2>/dev/null -t timeline | filecheck %s
// RUN: ndp-opt %s -p state,place{policy=gpu} 2>/dev/null -t timeline | filecheck %s --check-prefix=FILLED
// RUN: not ndp-opt %s -p state{capacity=2} 2>&1 | filecheck %s --check-prefix=SMALL

hw.device @gpu = "toy_gpu"
// CHECK: gpu {{.*}} 44 kB
// FILLED: gpu {{.*}} 16 kB
// SMALL: error: @main: %past grows to 3 rows, but has a capacity of 2; state a larger `capacity`, or drop the oldest rows (a slice of the result)
func.func @main(%past: tensor<2x1000xf32>, %x: tensor<1x1000xf32>) -> tensor<3x1000xf32> {
  %n = graph.exp %x : tensor<1x1000xf32>
  %k = graph.concat %past, %n axis = 0 : tensor<2x1000xf32>, tensor<1x1000xf32>
  func.return %k : tensor<3x1000xf32>
}
