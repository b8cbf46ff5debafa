// RUN: ndp-opt %s --plugin %S/Inputs/stay.py --machine toy-ndp --check -p place{policy=stay} | filecheck %s
// RUN: ndp-opt %s --plugin %S/Inputs/stay.py --machine toy-ndp -p place{policy=stay} --summary | filecheck %s --check-prefix=SUMMARY

// A policy places donated arguments on near-data units from the start, and the results that take over their memory
// stay there. The gradient is streamed to the units while the GPU computes it.

// CHECK:      func.func @main(%p: !task.on<@ndp, tensor<64x64xf32>> {task.state = "overwritten, result 0"}, %m: !task.on<@ndp, tensor<64x64xf32>> {task.state = "overwritten, result 1"}, %x: !task.on<@gpu, tensor<64x64xf32>>)
// CHECK-SAME:   -> (!task.on<@ndp, tensor<64x64xf32>>, !task.on<@ndp, tensor<64x64xf32>>)
// CHECK-NEXT: %g = task.run @gpu
// CHECK:      %g_ndp = task.copy stream %g to @ndp
// CHECK-NEXT: %a = task.run @ndp (%m_1 = %m, %g_1 = stream %g_ndp) {
// CHECK:      %b = task.run @ndp (%p_1 = %p, %a_1 = %a) {
// CHECK:      func.return %b, %a

// SUMMARY: tasks 3, and 1 copy over links, 16.384 kB in total
// SUMMARY: predicted {{.*}} by placement policy "stay", equal to the simulation
func.func @main(%p: tensor<64x64xf32> {task.state = "overwritten, result 0"}, %m: tensor<64x64xf32> {task.state = "overwritten, result 1"}, %x: tensor<64x64xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %g = graph.matmul %x, %x : tensor<64x64xf32>, tensor<64x64xf32>
  %a = graph.add %m, %g : tensor<64x64xf32>
  %b = graph.sub %p, %a : tensor<64x64xf32>
  func.return %b, %a : tensor<64x64xf32>, tensor<64x64xf32>
}
