// RUN: ndp-opt %s -t values | filecheck %s
// RUN: ndp-opt %s -t 'values{full=true}' | filecheck %s --check-prefix=FULL
// RUN: ndp-opt %s -t 'values{limit=3}' | filecheck %s --check-prefix=LIMIT
// RUN: ndp-opt %s -t 'values{entry=drawn}' --seed 7 | filecheck %s --check-prefix=SEVEN
// RUN: ndp-opt %s -t 'values{entry=drawn seed=7}' | filecheck %s --check-prefix=SEVEN

// CHECK:      result 0: tensor<3x4xi64>, mean 5.5, std 3.4521, min 0, max 11
// CHECK-NEXT:   0 1 2 3 4 5 6 7 ...
// CHECK-NEXT: result 1: tensor<4xi1>, 2 true, 2 false
// CHECK-NEXT:   true true false false
// CHECK-NEXT: result 2: tensor<3xf16>, mean 0.25, std 0, min 0.25, max 0.25, 2 not finite
// CHECK-NEXT:   0.25 -inf nan
// CHECK-NEXT: result 3: tensor<0xf32>, empty
// CHECK-NOT:  {{.}}

// FULL:      result 0:
// FULL-NEXT:   {{\[\[}}0 1 2 3]
// FULL-NEXT:    [4 5 6 7]
// FULL-NEXT:    [8 9 10 11{{\]\]}}

// LIMIT:      result 0:
// LIMIT-NEXT:   0 1 2 ...
func.func @main() -> (tensor<3x4xi64>, tensor<4xi1>, tensor<3xf16>, tensor<0xf32>) {
  %a = graph.constant [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]] : tensor<3x4xi64>
  %b = graph.constant [true, true, false, false] : tensor<4xi1>
  %c = graph.constant [0.25, -inf, nan] : tensor<3xf16>
  %d = graph.constant 0.0 : tensor<4xf32>
  %e = graph.slice %d starts = [2], ends = [2] : tensor<4xf32>
  func.return %a, %b, %c, %e : tensor<3x4xi64>, tensor<4xi1>, tensor<3xf16>, tensor<0xf32>
}

// SEVEN:      result 0: tensor<4xi64>, mean 6, std 1, min 5, max 7
func.func @drawn(%x: tensor<4xi64>) -> tensor<4xi64> {
  func.return %x : tensor<4xi64>
}
