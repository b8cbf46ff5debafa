// RUN: ndp-opt %s -p 'place{policy=path}' -t timeline | filecheck %s
// RUN: ndp-opt %s -p 'place{policy=path}' -t timeline --set gpu.executor=sequential | filecheck %s --check-prefix=SEQUENTIAL
// RUN: ndp-opt %s -p 'place{policy=greedy}' -t timeline --set gpu.executor=sequential | filecheck %s --check-prefix=GREEDY
// RUN: ndp-opt %s -p 'place{policy=path width=6}' -t summary | filecheck %s --check-prefix=WIDE
// RUN: ndp-opt %s -p 'place{policy=path width=4}' -t summary 2>&1 | filecheck %s --check-prefix=NARROW
// RUN: ndp-opt %s -p 'place{policy=path}' -t timeline --set pim.rows=24 2>&1 | filecheck %s --check-prefix=MEMORY

// A product takes 3.5435 us on the GPU (3.5 us of launch), 1.851 us on the PIM, and each copy 1.0128 us.
hw.device @gpu = "toy_gpu" {launch = 3.5}
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// The last product stays on the primary device: 3.5435 us against 3.8766 us with a copy to the PIM and one back. Each of the first
// two alone would stay, too; but both read %x, which is copied once: 1.0128 + 2 x 1.851 + 2 x 1.0128 = 6.7404 us against 7.087.
// CHECK:      gpu->pim  copy %x
// CHECK-NEXT: pim       matmul
// CHECK-NEXT: pim->gpu  copy %a
// CHECK-NEXT: pim       matmul
// CHECK-NEXT: pim->gpu  copy %b
// CHECK-NEXT: gpu       add
// CHECK-NEXT: gpu       matmul
// One copy back overlaps a product: 13.788 - 1.0128.
// CHECK:      makespan  12.775 us

// With a sequential executor: 6.7404 + 3.50384 + 3.5435.
// SEQUENTIAL:  makespan  13.788 us
// Greedy puts each product where it ends first, and the next op pays for the copy back: %a and %d run on the PIM,
// %b on the GPU; 3.8766 + 3.5435 + 3.50384 + 3.8766.
// GREEDY: makespan  14.801 us

// A weight takes 16 rows of each bank. In 24 rows, only one product fits, and one alone does not pay off. Since
// this is proved optimal, no note states a distance to the bound.
// MEMORY-NOT: note: place: memory
// MEMORY-NOT: copy %
// MEMORY:     makespan  14.134 us

// Tables have 2 devices for %a, 2 for %b and 3 sets of devices for %x; %a and %b are never in one table.
// WIDE:   makespan   12.775 us
// NARROW: path.mlir:[[#]]:8: note: place: from this op on, the exact search for the minimum serial time needs a table of 6 entries, more than width=4; the placement found takes 13.788 us, at most 2.5 % above the minimum; a larger `width` takes more time and memory
// NARROW: makespan   12.775 us
func.func @main(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<32x32xf32>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 2) : tensor<32x32xf32>
  %u = graph.weight "u" = uniform(-1.0, 1.0, 3) : tensor<32x32xf32>
  %a = graph.matmul %x, %w : tensor<1x32xf32>, tensor<32x32xf32>
  %b = graph.matmul %x, %v : tensor<1x32xf32>, tensor<32x32xf32>
  %c = graph.add %a, %b : tensor<1x32xf32>
  %d = graph.matmul %c, %u : tensor<1x32xf32>, tensor<32x32xf32>
  func.return %d : tensor<1x32xf32>
}
