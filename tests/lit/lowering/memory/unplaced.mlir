// Moves are planned for tasks only, on a machine with memory behind its primary device.
// RUN: not ndp-opt %s --machine toy-tiers -p 'prefetch{policy=uvm}' 2>&1 | filecheck %s --check-prefix=GRAPH
// RUN: not ndp-opt %s --machine toy_gpu -p 'place{policy=gpu},prefetch{policy=uvm}' 2>&1 | filecheck %s --check-prefix=ALONE

// GRAPH: unplaced.mlir:7:1: error: @main is not fully placed, but prefetch plans the memory of tasks: place it first (-p place,prefetch)
// ALONE: error: prefetch: @gpu has no memory behind it; use a machine that has such memory (
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = graph.relu %x : tensor<8xf32>
  func.return %y : tensor<8xf32>
}
