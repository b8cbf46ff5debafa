// RUN: ndp-opt %s -p canonicalize --print-debuginfo | filecheck %s

// An op has the locations of all ops that it replaces: here of two reshapes, and of two equal ops.
// CHECK:      %b = graph.reshape %x : tensor<2x3xf32> -> tensor<3x2xf32> loc(fused["{{.*}}locations.mlir":[[# @LINE + 4]]:8, "{{.*}}locations.mlir":[[# @LINE + 3]]:8])
// CHECK-NEXT: %c = graph.exp %b : tensor<3x2xf32> loc(fused["{{.*}}locations.mlir":[[# @LINE + 4]]:8, "{{.*}}locations.mlir":[[# @LINE + 5]]:8])
func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %a = graph.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  %b = graph.reshape %a : tensor<6xf32> -> tensor<3x2xf32>
  %c = graph.exp %b : tensor<3x2xf32>
  %d = graph.exp %b : tensor<3x2xf32>
  %e = graph.add %c, %d : tensor<3x2xf32>
  func.return %e : tensor<3x2xf32>
}
