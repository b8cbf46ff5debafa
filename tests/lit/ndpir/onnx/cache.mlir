// A decoder step: the cache is passed in as arguments, new keys and values are results.
// RUN: ndp-opt %S/../../../../examples/models/gpt2_decode_kv255.onnx | filecheck %s

// CHECK: func.func @main(%ids: tensor<1x1xi64>, %pos: tensor<1x1xi64>, %kv: tensor<1x12x255x64xf32>, %kv_1: tensor<1x12x255x64xf32>
// CHECK: graph.concat %kv, %{{.*}} axis = 2 : tensor<1x12x255x64xf32>, tensor<1x12x1x64xf32>
