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

// expected-error @+1 {{@two is called, so %x is where the caller has it; remove `task.on`, or state it on an argument of the caller}}
func.func private @two(%x: tensor<8xf32> {task.on = @pim}) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = func.call @two(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %a : tensor<8xf32>
}
