// SLOW
// Programs pass through pipes between separate processes.
// REQUIRES-PROCESS
// RUN: cat %s | ndp-opt -p canonicalize | ndp-opt | filecheck %s
// RUN: ndp-opt %s -o %t && ndp-opt %t | filecheck %s
// RUN: python -m ndpir %s | filecheck %s
// RUN: ndp-opt %s | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s -p ndp-canonicalize | filecheck %s

// CHECK: func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
// CHECK-NEXT: %y = graph.relu %x : tensor<4xf16>
// CHECK-NEXT: func.return %y : tensor<4xf16>
func.func @f(%x: tensor<4xf16>) -> tensor<4xf16> {
  %y = graph.relu %x : tensor<4xf16>
  func.return %y : tensor<4xf16>
}
