// SLOW
// Colours of the program text: requested for pipes, and turned off by NO_COLOR.
// RUN: env -u NO_COLOR ndp-opt %s --syntax-highlight | filecheck %s
// RUN: env -u NO_COLOR -u FORCE_COLOR ndp-opt %s | filecheck %s --check-prefix=PLAIN
// RUN: env -u NO_COLOR FORCE_COLOR=1 ndp-opt %s | filecheck %s
// RUN: env NO_COLOR=1 FORCE_COLOR=1 ndp-opt %s --syntax-highlight | filecheck %s --check-prefix=PLAIN
// CHECK: [36m%y{{.*}}[1;35mgraph.relu{{.*}}[33mtensor
// PLAIN: %y = graph.relu %x : tensor<4xf32>

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.relu %x : tensor<4xf32>
  func.return %y : tensor<4xf32>
}
