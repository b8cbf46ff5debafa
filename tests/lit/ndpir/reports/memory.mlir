// RUN: ndp-opt %s -t summary | filecheck %s --check-prefix=SUMMARY
// RUN: ndp-opt %s -t summary --set gpu.memory=16kB | filecheck %s --check-prefix=LARGER
// RUN: ndp-opt %s -t memory-svg | filecheck %s --check-prefix=SVG
// RUN: ndp-opt %s -t perfetto | filecheck %s --check-prefix=PERFETTO
// RUN: not ndp-opt %S/Inputs/fits.mlir -t memory-svg 2>&1 | filecheck %s --check-prefix=FITS

// Each weight of 4 kB takes 400 ns over the link; the first task waits for the first weight, the second one for the
// second weight, and for the eviction of the first. A task takes 1.12 us: 1 us of launch, and 12 kB at 100 GB/s.
//      SUMMARY: makespan   3.04 us
//      SUMMARY: memory     @gpu has 12 kB and holds up to 12 kB; all values live at one time take up to 16 kB (1.33x)
// SUMMARY-NEXT: kept by    moves written in the program: mode move, memory of dead values is used again, no faults
// SUMMARY-NEXT: moved      8 kB prefetched, 4 kB evicted
// SUMMARY-NEXT: waits      800 ns for memory (26.3 % of makespan); ideal 2.24 us with unlimited memory, 73.7 % of makespan
// SUMMARY-NEXT: helps most toy_bus.bandwidth of 20 GB/s instead of 10 GB/s: 2.64 us, 1.15x as fast, with the same moves
// SUMMARY-NEXT: speed-up

// The plan does not change: it brings the second weight when the first task has ended, although there is room earlier.
//      LARGER: makespan   3.04 us
//      LARGER: memory     @gpu has 16 kB and holds up to 12 kB; all values live at one time take up to 16 kB (1.00x)

//      SVG: <svg xmlns="http://www.w3.org/2000/svg"
//      SVG: <title id="title">@main on toy_gpu: memory over time</title>
//      SVG: <desc id="note">moves written in the program, mode move; 73.7 % of ideal</desc>
//      SVG: prefers-color-scheme: dark
//      SVG: @gpu: 12 kB of 12 kB at most
//      SVG: @host: 8 kB of 1 GB at most
//      SVG: moved: into the device (up), out of it (down)
//      SVG: prefetched 8 kB
//      SVG: evicted 4 kB
//      SVG: waits 800 ns (26.3 %)
//      SVG: </svg>

//      PERFETTO: "name":"process_name","pid":3,"tid":0,"args":{"name":"memory"}
//      PERFETTO: "ph":"C","name":"resident @gpu","pid":3,"tid":0,"ts":0.0,"args":{"bytes":4000}
// PERFETTO-SAME: "ph":"C","name":"resident @gpu","pid":3,"tid":0,"ts":0.4,"args":{"bytes":12000}
// PERFETTO-SAME: "ph":"C","name":"resident @host"
// PERFETTO-SAME: "ph":"C","name":"prefetched","pid":3,"tid":0,"ts":1.92,"args":{"bytes":8000}
// PERFETTO-SAME: "ph":"C","name":"evicted","pid":3,"tid":0,"ts":1.92,"args":{"bytes":4000}
// PERFETTO-SAME: "ph":"C","name":"stalled","pid":3,"tid":0,"ts":1.92,"args":{"ns":800}
// PERFETTO-SAME: "ph":"X","name":"prefetch b","cat":"memory","pid":3,"tid":2,"ts":1.52,"dur":0.4
// PERFETTO-SAME: "name":"thread_name","pid":3,"tid":1,"args":{"name":"wait"}

//      FITS: fits.mlir:3:1: error: @main fits into the memory of @gpu, so there are no moves to draw; reduce that memory

hw.device @gpu = "toy_gpu" {memory = "12 kB"}
hw.device @host = "toy_host" {paging.demand = "no"}
hw.link @gpu to @host = "toy_bus"

func.func @main(%x: !task.on<@gpu, tensor<1000xf32>>) -> !task.on<@gpu, tensor<1000xf32>> {
  %a = graph.weight "a" = uniform(0, 1, 1) : tensor<1000xf32>
  %b = graph.weight "b" = uniform(0, 1, 2) : tensor<1000xf32>
  %ag = task.resident %a on @gpu at @host
  %bg = task.resident %b on @gpu at @host
  task.prefetch %ag
  %y = task.run @gpu (%p = %x, %w = %ag) {
    %0 = graph.add %p, %w : tensor<1000xf32>
    task.yield %0
  }
  task.evict %ag to @host
  task.prefetch %bg
  %z = task.run @gpu (%p = %y, %w = %bg) {
    %0 = graph.add %p, %w : tensor<1000xf32>
    task.yield %0
  }
  func.return %z : !task.on<@gpu, tensor<1000xf32>>
}
