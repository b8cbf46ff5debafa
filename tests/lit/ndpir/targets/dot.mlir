// RUN: ndp-opt %s -t dot | filecheck %s

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK:      digraph program {
// CHECK:        n0 [label="%x\n8xf32" fillcolor="[[GPU:#......]]" shape=ellipse]
// CHECK-NEXT:   n1 [label="relu+add\n{{.*}}dot.mlir:19:8\n8xf32" fillcolor="[[PIM:#......]]"]
// CHECK-NEXT:   n0 -> n1 [label="copy 32 B" style=dashed]
// CHECK-NEXT:   n2 [label="result 0\n8xf32" shape=ellipse]
// CHECK-NEXT:   n1 -> n2 [label="copy 32 B" style=dashed]
// CHECK-NEXT:   subgraph cluster_devices
// CHECK-NEXT:     graph
// CHECK-NEXT:   device_0 [label="@gpu" fillcolor="[[GPU]]"]
// CHECK-NEXT:   device_1 [label="@pim" fillcolor="[[PIM]]"]
func.func @main(%x: !task.on<@gpu, tensor<8xf32>>) -> !task.on<@gpu, tensor<8xf32>> {
  %c = task.copy %x to @pim
  %a = task.run @pim (%p = %c) {
    %0 = graph.reshape %p : tensor<8xf32> -> tensor<2x4xf32>
    %1 = graph.reshape %0 : tensor<2x4xf32> -> tensor<8xf32>
    %2 = graph.relu %1 : tensor<8xf32>
    %3 = graph.add %2, %p : tensor<8xf32>
    task.yield %3
  }
  %b = task.copy %a to @gpu
  func.return %b : !task.on<@gpu, tensor<8xf32>>
}
