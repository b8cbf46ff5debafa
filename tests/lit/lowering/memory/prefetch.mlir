// Policies for moves between a memory and the one behind it: of two weights of 150 kB, the GPU's 300 kB hold one,
// besides the inputs and outputs of tasks. Between GPU and host, 10 GB/s go in each direction.
// RUN: ndp-opt %s -p 'prefetch{policy=uvm}' | filecheck %s --check-prefix=UVM
// RUN: ndp-opt %s -p 'prefetch{policy=pump}' | filecheck %s --check-prefix=PUMP
// RUN: ndp-opt %s -p 'prefetch{policy=pump factor=60 runahead=0 reuse=false}' | filecheck %s --check-prefix=OPTIONS
// RUN: ndp-opt %s -p 'prefetch{policy=lookahead degree=1}' | filecheck %s --check-prefix=AHEAD
// RUN: ndp-opt %s -p 'prefetch{policy=pump save="%t"}' -o /dev/null && ndp-opt %s -p 'prefetch{policy=replay file="%t"}' -t timeline | filecheck %s --check-prefix=TIME
// RUN: ndp-opt %s -p 'prefetch{policy=pump}' -t timeline | filecheck %s --check-prefix=TIME
// RUN: ndp-opt %s -p 'prefetch{policy=pump}' --check -t summary
// RUN: ndp-opt %s -p prefetch --check | filecheck %s --check-prefix=PLAN

// The policy `plan` moves only parts of tensors, as many bytes as memory lacks, and notes a lower bound on all plans.
// PLAN: #task.memory<"plan", mode = "copy", faults = false, reuse = true, bound = {{[0-9.]+}} "{{.*}}", ideal = {{[0-9.]+}}, machine = "{{[0-9a-f]+}}">
// PLAN: task.prefetch %wg [{{[0-9]+}} to 150000]
// PLAN: task.evict %vg [{{[0-9]+}} to 150000] to @host

// Demand paging is a note without moves: the driver decides at run time.
// UVM: task.memory = #task.memory<"uvm", mode = "move", faults = true, reuse = true>
// UVM-NOT: task.prefetch

// A task waits for the prefetches that its launch issues; values that do not exist yet can't be prefetched.
// PUMP: #task.memory<"pump", mode = "move", faults = true, reuse = true, runahead = 64>
// PUMP:      %wg = task.resident %w on @gpu
// PUMP-NEXT: %0 = task.prefetch %vg
// PUMP-NEXT: %1 = task.prefetch %x
// PUMP-NEXT: %y = task.run @gpu after %0, %1 (%a = %x, %b = %vg) {
// PUMP:      %2 = task.prefetch %wg
// PUMP-NEXT: %3 = task.prefetch %y
// PUMP-NEXT: %z = task.run @gpu after %2, %3 (%a = %y, %b = %wg) {

// The note holds options that differ from their defaults.
// OPTIONS: #task.memory<"pump factor=60 runahead=0 reuse=false", mode = "move", faults = true, reuse = false, runahead = 0>

// AHEAD:      #task.memory<"lookahead degree=1", mode = "move", faults = true, reuse = true>
// AHEAD:      %0 = task.prefetch %vg
// AHEAD:      task.prefetch %wg
// AHEAD:      %y = task.run @gpu (

// The prefetch of one weight runs in parallel to the eviction of the other; a plan written to a file is read as the same plan.
// TIME:      host->gpu  prefetch v
// TIME:      gpu->host  evict w
// TIME:      gpu        slice+add
// TIME:      host->gpu  prefetch w
// TIME:      gpu->host  evict v
// TIME:      gpu        slice+add
// TIME:      makespan  31.4 us

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
