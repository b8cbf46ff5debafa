// RUN: ndp-opt %s -p inline --split-input-file --verify-diagnostics | filecheck %s --allow-empty

// CHECK-NOT: func.call

func.func @one(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = func.call @two(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %a : tensor<8xf32>
}
func.func @two(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{func.call: @one calls itself; inlining needs calls without recursion; remove this call}}
  %a = func.call @one(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %a : tensor<8xf32>
}

// -----

func.func private @far(tensor<8xf32>) -> tensor<8xf32>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{func.call: there is no function @far with a body}}
  %a = func.call @far(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %a : tensor<8xf32>
}

// -----

// Annotations state what holds when a program starts in the function; a call reads none of them.
// expected-error @+1 {{func.func: %x: `task.on` has no effect on a private function that is called; remove it, or state it on an argument of the caller}}
func.func private @two(%x: tensor<8xf32> {task.on = @pim, mine.note},
    // expected-error @-1 {{func.func: %y: `graph.fill` has no effect on a private function}}
    %y: tensor<8xf32> {graph.fill = array<f64: 5.0, 6.0>}) -> tensor<8xf32>
    // expected-error @-3 {{func.func: `task.memory` has no effect on a private function that is called; remove it, or state it on the caller}}
    attributes {task.memory = #task.memory<"pump", faults = true>, mine.note} {
  func.return %x : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = func.call @two(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %a : tensor<8xf32>
}

// -----

// A function that is public is an entry, too, and one that is not called is only that.
func.func @public(%x: tensor<8xf32> {task.state = "read"}) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
func.func private @alone(%x: tensor<8xf32> {task.state = "read"}) -> tensor<8xf32> {
  %a = func.call @public(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %a : tensor<8xf32>
}
