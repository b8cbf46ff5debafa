// Wrong options and programs are errors that say what to do.
// RUN: not ndp-opt %s -p 'prefetch{policy=belady}' 2>&1 | filecheck %s --check-prefix=POLICY
// RUN: not ndp-opt %s -p 'prefetch{mode=swap}' 2>&1 | filecheck %s --check-prefix=MODE
// RUN: not ndp-opt %s -p 'prefetch{policy=uvm factor=60}' 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not ndp-opt %s -p 'prefetch{policy=pump factor=0}' 2>&1 | filecheck %s --check-prefix=FACTOR
// RUN: not ndp-opt %s -p 'prefetch{policy=pump runahead=-2}' 2>&1 | filecheck %s --check-prefix=AHEAD
// RUN: not ndp-opt %s -p 'prefetch{policy=lookahead degree=0}' 2>&1 | filecheck %s --check-prefix=DEGREE
// RUN: not ndp-opt %s -p 'prefetch{policy=replay}' 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not ndp-opt %s -p 'prefetch{policy=uvm},prefetch{policy=pump}' --set gpu.memory=250kB 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not ndp-opt %s -p 'prefetch{policy=uvm}' --set gpu.memory=150kB 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: not ndp-opt %s -p 'prefetch{policy=uvm}' --set host.demand=no --set gpu.memory=250kB 2>&1 | filecheck %s --check-prefix=FAULTS
// RUN: ndp-opt %s -p 'prefetch{policy=uvm}' 2>&1 | filecheck %s --check-prefix=FITS

// POLICY: option `policy` of prefetch must be one of uvm, pump, lookahead, replay, plan, but is belady
// MODE: option `mode` of prefetch must be one of move, copy, but is swap
// OPTION: prefetch: option `factor` applies to policy pump, not to uvm; remove it
// FACTOR: prefetch: `factor` must be from 1 to 100, not 0
// AHEAD: prefetch: `runahead` must be -1 or more, not -2
// DEGREE: prefetch: `degree` must be 1 or more, not 0
// FILE: prefetch: policy replay needs the file of a plan
// TWICE: invalid.mlir:{{.*}}: error: @main already has a plan for its memory; remove that plan, or remove prefetch from the pipeline
// LARGE: invalid.mlir:{{.*}}: error: relu needs 200 kB at one time, but @gpu holds 150 kB, so that no moves help
// FAULTS: the memory behind @gpu serves no page faults, but this policy needs them
// FITS: note: @main needs 300 kB and fits into the 1.0737 GB of @gpu, so no data are moved
// FITS-NOT: task.memory

hw.device @gpu = "toy_gpu"
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
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
