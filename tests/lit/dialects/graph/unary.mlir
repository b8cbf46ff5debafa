// Element-wise ops with one operand: every op, every element type, empty and scalar tensors.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<2x3xf32>, %h: tensor<f16>, %b: tensor<0x4xbf16>, %d: tensor<1xf64>, %i: tensor<4xi8>, %u: tensor<4xui8>, %c: tensor<2x3xi1>) {
  // CHECK-NEXT: %abs = graph.abs %x : tensor<2x3xf32>
  %abs = graph.abs %x : tensor<2x3xf32>
  // CHECK-NEXT: %neg = graph.neg %x : tensor<2x3xf32>
  %neg = graph.neg %x : tensor<2x3xf32>
  // CHECK-NEXT: %exp = graph.exp %x : tensor<2x3xf32>
  %exp = graph.exp %x : tensor<2x3xf32>
  // CHECK-NEXT: %log = graph.log %x : tensor<2x3xf32>
  %log = graph.log %x : tensor<2x3xf32>
  // CHECK-NEXT: %sqrt = graph.sqrt %x : tensor<2x3xf32>
  %sqrt = graph.sqrt %x : tensor<2x3xf32>
  // CHECK-NEXT: %rsqrt = graph.rsqrt %x : tensor<2x3xf32>
  %rsqrt = graph.rsqrt %x : tensor<2x3xf32>
  // CHECK-NEXT: %reciprocal = graph.reciprocal %x : tensor<2x3xf32>
  %reciprocal = graph.reciprocal %x : tensor<2x3xf32>
  // CHECK-NEXT: %sin = graph.sin %x : tensor<2x3xf32>
  %sin = graph.sin %x : tensor<2x3xf32>
  // CHECK-NEXT: %cos = graph.cos %x : tensor<2x3xf32>
  %cos = graph.cos %x : tensor<2x3xf32>
  // CHECK-NEXT: %tanh = graph.tanh %x : tensor<2x3xf32>
  %tanh = graph.tanh %x : tensor<2x3xf32>
  // CHECK-NEXT: %erf = graph.erf %x : tensor<2x3xf32>
  %erf = graph.erf %x : tensor<2x3xf32>
  // CHECK-NEXT: %erfc = graph.erfc %x : tensor<2x3xf32>
  %erfc = graph.erfc %x : tensor<2x3xf32>
  // CHECK-NEXT: %sigmoid = graph.sigmoid %x : tensor<2x3xf32>
  %sigmoid = graph.sigmoid %x : tensor<2x3xf32>
  // CHECK-NEXT: %relu = graph.relu %x : tensor<2x3xf32>
  %relu = graph.relu %x : tensor<2x3xf32>
  // CHECK-NEXT: %silu = graph.silu %x : tensor<2x3xf32>
  %silu = graph.silu %x : tensor<2x3xf32>
  // CHECK-NEXT: %sign = graph.sign %x : tensor<2x3xf32>
  %sign = graph.sign %x : tensor<2x3xf32>
  // CHECK-NEXT: %log1p = graph.log1p %x : tensor<2x3xf32>
  %log1p = graph.log1p %x : tensor<2x3xf32>
  // CHECK-NEXT: %expm1 = graph.expm1 %x : tensor<2x3xf32>
  %expm1 = graph.expm1 %x : tensor<2x3xf32>
  // CHECK-NEXT: %cbrt = graph.cbrt %x : tensor<2x3xf32>
  %cbrt = graph.cbrt %x : tensor<2x3xf32>
  // CHECK-NEXT: %tan = graph.tan %x : tensor<2x3xf32>
  %tan = graph.tan %x : tensor<2x3xf32>
  // CHECK-NEXT: %round = graph.round %x : tensor<2x3xf32>
  %round = graph.round %x : tensor<2x3xf32>
  // CHECK-NEXT: %away = graph.round %x ties = away : tensor<2x3xf32>
  %away = graph.round %x ties = away : tensor<2x3xf32>
  // CHECK-NEXT: %sign_i = graph.sign %i : tensor<4xi8>
  %sign_i = graph.sign %i : tensor<4xi8>
  // CHECK-NEXT: %floor = graph.floor %x : tensor<2x3xf32>
  %floor = graph.floor %x : tensor<2x3xf32>
  // CHECK-NEXT: %ceil = graph.ceil %x : tensor<2x3xf32>
  %ceil = graph.ceil %x : tensor<2x3xf32>
  // CHECK-NEXT: %gelu = graph.gelu %x : tensor<2x3xf32>
  %gelu = graph.gelu %x : tensor<2x3xf32>
  // CHECK-NEXT: %gelu_tanh = graph.gelu %x approximate = tanh : tensor<2x3xf32>
  %gelu_tanh = graph.gelu %x approximate = tanh : tensor<2x3xf32>
  // CHECK-NEXT: %relu6 = graph.clip %x min = 0.0, max = 6.0 : tensor<2x3xf32>
  %relu6 = graph.clip %x min = 0.0, max = 6.0 : tensor<2x3xf32>
  // CHECK-NEXT: %floor_of = graph.clip %x min = 1.0e-30 : tensor<2x3xf32>
  %floor_of = graph.clip %x min = 1.0e-30 : tensor<2x3xf32>
  // CHECK-NEXT: %all = graph.clip %x : tensor<2x3xf32>
  %all = graph.clip %x : tensor<2x3xf32>
  // CHECK-NEXT: %half = graph.exp %h : tensor<f16>
  %half = graph.exp %h : tensor<f16>
  // CHECK-NEXT: %brain = graph.tanh %b : tensor<0x4xbf16>
  %brain = graph.tanh %b : tensor<0x4xbf16>
  // CHECK-NEXT: %double = graph.erf %d : tensor<1xf64>
  %double = graph.erf %d : tensor<1xf64>
  // CHECK-NEXT: %whole = graph.abs %i : tensor<4xi8>
  %whole = graph.abs %i : tensor<4xi8>
  // CHECK-NEXT: %unsigned = graph.clip %u max = 200.0 : tensor<4xui8>
  %unsigned = graph.clip %u max = 200.0 : tensor<4xui8>
  // CHECK-NEXT: %no = graph.not %c : tensor<2x3xi1>
  %no = graph.not %c : tensor<2x3xi1>
  // CHECK-NEXT: %inverted = graph.not %u : tensor<4xui8>
  %inverted = graph.not %u : tensor<4xui8>
  // CHECK-NEXT: %finite = graph.isfinite %h : tensor<f16>
  %finite = graph.isfinite %h : tensor<f16>
  // CHECK-NEXT: %nans = graph.isnan %x : tensor<2x3xf32>
  %nans = graph.isnan %x : tensor<2x3xf32>
  // CHECK-NEXT: %down = graph.cast %x : tensor<2x3xf32> -> tensor<2x3xf16>
  %down = graph.cast %x : tensor<2x3xf32> -> tensor<2x3xf16>
  // CHECK-NEXT: %truth = graph.cast %i : tensor<4xi8> -> tensor<4xi1>
  %truth = graph.cast %i : tensor<4xi8> -> tensor<4xi1>
  func.return
}
