// `--shape` replaces the stated shape of an input; all other shapes are derived from it.
// RUN: ndp-opt %S/../../../../examples/models/mobilenet_v2.onnx --shape x=1x3x64x96 | filecheck %s

// CHECK:      func.func @main(%x: tensor<1x3x64x96xf32>) -> tensor<1x1000xf32> {
// CHECK:        graph.conv %x, %features.0.0.weight strides = [2, 2], pads = [1, 1, 1, 1] : tensor<1x3x64x96xf32>, tensor<32x3x3x3xf32>
// CHECK:        graph.reduce mean %{{.*}} axes = [2, 3], keep_dims : tensor<1x1280x2x3xf32>

// `--shape` also binds a symbolic dimension.
// RUN: ndp-opt %S/../../../../examples/models/resnet18_dynbatch.onnx --shape x=2x3x64x64 | filecheck %s --check-prefix=BOUND
// BOUND: func.func @main(%x: tensor<2x3x64x64xf32>) -> tensor<2x1000xf32> {

// A weight may depend on the stated shape: VGG flattens a feature map of 512 x 7 x 7.
// RUN: not ndp-opt %S/../../../../examples/models/vgg16.onnx --shape x=1x3x64x64 2>&1 | filecheck %s --check-prefix=FLAT
// FLAT: vgg16.onnx: error: node "node_Gemm_17": it reads `classifier.0.weight`, which has 25088 elements on axis 1 and would need 2048; but its values are not in the model; --shape x=1x3x64x64 differs from the sizes with which the model was exported, so export it again

// RUN: not ndp-opt %S/../../../../examples/models/vgg16.onnx --shape image=1x3x64x64 2>&1 | filecheck %s --check-prefix=NAME
// NAME: vgg16.onnx: error: the model has no input `image` to give a shape to; its inputs are x
