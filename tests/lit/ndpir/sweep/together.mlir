// RUN: rm -f %t.sqlite %t.more.sqlite
// RUN: ndp-sweep %s -p offload --sweep pim.tRCD=1..8 --sweep pim.tRP=1..8 --jobs 1 -o %t.sqlite 2>&1 | filecheck %s --check-prefix=TOGETHER
// RUN: ndp-sweep %s -p offload --sweep pim.tRCD=1..8 --sweep pim.tRP=1..8 --jobs 1 -o %t.sqlite 2>&1 | filecheck %s --check-prefix=AGAIN
// RUN: ndp-sweep show %t.sqlite | filecheck %s --check-prefix=SHOW
// RUN: ndp-sweep %s -p offload --sweep pim.tRCD=0..8 --sweep pim.tRP=-1..8 --jobs 1 -o %t.more.sqlite 2>&1 | filecheck %s --check-prefix=FAILED

// Sixty-four points or more that differ only in timings of a PIM are planned and timed together.
// TOGETHER: 64 points, 0 failed, 64 timed together; results in
// AGAIN: 64 points, 0 failed, 64 of them were there already; results in

// SHOW: 64 points, 0 failed
// SHOW: Pareto front: 1 of 64 points that no other beats in makespan_ns and energy_nj
// SHOW: {{^ +}}1 {{ +}}1{{ }}

// Points with impossible numbers are rows with their reason.
// FAILED: 90 points, 9 failed, 81 timed together; results in

hw.device @gpu = "a100"
hw.device @pim = "newton"
hw.link @gpu to @pim = "on_board"

func.func @main(%x: tensor<1x1024xf16>) -> tensor<1x512xf16> {
  %v = graph.weight "v" = uniform(-0.05, 0.05, 1) : tensor<1024x2048xf16>
  %w = graph.weight "w" = uniform(-0.05, 0.05, 2) : tensor<2048x512xf16>
  %h = graph.matmul %x, %v : tensor<1x1024xf16>, tensor<1024x2048xf16>
  %r = graph.relu %h : tensor<1x2048xf16>
  %y = graph.matmul %r, %w : tensor<1x2048xf16>, tensor<2048x512xf16>
  func.return %y : tensor<1x512xf16>
}
