// Three layers on a GPU whose memory holds the weights of two: while the second layer runs, the weights of the first
// layer are evicted to the host, and then those of the third layer are prefetched.
//
//   ndp-opt examples/residency.mlir -t timeline    the times of all moves, and the tasks that wait for them
hw.device @gpu = "toy_gpu" {memory = "2.4 MB"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"

func.func @main(%x: !task.on<@gpu, tensor<64x512xf32>>) -> !task.on<@gpu, tensor<64x512xf32>>
    attributes {task.memory = #task.memory<"by hand", faults = false>} {
  %v = graph.weight "v" = uniform(-0.1, 0.1, 1) : tensor<512x512xf32>
  %w = graph.weight "w" = uniform(-0.1, 0.1, 2) : tensor<512x512xf32>
  %u = graph.weight "u" = uniform(-0.1, 0.1, 3) : tensor<512x512xf32>
  %vg = task.resident %v on @gpu
  %wg = task.resident %w on @gpu
  %ug = task.resident %u on @gpu at @host
  %y = task.run @gpu (%a = %x, %b = %vg) {
    %0 = graph.matmul %a, %b : tensor<64x512xf32>, tensor<512x512xf32>
    task.yield %0
  }
  %gone = task.evict %vg to @host
  %come = task.prefetch %ug after %gone
  %z = task.run @gpu (%a = %y, %b = %wg) {
    %0 = graph.matmul %a, %b : tensor<64x512xf32>, tensor<512x512xf32>
    task.yield %0
  }
  %r = task.run @gpu (%a = %z, %b = %ug) {
    %0 = graph.matmul %a, %b : tensor<64x512xf32>, tensor<512x512xf32>
    task.yield %0
  }
  func.return %r : !task.on<@gpu, tensor<64x512xf32>>
}
