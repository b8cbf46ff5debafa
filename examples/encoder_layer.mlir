// A layer of a transformer's encoder, for 8 tokens of 256 elements, with one head: small enough to read every decision.
//
//   ndp-opt examples/encoder_layer.mlir --machine cpu-pim -t profile-plan      the minimal set of runs that measures all costs
//   ndp-profile examples/encoder_layer.mlir --machine cpu-pim -o measured.json  does these runs on this computer
//
// docs/placement.md continues with the costs measured on a computer with two cores (measured_encoder_layer.json).

func.func @layer(%x: tensor<8x256xf32>) -> tensor<8x256xf32> {
  %wq = graph.weight "wq" = uniform(-0.1, 0.1, 1) : tensor<256x256xf32>
  %wk = graph.weight "wk" = uniform(-0.1, 0.1, 2) : tensor<256x256xf32>
  %wv = graph.weight "wv" = uniform(-0.1, 0.1, 3) : tensor<256x256xf32>
  %wo = graph.weight "wo" = uniform(-0.1, 0.1, 4) : tensor<256x256xf32>
  %up = graph.weight "up" = uniform(-0.1, 0.1, 5) : tensor<256x1024xf32>
  %down = graph.weight "down" = uniform(-0.1, 0.1, 6) : tensor<1024x256xf32>
  %scale = graph.weight "scale" = uniform(0.9, 1.1, 7) : tensor<256xf32>
  %shift = graph.weight "shift" = uniform(-0.1, 0.1, 8) : tensor<256xf32>
  %root = graph.constant 0.0625 : tensor<f32>
  %q = graph.matmul %x, %wq : tensor<8x256xf32>, tensor<256x256xf32>
  %k = graph.matmul %x, %wk : tensor<8x256xf32>, tensor<256x256xf32>
  %v = graph.matmul %x, %wv : tensor<8x256xf32>, tensor<256x256xf32>
  %qk = graph.matmul %q, %k transpose_b : tensor<8x256xf32>, tensor<8x256xf32>
  %scaled = graph.mul %qk, %root : tensor<8x8xf32>, tensor<f32>
  %shares = graph.softmax %scaled : tensor<8x8xf32>
  %attended = graph.matmul %shares, %v : tensor<8x8xf32>, tensor<8x256xf32>
  %o = graph.matmul %attended, %wo : tensor<8x256xf32>, tensor<256x256xf32>
  %a = graph.add %x, %o : tensor<8x256xf32>
  %n = graph.layer_norm %a, %scale, %shift : tensor<8x256xf32>, tensor<256xf32>, tensor<256xf32>
  %h = graph.matmul %n, %up : tensor<8x256xf32>, tensor<256x1024xf32>
  %g = graph.gelu %h : tensor<8x1024xf32>
  %d = graph.matmul %g, %down : tensor<8x1024xf32>, tensor<1024x256xf32>
  %b = graph.add %n, %d : tensor<8x256xf32>
  %y = graph.layer_norm %b, %scale, %shift : tensor<8x256xf32>, tensor<256xf32>, tensor<256xf32>
  func.return %y : tensor<8x256xf32>
}
