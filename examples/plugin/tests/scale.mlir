// The op, the pass, the pipeline, the policy and the sheets of mine.py.
// RUN: ndp-opt --plugin %S/../mine.py %S/../scaled.mlir -p lower-mine | filecheck %s
// CHECK:      %y = graph.matmul
// CHECK-NEXT: graph.constant 0.125 : tensor<f16>
// CHECK-NEXT: graph.mul %y

// RUN: ndp-opt --plugin %S/../mine.py %S/../scaled.mlir -p mine --machine a100-fast | filecheck %s --check-prefix=PLACED
// PLACED: hw.device @pim = "newton_fast" {channels = 64}
// PLACED: task.run @pim
