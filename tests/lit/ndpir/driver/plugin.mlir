// The example plugin: its op, pass, pipeline, policy and sheets.
// RUN: ndp-opt --plugin %S/../../../../examples/plugin/mine.py %S/../../../../examples/plugin/scaled.mlir -p lower-mine | filecheck %s
// CHECK:      %y = graph.matmul
// CHECK-NEXT: graph.constant 0.125 : tensor<f16>
// CHECK-NEXT: graph.mul %y

// RUN: ndp-opt --plugin %S/../../../../examples/plugin/mine.py --list-passes --list-pipelines --list-devices | filecheck %s --check-prefix=LISTS
// LISTS: lower-mine: Replace mine.scale by graph ops
// LISTS: mine = lower-mine,canonicalize,fuse,place{policy=intensity},to-pim
// LISTS: a100-fast machine
// LISTS: newton_fast pim

// RUN: ndp-opt --plugin %S/../../../../examples/plugin/mine.py %S/../../../../examples/plugin/scaled.mlir -p mine --machine a100-fast | filecheck %s --check-prefix=PLACED
// PLACED: hw.device @pim = "newton_fast" {channels = 64}
// PLACED: task.run @pim

// The plugin's annotation is read by its policy, and checked like those of ndpir.
// RUN: sed 's/%w :/%w {mine.least = 0} :/' %S/../../../../examples/plugin/scaled.mlir > %t.mlir
// RUN: ndp-opt --plugin %S/../../../../examples/plugin/mine.py %t.mlir -p mine --machine a100-fast | filecheck %s --check-prefix=STAYS
// STAYS-NOT: task.run @pim
// RUN: sed 's/%w :/%w {mine.leest = 0} :/' %S/../../../../examples/plugin/scaled.mlir > %t.mlir
// RUN: not ndp-opt --plugin %S/../../../../examples/plugin/mine.py %t.mlir 2>&1 | filecheck %s --check-prefix=WRONG
// WRONG: error: graph.matmul: there is no attribute `mine.leest`; did you mean `mine.least`?

// A plugin's rewrite pattern is applied by ndpir's pass, counted, and named by its class.
// RUN: ndp-opt --plugin %S/../../../../examples/plugin/mine.py %s -p canonicalize --timing 2>&1 | filecheck %s --check-prefix=FIRED
// FIRED:     func.func @main(%x: tensor<4xf32>)
// FIRED-NOT: mine.scale
// FIRED:     fired  pattern of canonicalize
// FIRED:     1  ScaleByOne
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = mine.scale %x by 1.0 : tensor<4xf32>
  %z = graph.relu %y : tensor<4xf32>
  func.return %z : tensor<4xf32>
}
