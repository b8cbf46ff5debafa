hw.device @gpu = "toy_gpu" {memory = "300 kB"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<12500xf32>>) -> !task.on<@gpu, tensor<12500xf32>> {
  %v = graph.weight "v" = uniform(-1.0, 1.0, 1) : tensor<37500xf32>
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<37500xf32>
  %vg = task.resident %v on @gpu
  %wg = task.resident %w on @gpu
  %y = task.run @gpu (%a = %x, %b = %vg) {
    %1 = graph.slice %b starts = [0], ends = [12500] : tensor<37500xf32>
    %0 = graph.add %a, %1 : tensor<12500xf32>
    task.yield %0
  }
  %z = task.run @gpu (%a = %y, %b = %wg) {
    %1 = graph.slice %b starts = [0], ends = [12500] : tensor<37500xf32>
    %0 = graph.add %a, %1 : tensor<12500xf32>
    task.yield %0
  }
  func.return %z : !task.on<@gpu, tensor<12500xf32>>
}
