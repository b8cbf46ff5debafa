// SLOW
// RUN: ndp-opt %s --machine toy-simd -p 'canonicalize,place{policy=pim-first},to-pim' --check -t timeline | filecheck %s
// RUN: ndp-opt %s --machine a100-aim -p 'canonicalize,reduce-precision,place{policy=pim-first},to-pim' --check -t timeline | filecheck %s --check-prefix=AIM

// The attention of one token with a cache of 15 others: queries are multiplied with keys, and scores with values, which are known at
// run time only. The program writes them into the banks and multiplies with them there. AiM can set sums to a bias; the toy PIM can't.

// CHECK: pim  @matmul_1x64x64_f32
// CHECK: pim  @matmul_4x1x16x16_f32_written
// CHECK: pim  @matmul_4x1x16x16_f32_written

// AIM: pim  @matmul_1x64x64_bf16_bias
// AIM: pim  @matmul_4x1x16x16_bf16_written
// AIM: pim  @matmul_4x1x16x16_bf16_written
// AIM: pim  @matmul_1x64x64_bf16_bias
func.func @main(%x: tensor<1x64xf32>, %keys: tensor<1x4x15x16xf32>, %values: tensor<1x4x15x16xf32>) -> tensor<1x64xf32> {
  %wq = graph.weight "q" = uniform(-0.2, 0.2, 1) : tensor<64x64xf32>
  %bq = graph.weight "bq" = uniform(-0.2, 0.2, 5) : tensor<64xf32>
  %wk = graph.weight "k" = uniform(-0.2, 0.2, 2) : tensor<64x64xf32>
  %wv = graph.weight "v" = uniform(-0.2, 0.2, 3) : tensor<64x64xf32>
  %wo = graph.weight "o" = uniform(-0.2, 0.2, 4) : tensor<64x64xf32>
  %bo = graph.weight "bo" = uniform(-0.2, 0.2, 6) : tensor<64xf32>
  %q = graph.matmul %x, %wq, %bq : tensor<1x64xf32>, tensor<64x64xf32>, tensor<64xf32>
  %k = graph.matmul %x, %wk : tensor<1x64xf32>, tensor<64x64xf32>
  %v = graph.matmul %x, %wv : tensor<1x64xf32>, tensor<64x64xf32>
  %qh = graph.reshape %q : tensor<1x64xf32> -> tensor<1x4x1x16xf32>
  %kh = graph.reshape %k : tensor<1x64xf32> -> tensor<1x4x1x16xf32>
  %vh = graph.reshape %v : tensor<1x64xf32> -> tensor<1x4x1x16xf32>
  %kc = graph.concat %keys, %kh axis = 2 : tensor<1x4x15x16xf32>, tensor<1x4x1x16xf32>
  %vc = graph.concat %values, %vh axis = 2 : tensor<1x4x15x16xf32>, tensor<1x4x1x16xf32>
  %s = graph.matmul %qh, %kc transpose_b : tensor<1x4x1x16xf32>, tensor<1x4x16x16xf32>
  %p = graph.softmax %s axis = 3 : tensor<1x4x1x16xf32>
  %o = graph.matmul %p, %vc : tensor<1x4x1x16xf32>, tensor<1x4x16x16xf32>
  %f = graph.reshape %o : tensor<1x4x1x16xf32> -> tensor<1x64xf32>
  %y = graph.matmul %f, %wo, %bo : tensor<1x64xf32>, tensor<64x64xf32>, tensor<64xf32>
  func.return %y : tensor<1x64xf32>
}
