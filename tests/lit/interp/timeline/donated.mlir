// RUN: ndp-opt %s -t timeline{entry=donated} | filecheck %s --check-prefix DONATED
// RUN: ndp-opt %s -t timeline{entry=kept} | filecheck %s --check-prefix KEPT
// RUN: ndp-opt %s -t timeline{entry=open} | filecheck %s --check-prefix OPEN
// RUN: ndp-opt %s -p place{policy=gpu} -t timeline{entry=donated} | filecheck %s --check-prefix DONATED

// Each value takes 100 kB. Arguments that the caller keeps stay in memory to the end, together with both results: 400 kB.
// Results take over the memory of donated arguments if the op that makes a result is the last reader: 300 kB while the gradient
// is live. Without either mark, an argument is freed after its last reader, but is live while that op writes its result: 400 kB.

hw.device @gpu = "toy_gpu"

// DONATED: gpu {{.*}} 300 kB
func.func @donated(%w: tensor<25000xf32> {task.state = "overwritten, result 0"}, %m: tensor<25000xf32> {task.state = "overwritten, result 1"}) -> (tensor<25000xf32>, tensor<25000xf32>) {
  %g = graph.exp %w : tensor<25000xf32>
  %m1 = graph.add %m, %g : tensor<25000xf32>
  %w1 = graph.sub %w, %m1 : tensor<25000xf32>
  func.return %w1, %m1 : tensor<25000xf32>, tensor<25000xf32>
}

// KEPT: gpu {{.*}} 400 kB
func.func @kept(%w: tensor<25000xf32> {task.state = "read"}, %m: tensor<25000xf32> {task.state = "read"}) -> (tensor<25000xf32>, tensor<25000xf32>) {
  %g = graph.exp %w : tensor<25000xf32>
  %m1 = graph.add %m, %g : tensor<25000xf32>
  %w1 = graph.sub %w, %m1 : tensor<25000xf32>
  func.return %w1, %m1 : tensor<25000xf32>, tensor<25000xf32>
}

// OPEN: gpu {{.*}} 400 kB
func.func @open(%w: tensor<25000xf32>, %m: tensor<25000xf32>) -> (tensor<25000xf32>, tensor<25000xf32>) {
  %g = graph.exp %w : tensor<25000xf32>
  %m1 = graph.add %m, %g : tensor<25000xf32>
  %w1 = graph.sub %w, %m1 : tensor<25000xf32>
  func.return %w1, %m1 : tensor<25000xf32>, tensor<25000xf32>
}
