// Every op has its node's name as location, every argument and weight its tensor's name.
// RUN: ndp-opt %S/../../../../examples/models/resnet18_dynbatch.onnx --dim b=1 --print-debuginfo | filecheck %s

// CHECK:      func.func @main(%x: tensor<1x3x224x224xf32> loc("x"))
// CHECK-NEXT:   graph.weight "conv1.weight" {{.*}} loc("conv1.weight")
// CHECK-NEXT:   graph.conv {{.*}} loc("node_Conv_293")
// CHECK-NEXT:   graph.relu {{.*}} loc("node_relu")
