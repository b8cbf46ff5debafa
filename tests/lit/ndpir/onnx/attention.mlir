// Attention of opset 23 stays one op; before it, the hidden axis is split into heads, after it, they are joined.
// RUN: ndp-opt %S/../../../../examples/models/bert_2layer_opset23.onnx | filecheck %s

// CHECK:      graph.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scale = 0.125 : tensor<1x12x128x64xf32>, tensor<1x12x128x64xf32>, tensor<1x12x128x64xf32>, tensor<1x1x128x128xi1>
// CHECK-NEXT: graph.transpose %{{.*}} permutation = [0, 2, 1, 3] : tensor<1x12x128x64xf32>
// CHECK:      graph.layer_norm %{{.*}} epsilon = 1.0e-12
// CHECK:      graph.gelu
