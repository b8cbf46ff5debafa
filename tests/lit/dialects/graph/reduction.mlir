// Reductions, running sums, softmax, the normalisations and pooling.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// CHECK-LABEL: func.func @reduction
func.func @reduction(%x: tensor<2x3x4xf32>, %s: tensor<f32>, %i: tensor<2x8xi64>, %scale: tensor<4xf32>, %grid: tensor<3x4xf32>,
    %c: tensor<3xf32>, %image: tensor<1x3x7x7xf32>) {
  // CHECK-NEXT: %sum = graph.reduce sum %x axes = [1] : tensor<2x3x4xf32>
  %sum = graph.reduce sum %x axes = [1] : tensor<2x3x4xf32>
  // CHECK-NEXT: %mean = graph.reduce mean %x axes = [1] : tensor<2x3x4xf32>
  %mean = graph.reduce mean %x axes = [1] : tensor<2x3x4xf32>
  // CHECK-NEXT: %prod = graph.reduce prod %x axes = [1] : tensor<2x3x4xf32>
  %prod = graph.reduce prod %x axes = [1] : tensor<2x3x4xf32>
  // CHECK-NEXT: %min = graph.reduce min %x axes = [1] : tensor<2x3x4xf32>
  %min = graph.reduce min %x axes = [1] : tensor<2x3x4xf32>
  // CHECK-NEXT: %max = graph.reduce max %x axes = [1] : tensor<2x3x4xf32>
  %max = graph.reduce max %x axes = [1] : tensor<2x3x4xf32>
  // CHECK-NEXT: %kept = graph.reduce sum %x axes = [-1, 0], keep_dims : tensor<2x3x4xf32>
  %kept = graph.reduce sum %x axes = [-1, 0], keep_dims : tensor<2x3x4xf32>
  // CHECK-NEXT: %all = graph.reduce max %x : tensor<2x3x4xf32>
  %all = graph.reduce max %x : tensor<2x3x4xf32>
  // CHECK-NEXT: %scalar = graph.reduce sum %s : tensor<f32>
  %scalar = graph.reduce sum %s : tensor<f32>
  // CHECK-NEXT: %running = graph.cumsum %i axis = 1 : tensor<2x8xi64>
  %running = graph.cumsum %i axis = 1 : tensor<2x8xi64>
  // CHECK-NEXT: %back = graph.cumsum %i axis = -1, exclusive, reverse : tensor<2x8xi64>
  %back = graph.cumsum %i axis = -1, exclusive, reverse : tensor<2x8xi64>
  // CHECK-NEXT: %soft = graph.softmax %x : tensor<2x3x4xf32>
  %soft = graph.softmax %x : tensor<2x3x4xf32>
  // CHECK-NEXT: %softer = graph.softmax %x axis = 1 : tensor<2x3x4xf32>
  %softer = graph.softmax %x axis = 1 : tensor<2x3x4xf32>
  // CHECK-NEXT: %ln = graph.layer_norm %x, %scale : tensor<2x3x4xf32>, tensor<4xf32>
  %ln = graph.layer_norm %x, %scale : tensor<2x3x4xf32>, tensor<4xf32>
  // CHECK-NEXT: %lnb = graph.layer_norm %x, %grid, %scale axis = 1, epsilon = 1.0e-12 : tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<4xf32>
  %lnb = graph.layer_norm %x, %grid, %scale axis = 1, epsilon = 1.0e-12 : tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<4xf32>
  // CHECK-NEXT: %rms = graph.rms_norm %x, %scale epsilon = 1.0e-06 : tensor<2x3x4xf32>, tensor<4xf32>
  %rms = graph.rms_norm %x, %scale epsilon = 1.0e-06 : tensor<2x3x4xf32>, tensor<4xf32>
  // CHECK-NEXT: %bn = graph.batch_norm %x, %c, %c, %c, %c epsilon = 0.001 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  %bn = graph.batch_norm %x, %c, %c, %c, %c epsilon = 0.001 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  // CHECK-NEXT: %lrn = graph.lrn %image size = 5, alpha = 0.0002, beta = 0.5, bias = 2.0 : tensor<1x3x7x7xf32>
  %lrn = graph.lrn %image size = 5, alpha = 0.0002, beta = 0.5, bias = 2.0 : tensor<1x3x7x7xf32>
  // CHECK-NEXT: %maxpool = graph.pool max %image kernel = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1] : tensor<1x3x7x7xf32>
  %maxpool = graph.pool max %image kernel = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1] : tensor<1x3x7x7xf32>
  // CHECK-NEXT: %average = graph.pool mean %image kernel = [2, 2], ceil, count_include_pad, strides = [2, 2], pads = [1, 0, 0, 1] : tensor<1x3x7x7xf32>
  %average = graph.pool mean %image kernel = [2, 2], ceil, count_include_pad, strides = [2, 2], pads = [1, 0, 0, 1] : tensor<1x3x7x7xf32>
  // CHECK-NEXT: %spread = graph.pool max %image kernel = [2, 2], dilations = [2, 3] : tensor<1x3x7x7xf32>
  %spread = graph.pool max %image kernel = [2, 2], dilations = [2, 3] : tensor<1x3x7x7xf32>
  func.return
}
