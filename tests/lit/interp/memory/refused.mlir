// Plans that can't be executed are errors at their line; so are moves on a machine without memory behind its primary device.
// RUN: ndp-opt %s --split-input-file --verify-diagnostics -t timeline

// No prefetch brings the weights, and page faults are not served.
hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> attributes {task.memory = #task.memory<"by hand", faults = false>} {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 7) : tensor<25000xf32>
  %wg = task.resident %w on @gpu at @host
  // expected-error @+1 {{kernel 1 (add) waits for 100 kB of w, which are in host, but no prefetch brings them; prefetch them before, or use a regime with faults}}
  %z = task.run @gpu (%a = %x, %b = %wg) {
    %0 = graph.add %a, %b : tensor<25000xf32>
    task.yield %0
  }
  func.return %z : !task.on<@gpu, tensor<25000xf32>>
}

// -----

// The prefetch finds no room, since nothing is evicted: neither at its end nor in the middle of the transfer.
hw.device @gpu = "toy_gpu" {memory = "350 kB"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> attributes {task.memory = #task.memory<"by hand", faults = false>} {
  %v = graph.weight "v" = uniform(-0.5, 0.5, 7) : tensor<25000xf32>
  %w = graph.weight "w" = uniform(-0.5, 0.5, 8) : tensor<25000xf32>
  %vg = task.resident %v on @gpu
  %wg = task.resident %w on @gpu at @host
  %y = task.run @gpu (%a = %x, %b = %vg) {
    %0 = graph.add %a, %b : tensor<25000xf32>
    task.yield %0
  }
  task.prefetch %wg
  // expected-error-re @+1 {{kernel 2 (add) waits for room for 100 kB of outputs and workspace: gpu holds 300 kB of 350 kB (host 0 B of 1 GB), and nothing that has been issued makes room}}
  %z = task.run @gpu (%a = %y, %b = %wg) {
    %0 = graph.add %a, %b : tensor<25000xf32>
    task.yield %0
  }
  func.return %z : !task.on<@gpu, tensor<25000xf32>>
}

// -----

// A discarded value can't be used again; the timeline and the interpreter both check this.
hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> {
  task.discard %x
  // expected-error-re @+1 {{task.run: the contents of %x were discarded before ({{.*}}); move the task.discard behind the last use of this value}}
  %z = task.run @gpu (%a = %x) {
    %0 = graph.relu %a : tensor<25000xf32>
    task.yield %0
  }
  func.return %z : !task.on<@gpu, tensor<25000xf32>>
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.device @ssd = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> {
  // expected-error @+1 {{task.evict: there is no memory @ssd behind @gpu; there are @host}}
  task.evict %x to @ssd
  func.return %x : !task.on<@gpu, tensor<25000xf32>>
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main() {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 7) : tensor<25000xf32>
  // expected-error @+1 {{task.resident: there is no device @ssd; the machine has @gpu, @host; declare it (hw.device @ssd = "SHEET")}}
  %wg = task.resident %w on @gpu at @ssd
  task.prefetch %wg
  func.return
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
hw.link @gpu to @pim = "toy_link"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> {
  %p = task.copy %x to @pim
  // expected-error @+1 {{task.evict: %p is on @pim, but only @gpu has memory behind it; move only values of @gpu}}
  task.evict %p to @host
  func.return %x : !task.on<@gpu, tensor<25000xf32>>
}

// -----

hw.device @gpu = "toy_gpu"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> {
  // expected-error @+1 {{task.prefetch: @gpu has no memory behind it for the planned moves; declare one (hw.device @host = "host_memory", hw.link @gpu to @host = "pcie4_copies")}}
  task.prefetch %x
  func.return %x : !task.on<@gpu, tensor<25000xf32>>
}

// -----

// A view has no memory of its own to move.
hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<4x8xf32>>) -> !task.on<@gpu, tensor<2x8xf32>> {
  %v = task.run @gpu (%a = %x) {
    %0 = graph.slice %a starts = [2, 0], ends = [4, 8] {order = array<i64: 0, 1>} : tensor<4x8xf32>
    task.yield %0
  }
  // expected-error @+1 {{task.evict: %v is not a whole value, but a view of bytes of %x; move these values instead}}
  task.evict %v to @host
  func.return %v : !task.on<@gpu, tensor<2x8xf32>>
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
// expected-error @+1 {{%x: `task.at` can't have the value 3 : i64; write it as in `task.at = @host`}}
func.func @main(%x: !task.on<@gpu, tensor<4xf32>> {task.at = 3 : i64}) -> !task.on<@gpu, tensor<4xf32>> {
  func.return %x : !task.on<@gpu, tensor<4xf32>>
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
// expected-error @+1 {{`task.memory` can't have the value "plan"; write it as in `task.memory = #task.memory<"POLICY", …>`}}
func.func @main(%x: !task.on<@gpu, tensor<4xf32>>) -> !task.on<@gpu, tensor<4xf32>> attributes {task.memory = "plan"} {
  func.return %x : !task.on<@gpu, tensor<4xf32>>
}

// -----

// A task that needs more than the device's memory can't run with any moves.
hw.device @gpu = "toy_gpu" {memory = "150 kB"}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> {
  // expected-error @+1 {{relu needs 200 kB at one time, but @gpu holds 150 kB, so that no moves help; use a device with more memory, or a smaller batch}}
  %z = task.run @gpu (%a = %x) {
    %0 = graph.relu %a : tensor<25000xf32>
    task.yield %0
  }
  func.return %z : !task.on<@gpu, tensor<25000xf32>>
}

// -----

// Neither faults nor a plan of moves.
hw.device @gpu = "toy_gpu" {memory = "250 kB"}
hw.device @host = "toy_ssd"
hw.link @gpu to @host = "toy_bus"
// expected-error @+1 {{@main needs 300 kB on @gpu (100 kB of weights and constants, 200 kB of live values), but toy_gpu holds 250 kB; the memory behind it serves no page faults: plan the moves ahead (prefetch{policy=plan})}}
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) -> !task.on<@gpu, tensor<25000xf32>> {
  %w = graph.weight "w" = uniform(-0.5, 0.5, 7) : tensor<25000xf32>
  %wg = task.resident %w on @gpu
  %y = task.run @gpu (%a = %x) {
    %0 = graph.relu %a : tensor<25000xf32>
    task.yield %0
  }
  %z = task.run @gpu (%a = %wg) {
    %0 = graph.relu %a : tensor<25000xf32>
    task.yield %0
  }
  func.return %y : !task.on<@gpu, tensor<25000xf32>>
}
