// RUN: ndp-opt %s | filecheck %s
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// CHECK:       func.func @f(%x: tensor<4x4xf16>) -> tensor<4x4xf16> {
// CHECK-NEXT:    %y = graph.relu %x : tensor<4x4xf16>
// CHECK-NEXT:    func.return %y : tensor<4x4xf16>
func.func @f(%x: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %y = graph.relu %x : tensor<4x4xf16>
  func.return %y : tensor<4x4xf16>
}
