// Unknown or misplaced properties in braces are errors with a location, in every form.
// RUN: not ndp-opt %s --split-input-file 2>&1 | filecheck %s

func.func @f(%s: tensor<2x3xf32>) {
  // CHECK: invalid_braces.mlir:[[# @LINE + 1]]:26: error: graph.softmax has no attribute `axes`; did you mean `axis`?
  %a = graph.softmax %s {axes = 0} : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x3x9x9xf32>, %w: tensor<4x3x3x3xf32>) {
  // CHECK: invalid_braces.mlir:[[# @LINE + 1]]:27: error: graph.conv has no attribute `stride`; did you mean `strides`?
  %a = graph.conv %x, %w {stride = [2,2], bogus = 1} : tensor<1x3x9x9xf32>, tensor<4x3x3x3xf32>
  func.return
}

// -----

func.func @f(%s: tensor<2x3xf32>) {
  // CHECK: invalid_braces.mlir:[[# @LINE + 1]]:35: error: graph.softmax: `axis` is given twice; keep one
  %a = graph.softmax %s axis = 0 {axis = 1} : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%s: tensor<2x3xf32>) {
  // CHECK: invalid_braces.mlir:[[# @LINE + 1]]:31: error: graph.softmax: `axis` must be an integer, not 1.000000e+00 : f64
  %a = graph.softmax %s {axis = 1.0} : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%s: tensor<2x3xf32>) {
  // CHECK: invalid_braces.mlir:[[# @LINE + 1]]:8: error: graph.softmax has no attribute `axes`; did you mean `axis`?
  %a = "graph.softmax"(%s) {axes = 0} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%s: tensor<2x3xf32>) {
  // CHECK: invalid_braces.mlir:[[# @LINE + 1]]:8: error: graph.softmax: `axis` is given twice, as a property and as an attribute; keep the property
  %a = "graph.softmax"(%s) <{axis = 0}> {axis = 1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%s: tensor<2x3xf32>) {
  // CHECK: invalid_braces.mlir:[[# @LINE + 1]]:23: error: graph.relu has no attribute `bogus`; it has none, and a note of your own has a prefix (`mine.bogus`)
  %a = graph.relu %s {bogus} : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%s: tensor<2x3xf32>) {
  // CHECK: invalid_braces.mlir:[[# @LINE + 3]]:17: error: graph.fused has no attribute `hot`; its attributes are kind, and a note of your own has a prefix (`mine.hot`)
  %a = graph.fused (%b = %s) {
    graph.yield %b
  } attributes {hot}
  func.return
}

// -----

pim.kernel @k on @pim (%x: memref<8xf32>, %w: memref<1x1x2x4x4xf32> at row 0) -> (%y: memref<2xf32>) {
  pim.load %x
  pim.act all row 0
  // CHECK: invalid_braces.mlir:[[# @LINE + 1]]:31: error: pim.mac has no attribute `buffer`: `buffer` is a word of its text, before the braces (as a property it is `entry`)
  pim.mac all columns 2 to 4 {buffer = 0}
  pim.drain all to %y
}

// -----

// CHECK: invalid_braces.mlir:[[# @LINE + 1]]:37: error: hw.device has no attribute `rate`; its attributes are sym_name, sheet, changes, and a note of your own has a prefix (`mine.rate`)
hw.device @gpu = "a100" attributes {rate = 2}
