// RUN: ndp-opt %s --machine toy-simd -p 'place{policy=pim-first}' | filecheck %s
// RUN: ndp-opt %s --machine toy -p 'place{policy=pim-first}' | filecheck %s --check-prefix=WITHOUT
// RUN: ndp-opt %s --machine toy-simd -p 'place{policy=pim-first},to-pim' --check -t timeline | filecheck %s --check-prefix=TIME

// A fused group is taken apart if no bank program runs all of it. If the sheet has the verbs, the ops after the
// product run on the PIM, too, and so does the next op; otherwise they run on the primary device.
//      CHECK: %[[M:.*]] = task.run @pim
// CHECK-NEXT:   graph.matmul
//      CHECK: %[[S:.*]] = task.run @pim
// CHECK-NEXT:   graph.fused
// CHECK-NEXT:     graph.add
// CHECK-NEXT:     graph.relu
//  CHECK-NOT: task.copy %[[S]]
//      CHECK: task.run @pim
// CHECK-NEXT:   graph.add
//      CHECK: task.copy %{{.*}} to @gpu

//      WITHOUT: task.run @pim
// WITHOUT-NEXT:   graph.matmul
//      WITHOUT: task.copy %{{.*}} to @gpu
//      WITHOUT: task.run @gpu
// WITHOUT-NEXT:   graph.fused
//      WITHOUT: task.run @gpu
// WITHOUT-NEXT:   graph.add

// TIME: pim  @matmul_2x10x16_f32
// TIME: pim  @add_relu_weighted_20_f32
// TIME: pim  @add_20_f32
func.func @main(%x: tensor<2x16xf32>, %r: tensor<2x10xf32>) -> tensor<2x10xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<16x10xf32>
  %b = graph.weight "b" = uniform(-1.0, 1.0, 8) : tensor<10xf32>
  %h = graph.fused (%p = %x, %q = %w, %c = %b) {
    %m = graph.matmul %p, %q, %c : tensor<2x16xf32>, tensor<16x10xf32>, tensor<10xf32>
    %s = graph.relu %m : tensor<2x10xf32>
    graph.yield %s
  }
  %y = graph.add %h, %r : tensor<2x10xf32>, tensor<2x10xf32>
  func.return %y : tensor<2x10xf32>
}
