// RUN: ndp-opt %s -t profile-plan | filecheck %s
// RUN: ndp-opt %s -t 'profile-plan{together=true limit=2}' | filecheck %s --check-prefix=TOGETHER
// RUN: ndp-opt %s -t 'profile-plan{symmetric=false}' | filecheck %s --check-prefix=DIRECTED
// RUN: ndp-opt %s -t 'profile-plan{json}' | filecheck %s --check-prefix=JSON
// RUN: not ndp-opt %s -t 'profile-plan{limit=-1}' 2>&1 | filecheck %s --check-prefix=LIMIT
// RUN: not ndp-opt %s -t 'profile-plan{symmetric=maybe}' 2>&1 | filecheck %s --check-prefix=SYMMETRIC
// RUN: not ndp-opt %s -p place{effort=1} -t profile-plan 2>&1 | filecheck %s --check-prefix=PLACED

// A small version of the platform of Kim et al. (TODAES 2024): two processors that share a memory, and a PIM. All
// three devices can run each of three matmuls, so there are three runs, one per device. These have no copy between
// two matmuls: one further run puts the second matmul on the PIM alone, and copies %a to it and %b back.
hw.device @one = "toy_gpu"
hw.device @all = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @one to @all = "toy_link" {latency = "0 ns", bandwidth = "1e30 TB/s"}
hw.link @one to @pim = "toy_link"

// CHECK:      measured   9 times of 3 ops on devices that can run them, 4 copies between memories (each in one direction)
// CHECK-NEXT: memories   @one|@all and @pim
// CHECK-NEXT: runs       3 runs for nodes, then 1 for copies; or 3 for nodes and copies at once
// CHECK-NEXT: nodes      3, and no fewer: a run takes one choice of each node, and matmul at {{.*}}:[[FIRST:[0-9]+]]:8 has 3
// CHECK-NEXT: copies     1, and no fewer: the remaining items need a run
// CHECK-NEXT: together   3, and no fewer: a run takes one choice of each node, and matmul at {{.*}}:[[FIRST]]:8 has 3
// CHECK-EMPTY:
// CHECK-NEXT: run  for     new times  new copies  ops on one  ops on all  ops on pim
// CHECK-NEXT:   1  nodes           3           0           3           0           0
// CHECK-NEXT:   2  nodes           3           0           0           3           0
// CHECK-NEXT:   3  nodes           3           2           0           0           3
// CHECK-NEXT:   4  copies          0           2           2           0           1
// CHECK-EMPTY:
// CHECK-NEXT: #  op      source{{ +}}run 1  run 2  run 3  run 4
// CHECK-NEXT: 0  matmul  {{.*}}:[[FIRST]]:8  one    all    pim    one
// CHECK-NEXT: 1  matmul  {{.*:[0-9]+}}:8  one    all    pim    pim
// CHECK-NEXT: 2  matmul  {{.*:[0-9]+}}:8  one    all    pim    one

// TOGETHER:      run  for   new times  new copies  ops on one  ops on all  ops on pim
// TOGETHER-NEXT:   1  both          3
// TOGETHER-NEXT:   2  both          3
// TOGETHER-NEXT:   3  both          3
// TOGETHER-NOT:  matmul

// Copies in each direction are measured separately: each op in between must write its result to either memory, one run each.
// DIRECTED:      measured   9 times of 3 ops on devices that can run them, 6 copies between memories (each direction by itself)
// DIRECTED:      runs       3 runs for nodes, then 2 for copies; or 3 for nodes and copies at once
// DIRECTED:      copies     2, and no fewer: 1 run can't make the choices and copies that meet at matmul at {{.*:[0-9]+}}:8

// JSON:      "schema": "ndpir-answers/1"
// JSON-NEXT: "target": "profile-plan"
// JSON:      "kind": "copies"
// JSON-NEXT: "placement": [
// JSON-NEXT:  "one",
// JSON-NEXT:  "pim",
// JSON-NEXT:  "one"

// LIMIT: -t:1:14: error: `limit` of profile-plan is a number of ops from 0 (no limit) on, not -1
// SYMMETRIC: -t:1:14: error: option `symmetric` of profile-plan must be true or false, but is maybe
// PLACED: error: @main is placed already; profile-plan needs a function of graph ops before pass place
func.func @main(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %w = graph.weight "fc" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %a = graph.matmul %x, %w : tensor<1x8xf32>, tensor<8x8xf32>
  %b = graph.matmul %a, %w : tensor<1x8xf32>, tensor<8x8xf32>
  %c = graph.matmul %b, %w : tensor<1x8xf32>, tensor<8x8xf32>
  func.return %c : tensor<1x8xf32>
}
