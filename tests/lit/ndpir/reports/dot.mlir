// RUN: ndp-opt %s -t dot | filecheck %s
// RUN: ndp-opt %s -t 'dot{fold=false}' | filecheck %s --check-prefix ALL
// RUN: ndp-opt %s -t 'dot{json}' | filecheck %s --check-prefix JSON

// Boxes state the device, the time and its share of all work. One dashed edge is drawn for each copy; a copy that two
// tasks read is a box. The four tasks at the end are equal and drawn once; an edge leads to the next one.

hw.device @gpu = "toy_gpu"
hw.device @host = "toy_gpu"
hw.link @gpu to @host = "toy_link"

// CHECK:      digraph program {
// CHECK:        n0 [label="%x\n25000xf32" fillcolor="[[GPU:#......]]" shape=ellipse
// CHECK-NEXT:   n1 [label="relu+add\n@host 7 us, 14.6 %\n25000xf32" fillcolor="[[HOST:#......]]" tooltip="graph.relu + graph.add; 25000xf32; {{.*}}dot.mlir:36:8"]
// CHECK-NEXT:   n2 [label="copy %a\nhost->gpu 100 kB, 11 us, 22.9 %\n25000xf32" style="dashed,rounded"
// CHECK-NEXT:   n3 [label="exp\n@gpu 3 us, 6.2 %\n25000xf32" fillcolor="[[GPU]]"
// CHECK-NEXT:   n4 [label="add\n@gpu 4 us, 8.3 %\n25000xf32" fillcolor="[[GPU]]"
// CHECK:        subgraph cluster_part{{.*}} {
// CHECK:          label="4 equal parts"
// CHECK:          n5 [label="relu\n@gpu 4 x, 12 us, 25.0 %\n25000xf32" fillcolor="[[GPU]]"
// CHECK:        n6 [label="result 0\n25000xf32" fillcolor="[[GPU]]" shape=ellipse
// CHECK:        n0 -> n1 [label="copy 100 kB, 11 us" style=dashed tooltip="copy %x"]
// CHECK-NEXT:   n1 -> n2
// CHECK:        n5 -> n5 [constraint=false]
// CHECK:        device_0 [label="@gpu" fillcolor="[[GPU]]"]
// CHECK-NEXT:   device_1 [label="@host" fillcolor="[[HOST]]"]

// ALL-COUNT-4: label="relu\n@gpu 3 us, 6.2 %
// ALL-NOT: equal parts

// JSON: "schema": "ndpir-answers/1"
// JSON: "total_ns": 48000.0
// JSON: "op": "graph.relu + graph.add"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> {
  %c = task.copy %x to @host
  %a = task.run @host (%p = %c) {
    %2 = graph.relu %p : tensor<25000xf32>
    %3 = graph.add %2, %p : tensor<25000xf32>
    task.yield %3
  }
  %b = task.copy %a to @gpu
  %d = task.run @gpu (%p = %b) {
    %0 = graph.exp %p : tensor<25000xf32>
    task.yield %0
  }
  %e = task.run @gpu (%p = %b, %q = %d) {
    %0 = graph.add %p, %q : tensor<25000xf32>
    task.yield %0
  }
  %f = task.run @gpu (%p = %e) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %g = task.run @gpu (%p = %f) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %h = task.run @gpu (%p = %g) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %i = task.run @gpu (%p = %h) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  func.return %i : !task.on<@gpu, tensor<25000xf32>>
}
