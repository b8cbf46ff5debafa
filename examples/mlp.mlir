// A gated MLP for one token, as in Llama: down(silu(gate x) * up x), on a GPU with memory that computes (PIM).
//
//   ndp-opt examples/mlp.mlir -p offload --summary           the device of each op, and the speed-up
//   ndp-opt examples/mlp.mlir -p offload -t timeline         the start and end of each task
//   ndp-opt examples/mlp.mlir -p offload --check -t values   the results, compared before and after each pass

hw.device @gpu = "a100"
hw.device @pim = "newton" {channels = 64}
hw.link @gpu to @pim = "on_board"

func.func @mlp(%x: tensor<1x1024xf16>) -> tensor<1x1024xf16> {
  %gate = graph.weight "gate" = uniform(-0.05, 0.05, 1) : tensor<1024x2816xf16>
  %up = graph.weight "up" = uniform(-0.05, 0.05, 2) : tensor<1024x2816xf16>
  %down = graph.weight "down" = uniform(-0.05, 0.05, 3) : tensor<2816x1024xf16>
  %g = graph.matmul %x, %gate : tensor<1x1024xf16>, tensor<1024x2816xf16>
  %u = graph.matmul %x, %up : tensor<1x1024xf16>, tensor<1024x2816xf16>
  %s = graph.silu %g : tensor<1x2816xf16>
  %h = graph.mul %s, %u : tensor<1x2816xf16>
  %y = graph.matmul %h, %down : tensor<1x2816xf16>, tensor<2816x1024xf16>
  func.return %y : tensor<1x1024xf16>
}
