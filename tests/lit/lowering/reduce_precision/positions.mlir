// RUN: ndp-opt %s -p 'reduce-precision{to=f16}' | filecheck %s

// Positions, masks and angles are computed from integers: they stay f32 until they are combined with data. A cast to the new type is removed.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %table = graph.weight "table" = uniform(-1.0, 1.0, 1) : tensor<64x8xf16>
// CHECK-NEXT: %w = graph.weight "w" = uniform(-1.0, 1.0, 2) : tensor<8x8xf16>
// CHECK-NEXT: %scale = graph.constant 0.001 : tensor<f32>
// CHECK-NEXT: %one = graph.constant 1.0 : tensor<f32>
// CHECK-NEXT: %fill = graph.constant -65504.0 : tensor<f16>
// CHECK-NEXT: %e = graph.gather %table, %ids : tensor<64x8xf16>, tensor<1x4xi64>
// CHECK-NEXT: %p = graph.cast %ids : tensor<1x4xi64> -> tensor<1x4xf32>
// CHECK-NEXT: %angle = graph.mul %p, %scale : tensor<1x4xf32>, tensor<f32>
// CHECK-NEXT: %sin = graph.sin %angle : tensor<1x4xf32>
// CHECK-NEXT: %s = graph.reshape %sin : tensor<1x4xf32> -> tensor<1x4x1xf32>
// CHECK-NEXT: %s_1 = graph.cast %s : tensor<1x4x1xf32> -> tensor<1x4x1xf16>
// CHECK-NEXT: %x = graph.add %e, %s_1 : tensor<1x4x8xf16>, tensor<1x4x1xf16>
// CHECK-NEXT: %k = graph.cast %keep : tensor<1x4xi64> -> tensor<1x4xf32>
// CHECK-NEXT: %drop = graph.sub %one, %k : tensor<f32>, tensor<1x4xf32>
// CHECK-NEXT: %drop_1 = graph.cast %drop : tensor<1x4xf32> -> tensor<1x4xf16>
// CHECK-NEXT: %mask = graph.mul %drop_1, %fill : tensor<1x4xf16>, tensor<f16>
// CHECK-NEXT: %m = graph.reshape %mask : tensor<1x4xf16> -> tensor<1x4x1xf16>
// CHECK-NEXT: %y = graph.matmul %x, %w : tensor<1x4x8xf16>, tensor<8x8xf16>
// CHECK-NEXT: %z = graph.add %y, %m : tensor<1x4x8xf16>, tensor<1x4x1xf16>
// CHECK-NEXT: %z_1 = graph.cast %z : tensor<1x4x8xf16> -> tensor<1x4x8xf32>
// CHECK-NEXT: func.return %z_1, %sin : tensor<1x4x8xf32>, tensor<1x4xf32>
func.func @main(%ids: tensor<1x4xi64>, %keep: tensor<1x4xi64>) -> (tensor<1x4x8xf32>, tensor<1x4xf32>) {
  %table = graph.weight "table" = uniform(-1.0, 1.0, 1) : tensor<64x8xf32>
  %w = graph.weight "w" = uniform(-1.0, 1.0, 2) : tensor<8x8xf32>
  %scale = graph.constant 0.001 : tensor<f32>
  %one = graph.constant 1.0 : tensor<f32>
  %fill = graph.constant -3.4028235e+38 : tensor<f32>
  %e = graph.gather %table, %ids axis = 0 : tensor<64x8xf32>, tensor<1x4xi64>
  %p = graph.cast %ids : tensor<1x4xi64> -> tensor<1x4xf32>
  %angle = graph.mul %p, %scale : tensor<1x4xf32>, tensor<f32>
  %sin = graph.sin %angle : tensor<1x4xf32>
  %s = graph.reshape %sin : tensor<1x4xf32> -> tensor<1x4x1xf32>
  %x = graph.add %e, %s : tensor<1x4x8xf32>, tensor<1x4x1xf32>
  %k = graph.cast %keep : tensor<1x4xi64> -> tensor<1x4xf32>
  %drop = graph.sub %one, %k : tensor<f32>, tensor<1x4xf32>
  %mask = graph.mul %drop, %fill : tensor<1x4xf32>, tensor<f32>
  %m = graph.reshape %mask : tensor<1x4xf32> -> tensor<1x4x1xf32>
  %y = graph.matmul %x, %w : tensor<1x4x8xf32>, tensor<8x8xf32>
  %z = graph.add %y, %m : tensor<1x4x8xf32>, tensor<1x4x1xf32>
  func.return %z, %sin : tensor<1x4x8xf32>, tensor<1x4xf32>
}
