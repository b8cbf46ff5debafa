// SLOW
// RUN: ndp-opt %s -p to-pim --check -t timeline | filecheck %s
// RUN: ndp-opt %s -p to-pim --check -t timeline --set pim.accumulators=2 | filecheck %s

// The ops of a layer norm: means are products with 1 over their count, sums of squares are products of each row
// with itself, and scales are products of tensors.

hw.device @pim = "aim" {channels = 4}

// CHECK: pim  @matmul_3x1x40_bf16
// CHECK: pim  @matmul_3x1x1x40_bf16_written
// CHECK: pim  @groups_mul_120_bf16
func.func @main(%x: !task.on<@pim, tensor<3x40xbf16>>, %scale: !task.on<@pim, tensor<3x40xbf16>>)
    -> (!task.on<@pim, tensor<3x1xbf16>>, !task.on<@pim, tensor<3x1x1xbf16>>, !task.on<@pim, tensor<3x40xbf16>>) {
  %mean = task.run @pim (%0 = %x) {
    %1 = graph.reduce mean %0 axes = [1], keep_dims : tensor<3x40xbf16>
    task.yield %1
  }
  %squares = task.run @pim (%0 = %x) {
    %1 = graph.reshape %0 : tensor<3x40xbf16> -> tensor<3x1x40xbf16>
    %2 = graph.matmul %1, %1 transpose_b : tensor<3x1x40xbf16>, tensor<3x1x40xbf16>
    task.yield %2
  }
  %scaled = task.run @pim (%0 = %x, %1 = %scale) {
    %2 = graph.mul %0, %1 : tensor<3x40xbf16>
    task.yield %2
  }
  func.return %mean, %squares, %scaled : !task.on<@pim, tensor<3x1xbf16>>, !task.on<@pim, tensor<3x1x1xbf16>>, !task.on<@pim, tensor<3x40xbf16>>
}
