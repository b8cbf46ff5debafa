// Operators of which only name, attributes and types are known: their text, values, place and time.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s
// RUN: ndp-opt %s -p "fuse,reduce-precision{to=f16}" | filecheck %s --check-prefix=KEPT
// RUN: ndp-opt %s -t "values{entry=known}" | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt %s --machine a100-newton -p place -t "timeline{entry=unknown}" | filecheck %s --check-prefix=TIME

// CHECK-LABEL: func.func @text
func.func @text(%x: tensor<4xf32>, %w: tensor<2x4xf16>) -> tensor<8xf32> {
  // CHECK-NEXT: %y = graph.opaque %x operator = "Glow", domain = "com.acme" : tensor<4xf32> -> tensor<8xf32>
  %y = graph.opaque %x operator = "Glow", domain = "com.acme" : tensor<4xf32> -> tensor<8xf32>
  // CHECK-NEXT: %z = graph.opaque %y, %w operator = "Flow", opset = 3, given = {a = 0.5, b = array<i64: 0, 1>, c = ["u", "v"], d = dense<[1, 2]> : tensor<2xi64>, e = 3, f = "w"}, absent = [1], output = 1, outputs = 2 : tensor<8xf32>, tensor<2x4xf16> -> tensor<8xf32>
  %z = graph.opaque %y, %w operator = "Flow", opset = 3, given = {a = 0.5, b = array<i64: 0, 1>, c = ["u", "v"], d = dense<[1, 2]> : tensor<2xi64>, e = 3, f = "w"}, absent = [1], output = 1, outputs = 2 : tensor<8xf32>, tensor<2x4xf16> -> tensor<8xf32>
  func.return %z : tensor<8xf32>
}

// It keeps its types, and is fused with nothing.
// KEPT-LABEL: func.func @known
// KEPT: %y = graph.opaque %{{.*}} operator = "Det", opset = 22 : tensor<2x2xf32> -> tensor<f32>
func.func @known(%c: tensor<2x2xf32>) -> tensor<f32> {
  %i = graph.constant [[1.0, 0.0], [0.0, 3.0]] : tensor<2x2xf32>
  %o = graph.constant 0.0 : tensor<2x2xf32>
  %x = graph.matmul %c, %o : tensor<2x2xf32>
  %a = graph.add %x, %i : tensor<2x2xf32>
  // VALUES: result 0: tensor<f32>, mean 3, std 0
  %y = graph.opaque %a operator = "Det", opset = 22 : tensor<2x2xf32> -> tensor<f32>
  func.return %y : tensor<f32>
}

// TIME: gpu opaque com.acme.Split
// TIME: opaque {{.*}} of operators of which only the bytes are known: 1 of com.acme.Split
func.func @unknown(%x: tensor<64x1024xf16>) -> (tensor<64x512xf16>, tensor<64x512xf16>) {
  %a, %b = graph.fused (%0 = %x) {
    %1 = graph.opaque %0 operator = "Split", domain = "com.acme", outputs = 2 : tensor<64x1024xf16> -> tensor<64x512xf16>
    %2 = graph.opaque %0 operator = "Split", domain = "com.acme", output = 1, outputs = 2 : tensor<64x1024xf16> -> tensor<64x512xf16>
    graph.yield %1, %2
  }
  func.return %a, %b : tensor<64x512xf16>, tensor<64x512xf16>
}
