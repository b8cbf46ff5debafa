// RUN: ndp-opt %s -p canonicalize --print-debuginfo | filecheck %s

// An op bears the places of all it stands for: the two reshapes it was, the two equal ops that were merged.
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
