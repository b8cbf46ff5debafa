// Experts of DeepSeek V3 on one of 8 devices, in f8 with a scale for each 128 elements of a row and each 128x128 of a matrix: 32 of 256 experts are
// here, of which 64 tokens are expected to choose 27.8 with 8 choices each.
// RUN: ndp-opt %s --machine h200_sxm -p gpu-only -t timeline | filecheck %s
// RUN: ndp-opt %s --machine h200_sxm -p gpu-only --explain experts | filecheck %s --check-prefix=KERNEL

// CHECK: {{0 ns .* gpu +experts .* 1\.22[0-9]+ GB}}
// KERNEL: kernel 1 of 1: experts_blocks f8, for graph.grouped_matmul (tokens 64, choices 8, experts 32, rows 64, touched 27.8{{[0-9]*}}, hidden 7,168, inter 2,048, gated 1, w_bytes 1.00024)

func.func @f(%x: tensor<64x7168xbf16>, %ids: tensor<64x8xi32>, %p: tensor<64x8x1xbf16>, %tiny: tensor<f32>,
    %w1: tensor<32x32x128x7168xf8E4M3FN>, %s1: tensor<32x32x1x56xf32>,
    %w2: tensor<32x56x128x2048xf8E4M3FN>, %s2: tensor<32x56x1x16xf32>) -> tensor<64x7168xbf16> {
  %parts = graph.reshape %x : tensor<64x7168xbf16> -> tensor<64x56x128xbf16>
  %sizes = graph.abs %parts : tensor<64x56x128xbf16>
  %most = graph.reduce max %sizes axes = [2] : tensor<64x56x128xbf16>
  %wide = graph.cast %most : tensor<64x56xbf16> -> tensor<64x56xf32>
  %s = graph.mul %wide, %tiny : tensor<64x56xf32>, tensor<f32>
  %q = graph.quantize %x, %s axis = 1, block = 128 : tensor<64x7168xbf16>, tensor<64x56xf32> -> tensor<64x7168xf8E4M3FN>
  %a = graph.dequantize %q, %s axis = 1, block = 128 : tensor<64x7168xf8E4M3FN>, tensor<64x56xf32>
  %rows = graph.reshape %a : tensor<64x7168xf32> -> tensor<64x1x7168xf32>
  %v1 = graph.dequantize %w1, %s1 axis = 3, block = 128 : tensor<32x32x128x7168xf8E4M3FN>, tensor<32x32x1x56xf32>
  %m1 = graph.reshape %v1 : tensor<32x32x128x7168xf32> -> tensor<32x4096x7168xf32>
  %h = graph.grouped_matmul %rows, %m1, %ids transpose_b, experts = 256 : tensor<64x1x7168xf32>, tensor<32x4096x7168xf32>, tensor<64x8xi32>
  %g = graph.slice %h starts = [0, 0, 0], ends = [64, 8, 2048] : tensor<64x8x4096xf32>
  %u = graph.slice %h starts = [0, 0, 2048], ends = [64, 8, 4096] : tensor<64x8x4096xf32>
  %act = graph.silu %g : tensor<64x8x2048xf32>
  %m = graph.mul %act, %u : tensor<64x8x2048xf32>
  %mp = graph.reshape %m : tensor<64x8x2048xf32> -> tensor<64x8x16x128xf32>
  %ma = graph.abs %mp : tensor<64x8x16x128xf32>
  %mm = graph.reduce max %ma axes = [3] : tensor<64x8x16x128xf32>
  %ms = graph.mul %mm, %tiny : tensor<64x8x16xf32>, tensor<f32>
  %mq = graph.quantize %m, %ms axis = 2, block = 128 : tensor<64x8x2048xf32>, tensor<64x8x16xf32> -> tensor<64x8x2048xf8E4M3FN>
  %md = graph.dequantize %mq, %ms axis = 2, block = 128 : tensor<64x8x2048xf8E4M3FN>, tensor<64x8x16xf32>
  %v2 = graph.dequantize %w2, %s2 axis = 3, block = 128 : tensor<32x56x128x2048xf8E4M3FN>, tensor<32x56x1x16xf32>
  %m2 = graph.reshape %v2 : tensor<32x56x128x2048xf32> -> tensor<32x7168x2048xf32>
  %d = graph.grouped_matmul %md, %m2, %ids transpose_b, experts = 256 : tensor<64x8x2048xf32>, tensor<32x7168x2048xf32>, tensor<64x8xi32>
  %dw = graph.cast %d : tensor<64x8x7168xf32> -> tensor<64x8x7168xbf16>
  %weighed = graph.mul %dw, %p : tensor<64x8x7168xbf16>, tensor<64x8x1xbf16>
  %y = graph.reduce sum %weighed axes = [1] : tensor<64x8x7168xbf16>
  func.return %y : tensor<64x7168xbf16>
}
