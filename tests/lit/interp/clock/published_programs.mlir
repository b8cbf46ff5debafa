// The sheet of this PIM uses the programs of PIMFlow's generator: a convolution takes their time, whatever ops
// follow in its kernel. No program is lowered for it, since these programs drop work.
// RUN: ndp-opt %s -t timeline | filecheck %s
// RUN: ndp-opt %s -t values --seed 1 | filecheck %s --check-prefix=VALUES
// RUN: not ndp-opt %s -p to-pim 2>&1 | filecheck %s --check-prefix=LOWERED

hw.device @pim = "newton_artifact"

// CHECK: start
func.func @main(%x: !task.on<@pim, tensor<1x320x7x7xf16>>) -> !task.on<@pim, tensor<1x1280x7x7xf16>> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<1280x320x1x1xf16>
  %b = graph.weight "b" = uniform(-1.0, 1.0, 2) : tensor<1280xf16>
  %wp = task.resident %w on @pim
  %bp = task.resident %b on @pim
  // 31068 cycles of 8/7 ns, as the published simulator reports for this layer.
  // CHECK-NEXT: 0 ns {{.*}} 35.506 us {{.*}} pim {{.*}} conv+relu
  // LOWERED: :[[# @LINE + 1]]:8: error: to-pim: @pim (newton_artifact) is timed with programs of PIMFlow's published generator (`programs pimflow`), which omit work and compute no values; remove to-pim from the pipeline, or use a PIM without that line
  %y = task.run @pim (%i = %x, %f = %wp, %c = %bp) {
    // VALUES: result 0: tensor<1x1280x7x7xf16>, mean
    %0 = graph.fused (%j = %i, %g = %f, %d = %c) {
      %1 = graph.conv %j, %g, %d : tensor<1x320x7x7xf16>, tensor<1280x320x1x1xf16>, tensor<1280xf16>
      %2 = graph.relu %1 : tensor<1x1280x7x7xf16>
      graph.yield %2
    }
    task.yield %0
  }
  func.return %y : !task.on<@pim, tensor<1x1280x7x7xf16>>
}
