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

// -----

// The GPU's first task waits for a weight from the host, and the copies of the units' results wait for that task: with the
// units, there are all four results at one time then, and a weight that was moved there.
hw.device @gpu = "toy_gpu" {memory = "600 kB"}
hw.device @ndp = "toy_ndp" {memory = "165 kB"}
hw.link @gpu to @ndp = "toy_link" {bandwidth = "100 GB/s", latency = "0 ns"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus" {bandwidth = "1 GB/s"}
// expected-error-re @+1 {{@ndp holds 160 kB of @main from {{.*}} on, and up to {{.*}} kB moved there from @gpu, but has 165 kB; move less to @ndp, or give it more memory}}
func.func @main(%x: !task.on<@gpu, tensor<10000xf32>>, %n: !task.on<@ndp, tensor<10000xf32>>) -> !task.on<@gpu, tensor<10000xf32>> attributes {task.memory = #task.memory<"by hand", faults = false>} {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 8) : tensor<10000xf32>
  %v = graph.weight "v" = uniform(-0.5, 0.5, 9) : tensor<10000xf32>
  %wg = task.resident %w on @gpu at @host
  %vg = task.resident %v on @gpu
  task.evict %vg to @ndp
  task.prefetch %wg
  %z = task.run @gpu (%a = %x, %b = %wg) {
    %0 = graph.add %a, %b : tensor<10000xf32>
    task.yield %0
  }
  %r1 = task.run @ndp (%a = %n) {
    %0 = graph.relu %a : tensor<10000xf32>
    task.yield %0
  }
  %r2 = task.run @ndp (%a = %n) {
    %0 = graph.relu %a : tensor<10000xf32>
    task.yield %0
  }
  %r3 = task.run @ndp (%a = %n) {
    %0 = graph.relu %a : tensor<10000xf32>
    task.yield %0
  }
  %r4 = task.run @ndp (%a = %n) {
    %0 = graph.relu %a : tensor<10000xf32>
    task.yield %0
  }
  %g1 = task.copy %r1 to @gpu
  %s1 = task.run @gpu (%a = %z, %b = %g1) {
    %0 = graph.add %a, %b : tensor<10000xf32>
    task.yield %0
  }
  %g2 = task.copy %r2 to @gpu
  %s2 = task.run @gpu (%a = %s1, %b = %g2) {
    %0 = graph.add %a, %b : tensor<10000xf32>
    task.yield %0
  }
  %g3 = task.copy %r3 to @gpu
  %s3 = task.run @gpu (%a = %s2, %b = %g3) {
    %0 = graph.add %a, %b : tensor<10000xf32>
    task.yield %0
  }
  %g4 = task.copy %r4 to @gpu
  task.prefetch %vg
  %s4 = task.run @gpu (%a = %s3, %b = %g4, %c = %vg) {
    %0 = graph.add %a, %b : tensor<10000xf32>
    %1 = graph.add %0, %c : tensor<10000xf32>
    task.yield %1
  }
  func.return %s4 : !task.on<@gpu, tensor<10000xf32>>
}
