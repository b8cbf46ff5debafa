// Page faults use no memory of devices that run tasks; and moves to such memory need room beside what the program has there.
// RUN: ndp-opt %s --split-input-file --verify-diagnostics -t timeline

hw.device @gpu = "toy_gpu"
hw.device @ndp = "toy_ndp"
hw.device @host = "toy_host"
hw.link @gpu to @ndp = "toy_link"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<1000xf32>>) -> !task.on<@gpu, tensor<1000xf32>> attributes {task.memory = #task.memory<"by hand">} {
  // expected-error @+1 {{task.evict: page faults fetch nothing from @ndp, which runs tasks; move to other memory, or state that moves bring all data}}
  task.evict %x to @ndp
  func.return %x : !task.on<@gpu, tensor<1000xf32>>
}

// -----

// Of the 10 kB of the units' memory, a value of the program leaves 2 kB.
hw.device @gpu = "toy_gpu"
hw.device @ndp = "toy_ndp" {memory = "10 kB"}
hw.link @gpu to @ndp = "toy_link"
// expected-error @+1 {{persistent tensors take 4 kB of ndp at the start, which holds 2 kB; let some of them start elsewhere}}
func.func @main(%x: !task.on<@gpu, tensor<1000xf32>>, %n: !task.on<@ndp, tensor<2000xf32>>) -> (!task.on<@gpu, tensor<1000xf32>>, !task.on<@ndp, tensor<2000xf32>>) {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 8) : tensor<1000xf32>
  %wg = task.resident %w on @gpu at @ndp
  task.prefetch %wg
  %z = task.run @gpu (%a = %x, %b = %wg) {
    %0 = graph.add %a, %b : tensor<1000xf32>
    task.yield %0
  }
  func.return %z, %n : !task.on<@gpu, tensor<1000xf32>>, !task.on<@ndp, tensor<2000xf32>>
}

// -----

// Memory that is the GPU's own is no memory behind it.
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "same_memory"
func.func @main(%x: !task.on<@gpu, tensor<1000xf32>>) -> !task.on<@gpu, tensor<1000xf32>> {
  // expected-error @+1 {{task.evict: @gpu has no memory behind it for the planned moves; declare one}}
  task.evict %x to @pim
  func.return %x : !task.on<@gpu, tensor<1000xf32>>
}
