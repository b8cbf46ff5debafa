// RUN: not ndp-opt %s 2>&1 | filecheck %s
//      CHECK: {{^}}{{.*}}caret.mlir:8:8: error: unknown op `graph.reluu`; did you mean `graph.relu`?
// CHECK-NEXT: {{^}}  %y = graph.reluu %x : tensor<4xf16>{{$}}
// CHECK-NEXT: {{^}}       ^~~~~~~~~~~{{$}}
//  CHECK-NOT: {{.}}

func.func @f(%x: tensor<4xf16>) {
  %y = graph.reluu %x : tensor<4xf16>
}
