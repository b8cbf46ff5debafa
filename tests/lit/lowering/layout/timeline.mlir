// RUN: ndp-opt %s -p 'split{op=conv axis=2}' -t timeline | filecheck %s --check-prefix=BEFORE
// RUN: ndp-opt %s -p 'split{op=conv axis=2},layout' -t timeline | filecheck %s --check-prefix=AFTER
// RUN: ndp-opt %s -p 'split{op=conv axis=2},layout,place' | filecheck %s --check-prefix=PLACED
// RUN: ndp-opt %s -p 'split{op=conv axis=2},layout,place' -t timeline | filecheck %s --check-prefix=COPIES

// A convolution in two halves of rows. The order of axes in memory is not specified: kernels copy the halves out and join them.
//      BEFORE: gpu  relu
// BEFORE-NEXT: gpu  slice
// BEFORE-NEXT: gpu  conv
// BEFORE-NEXT: gpu  slice
// BEFORE-NEXT: gpu  conv
// BEFORE-NEXT: gpu  concat
// BEFORE-NEXT: gpu  reduce
//      BEFORE: makespan  294.98 us

// With channels last, rows are contiguous, and both halves are written into one tensor directly.
//      AFTER: gpu  relu
// AFTER-NEXT: gpu  conv
// AFTER-NEXT: gpu  conv
// AFTER-NEXT: gpu  reduce
//      AFTER: makespan  259.3 us

// On two devices, a slice is a task that takes no time: 29 of 56 rows are copied (64 channels of 56 elements each),
// and the copy waits for the image alone, not for the half that the primary device computes.
//      PLACED: pads = [1, 1, 0, 1]
//      PLACED: %[[HALF:.*]] = task.run @gpu (%[[X:.*]] = %x) {
// PLACED-NEXT: graph.slice %[[X]] starts = [0, 0, 27, 0], ends = [1, 64, 56, 56] {order = array<i64: 0, 2, 3, 1>}
//      PLACED: task.copy %[[HALF]] to @other
//      PLACED: %y = task.run @other
// PLACED-NEXT: graph.concat {{.*}} axis = 2 {order = array<i64: 0, 2, 3, 1>}
//      COPIES: gpu relu
// COPIES-NEXT: 17.056 us 17.482 us 425.74 ns gpu->other copy of slice link 415.74 kB
// COPIES-NEXT: 17.056 us 133.66 us 116.61 us gpu conv
// COPIES-NEXT: other conv
// COPIES-NEXT: gpu->other copy of conv link 401.41 kB
// COPIES-NEXT: other reduce
// COPIES-NEXT: other->gpu copy %m
//      COPIES: makespan 143.13 us

hw.device @gpu = "toy_gpu"
hw.device @other = "toy_gpu"
hw.link @gpu to @other = "toy_link" {latency = "10 ns", bandwidth = "1 TB/s"}
func.func @main(%i: tensor<1x64x56x56xf32>) -> tensor<1x64x1x1xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<64x64x3x3xf32>
  %x = graph.relu %i : tensor<1x64x56x56xf32>
  %y = graph.conv %x, %w pads = [1, 1, 1, 1] : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>
  %m = graph.reduce mean %y axes = [2, 3], keep_dims : tensor<1x64x56x56xf32>
  func.return %m : tensor<1x64x1x1xf32>
}
