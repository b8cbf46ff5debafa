// Models that were exported with fixed sizes get others: `--batch` changes the number of samples, `--dim sequence=N` that of tokens.
// RUN: ndp-opt %S/../../../../examples/models/bert_2layer_opset23.onnx --batch 4 --dim sequence=64 | filecheck %s

// CHECK:      func.func @main(%ids: tensor<4x64xi64>, %mask: tensor<4x64xi64>) -> (tensor<4x64x768xf32>, tensor<4x768xf32>) {
// CHECK:        graph.gather_nd %{{.*}}, %{{.*}} : tensor<4x64xi1>, tensor<4x1x1x64x2xi64>
// CHECK:        graph.reshape %{{.*}} : tensor<4x64x768xf32> -> tensor<4x64x12x64xf32>

// `--cache-length` changes all 24 caches, and all that is as long as cache and new token together.
// RUN: ndp-opt %S/../../../../examples/models/gpt2_decode_kv255.onnx --cache-length 1023 | filecheck %s --check-prefix=CACHE
// CACHE:     %kv: tensor<1x12x1023x64xf32>
// CACHE-NOT: x255x
// CACHE:     graph.concat %kv, %{{.*}} axis = 2 : tensor<1x12x1023x64xf32>, tensor<1x12x1x64xf32>
// CACHE-NOT: x255x

// RUN: not ndp-opt %S/../../../../examples/models/bert_2layer_opset23.onnx --dim sequence=513 2>&1 | filecheck %s --check-prefix=LONG
// LONG: bert_2layer_opset23.onnx: error: node "node_gather": it would read element 512 of an axis of 512, and the model has no more; --dim sequence=513 differs from the sizes with which the model was exported, so export it again

// RUN: not ndp-opt %S/../../../../examples/models/gpt2_decode_kv255.onnx --dim sequence=2 2>&1 | filecheck %s --check-prefix=TOKEN
// TOKEN: gpt2_decode_kv255.onnx: error: axis 1 of input `ids` has one element, so that it can't be told from the model's other axes of one element, and can't have 2

// RUN: not ndp-opt %S/../../../../examples/models/mobilenet_v2.onnx --cache-length 8 2>&1 | filecheck %s --check-prefix=NONE
// NONE: mobilenet_v2.onnx: error: --cache-length: no input of the model is a cache: a tensor to which new keys or values are joined before attention reads it; give inputs their shapes with --shape

// RUN: not ndp-opt %S/../../../../examples/models/mobilenet_v2.onnx --dim rows=8 2>&1 | filecheck %s --check-prefix=ROLE
// ROLE: mobilenet_v2.onnx: error: the model has no dimension `rows` to bind; all its dimensions have an extent; others can be given to `batch` (x.0), INPUT.AXIS

// RUN: not ndp-opt %S/../../../../examples/models/mobilenet_v2.onnx --batch 2 --shape x=3x3x64x64 2>&1 | filecheck %s --check-prefix=TWICE
// TWICE: mobilenet_v2.onnx: error: axis 0 of input `x` is 3 in the shape of input `x` and 2 in --batch; give it the same extent everywhere

// RUN: not ndp-opt %s --batch 2 2>&1 | filecheck %s --check-prefix=TEXT
// TEXT: ndp-opt: error: --batch applies only to models of ONNX (.onnx) and PyTorch (.pt2) and to configs (.json), but {{.*}}sizes.mlir is text
// RUN: not ndp-opt x.onnx --batch 0 2>&1 | filecheck %s --check-prefix=ZERO
// ZERO: ndp-opt: error: argument --batch: `0` is not a whole number from 1 on, as in --batch 8
