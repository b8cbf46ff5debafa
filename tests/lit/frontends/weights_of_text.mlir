// Arguments of a program in text become weights, so that memory that computes can hold them: one, or all that JAX names alike.
// RUN: ndp-opt %s --weights params | filecheck %s
// RUN: ndp-opt %s --weights "params['w']" | filecheck %s --check-prefix=ONE
// RUN: not ndp-opt %s --weights parms 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not ndp-opt %s --weights step 2>&1 | filecheck %s --check-prefix=CHANGES

// CHECK: func.func @main(%x: tensor<2x4xf32>, %step: tensor<4xf32> {task.state = "overwritten, result 1"}, %i: tensor<4xi32> {jax.arg_info = "params['i']"})
// CHECK-NEXT: %w = graph.weight "params['w']" = uniform(-0.5, 0.5, 1) : tensor<4x4xf32>
// CHECK-NEXT: %b = graph.weight "params['b']" = uniform(-0.1, 0.1, 2) : tensor<4xf32>
// ONE: func.func @main(%x: tensor<2x4xf32>, %b: tensor<4xf32> {jax.arg_info = "params['b']"},
// ONE-NEXT: %w = graph.weight "params['w']" = uniform(-0.5, 0.5, 1) : tensor<4x4xf32>
// UNKNOWN: error: no argument of @main is named `parms`; did you mean `params['w']`?
// CHANGES: error: the argument `step` changes in each run, so that it is no weight
func.func @main(
  %x: tensor<2x4xf32>, %w: tensor<4x4xf32> {jax.arg_info = "params['w']", graph.fill = array<f64: -0.5, 0.5>},
  %b: tensor<4xf32> {jax.arg_info = "params['b']"}, %step: tensor<4xf32> {task.state = "overwritten, result 1"},
  %i: tensor<4xi32> {jax.arg_info = "params['i']"}
) -> (tensor<2x4xf32>, tensor<4xf32>) {
  %0 = graph.matmul %x, %w, %b : tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>
  %1 = graph.cast %i : tensor<4xi32> -> tensor<4xf32>
  %2 = graph.add %step, %1 : tensor<4xf32>
  func.return %0, %2 : tensor<2x4xf32>, tensor<4xf32>
}
