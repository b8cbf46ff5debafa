// A link without bandwidth can't be used: all ops stay on the GPU under every policy.
// RUN: ndp-opt %s --machine v100-ndpx --set expander_link.bandwidth=0 -p 'place{policy=overlap}' --summary 2>&1 | filecheck %s
// RUN: ndp-opt %s --machine v100-ndpx --set expander_link.bandwidth=0 -p 'place{policy=xla-ndp accounting=published}' 2>/dev/null | filecheck %s --check-prefix IR

// CHECK: note: no link joins @gpu and @ndp (ndpx), so no op is placed there
// CHECK: tasks      1, and 0 copies over links, 0 B in total
// CHECK: speed-up   1.00x over @gpu alone at its best
// IR-NOT: task.run @ndp
// IR: task.run @gpu
// IR-NOT: task.run @ndp
func.func @main(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %y = graph.gelu %x : tensor<1048576xf32>
  func.return %y : tensor<1048576xf32>
}
