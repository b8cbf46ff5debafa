// Experts of gpt-oss 20B for 64 tokens: matrices in microscaled floats of 4 bits, a scale that is a power of two for each 32 elements, and biases. The
// kernel reads the matrices of the experts that tokens are expected to choose, 0.53 bytes an element with its scales, and multiplies in bf16.
// RUN: ndp-opt %s --machine h200_sxm -p gpu-only -t timeline | filecheck %s
// RUN: ndp-opt %s --machine h200_sxm -p gpu-only --explain experts | filecheck %s --check-prefix=KERNEL

// CHECK: {{0 ns .* gpu +experts .* 42[34]\.[0-9]+ MB}}
// KERNEL: kernel 1 of 1: experts bf16, for graph.grouped_matmul (tokens 64, choices 4, experts 32, rows 256, touched 31.99{{[0-9]*}}, hidden 2,880, inter 2,880, gated 1, w_bytes 0.53125)

func.func @f(%x: tensor<64x2880xbf16>, %logits: tensor<64x32xbf16>,
    %w1: tensor<32x5760x2880xf4E2M1FN>, %s1: tensor<32x5760x90xf8E8M0FNU>, %b1: tensor<32x5760xbf16>,
    %w2: tensor<32x2880x2880xf4E2M1FN>, %s2: tensor<32x2880x90xf8E8M0FNU>, %b2: tensor<32x2880xbf16>) -> tensor<64x2880xbf16> {
  %order = graph.argsort %logits axis = 1, descending : tensor<64x32xbf16>
  %ids = graph.slice %order starts = [0, 0], ends = [64, 4] : tensor<64x32xi32>
  %best = graph.gather_elements %logits, %ids axis = 1 : tensor<64x32xbf16>, tensor<64x4xi32>
  %p = graph.softmax %best : tensor<64x4xbf16>
  %rows = graph.reshape %x : tensor<64x2880xbf16> -> tensor<64x1x2880xbf16>
  %v1 = graph.dequantize %w1, %s1 axis = 2, block = 32 : tensor<32x5760x2880xf4E2M1FN>, tensor<32x5760x90xf8E8M0FNU>
  %h = graph.grouped_matmul %rows, %v1, %ids, %b1 transpose_b : tensor<64x1x2880xbf16>, tensor<32x5760x2880xbf16>, tensor<64x4xi32>, tensor<32x5760xbf16>
  %g = graph.slice %h starts = [0, 0, 0], ends = [64, 4, 5760], steps = [1, 1, 2] : tensor<64x4x5760xbf16>
  %u = graph.slice %h starts = [0, 0, 1], ends = [64, 4, 5760], steps = [1, 1, 2] : tensor<64x4x5760xbf16>
  %act = graph.silu %g : tensor<64x4x2880xbf16>
  %m = graph.mul %act, %u : tensor<64x4x2880xbf16>
  %v2 = graph.dequantize %w2, %s2 axis = 2, block = 32 : tensor<32x2880x2880xf4E2M1FN>, tensor<32x2880x90xf8E8M0FNU>
  %d = graph.grouped_matmul %m, %v2, %ids, %b2 transpose_b : tensor<64x4x2880xbf16>, tensor<32x2880x2880xbf16>, tensor<64x4xi32>, tensor<32x2880xbf16>
  %pr = graph.reshape %p : tensor<64x4xbf16> -> tensor<64x4x1xbf16>
  %weighed = graph.mul %d, %pr : tensor<64x4x2880xbf16>, tensor<64x4x1xbf16>
  %y = graph.reduce sum %weighed axes = [1] : tensor<64x4x2880xbf16>
  func.return %y : tensor<64x2880xbf16>
}
