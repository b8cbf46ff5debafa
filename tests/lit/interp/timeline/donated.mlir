// RUN: ndp-opt %s -t timeline{entry=donated} | filecheck %s --check-prefix DONATED
// RUN: ndp-opt %s -t timeline{entry=kept} | filecheck %s --check-prefix KEPT
// RUN: ndp-opt %s -t timeline{entry=open} | filecheck %s --check-prefix OPEN
// RUN: ndp-opt %s -p place{policy=gpu} -t timeline{entry=donated} | filecheck %s --check-prefix DONATED

// A value takes 100 kB. Arguments that stay with the caller lie there to the end beside both results: 400 kB. Of donated ones the results
// take the memory, as the op that makes each is the last to read it: 300 kB, while the gradient lies there. Where nothing is said, an
// argument goes after its last reader, but lies there while that writes its result: 400 kB.

hw.device @gpu = "toy_gpu"

// DONATED: gpu {{.*}} 300 kB
func.func @donated(%w: tensor<25000xf32> {task.donated = 0}, %m: tensor<25000xf32> {task.donated = 1}) -> (tensor<25000xf32>, tensor<25000xf32>) {
  %g = graph.exp %w : tensor<25000xf32>
  %m1 = graph.add %m, %g : tensor<25000xf32>
  %w1 = graph.sub %w, %m1 : tensor<25000xf32>
  func.return %w1, %m1 : tensor<25000xf32>, tensor<25000xf32>
}

// KEPT: gpu {{.*}} 400 kB
func.func @kept(%w: tensor<25000xf32> {task.kept}, %m: tensor<25000xf32> {task.kept}) -> (tensor<25000xf32>, tensor<25000xf32>) {
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
