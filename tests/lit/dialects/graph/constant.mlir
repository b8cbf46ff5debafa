// Constants of every element type, with infinities, nan and the limits of each type; weights.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// CHECK-LABEL: func.func @constant
func.func @constant() {
  // CHECK-NEXT: %scalar = graph.constant 1.0 : tensor<f32>
  %scalar = graph.constant 1.0 : tensor<f32>
  // CHECK-NEXT: %splat = graph.constant -inf : tensor<128x128xf32>
  %splat = graph.constant -inf : tensor<128x128xf32>
  // CHECK-NEXT{LITERAL}: %table = graph.constant [[1, 2], [-3, 4]] : tensor<2x2xi64>
  %table = graph.constant [[1, 2], [-3, 4]] : tensor<2x2xi64>
  // CHECK-NEXT: %words = graph.constant [inf, -inf, nan, -0.0] : tensor<4xf32>
  %words = graph.constant [inf, -inf, nan, -0.0] : tensor<4xf32>
  // CHECK-NEXT: %smallest = graph.constant [1.0e-45, 1.1754944e-38, 3.4028235e+38] : tensor<3xf32>
  %smallest = graph.constant [1.0e-45, 1.1754944e-38, 3.4028235e+38] : tensor<3xf32>
  // CHECK-NEXT: %half = graph.constant [6.0e-08, 65504.0, 0.1] : tensor<3xf16>
  %half = graph.constant [6.0e-08, 65504.0, 0.1] : tensor<3xf16>
  // CHECK-NEXT: %brain = graph.constant [9.0e-41, 3.39e+38, 0.1] : tensor<3xbf16>
  %brain = graph.constant [9.0e-41, 3.39e+38, 0.1] : tensor<3xbf16>
  // CHECK-NEXT: %double = graph.constant [5.0e-324, 1.7976931348623157e+308, 0.1] : tensor<3xf64>
  %double = graph.constant [5.0e-324, 1.7976931348623157e+308, 0.1] : tensor<3xf64>
  // CHECK-NEXT: %bytes = graph.constant [-128, 127] : tensor<2xi8>
  %bytes = graph.constant [-128, 127] : tensor<2xi8>
  // CHECK-NEXT: %longs = graph.constant [-9223372036854775808, 9223372036854775807] : tensor<2xi64>
  %longs = graph.constant [-9223372036854775808, 9223372036854775807] : tensor<2xi64>
  // CHECK-NEXT: %unsigned = graph.constant [0, 18446744073709551615] : tensor<2xui64>
  %unsigned = graph.constant [0, 18446744073709551615] : tensor<2xui64>
  // CHECK-NEXT: %truths = graph.constant [true, false] : tensor<2xi1>
  %truths = graph.constant [true, false] : tensor<2xi1>
  // CHECK-NEXT: %truth = graph.constant true : tensor<3xi1>
  %truth = graph.constant true : tensor<3xi1>
  // CHECK-NEXT: %empty = graph.constant [] : tensor<0xf32>
  %empty = graph.constant [] : tensor<0xf32>
  // CHECK-NEXT: %empties = graph.constant [] : tensor<2x0x3xi64>
  %empties = graph.constant [] : tensor<2x0x3xi64>
  // CHECK-NEXT: %filled = graph.weight "conv1.weight" = uniform(-0.1, 0.1, 3405691582) : tensor<64x3x7x7xf32>
  %filled = graph.weight "conv1.weight" = uniform(-0.1, 0.1, 3405691582) : tensor<64x3x7x7xf32>
  // CHECK-NEXT: %bound = graph.weight "fc/bias" = file("model.weights", 4096) : tensor<1000xbf16>
  %bound = graph.weight "fc/bias" = file("model.weights", 4096) : tensor<1000xbf16>
  // CHECK-NEXT: %inside = graph.weight "w" = onnx("model.onnx", "onnx::MatMul_12") : tensor<4x4xi64>
  %inside = graph.weight "w" = onnx("model.onnx", "onnx::MatMul_12") : tensor<4x4xi64>
  // CHECK-NEXT: %in_text = graph.weight "t" = literal("step.mlir", 256) : tensor<4x4xi1>
  %in_text = graph.weight "t" = literal("step.mlir", 256) : tensor<4x4xi1>
  // CHECK-NEXT: %named = graph.weight "q" = safetensors("model.safetensors", "model.q.weight") : tensor<4x4xbf16>
  %named = graph.weight "q" = safetensors("model.safetensors", "model.q.weight") : tensor<4x4xbf16>
  // CHECK-NEXT: %stacked = graph.weight "e" = safetensors("model.safetensors.index.json", "experts.*.w1 + experts.*.w3") : tensor<8x4x4xf8E4M3FN>
  %stacked = graph.weight "e" = safetensors("model.safetensors.index.json", "experts.*.w1 + experts.*.w3") : tensor<8x4x4xf8E4M3FN>
  // CHECK-NEXT: %drawn = graph.weight "i" = uniform(-7.0, 7.0, 3) : tensor<4x4xi4>
  %drawn = graph.weight "i" = uniform(-7.0, 7.0, 3) : tensor<4x4xi4>
  // CHECK-NEXT: %in_memory = graph.weight "m" = memory("204d75b085dfdf7d1a4c894ad859c904") : tensor<4x4xf32>
  %in_memory = graph.weight "m" = memory("204d75b085dfdf7d1a4c894ad859c904") : tensor<4x4xf32>
  // CHECK-NEXT: %bare = graph.weight "b" = literal("step.mlir", 8) : tensor<2xf64>
  %bare = "graph.weight"() <{weight_name = "b", source = #graph.literal<"step.mlir", 8 : i64>}> : () -> tensor<2xf64>
  // CHECK-NEXT: %held = graph.weight "h" = memory("0123") : tensor<2xf64>
  %held = "graph.weight"() <{weight_name = "h", source = #graph.memory<"0123">}> : () -> tensor<2xf64>
  func.return
}
