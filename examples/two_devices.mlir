// A matrix-vector product split by hand, at task level: the GPU computes an eighth of the columns, the PIM computes the rest.
// Each value's type states its device; only task.copy moves values between devices.
//
//   ndp-opt examples/two_devices.mlir -t timeline             both devices run concurrently
//   ndp-opt examples/two_devices.mlir -t perfetto -o t.json   the same, to open in ui.perfetto.dev
//   ndp-opt examples/two_devices.mlir -p to-pim -t values     the PIM's shard as bank commands, run on numbers

hw.device @gpu = "a100"
hw.device @pim = "newton" {channels = 64}
hw.link @gpu to @pim = "on_board"

func.func @main(%x: !task.on<@gpu, tensor<1x4096xf16>>)
    -> (!task.on<@gpu, tensor<1x1024xf16>>, !task.on<@gpu, tensor<1x7168xf16>>) {
  %left = graph.weight "left" = uniform(-0.02, 0.02, 1) : tensor<4096x1024xf16>
  %right = graph.weight "right" = uniform(-0.02, 0.02, 2) : tensor<4096x7168xf16>
  %left_gpu = task.resident %left on @gpu
  %right_pim = task.resident %right on @pim

  %x_pim = task.copy %x to @pim
  %b_pim = task.run @pim (%a = %x_pim, %w = %right_pim) {
    %0 = graph.matmul %a, %w : tensor<1x4096xf16>, tensor<4096x7168xf16>
    task.yield %0
  }
  %b = task.copy %b_pim to @gpu

  %a = task.run @gpu (%p = %x, %w = %left_gpu) {
    %0 = graph.matmul %p, %w : tensor<1x4096xf16>, tensor<4096x1024xf16>
    task.yield %0
  }
  func.return %a, %b : !task.on<@gpu, tensor<1x1024xf16>>, !task.on<@gpu, tensor<1x7168xf16>>
}
