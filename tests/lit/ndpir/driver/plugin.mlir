// The example plugin: its op, pass, pipeline, policy and sheets.
// RUN: ndp-opt --plugin %S/../../../../examples/plugin/mine.py %S/../../../../examples/plugin/scaled.mlir -p lower-mine | filecheck %s
// CHECK:      %y = graph.matmul
// CHECK-NEXT: graph.constant 0.125 : tensor<f16>
// CHECK-NEXT: graph.mul %y

// RUN: ndp-opt --plugin %S/../../../../examples/plugin/mine.py --list-passes --list-pipelines --list-devices | filecheck %s --check-prefix=LISTS
// LISTS: lower-mine: Turns mine.scale into graph ops
// LISTS: mine = lower-mine,canonicalize,fuse,place{policy=intensity},to-pim
// LISTS: a100-fast machine
// LISTS: newton_fast pim

// RUN: ndp-opt --plugin %S/../../../../examples/plugin/mine.py %S/../../../../examples/plugin/scaled.mlir -p mine --machine a100-fast | filecheck %s --check-prefix=PLACED
// PLACED: hw.device @pim = "newton_fast" {channels = 64}
// PLACED: task.run @pim
