// Each op has the location of its name; a location written in the text takes precedence; location aliases may follow at the end, where MLIR prints them.
// RUN: ndp-opt %s --print-debuginfo | filecheck %s
// RUN: ndp-opt %s --print-debuginfo | ndp-opt --print-debuginfo | filecheck %s

func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: %y = graph.relu %x : tensor<4xf16> loc("{{.*}}places.mlir":7:8)
  %y = graph.relu %x : tensor<4xf16>
  // CHECK-NEXT: %z = graph.exp %y : tensor<4xf16> loc("layer.3")
  %z = graph.exp %y : tensor<4xf16> loc(#loc1)
  // CHECK-NEXT: func.return %z : tensor<4xf16> loc("model.py":12:4)
  func.return %z : tensor<4xf16> loc("model.py":12:4)
}
#loc1 = loc("layer.3")
