// Integer arithmetic is exact, and floating-point numbers outside an integer type's range become its minimum or maximum.
// RUN: ndp-opt %s -t values | filecheck %s

// CHECK: result 0: tensor<i8>
// CHECK-NEXT: {{^ *}}100{{$}}
// CHECK: result 1: tensor<1x1x1xi8>
// CHECK-NEXT: {{^ *}}100{{$}}
// CHECK: result 2: tensor<i32>
// CHECK-NEXT: {{^ *}}-3{{$}}
// CHECK: result 3: tensor<4xi8>
// CHECK-NEXT: {{^ *}}127 -128 0 -1{{$}}
// CHECK: result 4: tensor<2xui8>
// CHECK-NEXT: {{^ *}}0 255{{$}}
// CHECK: result 5: tensor<2xi8>
// CHECK-NEXT: {{^ *}}-56 127{{$}}
// CHECK: result 6: tensor<2xbf16>
// CHECK-NEXT: {{^ *}}-1 1{{$}}
func.func @main() -> (tensor<i8>, tensor<1x1x1xi8>, tensor<i32>, tensor<4xi8>, tensor<2xui8>, tensor<2xi8>, tensor<2xbf16>) {
  %x = graph.constant [100, 100] : tensor<2xi8>
  %mean = graph.reduce mean %x : tensor<2xi8>
  %image = graph.constant [[[100, 100]]] : tensor<1x1x2xi8>
  %pool = graph.pool mean %image kernel = [2] : tensor<1x1x2xi8>
  %y = graph.constant [-7, 0] : tensor<2xi32>
  %truncated = graph.reduce mean %y : tensor<2xi32>
  %r = graph.constant [300.7, -1.0e30, nan, -1.9] : tensor<4xf32>
  %i = graph.cast %r : tensor<4xf32> -> tensor<4xi8>
  %s = graph.constant [-1.0, inf] : tensor<2xf16>
  %u = graph.cast %s : tensor<2xf16> -> tensor<2xui8>
  %h = graph.constant [200, -129] : tensor<2xi16>
  %low = graph.cast %h : tensor<2xi16> -> tensor<2xi8>
  %minus = graph.constant -1.0 : tensor<2xbf16>
  %large = graph.constant [16777217, 16777218] : tensor<2xi32>
  %power = graph.pow %minus, %large : tensor<2xbf16>, tensor<2xi32>
  func.return %mean, %pool, %truncated, %i, %u, %low, %power : tensor<i8>, tensor<1x1x1xi8>, tensor<i32>, tensor<4xi8>, tensor<2xui8>, tensor<2xi8>, tensor<2xbf16>
}
