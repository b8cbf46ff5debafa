// Marks that have no effect are noted: of ops that are not placed, and of an argument whose memory no result can reuse there.
// RUN: ndp-opt %s -p place{effort=1} --verify-diagnostics -o /dev/null

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
// expected-note @+1 {{result 0 can't take over the memory of %x on another device, since it is also returned elsewhere or replaces another argument, too; it returns to the primary device}}
func.func @main(%x: tensor<8xf32> {task.on = @pim, task.state = "overwritten, result 0"}) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-note @+1 {{graph.reshape: the mark for @pim has no effect: the op takes no time, as a part of the tasks that read its result; mark the ops that read it}}
  %a = graph.reshape %x {task.on = @pim} : tensor<8xf32> -> tensor<8xf32>
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8xf32>
  // expected-note @+1 {{graph.neg: the mark for @pim has no effect: the op reads only weights and constants, so it runs before the program starts, and its result is kept on each device that reads it; mark the ops that read it}}
  %v = graph.neg %w {task.on = @pim} : tensor<8xf32>
  %y = graph.add %a, %v : tensor<8xf32>
  func.return %y, %y : tensor<8xf32>, tensor<8xf32>
}
