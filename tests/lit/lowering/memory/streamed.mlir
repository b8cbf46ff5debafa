// A kernel takes the last phase of the units' softmax as a stream, and so starts together with the copy that brings the
// stream into the GPU's memory. The memory holds one of two weights at a time.
// RUN: ndp-opt %s -p prefetch --check -t timeline | filecheck %s

// CHECK:      ndp        softmax
// CHECK:      4.331 us 6.9694 us 2.6384 us ndp->gpu stream %s
// CHECK-NEXT: 4.331 us 6.9694 us 327.68 ns gpu relu
// CHECK:      memory {{.*}} into

hw.device @gpu = "toy_gpu" {launch = "0 ns", memory = "120 kB"}
hw.device @ndp = "toy_ndp" {launch = "0 ns"}
hw.device @host = "toy_host" {paging.demand = "no"}
hw.link @gpu to @ndp = "toy_link"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<1x128xf32>>, %w: !task.on<@ndp, tensor<64x64xf32>>)
    -> (!task.on<@gpu, tensor<1x128xf32>>, !task.on<@gpu, tensor<64x64xf32>>) {
  %wa = graph.weight "a" = uniform(-0.1, 0.1, 1) : tensor<128x128xf32>
  %wb = graph.weight "b" = uniform(-0.1, 0.1, 2) : tensor<128x128xf32>
  %a = task.resident %wa on @gpu
  %b = task.resident %wb on @gpu
  %p = task.run @gpu (%0 = %x, %1 = %a) {
    %2 = graph.matmul %0, %1 : tensor<1x128xf32>, tensor<128x128xf32>
    task.yield %2
  }
  %s = task.run @ndp (%0 = %w) {
    %1 = graph.softmax %0 axis = 1 : tensor<64x64xf32>
    task.yield %1
  }
  %sg = task.copy stream %s to @gpu
  %r = task.run @gpu (%0 = stream %sg) {
    %1 = graph.relu %0 : tensor<64x64xf32>
    task.yield %1
  }
  %q = task.run @gpu (%0 = %p, %1 = %b) {
    %2 = graph.matmul %0, %1 : tensor<1x128xf32>, tensor<128x128xf32>
    task.yield %2
  }
  func.return %q, %r : !task.on<@gpu, tensor<1x128xf32>>, !task.on<@gpu, tensor<64x64xf32>>
}
