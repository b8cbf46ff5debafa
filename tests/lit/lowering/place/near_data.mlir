// Kernels that near-data units can run: a product takes 1.5243 us, each other kernel 1.3277 us on the primary device, and 2.139 us (softmax:
// 6.475 us) on the units, in the published accounting. Each decision is noted on its task with its reason, and parses to the same.
// RUN: ndp-opt %s --machine toy-ndp -p 'place{policy=pattern accounting=published}' -t decisions | filecheck %s --check-prefix PATTERN
// RUN: ndp-opt %s --machine toy-ndp -p 'place{policy=xla-ndp accounting=published}' -t decisions | filecheck %s --check-prefix COST
// RUN: ndp-opt %s --machine toy-ndp -p 'place{policy=overlap accounting=published}' -t decisions | filecheck %s --check-prefix OVERLAP
// RUN: ndp-opt %s --machine toy-ndp -p 'place{policy=overlap}' -t decisions | filecheck %s --check-prefix FULL
// RUN: ndp-opt %s --machine toy-ndp -p 'place{policy=overlap accounting=published}' -o %t
// RUN: ndp-opt %t | filecheck %s --check-prefix IR
// RUN: ndp-opt %t -p to-ndp -t 'decisions{limit=1}' | filecheck %s --check-prefix LOWERED
// RUN: not ndp-opt %s --machine v100_sxm2 -p 'place{policy=xla-ndp}' 2>&1 | filecheck %s --check-prefix ALONE
// RUN: not ndp-opt %s --machine toy-ndp -p 'place{effort=1 accounting=published}' 2>&1 | filecheck %s --check-prefix OPTION
// RUN: not ndp-opt %s --machine toy-ndp -p 'place{policy=overlap accounting=half}' 2>&1 | filecheck %s --check-prefix ACCOUNTING
// RUN: not ndp-opt %s --machine toy-ndp -p 'place{effort=1}' -t decisions 2>&1 | filecheck %s --check-prefix NONE
// RUN: not ndp-opt %s --machine toy-ndp -p 'place{policy=xla-ndp}' -t 'decisions{limit=-1}' 2>&1 | filecheck %s --check-prefix LIMIT

// `pattern` decides by depth, not by cost: a kernel that reads a product's result, or computes a product's operand, processes it as a stream;
// softmax runs in parallel to the latest independent product of smaller depth. For exp and abs, no independent product has time left.
// PATTERN:      parallel    softmax        1  1.3277 us   6.475 us  1.5243 us  4.9507 us
// PATTERN-NEXT: fly-write   relu           1  1.3277 us   2.139 us  1.5243 us  614.71 ns
// PATTERN-NEXT: fly-read    neg            1  1.3277 us   2.139 us  1.5243 us  614.71 ns
// PATTERN-NEXT: sequential  exp            1  1.3277 us   2.139 us       0 ns   2.139 us
// PATTERN-NEXT: sequential  abs            1  1.3277 us   2.139 us       0 ns   2.139 us
// PATTERN-NEXT: all                        5  6.6384 us  15.031 us  4.5729 us  10.458 us
// PATTERN:      parallel    softmax {{.*}}  matmul  independent kernels hide all but 4.9507 us of it; the rule ignores costs
// PATTERN:      accounting  GPU alone  this plan  speed-up
// PATTERN-NEXT: published   8.7238 us  15.031 us    0.580x

// `xla-ndp` decides by cost: relu processes its product's result as a stream, then in parallel to another product, which hides it; softmax would be exposed.
// COST:      parallel   neg            1  1.3277 us   2.139 us  1.6225 us  516.46 ns
// COST-NEXT: fly-write  relu           1  1.3277 us   2.139 us   2.139 us       0 ns
// COST-NEXT: fly-read   exp            1  1.3277 us   2.139 us   2.139 us       0 ns
// COST-NEXT: gpu        softmax        1  1.3277 us      0 ns       0 ns       0 ns
// COST-NEXT: gpu        abs            1  1.3277 us      0 ns       0 ns       0 ns
// COST:      gpu        abs {{.*}}  its exposed time would be no less than its time on the primary device
// COST:      published   8.7238 us  7.7447 us    1.126x

// `overlap` leaves another kernel on the primary device, since it hides kernels that save more.
// OVERLAP:      parallel  exp            1  1.3277 us  2.139 us  2.139 us     0 ns
// OVERLAP-NEXT: parallel  abs            1  1.3277 us  2.139 us  2.139 us     0 ns
// OVERLAP-NEXT: fly-read  neg            1  1.3277 us  2.139 us  2.139 us     0 ns
// OVERLAP-NEXT: gpu       relu           1  1.3277 us      0 ns      0 ns     0 ns
// OVERLAP-NEXT: gpu       softmax        1  1.3277 us      0 ns      0 ns     0 ns
// OVERLAP:      gpu       relu     1.3277 us  2.139 us      0 ns     0 ns                              it stays to hide other kernels, which saves as much time
// OVERLAP-NEXT: gpu       softmax  1.3277 us  6.475 us      0 ns     0 ns                              offloading it would cost 1.6606 us more at the dual prices of the bound
// OVERLAP:      published   8.7238 us  7.2282 us    1.207x  7.2282 us   0.0 %

// In the full accounting, results must be copied back, so only relu is offloaded: its product ends long before the next one must start.
// FULL:      parallel  relu           1  1.3277 us  2.139 us  2.139 us     0 ns
// FULL-NEXT: gpu       exp            1  1.3277 us      0 ns      0 ns     0 ns
// FULL:      gpu       exp      1.3277 us  2.139 us      0 ns     0 ns                              no schedule that was tried with it offloaded ended earlier
// FULL:      published  {{.*}}  9.8836 us    0.883x  7.2282 us  36.7 %
// FULL-NEXT: full       8.7238 us  10.464 us    0.834x  9.8836 us   5.9 %

// IR: task.published = #task.published<ns = 7228.224, alone = 11211.264, bound = 7228.224, machine = {{.*}}>
// IR: %h = task.run @ndp
// IR: task.decision = #task.decision<"parallel", primary = 1327.68, away = 2139.0, beside = {"matmul {{.*}}" = 909.576, "relu {{.*}}" = 1229.424}, "independent kernels hide it, and on the primary device it takes 1.3277 us">

// LOWERED:      parallel  2 more kinds
// LOWERED:      parallel  @exp    1.3277 us  2.139 us  2.139 us     0 ns  matmul, softmax and 1 more
// LOWERED-NEXT: ... 4 more (decisions{limit=0} shows all)
// LOWERED:      published   8.7238 us  7.2282 us    1.207x  7.2282 us   0.0 %

// ALONE: :[[#]]:8: error: no other device works concurrently with @gpu (v100_sxm2): policies pattern, xla-ndp and overlap need a GPU with near-data units; select such a machine (--machine v100-ndpx)
// OPTION: error: place: option `accounting` applies to policies pattern, xla-ndp and overlap, not to optimal; remove it
// ACCOUNTING: error: option `accounting` of place must be one of full, published, but is half
// NONE: error: decisions: the program has no placement decisions; place it by a policy that overlaps kernels with those of the GPU (-p 'place{policy=overlap}'), on a machine with near-data units
// LIMIT: error: decisions: `limit` must be at least 0 (0: all), not -1
func.func @main(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>, %p: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %a = graph.matmul %x, %u : tensor<64x64xf32>, tensor<64x64xf32>
  %b = graph.relu %a : tensor<64x64xf32>
  %c = graph.matmul %b, %u : tensor<64x64xf32>, tensor<64x64xf32>
  %d = graph.exp %p : tensor<64x64xf32>
  %e = graph.neg %u : tensor<64x64xf32>
  %f = graph.matmul %e, %x : tensor<64x64xf32>, tensor<64x64xf32>
  %g = graph.softmax %f {axis = 1} : tensor<64x64xf32>
  %h = graph.abs %d : tensor<64x64xf32>
  func.return %c, %d, %g, %h : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
