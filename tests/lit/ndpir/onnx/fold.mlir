// The exporter's shape arithmetic (53 times Shape, Cast and Expand) is folded at import.
// RUN: ndp-opt %S/../../../../examples/models/resnet50_bn.onnx | filecheck %s

// CHECK:     func.func @main(%x: tensor<1x3x224x224xf32>) -> tensor<1x1000xf32> {
// CHECK-NOT: graph.cast
// CHECK-NOT: graph.broadcast
// CHECK-NOT: graph.concat
// CHECK:     graph.batch_norm
// CHECK:     func.return %{{.*}} : tensor<1x1000xf32>
