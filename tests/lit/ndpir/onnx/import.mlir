// A model becomes one function of graph ops: names are kept, weights refer to tensors by name, `--dim` binds the batch size.
// RUN: ndp-opt %S/../../../../examples/models/resnet18_dynbatch.onnx --dim b=2 | filecheck %s

// CHECK:      func.func @main(%x: tensor<2x3x224x224xf32>) -> tensor<2x1000xf32> {
// CHECK-NEXT:   %conv1.weight = graph.weight "conv1.weight" = uniform(-0.20203051, 0.20203051, 3410522421) : tensor<64x3x7x7xf32>
// CHECK-NEXT:   %getitem = graph.conv %x, %conv1.weight strides = [2, 2], pads = [3, 3, 3, 3] : tensor<2x3x224x224xf32>, tensor<64x3x7x7xf32>
// CHECK-NEXT:   %relu = graph.relu %getitem : tensor<2x64x112x112xf32>
// CHECK-NEXT:   %max_pool2d = graph.pool max %relu kernel = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1] : tensor<2x64x112x112xf32>
// CHECK:        graph.add %getitem_2, %max_pool2d : tensor<2x64x56x56xf32>
// CHECK:        %mean = graph.reduce mean %{{.*}} axes = [2, 3], keep_dims : tensor<2x512x7x7xf32>
// CHECK-NEXT:   %view = graph.reshape %mean : tensor<2x512x1x1xf32> -> tensor<2x512xf32>
// CHECK:        %linear = graph.matmul %view, %fc.weight, %fc.bias transpose_b : tensor<2x512xf32>, tensor<1000x512xf32>, tensor<1000xf32>
// CHECK-NEXT:   func.return %linear : tensor<2x1000xf32>
