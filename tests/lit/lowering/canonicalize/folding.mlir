// RUN: ndp-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @small(
// CHECK-NEXT: %c = graph.constant [4, 6] : tensor<2xi64>
// CHECK-NEXT: %d = graph.mul %x, %c : tensor<2xi64>
// CHECK-NEXT: %h = graph.constant [[7.0, 10.0], [15.0, 22.0]] : tensor<2x2xf32>
// CHECK-NEXT: func.return %d, %h : tensor<2xi64>, tensor<2x2xf32>
func.func @small(%x: tensor<2xi64>) -> (tensor<2xi64>, tensor<2x2xf32>) {
  %a = graph.constant [1, 2] : tensor<2xi64>
  %b = graph.constant [3, 4] : tensor<2xi64>
  %c = graph.add %a, %b : tensor<2xi64>
  %d = graph.mul %x, %c : tensor<2xi64>
  %e = graph.concat %a, %b axis = 0 : tensor<2xi64>
  %f = graph.cast %e : tensor<4xi64> -> tensor<4xf32>
  %g = graph.reshape %f : tensor<4xf32> -> tensor<2x2xf32>
  %h = graph.matmul %g, %g : tensor<2x2xf32>
  func.return %d, %h : tensor<2xi64>, tensor<2x2xf32>
}

// A tensor of equal elements is stored as one number, whatever its size.
// CHECK-LABEL: func.func @repeated(
// CHECK-NEXT: %c = graph.constant 8.0 : tensor<4096x4096xf32>
// CHECK-NEXT: %f = graph.constant true : tensor<64x64x64xi1>
// CHECK-NEXT: func.return %c, %f : tensor<4096x4096xf32>, tensor<64x64x64xi1>
func.func @repeated() -> (tensor<4096x4096xf32>, tensor<64x64x64xi1>) {
  %a = graph.constant 2.0 : tensor<4096x1xf32>
  %b = graph.constant 3.0 : tensor<1x4096xf32>
  %c = graph.pow %a, %b : tensor<4096x1xf32>, tensor<1x4096xf32>
  %d = graph.constant 1 : tensor<64x64xi64>
  %e = graph.compare ge %d, %d : tensor<64x64xi64>
  %f = graph.broadcast %e : tensor<64x64xi1> -> tensor<64x64x64xi1>
  func.return %c, %f : tensor<4096x4096xf32>, tensor<64x64x64xi1>
}

// 2500 different numbers are too many for a literal: the products stay, and run ahead of time. Ops on their results may fold to a single number again.
// CHECK-LABEL: func.func @larger(
// CHECK-NEXT: %a = graph.constant [[1], [2], [3], [4], [5], [6], [7], [8], [9], [10], [11], [12], [13], [14], [15], [16], [17], [18], [19], [20], [21], [22], [23], [24], [25], [26], [27], [28], [29], [30], [31], [32], [33], [34], [35], [36], [37], [38], [39], [40], [41], [42], [43], [44], [45], [46], [47], [48], [49], [50]] : tensor<50x1xi64>
// CHECK-NEXT: %b = graph.constant [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50]] : tensor<1x50xi64>
// CHECK-NEXT: %c = graph.mul %a, %b : tensor<50x1xi64>, tensor<1x50xi64>
// CHECK-NEXT: %d = graph.constant true : tensor<50x50xi1>
// CHECK-NEXT: %f = graph.constant 100 : tensor<1xi64>
// CHECK-NEXT: func.return %c, %d, %f : tensor<50x50xi64>, tensor<50x50xi1>, tensor<1xi64>
func.func @larger() -> (tensor<50x50xi64>, tensor<50x50xi1>, tensor<1xi64>) {
  %ones = graph.constant 1 : tensor<50x1xi64>
  %a = graph.cumsum %ones axis = 0 : tensor<50x1xi64>
  %b = graph.reshape %a : tensor<50x1xi64> -> tensor<1x50xi64>
  %c = graph.mul %a, %b : tensor<50x1xi64>, tensor<1x50xi64>
  %zero = graph.constant 0 : tensor<i64>
  %d = graph.compare gt %c, %zero : tensor<50x50xi64>, tensor<i64>
  %e = graph.slice %c starts = [9, 9], ends = [10, 10] : tensor<50x50xi64>
  %f = graph.reshape %e : tensor<1x1xi64> -> tensor<1xi64>
  func.return %c, %d, %f : tensor<50x50xi64>, tensor<50x50xi1>, tensor<1xi64>
}

// Infinities and nan fold like other numbers. Weights are never read, and an index out of range is left, so that a run reports it.
// CHECK-LABEL: func.func @special(
// CHECK-NEXT: %inf = graph.constant [inf, -inf] : tensor<2xf32>
// CHECK-NEXT: %a = graph.constant nan : tensor<2xf32>
// CHECK-NEXT: %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<4xf32>
// CHECK-NEXT: %b = graph.neg %w : tensor<4xf32>
// CHECK-NEXT: %i = graph.constant 7 : tensor<1xi64>
// CHECK-NEXT: %c = graph.gather %inf, %i : tensor<2xf32>, tensor<1xi64>
// CHECK-NEXT: func.return %a, %b, %c : tensor<2xf32>, tensor<4xf32>, tensor<1xf32>
func.func @special() -> (tensor<2xf32>, tensor<4xf32>, tensor<1xf32>) {
  %inf = graph.constant [inf, -inf] : tensor<2xf32>
  %a = graph.sub %inf, %inf : tensor<2xf32>
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<4xf32>
  %b = graph.neg %w : tensor<4xf32>
  %i = graph.constant 7 : tensor<1xi64>
  %c = graph.gather %inf, %i axis = 0 : tensor<2xf32>, tensor<1xi64>
  func.return %a, %b, %c : tensor<2xf32>, tensor<4xf32>, tensor<1xf32>
}
