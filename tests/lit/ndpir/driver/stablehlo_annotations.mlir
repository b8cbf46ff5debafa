// Annotations in StableHLO programs are carried to the ops and arguments that are made, and are checked there.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file | filecheck %s

// A mark of an op that becomes several holds for all of them, also in the body of a loop, unless one has its own.
// CHECK:      func.func @main(%arg0: tensor<4x4xf32> {graph.fill = array<f64: 2.0{{0+e\+00}}, 3.0{{0+e\+00}}>, task.on = @pim, task.state = "overwritten, result 0"},
// CHECK-SAME:   %arg1: tensor<4x4xf32> {task.state = "read", task.at = @host}
// CHECK-SAME: attributes {task.memory = #task.memory<"pump", faults = true>}
// CHECK-NEXT: graph.add {{.*}} {task.on = @pim} :
// CHECK-NEXT: graph.constant
// CHECK-NEXT: graph.constant
// CHECK-NEXT: graph.max {{.*}} {task.on = @pim} :
// CHECK-NEXT: graph.min {{.*}} {task.on = @pim} :
// CHECK:      graph.repeat
// CHECK-NEXT: graph.neg {{.*}} {task.on = @gpu} :
// CHECK-NEXT: graph.exp {{.*}} {task.on = @pim} :
// CHECK:      graph.reduce {{.*}} {task.on = @pim} :
module @jit_f {
  func.func public @main(%arg0: tensor<4x4xf32> {task.on = @pim, task.state = "overwritten, result 0", graph.fill = array<f64: 2.0, 3.0>},
      %arg1: tensor<4x4xf32> {task.at = @host}) -> (tensor<4x4xf32>, tensor<4xf32>)
      attributes {task.memory = #task.memory<"pump", faults = true>} {
    %0 = stablehlo.add %arg0, %arg1 {task.on = @pim, mine.note = 3 : i32} : tensor<4x4xf32>
    %low = stablehlo.constant dense<-1.0> : tensor<f32>
    %high = stablehlo.constant dense<1.0> : tensor<f32>
    %1 = "stablehlo.clamp"(%low, %0, %high) {task.on = @pim} : (tensor<f32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %many = stablehlo.constant dense<10000> : tensor<i32>
    %2:2 = "stablehlo.while"(%zero, %1) ({
    ^bb0(%i: tensor<i32>, %x: tensor<4x4xf32>):
      %c = stablehlo.compare LT, %i, %many, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%i: tensor<i32>, %x: tensor<4x4xf32>):
      %n = stablehlo.negate %x {task.on = @gpu} : tensor<4x4xf32>
      %e = stablehlo.exponential %n : tensor<4x4xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %e : tensor<i32>, tensor<4x4xf32>
    }) {task.on = @pim} : (tensor<i32>, tensor<4x4xf32>) -> (tensor<i32>, tensor<4x4xf32>)
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = "stablehlo.reduce"(%2#1, %f) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {dimensions = array<i64: 1>, task.on = @pim} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %2#1, %3 : tensor<4x4xf32>, tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{builtin.module: `task.on` has no effect here}}
module @jit_f attributes {task.on = @pim} {
  // expected-error @+1 {{func.func: %arg0: there is no attribute `pim.nonsense`}}
  func.func public @main(%arg0: tensor<4x4xf32> {pim.nonsense = 3 : i32}) -> (tensor<4x4xf32> {task.onn = @pim}) {
    // expected-error @-1 {{func.func: result 0: there is no attribute `task.onn`; did you mean `task.on`?}}
    // expected-error @+1 {{graph.add: there is no attribute `task.onn`; did you mean `task.on`?}}
    %0 = stablehlo.add %arg0, %arg0 {task.onn = @pim} : tensor<4x4xf32>
    // expected-error @+1 {{graph.mul: `task.on` can't have the value "pim"; write it as in `task.on = @pim`}}
    %1 = stablehlo.multiply %0, %0 {task.on = "pim"} : tensor<4x4xf32>
    // expected-error @+1 {{func.call: `task.on` has no effect here}}
    %2 = func.call @g(%1) {task.on = @pim} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @+1 {{func.return: `task.on` has no effect here}}
    return {task.on = @pim} %2 : tensor<4x4xf32>
  }
  // expected-error @+1 {{func.func: %arg0: `task.on` has no effect on a private function that is called}}
  func.func private @g(%arg0: tensor<4x4xf32> {task.on = @pim}) -> tensor<4x4xf32> {
    return %arg0 : tensor<4x4xf32>
  }
}

// -----

func.func @nothing_made(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{stablehlo.reshape: `task.on` has no effect, since no op is made of this one; write it on another op}}
  %0 = stablehlo.reshape %arg0 {task.on = @pim} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @region(%arg0: tensor<4x4xf32>, %arg1: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.reduce"(%arg0, %arg1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @+1 {{stablehlo.add: `task.on` has no effect, since no op is made of this one; write it on the reduce around it}}
    %s = stablehlo.add %a, %b {task.on = @pim} : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unreadable(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{the value of `pim.plan` can't be read (`#pim.nonsense<3>`); write it as in docs/dialects.md}}
  %0 = stablehlo.negate %arg0 {pim.plan = #pim.nonsense<3>} : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
