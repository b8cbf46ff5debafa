// An exported StableHLO program is read as the same program: groups are exported as their ops, loops as while, weights as arguments.
// RUN: ndp-opt %s -t stablehlo | filecheck %s
// RUN: ndp-opt %s -t stablehlo | ndp-opt - -f stablehlo | filecheck %s --check-prefix=BACK

// CHECK:      module @main {
// CHECK-NEXT:   func.func public @main(%x: tensor<2x4xf32>, %{{.*}}: tensor<4x4xf32>) -> (tensor<2x4xf32>) {
// CHECK:          stablehlo.constant dense<3> : tensor<i32>
// CHECK:          "stablehlo.while"(%{{.*}}, %x, %{{.*}}) ({
// CHECK:            "stablehlo.compare"(%{{.*}}) <{comparison_direction = #stablehlo<comparison_direction LT>}>
// CHECK:          }, {
// CHECK:            "stablehlo.dot_general"(%{{.*}}) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = []
// CHECK:            stablehlo.maximum %{{.*}} : tensor<2x4xf32>
// CHECK:            "func.call"(%{{.*}}) <{callee = @half}> : (tensor<2x4xf32>) -> (tensor<2x4xf32>)
// CHECK:            stablehlo.return
// CHECK:          }) : (tensor<i32>, tensor<2x4xf32>, tensor<4x4xf32>) -> (tensor<i32>, tensor<2x4xf32>, tensor<4x4xf32>)
// CHECK:      func.func private @half(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>) {
// CHECK:          "stablehlo.broadcast_in_dim"(%{{.*}}) <{broadcast_dimensions = array<i64>}>
// CHECK:          stablehlo.multiply %x, %{{.*}} : tensor<2x4xf32>

// BACK:      func.func @main(%x: tensor<2x4xf32>{{.*}}: tensor<4x4xf32>{{.*}}) -> tensor<2x4xf32> attributes {task.keeps} {
// BACK:        graph.repeat %{{.*}} = 0 to 3
// BACK:          graph.matmul
// BACK:          graph.max
// BACK:          func.call @half
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<4x4xf32>
  %y = graph.repeat %i = 0 to 3 (%a = %x, %b = %w) {
    %g = graph.fused (%c = %a, %d = %b) {
      %0 = graph.matmul %c, %d : tensor<2x4xf32>, tensor<4x4xf32>
      %1 = graph.relu %0 : tensor<2x4xf32>
      graph.yield %1
    }
    %h = func.call @half(%g) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %h
  }
  func.return %y : tensor<2x4xf32>
}

func.func private @half(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %c = graph.constant 0.5 : tensor<f32>
  %y = graph.mul %x, %c : tensor<2x4xf32>, tensor<f32>
  func.return %y : tensor<2x4xf32>
}
