// SLOW
// RUN: ndp-opt %s -t perfetto | python -m json.tool | filecheck %s
// RUN: ndp-opt %s -t perfetto | filecheck %s --check-prefix=ONE
// RUN: ndp-opt %S/explain.mlir --machine h100_sxm -t perfetto | python -m json.tool | filecheck %s --check-prefix=TWO

// Energy is the sum over components; if a board is calibrated, the board's energy is shown, too.
// ONE-NOT: board_nj
//      TWO: "energy_nj"
// TWO-NEXT: "board_nj"
// TWO-NEXT: "bytes_copied"
//      TWO: "energy_nj"
// TWO-NEXT: "board_nj"

// A relu of 100 kB takes 3 us on toy_gpu (1 us of launch, 200 kB at 100 GB/s), the copy 11 us over toy_link.

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK:      "displayTimeUnit": "ns",
// CHECK:      "makespan_ns": 14000.0,
// CHECK:      "name": "process_name",
// CHECK:      "name": "devices"
// CHECK:      "name": "links"
// CHECK:      "name": "@gpu (toy_gpu)"
// CHECK:      "name": "@pim (toy_pim)"
// CHECK:      "name": "gpu->pim"
// CHECK:      "ph": "X",
// CHECK-NEXT: "name": "relu",
// CHECK-NEXT: "cat": "task",
// CHECK-NEXT: "pid": 1,
// CHECK-NEXT: "tid": 1,
// CHECK-NEXT: "ts": 0.0,
// CHECK-NEXT: "dur": 3.0,
// CHECK-NEXT: "args": {
// CHECK-NEXT:   "source": "{{.*}}perfetto.mlir:58:8",
// CHECK-NEXT:   "ns": 3000.0,
// CHECK-NEXT:   "bound": "memory",
// CHECK-NEXT:   "bytes": 200000,
// CHECK-NEXT:   "flops": 25000,
// CHECK-NEXT:   "energy_nj": 2025.0
// CHECK:      "ph": "X",
// CHECK-NEXT: "name": "copy %a",
// CHECK-NEXT: "cat": "copy",
// CHECK-NEXT: "pid": 2,
// CHECK-NEXT: "tid": 3,
// CHECK-NEXT: "ts": 3.0,
// CHECK-NEXT: "dur": 11.0,
// CHECK:      "ph": "s",
// CHECK-NEXT: "ts": 2.97,
// CHECK-NEXT: "pid": 1,
// CHECK-NEXT: "tid": 1
// CHECK:      "ph": "f",
// CHECK-NEXT: "ts": 3.0,
// CHECK-NEXT: "pid": 2,
// CHECK-NEXT: "tid": 3,
func.func @main(%x: !task.on<@gpu, tensor<25000xf32>>) {
  %a = task.run @gpu (%p = %x) {
    %0 = graph.relu %p : tensor<25000xf32>
    task.yield %0
  }
  %c = task.copy %a to @pim
  func.return
}
