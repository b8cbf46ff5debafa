// A decode layer of Llama 3.1 8B in f8, at a context of 4,096 tokens: weights with one scale each, activations with one for each token, and caches
// of keys and values. Products run in f8, scales included, and attention reads the caches as they lie; each byte is read once.
// RUN: ndp-opt %s --machine h200_sxm -p gpu-only -t timeline | filecheck %s
// RUN: ndp-opt %s --machine h200_sxm -p gpu-only --explain attention | filecheck %s --check-prefix=ATTENTION
// RUN: ndp-opt %s --machine h200_sxm -p gpu-only --explain %s:24:11 | filecheck %s --check-prefix=PRODUCT

// CHECK: {{gpu +qmatmul\+scaled_product .* 25\.[0-9]+ MB}}
// CHECK:         {{gpu +dequantize\+dequantize\+attention .* 8\.4[0-9]* MB}}
// CHECK:         {{gpu +qmatmul\+scaled_product .* 16\.8[0-9]* MB}}
// CHECK:         {{gpu +qmatmul\+scaled_product .* 117\.[0-9]+ MB}}
// CHECK:         {{gpu +qmatmul\+scaled_product .* 58\.[0-9]+ MB}}
// ATTENTION: kernel 1 of 1: decode_narrow bf16, for graph.attention (batch 1, queries 1, keys 4,096, heads 32, kv_heads 8, head 128, causal 0, cache_bytes 1)
// ATTENTION: constants vllm: {{.*}} kernels of h100_sxm, h200_sxm
// PRODUCT: kernel 1 of 1: gemm f8, for graph.qmatmul (batch 1, m 1, n 6,144, k 4,096, quantise 1)
// PRODUCT: constants vllm: {{.*}} kernels of h100_sxm, h200_sxm

func.func @layer(%x: tensor<1x4096xbf16>, %n1: tensor<4096xbf16>, %n2: tensor<4096xbf16>,
    %wqkv: tensor<6144x4096xf8E4M3FN>, %sqkv: tensor<f32>, %wo: tensor<4096x4096xf8E4M3FN>, %so: tensor<f32>,
    %wup: tensor<28672x4096xf8E4M3FN>, %sup: tensor<f32>, %wdown: tensor<4096x14336xf8E4M3FN>, %sdown: tensor<f32>,
    %kc: tensor<1x8x4095x128xf8E4M3FN>, %vc: tensor<1x8x4095x128xf8E4M3FN>, %sk: tensor<bf16>, %sv: tensor<bf16>)
    -> (tensor<1x4096xbf16>, tensor<1x8x4096x128xf8E4M3FN>, tensor<1x8x4096x128xf8E4M3FN>) {
  %tiny = graph.constant 0.0022321428 : tensor<f32>
  %h1 = graph.rms_norm %x, %n1 : tensor<1x4096xbf16>, tensor<4096xbf16>
  %abs0 = graph.abs %h1 : tensor<1x4096xbf16>
  %max0 = graph.reduce max %abs0 axes = [1], keep_dims : tensor<1x4096xbf16>
  %wide0 = graph.cast %max0 : tensor<1x1xbf16> -> tensor<1x1xf32>
  %s0 = graph.mul %wide0, %tiny : tensor<1x1xf32>, tensor<f32>
  %q0 = graph.quantize %h1, %s0 : tensor<1x4096xbf16>, tensor<1x1xf32> -> tensor<1x4096xf8E4M3FN>
  %d0 = graph.dequantize %q0, %s0 : tensor<1x4096xf8E4M3FN>, tensor<1x1xf32>
  %w_qkv = graph.dequantize %wqkv, %sqkv : tensor<6144x4096xf8E4M3FN>, tensor<f32>
  %y_qkv = graph.matmul %d0, %w_qkv transpose_b : tensor<1x4096xf32>, tensor<6144x4096xf32>
  %qkv = graph.cast %y_qkv : tensor<1x6144xf32> -> tensor<1x6144xbf16>
  %qs = graph.slice %qkv starts = [0, 0], ends = [1, 4096] : tensor<1x6144xbf16>
  %ks = graph.slice %qkv starts = [0, 4096], ends = [1, 5120] : tensor<1x6144xbf16>
  %vs = graph.slice %qkv starts = [0, 5120], ends = [1, 6144] : tensor<1x6144xbf16>
  %qh = graph.reshape %qs : tensor<1x4096xbf16> -> tensor<1x32x1x128xbf16>
  %kh = graph.reshape %ks : tensor<1x1024xbf16> -> tensor<1x8x1x128xbf16>
  %vh = graph.reshape %vs : tensor<1x1024xbf16> -> tensor<1x8x1x128xbf16>
  %k8 = graph.quantize %kh, %sk : tensor<1x8x1x128xbf16>, tensor<bf16> -> tensor<1x8x1x128xf8E4M3FN>
  %kn = graph.concat %kc, %k8 axis = 2 : tensor<1x8x4095x128xf8E4M3FN>, tensor<1x8x1x128xf8E4M3FN>
  %kd = graph.dequantize %kn, %sk : tensor<1x8x4096x128xf8E4M3FN>, tensor<bf16>
  %v8 = graph.quantize %vh, %sv : tensor<1x8x1x128xbf16>, tensor<bf16> -> tensor<1x8x1x128xf8E4M3FN>
  %vn = graph.concat %vc, %v8 axis = 2 : tensor<1x8x4095x128xf8E4M3FN>, tensor<1x8x1x128xf8E4M3FN>
  %vd = graph.dequantize %vn, %sv : tensor<1x8x4096x128xf8E4M3FN>, tensor<bf16>
  %at = graph.attention %qh, %kd, %vd : tensor<1x32x1x128xbf16>, tensor<1x8x4096x128xbf16>, tensor<1x8x4096x128xbf16>
  %ar = graph.reshape %at : tensor<1x32x1x128xbf16> -> tensor<1x4096xbf16>
  %abs1 = graph.abs %ar : tensor<1x4096xbf16>
  %max1 = graph.reduce max %abs1 axes = [1], keep_dims : tensor<1x4096xbf16>
  %wide1 = graph.cast %max1 : tensor<1x1xbf16> -> tensor<1x1xf32>
  %s1 = graph.mul %wide1, %tiny : tensor<1x1xf32>, tensor<f32>
  %q1 = graph.quantize %ar, %s1 : tensor<1x4096xbf16>, tensor<1x1xf32> -> tensor<1x4096xf8E4M3FN>
  %d1 = graph.dequantize %q1, %s1 : tensor<1x4096xf8E4M3FN>, tensor<1x1xf32>
  %w_o = graph.dequantize %wo, %so : tensor<4096x4096xf8E4M3FN>, tensor<f32>
  %y_o = graph.matmul %d1, %w_o transpose_b : tensor<1x4096xf32>, tensor<4096x4096xf32>
  %o = graph.cast %y_o : tensor<1x4096xf32> -> tensor<1x4096xbf16>
  %r1 = graph.add %x, %o : tensor<1x4096xbf16>
  %h2 = graph.rms_norm %r1, %n2 : tensor<1x4096xbf16>, tensor<4096xbf16>
  %abs2 = graph.abs %h2 : tensor<1x4096xbf16>
  %max2 = graph.reduce max %abs2 axes = [1], keep_dims : tensor<1x4096xbf16>
  %wide2 = graph.cast %max2 : tensor<1x1xbf16> -> tensor<1x1xf32>
  %s2 = graph.mul %wide2, %tiny : tensor<1x1xf32>, tensor<f32>
  %q2 = graph.quantize %h2, %s2 : tensor<1x4096xbf16>, tensor<1x1xf32> -> tensor<1x4096xf8E4M3FN>
  %d2 = graph.dequantize %q2, %s2 : tensor<1x4096xf8E4M3FN>, tensor<1x1xf32>
  %w_up = graph.dequantize %wup, %sup : tensor<28672x4096xf8E4M3FN>, tensor<f32>
  %y_up = graph.matmul %d2, %w_up transpose_b : tensor<1x4096xf32>, tensor<28672x4096xf32>
  %up = graph.cast %y_up : tensor<1x28672xf32> -> tensor<1x28672xbf16>
  %g = graph.slice %up starts = [0, 0], ends = [1, 14336] : tensor<1x28672xbf16>
  %u = graph.slice %up starts = [0, 14336], ends = [1, 28672] : tensor<1x28672xbf16>
  %sg = graph.silu %g : tensor<1x14336xbf16>
  %gu = graph.mul %sg, %u : tensor<1x14336xbf16>
  %abs3 = graph.abs %gu : tensor<1x14336xbf16>
  %max3 = graph.reduce max %abs3 axes = [1], keep_dims : tensor<1x14336xbf16>
  %wide3 = graph.cast %max3 : tensor<1x1xbf16> -> tensor<1x1xf32>
  %s3 = graph.mul %wide3, %tiny : tensor<1x1xf32>, tensor<f32>
  %q3 = graph.quantize %gu, %s3 : tensor<1x14336xbf16>, tensor<1x1xf32> -> tensor<1x14336xf8E4M3FN>
  %d3 = graph.dequantize %q3, %s3 : tensor<1x14336xf8E4M3FN>, tensor<1x1xf32>
  %w_down = graph.dequantize %wdown, %sdown : tensor<4096x14336xf8E4M3FN>, tensor<f32>
  %y_down = graph.matmul %d3, %w_down transpose_b : tensor<1x14336xf32>, tensor<4096x14336xf32>
  %down = graph.cast %y_down : tensor<1x4096xf32> -> tensor<1x4096xbf16>
  %r2 = graph.add %r1, %down : tensor<1x4096xbf16>
  func.return %r2, %kn, %vn : tensor<1x4096xbf16>, tensor<1x8x4096x128xf8E4M3FN>, tensor<1x8x4096x128xf8E4M3FN>
}
