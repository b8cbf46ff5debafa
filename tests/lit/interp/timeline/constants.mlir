// RUN: ndp-opt %s -p gpu-only -t timeline | filecheck %s
// RUN: ndp-opt %s -p gpu-only --check -o /dev/null

// Values that the run itself writes, or that a kernel computes from little data, are not in memory for the whole run. The 4 MB of zeros
// that a scatter adds to are written right before it, into the memory of its result; the kernel computes the 4 MB of element indices
// from 4 kB per axis. The 4 MB of weights that a loop and an op before it read are in memory once. (Without these rules: 28 MB.)

hw.device @gpu = "toy_gpu"

// CHECK: broadcast {{.*}} 4 MB
// CHECK: scatter_nd {{.*}} 16 kB
// CHECK: gpu {{.*}} 16.012 MB
func.func @main(%x: tensor<1x1000xf32>, %i: tensor<1000x1xi32>, %u: tensor<1000xf32>, %n: tensor<1000x1000xi32>)
    -> (tensor<1000000xf32>, tensor<1000x1000xi32>, tensor<1x1000xf32>) {
  %0 = graph.constant 0.0 : tensor<1000000xf32>
  %1 = graph.scatter_nd add %0, %i, %u outside = drop : tensor<1000000xf32>, tensor<1000x1xi32>, tensor<1000xf32>
  %rows = graph.weight "rows" = uniform(0.0, 1.0, 1) : tensor<1000x1xf32>
  %columns = graph.weight "columns" = uniform(0.0, 1.0, 1) : tensor<1x1000xf32>
  %2 = graph.add %rows, %columns : tensor<1000x1xf32>, tensor<1x1000xf32>
  %3 = graph.cast %2 : tensor<1000x1000xf32> -> tensor<1000x1000xi32>
  %4 = graph.mul %n, %3 : tensor<1000x1000xi32>, tensor<1000x1000xi32>
  %5 = graph.add %4, %n : tensor<1000x1000xi32>, tensor<1000x1000xi32>
  %w = graph.weight "w" = uniform(-0.01, 0.01, 2) : tensor<1000x1000xf32>
  %6 = graph.matmul %x, %w : tensor<1x1000xf32>, tensor<1000x1000xf32>
  %7 = graph.repeat %t = 0 to 3 (%a = %6, %v = %w) {
    %8 = graph.matmul %a, %v : tensor<1x1000xf32>, tensor<1000x1000xf32>
    graph.yield %8
  }
  func.return %1, %5, %7 : tensor<1000000xf32>, tensor<1000x1000xi32>, tensor<1x1000xf32>
}
