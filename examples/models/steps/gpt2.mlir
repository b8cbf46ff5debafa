module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  func.func public @main(%arg0: tensor<f32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<256xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<64x256xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<64xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<64x64xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<64xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<64xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<64xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<64xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<64x64xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<64xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<64x64xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<64xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<256x64xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<64xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<64x64xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<256xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<64x256xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<64xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<64x64xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<64xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<64xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<64xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<64xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<64xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<64x64xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<64xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<64x64xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<64xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<256x64xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<64xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<64x64xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<64xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<64xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<16x64xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<64x64xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<256xf32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<64x256xf32> {tf.aliasing_output = 38 : i32}, %arg39: tensor<64xf32> {tf.aliasing_output = 39 : i32}, %arg40: tensor<64x64xf32> {tf.aliasing_output = 40 : i32}, %arg41: tensor<64xf32> {tf.aliasing_output = 41 : i32}, %arg42: tensor<64xf32> {tf.aliasing_output = 42 : i32}, %arg43: tensor<64xf32> {tf.aliasing_output = 43 : i32}, %arg44: tensor<64xf32> {tf.aliasing_output = 44 : i32}, %arg45: tensor<64xf32> {tf.aliasing_output = 45 : i32}, %arg46: tensor<64x64xf32> {tf.aliasing_output = 46 : i32}, %arg47: tensor<64xf32> {tf.aliasing_output = 47 : i32}, %arg48: tensor<64x64xf32> {tf.aliasing_output = 48 : i32}, %arg49: tensor<64xf32> {tf.aliasing_output = 49 : i32}, %arg50: tensor<256x64xf32> {tf.aliasing_output = 50 : i32}, %arg51: tensor<64xf32> {tf.aliasing_output = 51 : i32}, %arg52: tensor<64x64xf32> {tf.aliasing_output = 52 : i32}, %arg53: tensor<256xf32> {tf.aliasing_output = 53 : i32}, %arg54: tensor<64x256xf32> {tf.aliasing_output = 54 : i32}, %arg55: tensor<64xf32> {tf.aliasing_output = 55 : i32}, %arg56: tensor<64x64xf32> {tf.aliasing_output = 56 : i32}, %arg57: tensor<64xf32> {tf.aliasing_output = 57 : i32}, %arg58: tensor<64xf32> {tf.aliasing_output = 58 : i32}, %arg59: tensor<64xf32> {tf.aliasing_output = 59 : i32}, %arg60: tensor<64xf32> {tf.aliasing_output = 60 : i32}, %arg61: tensor<64xf32> {tf.aliasing_output = 61 : i32}, %arg62: tensor<64x64xf32> {tf.aliasing_output = 62 : i32}, %arg63: tensor<64xf32> {tf.aliasing_output = 63 : i32}, %arg64: tensor<64x64xf32> {tf.aliasing_output = 64 : i32}, %arg65: tensor<64xf32> {tf.aliasing_output = 65 : i32}, %arg66: tensor<256x64xf32> {tf.aliasing_output = 66 : i32}, %arg67: tensor<64xf32> {tf.aliasing_output = 67 : i32}, %arg68: tensor<64x64xf32> {tf.aliasing_output = 68 : i32}, %arg69: tensor<64xf32> {tf.aliasing_output = 69 : i32}, %arg70: tensor<64xf32> {tf.aliasing_output = 70 : i32}, %arg71: tensor<16x64xf32> {tf.aliasing_output = 71 : i32}, %arg72: tensor<64x64xf32> {tf.aliasing_output = 72 : i32}, %arg73: tensor<256xf32> {tf.aliasing_output = 73 : i32}, %arg74: tensor<64x256xf32> {tf.aliasing_output = 74 : i32}, %arg75: tensor<64xf32> {tf.aliasing_output = 75 : i32}, %arg76: tensor<64x64xf32> {tf.aliasing_output = 76 : i32}, %arg77: tensor<64xf32> {tf.aliasing_output = 77 : i32}, %arg78: tensor<64xf32> {tf.aliasing_output = 78 : i32}, %arg79: tensor<64xf32> {tf.aliasing_output = 79 : i32}, %arg80: tensor<64xf32> {tf.aliasing_output = 80 : i32}, %arg81: tensor<64xf32> {tf.aliasing_output = 81 : i32}, %arg82: tensor<64x64xf32> {tf.aliasing_output = 82 : i32}, %arg83: tensor<64xf32> {tf.aliasing_output = 83 : i32}, %arg84: tensor<64x64xf32> {tf.aliasing_output = 84 : i32}, %arg85: tensor<64xf32> {tf.aliasing_output = 85 : i32}, %arg86: tensor<256x64xf32> {tf.aliasing_output = 86 : i32}, %arg87: tensor<64xf32> {tf.aliasing_output = 87 : i32}, %arg88: tensor<64x64xf32> {tf.aliasing_output = 88 : i32}, %arg89: tensor<256xf32> {tf.aliasing_output = 89 : i32}, %arg90: tensor<64x256xf32> {tf.aliasing_output = 90 : i32}, %arg91: tensor<64xf32> {tf.aliasing_output = 91 : i32}, %arg92: tensor<64x64xf32> {tf.aliasing_output = 92 : i32}, %arg93: tensor<64xf32> {tf.aliasing_output = 93 : i32}, %arg94: tensor<64xf32> {tf.aliasing_output = 94 : i32}, %arg95: tensor<64xf32> {tf.aliasing_output = 95 : i32}, %arg96: tensor<64xf32> {tf.aliasing_output = 96 : i32}, %arg97: tensor<64xf32> {tf.aliasing_output = 97 : i32}, %arg98: tensor<64x64xf32> {tf.aliasing_output = 98 : i32}, %arg99: tensor<64xf32> {tf.aliasing_output = 99 : i32}, %arg100: tensor<64x64xf32> {tf.aliasing_output = 100 : i32}, %arg101: tensor<64xf32> {tf.aliasing_output = 101 : i32}, %arg102: tensor<256x64xf32> {tf.aliasing_output = 102 : i32}, %arg103: tensor<64xf32> {tf.aliasing_output = 103 : i32}, %arg104: tensor<64x64xf32> {tf.aliasing_output = 104 : i32}, %arg105: tensor<64xf32> {tf.aliasing_output = 105 : i32}, %arg106: tensor<64xf32> {tf.aliasing_output = 106 : i32}, %arg107: tensor<16x64xf32> {tf.aliasing_output = 107 : i32}, %arg108: tensor<64x64xf32> {tf.aliasing_output = 108 : i32}, %arg109: tensor<2x16xi32>, %arg110: tensor<2x16xi32>, %arg111: tensor<2xui32>) -> (tensor<f32> {jax.result_info = "result[0]['count']"}, tensor<256xf32> {jax.result_info = "result[0]['means']['layers'][0]['first']['bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['means']['layers'][0]['first']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['key']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][0]['key']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['norm1']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['norm1']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['norm2']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['norm2']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['project']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][0]['project']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['query']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][0]['query']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['second']['bias']"}, tensor<256x64xf32> {jax.result_info = "result[0]['means']['layers'][0]['second']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['value']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][0]['value']['weight']"}, tensor<256xf32> {jax.result_info = "result[0]['means']['layers'][1]['first']['bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['means']['layers'][1]['first']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['key']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][1]['key']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['norm1']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['norm1']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['norm2']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['norm2']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['project']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][1]['project']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['query']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][1]['query']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['second']['bias']"}, tensor<256x64xf32> {jax.result_info = "result[0]['means']['layers'][1]['second']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['value']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][1]['value']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['norm']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['norm']['shift']"}, tensor<16x64xf32> {jax.result_info = "result[0]['means']['places']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['words']"}, tensor<256xf32> {jax.result_info = "result[0]['squares']['layers'][0]['first']['bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['squares']['layers'][0]['first']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['key']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['key']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['norm1']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['norm1']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['norm2']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['norm2']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['project']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['project']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['query']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['query']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['second']['bias']"}, tensor<256x64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['second']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['value']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['value']['weight']"}, tensor<256xf32> {jax.result_info = "result[0]['squares']['layers'][1]['first']['bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['squares']['layers'][1]['first']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['key']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['key']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['norm1']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['norm1']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['norm2']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['norm2']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['project']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['project']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['query']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['query']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['second']['bias']"}, tensor<256x64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['second']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['value']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['value']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['norm']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['norm']['shift']"}, tensor<16x64xf32> {jax.result_info = "result[0]['squares']['places']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['words']"}, tensor<256xf32> {jax.result_info = "result[0]['weights']['layers'][0]['first']['bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['weights']['layers'][0]['first']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['key']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['key']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['norm1']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['norm1']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['norm2']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['norm2']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['project']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['project']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['query']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['query']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['second']['bias']"}, tensor<256x64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['second']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['value']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['value']['weight']"}, tensor<256xf32> {jax.result_info = "result[0]['weights']['layers'][1]['first']['bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['weights']['layers'][1]['first']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['key']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['key']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['norm1']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['norm1']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['norm2']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['norm2']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['project']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['project']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['query']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['query']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['second']['bias']"}, tensor<256x64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['second']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['value']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['value']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['norm']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['norm']['shift']"}, tensor<16x64xf32> {jax.result_info = "result[0]['weights']['places']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['words']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = sdy.sharding_constraint %arg111 <@empty_mesh, [{}]> : tensor<2xui32>
    %1 = call @_threefry_split(%0) : (tensor<2xui32>) -> tensor<3x2xui32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x16xi32>
    %3 = stablehlo.compare LT, %arg110, %2, SIGNED : (tensor<2x16xi32>, tensor<2x16xi32>) -> tensor<2x16xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x16xi32>
    %5 = stablehlo.add %arg110, %4 : tensor<2x16xi32>
    %6 = stablehlo.select %3, %5, %arg110 : tensor<2x16xi1>, tensor<2x16xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<2x16xi32>) -> tensor<2x16x1xi32>
    %8 = "stablehlo.gather"(%arg108, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<64x64xf32>, tensor<2x16x1xi32>) -> tensor<2x16x64xf32>
    %9 = stablehlo.broadcast_in_dim %arg107, dims = [1, 2] : (tensor<16x64xf32>) -> tensor<1x16x64xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x16x64xf32>) -> tensor<2x16x64xf32>
    %11 = stablehlo.add %8, %10 : tensor<2x16x64xf32>
    %12 = stablehlo.convert %11 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %13 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %14 = call @tril(%13) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %15 = call @_where(%14, %cst, %cst_2) : (tensor<16x16xi1>, tensor<f32>, tensor<f32>) -> tensor<16x16xf32>
    %16 = stablehlo.slice %1 [0:1, 0:2] : (tensor<3x2xui32>) -> tensor<1x2xui32>
    %17 = stablehlo.reshape %16 : (tensor<1x2xui32>) -> tensor<2xui32>
    %cst_3 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %18 = call @_bernoulli(%17, %cst_3) : (tensor<2xui32>, tensor<f32>) -> tensor<2x16x64xi1>
    %cst_4 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %20 = stablehlo.divide %12, %19 : tensor<2x16x64xf16>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %21 = call @_where_1(%18, %20, %c_5) : (tensor<2x16x64xi1>, tensor<2x16x64xf16>, tensor<i32>) -> tensor<2x16x64xf16>
    %22 = stablehlo.slice %1 [1:3, 0:2] : (tensor<3x2xui32>) -> tensor<2x2xui32>
    %23 = stablehlo.slice %22 [0:1, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %24 = stablehlo.reshape %23 : (tensor<1x2xui32>) -> tensor<2xui32>
    %25:38 = call @layer(%arg73, %arg74, %arg75, %arg76, %arg77, %arg78, %arg79, %arg80, %arg81, %arg82, %arg83, %arg84, %arg85, %arg86, %arg87, %arg88, %21, %15, %24) : (tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x16x64xf16>, tensor<16x16xf32>, tensor<2xui32>) -> (tensor<2x16x64xf16>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x16xi1>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x256xf16>, tensor<2x16x64xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<256x64xf16>, tensor<2x16x256xf16>, tensor<2x16x64xi1>)
    %26 = stablehlo.slice %22 [1:2, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %27 = stablehlo.reshape %26 : (tensor<1x2xui32>) -> tensor<2xui32>
    %28:38 = call @layer(%arg89, %arg90, %arg91, %arg92, %arg93, %arg94, %arg95, %arg96, %arg97, %arg98, %arg99, %arg100, %arg101, %arg102, %arg103, %arg104, %25#0, %15, %27) : (tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x16x64xf16>, tensor<16x16xf32>, tensor<2xui32>) -> (tensor<2x16x64xf16>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x16xi1>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x256xf16>, tensor<2x16x64xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<256x64xf16>, tensor<2x16x256xf16>, tensor<2x16x64xi1>)
    %29 = stablehlo.convert %28#0 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_7 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %33 = stablehlo.divide %31, %32 : tensor<2x16x1xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %35 = stablehlo.subtract %29, %34 : tensor<2x16x64xf32>
    %36 = chlo.square %35 : tensor<2x16x64xf32> -> tensor<2x16x64xf32>
    %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x16x64xf32>
    %38 = stablehlo.multiply %37, %35 : tensor<2x16x64xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%36 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_10 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %42 = stablehlo.divide %40, %41 : tensor<2x16x1xf32>
    %43 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %44 = stablehlo.subtract %29, %43 : tensor<2x16x64xf32>
    %cst_11 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %46 = stablehlo.add %42, %45 : tensor<2x16x1xf32>
    %47 = stablehlo.rsqrt %46 : tensor<2x16x1xf32>
    %48 = stablehlo.divide %47, %46 : tensor<2x16x1xf32>
    %cst_12 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %50 = stablehlo.multiply %49, %48 : tensor<2x16x1xf32>
    %51 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %52 = stablehlo.multiply %44, %51 : tensor<2x16x64xf32>
    %53 = stablehlo.broadcast_in_dim %arg105, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %55 = stablehlo.multiply %52, %54 : tensor<2x16x64xf32>
    %56 = stablehlo.broadcast_in_dim %arg106, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %58 = stablehlo.add %55, %57 : tensor<2x16x64xf32>
    %59 = stablehlo.convert %58 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %60 = stablehlo.convert %arg108 : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %61 = stablehlo.transpose %60, dims = [1, 0] : (tensor<64x64xf16>) -> tensor<64x64xf16>
    %62 = stablehlo.dot_general %59, %61, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %63 = stablehlo.convert %62 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %64:3 = call @log_softmax(%63) : (tensor<2x16x64xf32>) -> (tensor<2x16x64xf32>, tensor<2x16x64xf32>, tensor<2x16x1xf32>)
    %65 = stablehlo.broadcast_in_dim %arg109, dims = [0, 1] : (tensor<2x16xi32>) -> tensor<2x16x1xi32>
    %66:2 = call @take_along_axis(%64#0, %65) : (tensor<2x16x64xf32>, tensor<2x16x1xi32>) -> (tensor<2x16x1xf32>, tensor<2x16x1x1xi32>)
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.reduce(%66#0 init: %cst_13) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_14 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %68 = stablehlo.divide %67, %cst_14 : tensor<f32>
    %69 = stablehlo.negate %68 : tensor<f32>
    %cst_15 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %70 = stablehlo.multiply %69, %cst_15 : tensor<f32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_17 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %71 = stablehlo.multiply %cst_16, %cst_17 : tensor<f32>
    %72 = stablehlo.negate %71 : tensor<f32>
    %cst_18 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %73 = stablehlo.divide %72, %cst_18 : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %75 = call @take_along_axis_9(%66#1, %74) : (tensor<2x16x1x1xi32>, tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %76 = call @log_softmax_10(%64#1, %64#2, %75) : (tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xf32>
    %77 = stablehlo.convert %76 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %78 = stablehlo.dot_general %77, %59, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<2x16x64xf16>) -> tensor<64x64xf16>
    %79 = stablehlo.transpose %78, dims = [1, 0] : (tensor<64x64xf16>) -> tensor<64x64xf16>
    %80 = stablehlo.dot_general %77, %61, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %81 = stablehlo.transpose %79, dims = [1, 0] : (tensor<64x64xf16>) -> tensor<64x64xf16>
    %82 = stablehlo.convert %81 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %83 = stablehlo.convert %80 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_19) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %85 = stablehlo.reshape %84 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.reduce(%85 init: %cst_20) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %87 = stablehlo.multiply %52, %83 : tensor<2x16x64xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%87 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %89 = stablehlo.reshape %88 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %90 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %91 = stablehlo.multiply %83, %90 : tensor<2x16x64xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%89 init: %cst_22) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %93 = stablehlo.multiply %44, %91 : tensor<2x16x64xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.reduce(%93 init: %cst_23) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %95 = stablehlo.reshape %94 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %96 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %97 = stablehlo.multiply %91, %96 : tensor<2x16x64xf32>
    %98 = stablehlo.multiply %95, %50 : tensor<2x16x1xf32>
    %99 = stablehlo.negate %97 : tensor<2x16x64xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %100 = stablehlo.reduce(%99 init: %cst_24) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %101 = stablehlo.reshape %100 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_25 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %103 = stablehlo.divide %98, %102 : tensor<2x16x1xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.reduce(%103 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %106 = stablehlo.multiply %105, %38 : tensor<2x16x64xf32>
    %107 = stablehlo.negate %106 : tensor<2x16x64xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = stablehlo.reduce(%107 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %109 = stablehlo.reshape %108 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %110 = stablehlo.add %97, %106 : tensor<2x16x64xf32>
    %111 = stablehlo.add %101, %109 : tensor<2x16x1xf32>
    %cst_28 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %113 = stablehlo.divide %111, %112 : tensor<2x16x1xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %114 = stablehlo.reduce(%113 init: %cst_29) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %115 = stablehlo.broadcast_in_dim %114, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %116 = stablehlo.add %110, %115 : tensor<2x16x64xf32>
    %117 = stablehlo.convert %116 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %118:17 = call @layer_11(%28#1, %28#2, %28#3, %28#4, %28#5, %28#6, %28#7, %28#8, %28#9, %28#10, %28#11, %28#12, %28#13, %28#14, %28#15, %28#16, %28#17, %28#18, %28#19, %28#20, %28#21, %28#22, %28#23, %28#24, %28#25, %28#26, %28#27, %28#28, %28#29, %28#30, %28#31, %28#32, %28#33, %28#34, %28#35, %28#36, %28#37, %117) : (tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x16xi1>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x256xf16>, tensor<2x16x64xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<256x64xf16>, tensor<2x16x256xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf16>) -> (tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x16x64xf16>)
    %119:17 = call @layer_11(%25#1, %25#2, %25#3, %25#4, %25#5, %25#6, %25#7, %25#8, %25#9, %25#10, %25#11, %25#12, %25#13, %25#14, %25#15, %25#16, %25#17, %25#18, %25#19, %25#20, %25#21, %25#22, %25#23, %25#24, %25#25, %25#26, %25#27, %25#28, %25#29, %25#30, %25#31, %25#32, %25#33, %25#34, %25#35, %25#36, %25#37, %118#16) : (tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x16xi1>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x256xf16>, tensor<2x16x64xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<256x64xf16>, tensor<2x16x256xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf16>) -> (tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x16x64xf16>)
    %120 = call @_where_14(%18, %119#16) : (tensor<2x16x64xi1>, tensor<2x16x64xf16>) -> tensor<2x16x64xf16>
    %cst_30 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %121 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %122 = stablehlo.divide %120, %121 : tensor<2x16x64xf16>
    %123 = stablehlo.convert %122 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %124 = stablehlo.reduce(%123 init: %cst_31) applies stablehlo.add across dimensions = [0] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<16x64xf32>
    %125 = stablehlo.reshape %124 : (tensor<16x64xf32>) -> tensor<1x16x64xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %126 = stablehlo.reduce(%125 init: %cst_32) applies stablehlo.add across dimensions = [0] : (tensor<1x16x64xf32>, tensor<f32>) -> tensor<16x64xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %128 = "stablehlo.scatter"(%127, %7, %123) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg112: tensor<f32>, %arg113: tensor<f32>):
      %172 = stablehlo.add %arg112, %arg113 : tensor<f32>
      stablehlo.return %172 : tensor<f32>
    }) : (tensor<64x64xf32>, tensor<2x16x1xi32>, tensor<2x16x64xf32>) -> tensor<64x64xf32>
    %129 = stablehlo.add %82, %128 : tensor<64x64xf32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %130 = stablehlo.add %arg0, %cst_34 : tensor<f32>
    %cst_35 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %131 = stablehlo.power %cst_35, %130 : tensor<f32>
    %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %132 = stablehlo.subtract %cst_36, %131 : tensor<f32>
    %cst_37 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %133 = stablehlo.power %cst_37, %130 : tensor<f32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %134 = stablehlo.subtract %cst_38, %133 : tensor<f32>
    %135:3 = call @_adam(%arg73, %arg1, %arg37, %119#0, %132, %134) : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<f32>, tensor<f32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>)
    %136:3 = call @_adam_15(%arg74, %arg2, %arg38, %119#1, %132, %134) : (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>)
    %137:3 = call @_adam_16(%arg75, %arg3, %arg39, %119#2, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %138:3 = call @_adam_17(%arg76, %arg4, %arg40, %119#3, %132, %134) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %139:3 = call @_adam_16(%arg77, %arg5, %arg41, %119#4, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %140:3 = call @_adam_16(%arg78, %arg6, %arg42, %119#5, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %141:3 = call @_adam_16(%arg79, %arg7, %arg43, %119#6, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %142:3 = call @_adam_16(%arg80, %arg8, %arg44, %119#7, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %143:3 = call @_adam_16(%arg81, %arg9, %arg45, %119#8, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %144:3 = call @_adam_17(%arg82, %arg10, %arg46, %119#9, %132, %134) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %145:3 = call @_adam_16(%arg83, %arg11, %arg47, %119#10, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %146:3 = call @_adam_17(%arg84, %arg12, %arg48, %119#11, %132, %134) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %147:3 = call @_adam_16(%arg85, %arg13, %arg49, %119#12, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %148:3 = call @_adam_18(%arg86, %arg14, %arg50, %119#13, %132, %134) : (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>)
    %149:3 = call @_adam_16(%arg87, %arg15, %arg51, %119#14, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %150:3 = call @_adam_17(%arg88, %arg16, %arg52, %119#15, %132, %134) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %151:3 = call @_adam(%arg89, %arg17, %arg53, %118#0, %132, %134) : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<f32>, tensor<f32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>)
    %152:3 = call @_adam_15(%arg90, %arg18, %arg54, %118#1, %132, %134) : (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>)
    %153:3 = call @_adam_16(%arg91, %arg19, %arg55, %118#2, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %154:3 = call @_adam_17(%arg92, %arg20, %arg56, %118#3, %132, %134) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %155:3 = call @_adam_16(%arg93, %arg21, %arg57, %118#4, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %156:3 = call @_adam_16(%arg94, %arg22, %arg58, %118#5, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %157:3 = call @_adam_16(%arg95, %arg23, %arg59, %118#6, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %158:3 = call @_adam_16(%arg96, %arg24, %arg60, %118#7, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %159:3 = call @_adam_16(%arg97, %arg25, %arg61, %118#8, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %160:3 = call @_adam_17(%arg98, %arg26, %arg62, %118#9, %132, %134) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %161:3 = call @_adam_16(%arg99, %arg27, %arg63, %118#10, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %162:3 = call @_adam_17(%arg100, %arg28, %arg64, %118#11, %132, %134) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %163:3 = call @_adam_16(%arg101, %arg29, %arg65, %118#12, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %164:3 = call @_adam_18(%arg102, %arg30, %arg66, %118#13, %132, %134) : (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>)
    %165:3 = call @_adam_16(%arg103, %arg31, %arg67, %118#14, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %166:3 = call @_adam_17(%arg104, %arg32, %arg68, %118#15, %132, %134) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %167:3 = call @_adam_16(%arg105, %arg33, %arg69, %92, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %168:3 = call @_adam_16(%arg106, %arg34, %arg70, %86, %132, %134) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %169:3 = call @_adam_19(%arg107, %arg35, %arg71, %126, %132, %134) : (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>)
    %170:3 = call @_adam_17(%arg108, %arg36, %arg72, %129, %132, %134) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %cst_39 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %171 = stablehlo.divide %70, %cst_39 : tensor<f32>
    return %130, %135#1, %136#1, %137#1, %138#1, %139#1, %140#1, %141#1, %142#1, %143#1, %144#1, %145#1, %146#1, %147#1, %148#1, %149#1, %150#1, %151#1, %152#1, %153#1, %154#1, %155#1, %156#1, %157#1, %158#1, %159#1, %160#1, %161#1, %162#1, %163#1, %164#1, %165#1, %166#1, %167#1, %168#1, %169#1, %170#1, %135#2, %136#2, %137#2, %138#2, %139#2, %140#2, %141#2, %142#2, %143#2, %144#2, %145#2, %146#2, %147#2, %148#2, %149#2, %150#2, %151#2, %152#2, %153#2, %154#2, %155#2, %156#2, %157#2, %158#2, %159#2, %160#2, %161#2, %162#2, %163#2, %164#2, %165#2, %166#2, %167#2, %168#2, %169#2, %170#2, %135#0, %136#0, %137#0, %138#0, %139#0, %140#0, %141#0, %142#0, %143#0, %144#0, %145#0, %146#0, %147#0, %148#0, %149#0, %150#0, %151#0, %152#0, %153#0, %154#0, %155#0, %156#0, %157#0, %158#0, %159#0, %160#0, %161#0, %162#0, %163#0, %164#0, %165#0, %166#0, %167#0, %168#0, %169#0, %170#0, %171 : tensor<f32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<16x64xf32>, tensor<64x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<16x64xf32>, tensor<64x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<16x64xf32>, tensor<64x64xf32>, tensor<f32>
  }
  func.func private @_threefry_split(%arg0: tensor<2xui32>) -> tensor<3x2xui32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.iota dim = 0 : tensor<3xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<3xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<3xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<3xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<3xui64>
    %9 = stablehlo.convert %6 : (tensor<3xui64>) -> tensor<3xui32>
    %10 = stablehlo.convert %8 : (tensor<3xui64>) -> tensor<3xui32>
    %11:2 = call @threefry2x32(%1, %3, %10, %9) : (tensor<ui32>, tensor<ui32>, tensor<3xui32>, tensor<3xui32>) -> (tensor<3xui32>, tensor<3xui32>)
    %12 = stablehlo.broadcast_in_dim %11#0, dims = [0] : (tensor<3xui32>) -> tensor<3x1xui32>
    %13 = stablehlo.broadcast_in_dim %11#1, dims = [0] : (tensor<3xui32>) -> tensor<3x1xui32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<3x1xui32>, tensor<3x1xui32>) -> tensor<3x2xui32>
    return %14 : tensor<3x2xui32>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<3xui32>, %arg3: tensor<3xui32>) -> (tensor<3xui32>, tensor<3xui32>) {
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<3xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<3xui32>
    %6 = stablehlo.add %3, %5 : tensor<3xui32>
    %c_0 = stablehlo.constant dense<13> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %8 = stablehlo.shift_left %5, %7 : tensor<3xui32>
    %c_1 = stablehlo.constant dense<19> : tensor<ui32>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %10 = stablehlo.shift_right_logical %5, %9 : tensor<3xui32>
    %11 = stablehlo.or %8, %10 : tensor<3xui32>
    %12 = stablehlo.xor %6, %11 : tensor<3xui32>
    %13 = stablehlo.add %6, %12 : tensor<3xui32>
    %c_2 = stablehlo.constant dense<15> : tensor<ui32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %15 = stablehlo.shift_left %12, %14 : tensor<3xui32>
    %c_3 = stablehlo.constant dense<17> : tensor<ui32>
    %16 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %17 = stablehlo.shift_right_logical %12, %16 : tensor<3xui32>
    %18 = stablehlo.or %15, %17 : tensor<3xui32>
    %19 = stablehlo.xor %13, %18 : tensor<3xui32>
    %20 = stablehlo.add %13, %19 : tensor<3xui32>
    %c_4 = stablehlo.constant dense<26> : tensor<ui32>
    %21 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %22 = stablehlo.shift_left %19, %21 : tensor<3xui32>
    %c_5 = stablehlo.constant dense<6> : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %24 = stablehlo.shift_right_logical %19, %23 : tensor<3xui32>
    %25 = stablehlo.or %22, %24 : tensor<3xui32>
    %26 = stablehlo.xor %20, %25 : tensor<3xui32>
    %27 = stablehlo.add %20, %26 : tensor<3xui32>
    %c_6 = stablehlo.constant dense<6> : tensor<ui32>
    %28 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %29 = stablehlo.shift_left %26, %28 : tensor<3xui32>
    %c_7 = stablehlo.constant dense<26> : tensor<ui32>
    %30 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %31 = stablehlo.shift_right_logical %26, %30 : tensor<3xui32>
    %32 = stablehlo.or %29, %31 : tensor<3xui32>
    %33 = stablehlo.xor %27, %32 : tensor<3xui32>
    %34 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %35 = stablehlo.add %27, %34 : tensor<3xui32>
    %36 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %37 = stablehlo.add %33, %36 : tensor<3xui32>
    %c_8 = stablehlo.constant dense<1> : tensor<ui32>
    %38 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %39 = stablehlo.add %37, %38 : tensor<3xui32>
    %40 = stablehlo.add %35, %39 : tensor<3xui32>
    %c_9 = stablehlo.constant dense<17> : tensor<ui32>
    %41 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %42 = stablehlo.shift_left %39, %41 : tensor<3xui32>
    %c_10 = stablehlo.constant dense<15> : tensor<ui32>
    %43 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %44 = stablehlo.shift_right_logical %39, %43 : tensor<3xui32>
    %45 = stablehlo.or %42, %44 : tensor<3xui32>
    %46 = stablehlo.xor %40, %45 : tensor<3xui32>
    %47 = stablehlo.add %40, %46 : tensor<3xui32>
    %c_11 = stablehlo.constant dense<29> : tensor<ui32>
    %48 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %49 = stablehlo.shift_left %46, %48 : tensor<3xui32>
    %c_12 = stablehlo.constant dense<3> : tensor<ui32>
    %50 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %51 = stablehlo.shift_right_logical %46, %50 : tensor<3xui32>
    %52 = stablehlo.or %49, %51 : tensor<3xui32>
    %53 = stablehlo.xor %47, %52 : tensor<3xui32>
    %54 = stablehlo.add %47, %53 : tensor<3xui32>
    %c_13 = stablehlo.constant dense<16> : tensor<ui32>
    %55 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %56 = stablehlo.shift_left %53, %55 : tensor<3xui32>
    %c_14 = stablehlo.constant dense<16> : tensor<ui32>
    %57 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %58 = stablehlo.shift_right_logical %53, %57 : tensor<3xui32>
    %59 = stablehlo.or %56, %58 : tensor<3xui32>
    %60 = stablehlo.xor %54, %59 : tensor<3xui32>
    %61 = stablehlo.add %54, %60 : tensor<3xui32>
    %c_15 = stablehlo.constant dense<24> : tensor<ui32>
    %62 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %63 = stablehlo.shift_left %60, %62 : tensor<3xui32>
    %c_16 = stablehlo.constant dense<8> : tensor<ui32>
    %64 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %65 = stablehlo.shift_right_logical %60, %64 : tensor<3xui32>
    %66 = stablehlo.or %63, %65 : tensor<3xui32>
    %67 = stablehlo.xor %61, %66 : tensor<3xui32>
    %68 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %69 = stablehlo.add %61, %68 : tensor<3xui32>
    %70 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %71 = stablehlo.add %67, %70 : tensor<3xui32>
    %c_17 = stablehlo.constant dense<2> : tensor<ui32>
    %72 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %73 = stablehlo.add %71, %72 : tensor<3xui32>
    %74 = stablehlo.add %69, %73 : tensor<3xui32>
    %c_18 = stablehlo.constant dense<13> : tensor<ui32>
    %75 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %76 = stablehlo.shift_left %73, %75 : tensor<3xui32>
    %c_19 = stablehlo.constant dense<19> : tensor<ui32>
    %77 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %78 = stablehlo.shift_right_logical %73, %77 : tensor<3xui32>
    %79 = stablehlo.or %76, %78 : tensor<3xui32>
    %80 = stablehlo.xor %74, %79 : tensor<3xui32>
    %81 = stablehlo.add %74, %80 : tensor<3xui32>
    %c_20 = stablehlo.constant dense<15> : tensor<ui32>
    %82 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %83 = stablehlo.shift_left %80, %82 : tensor<3xui32>
    %c_21 = stablehlo.constant dense<17> : tensor<ui32>
    %84 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %85 = stablehlo.shift_right_logical %80, %84 : tensor<3xui32>
    %86 = stablehlo.or %83, %85 : tensor<3xui32>
    %87 = stablehlo.xor %81, %86 : tensor<3xui32>
    %88 = stablehlo.add %81, %87 : tensor<3xui32>
    %c_22 = stablehlo.constant dense<26> : tensor<ui32>
    %89 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %90 = stablehlo.shift_left %87, %89 : tensor<3xui32>
    %c_23 = stablehlo.constant dense<6> : tensor<ui32>
    %91 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %92 = stablehlo.shift_right_logical %87, %91 : tensor<3xui32>
    %93 = stablehlo.or %90, %92 : tensor<3xui32>
    %94 = stablehlo.xor %88, %93 : tensor<3xui32>
    %95 = stablehlo.add %88, %94 : tensor<3xui32>
    %c_24 = stablehlo.constant dense<6> : tensor<ui32>
    %96 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %97 = stablehlo.shift_left %94, %96 : tensor<3xui32>
    %c_25 = stablehlo.constant dense<26> : tensor<ui32>
    %98 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %99 = stablehlo.shift_right_logical %94, %98 : tensor<3xui32>
    %100 = stablehlo.or %97, %99 : tensor<3xui32>
    %101 = stablehlo.xor %95, %100 : tensor<3xui32>
    %102 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %103 = stablehlo.add %95, %102 : tensor<3xui32>
    %104 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %105 = stablehlo.add %101, %104 : tensor<3xui32>
    %c_26 = stablehlo.constant dense<3> : tensor<ui32>
    %106 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %107 = stablehlo.add %105, %106 : tensor<3xui32>
    %108 = stablehlo.add %103, %107 : tensor<3xui32>
    %c_27 = stablehlo.constant dense<17> : tensor<ui32>
    %109 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %110 = stablehlo.shift_left %107, %109 : tensor<3xui32>
    %c_28 = stablehlo.constant dense<15> : tensor<ui32>
    %111 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %112 = stablehlo.shift_right_logical %107, %111 : tensor<3xui32>
    %113 = stablehlo.or %110, %112 : tensor<3xui32>
    %114 = stablehlo.xor %108, %113 : tensor<3xui32>
    %115 = stablehlo.add %108, %114 : tensor<3xui32>
    %c_29 = stablehlo.constant dense<29> : tensor<ui32>
    %116 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %117 = stablehlo.shift_left %114, %116 : tensor<3xui32>
    %c_30 = stablehlo.constant dense<3> : tensor<ui32>
    %118 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %119 = stablehlo.shift_right_logical %114, %118 : tensor<3xui32>
    %120 = stablehlo.or %117, %119 : tensor<3xui32>
    %121 = stablehlo.xor %115, %120 : tensor<3xui32>
    %122 = stablehlo.add %115, %121 : tensor<3xui32>
    %c_31 = stablehlo.constant dense<16> : tensor<ui32>
    %123 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %124 = stablehlo.shift_left %121, %123 : tensor<3xui32>
    %c_32 = stablehlo.constant dense<16> : tensor<ui32>
    %125 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %126 = stablehlo.shift_right_logical %121, %125 : tensor<3xui32>
    %127 = stablehlo.or %124, %126 : tensor<3xui32>
    %128 = stablehlo.xor %122, %127 : tensor<3xui32>
    %129 = stablehlo.add %122, %128 : tensor<3xui32>
    %c_33 = stablehlo.constant dense<24> : tensor<ui32>
    %130 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %131 = stablehlo.shift_left %128, %130 : tensor<3xui32>
    %c_34 = stablehlo.constant dense<8> : tensor<ui32>
    %132 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %133 = stablehlo.shift_right_logical %128, %132 : tensor<3xui32>
    %134 = stablehlo.or %131, %133 : tensor<3xui32>
    %135 = stablehlo.xor %129, %134 : tensor<3xui32>
    %136 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %137 = stablehlo.add %129, %136 : tensor<3xui32>
    %138 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %139 = stablehlo.add %135, %138 : tensor<3xui32>
    %c_35 = stablehlo.constant dense<4> : tensor<ui32>
    %140 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %141 = stablehlo.add %139, %140 : tensor<3xui32>
    %142 = stablehlo.add %137, %141 : tensor<3xui32>
    %c_36 = stablehlo.constant dense<13> : tensor<ui32>
    %143 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %144 = stablehlo.shift_left %141, %143 : tensor<3xui32>
    %c_37 = stablehlo.constant dense<19> : tensor<ui32>
    %145 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %146 = stablehlo.shift_right_logical %141, %145 : tensor<3xui32>
    %147 = stablehlo.or %144, %146 : tensor<3xui32>
    %148 = stablehlo.xor %142, %147 : tensor<3xui32>
    %149 = stablehlo.add %142, %148 : tensor<3xui32>
    %c_38 = stablehlo.constant dense<15> : tensor<ui32>
    %150 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %151 = stablehlo.shift_left %148, %150 : tensor<3xui32>
    %c_39 = stablehlo.constant dense<17> : tensor<ui32>
    %152 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %153 = stablehlo.shift_right_logical %148, %152 : tensor<3xui32>
    %154 = stablehlo.or %151, %153 : tensor<3xui32>
    %155 = stablehlo.xor %149, %154 : tensor<3xui32>
    %156 = stablehlo.add %149, %155 : tensor<3xui32>
    %c_40 = stablehlo.constant dense<26> : tensor<ui32>
    %157 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %158 = stablehlo.shift_left %155, %157 : tensor<3xui32>
    %c_41 = stablehlo.constant dense<6> : tensor<ui32>
    %159 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %160 = stablehlo.shift_right_logical %155, %159 : tensor<3xui32>
    %161 = stablehlo.or %158, %160 : tensor<3xui32>
    %162 = stablehlo.xor %156, %161 : tensor<3xui32>
    %163 = stablehlo.add %156, %162 : tensor<3xui32>
    %c_42 = stablehlo.constant dense<6> : tensor<ui32>
    %164 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %165 = stablehlo.shift_left %162, %164 : tensor<3xui32>
    %c_43 = stablehlo.constant dense<26> : tensor<ui32>
    %166 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %167 = stablehlo.shift_right_logical %162, %166 : tensor<3xui32>
    %168 = stablehlo.or %165, %167 : tensor<3xui32>
    %169 = stablehlo.xor %163, %168 : tensor<3xui32>
    %170 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %171 = stablehlo.add %163, %170 : tensor<3xui32>
    %172 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %173 = stablehlo.add %169, %172 : tensor<3xui32>
    %c_44 = stablehlo.constant dense<5> : tensor<ui32>
    %174 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<ui32>) -> tensor<3xui32>
    %175 = stablehlo.add %173, %174 : tensor<3xui32>
    return %171, %175 : tensor<3xui32>, tensor<3xui32>
  }
  func.func private @tril(%arg0: tensor<16x16xi1>) -> tensor<16x16xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<16x16xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x16xi32>
    %2 = stablehlo.add %0, %1 : tensor<16x16xi32>
    %3 = stablehlo.iota dim = 1 : tensor<16x16xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<16x16xi1>, tensor<16x16xi1>
    return %6 : tensor<16x16xi1>
  }
  func.func private @_where(%arg0: tensor<16x16xi1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<16x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<16x16xf32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<16x16xi1>, tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }
  func.func private @_bernoulli(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<2x16x64xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<2x16x64xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2x16x64xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xi1>
    return %2 : tensor<2x16x64xi1>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<2x16x64xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<2x16x64xui64>
    %9 = stablehlo.iota dim = 1 : tensor<2x16x64xui64>
    %10 = stablehlo.iota dim = 2 : tensor<2x16x64xui64>
    %c = stablehlo.constant dense<1024> : tensor<ui64>
    %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2x16x64xui64>
    %12 = stablehlo.multiply %11, %8 : tensor<2x16x64xui64>
    %c_0 = stablehlo.constant dense<64> : tensor<ui64>
    %13 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2x16x64xui64>
    %14 = stablehlo.multiply %13, %9 : tensor<2x16x64xui64>
    %c_1 = stablehlo.constant dense<1> : tensor<ui64>
    %15 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<2x16x64xui64>
    %16 = stablehlo.multiply %15, %10 : tensor<2x16x64xui64>
    %17 = stablehlo.add %12, %14 : tensor<2x16x64xui64>
    %18 = stablehlo.add %17, %16 : tensor<2x16x64xui64>
    %c_2 = stablehlo.constant dense<32> : tensor<ui64>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<2x16x64xui64>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<2x16x64xui64>
    %21 = stablehlo.convert %18 : (tensor<2x16x64xui64>) -> tensor<2x16x64xui32>
    %22 = stablehlo.convert %20 : (tensor<2x16x64xui64>) -> tensor<2x16x64xui32>
    %23:2 = call @threefry2x32_0(%5, %7, %22, %21) : (tensor<ui32>, tensor<ui32>, tensor<2x16x64xui32>, tensor<2x16x64xui32>) -> (tensor<2x16x64xui32>, tensor<2x16x64xui32>)
    %24 = stablehlo.xor %23#0, %23#1 : tensor<2x16x64xui32>
    %c_3 = stablehlo.constant dense<9> : tensor<ui32>
    %25 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %26 = stablehlo.shift_right_logical %24, %25 : tensor<2x16x64xui32>
    %c_4 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %28 = stablehlo.or %26, %27 : tensor<2x16x64xui32>
    %29 = stablehlo.bitcast_convert %28 : (tensor<2x16x64xui32>) -> tensor<2x16x64xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x16x64xf32>
    %31 = stablehlo.subtract %29, %30 : tensor<2x16x64xf32>
    %32 = stablehlo.subtract %3, %2 : tensor<1x1x1xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<2x16x64xf32>
    %34 = stablehlo.multiply %31, %33 : tensor<2x16x64xf32>
    %35 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<2x16x64xf32>
    %36 = stablehlo.add %34, %35 : tensor<2x16x64xf32>
    %37 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<2x16x64xf32>
    %38 = stablehlo.maximum %37, %36 : tensor<2x16x64xf32>
    return %38 : tensor<2x16x64xf32>
  }
  func.func private @threefry2x32_0(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<2x16x64xui32>, %arg3: tensor<2x16x64xui32>) -> (tensor<2x16x64xui32>, tensor<2x16x64xui32>) {
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<2x16x64xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<2x16x64xui32>
    %6 = stablehlo.add %3, %5 : tensor<2x16x64xui32>
    %c_0 = stablehlo.constant dense<13> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %8 = stablehlo.shift_left %5, %7 : tensor<2x16x64xui32>
    %c_1 = stablehlo.constant dense<19> : tensor<ui32>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %10 = stablehlo.shift_right_logical %5, %9 : tensor<2x16x64xui32>
    %11 = stablehlo.or %8, %10 : tensor<2x16x64xui32>
    %12 = stablehlo.xor %6, %11 : tensor<2x16x64xui32>
    %13 = stablehlo.add %6, %12 : tensor<2x16x64xui32>
    %c_2 = stablehlo.constant dense<15> : tensor<ui32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %15 = stablehlo.shift_left %12, %14 : tensor<2x16x64xui32>
    %c_3 = stablehlo.constant dense<17> : tensor<ui32>
    %16 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %17 = stablehlo.shift_right_logical %12, %16 : tensor<2x16x64xui32>
    %18 = stablehlo.or %15, %17 : tensor<2x16x64xui32>
    %19 = stablehlo.xor %13, %18 : tensor<2x16x64xui32>
    %20 = stablehlo.add %13, %19 : tensor<2x16x64xui32>
    %c_4 = stablehlo.constant dense<26> : tensor<ui32>
    %21 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %22 = stablehlo.shift_left %19, %21 : tensor<2x16x64xui32>
    %c_5 = stablehlo.constant dense<6> : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %24 = stablehlo.shift_right_logical %19, %23 : tensor<2x16x64xui32>
    %25 = stablehlo.or %22, %24 : tensor<2x16x64xui32>
    %26 = stablehlo.xor %20, %25 : tensor<2x16x64xui32>
    %27 = stablehlo.add %20, %26 : tensor<2x16x64xui32>
    %c_6 = stablehlo.constant dense<6> : tensor<ui32>
    %28 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %29 = stablehlo.shift_left %26, %28 : tensor<2x16x64xui32>
    %c_7 = stablehlo.constant dense<26> : tensor<ui32>
    %30 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %31 = stablehlo.shift_right_logical %26, %30 : tensor<2x16x64xui32>
    %32 = stablehlo.or %29, %31 : tensor<2x16x64xui32>
    %33 = stablehlo.xor %27, %32 : tensor<2x16x64xui32>
    %34 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %35 = stablehlo.add %27, %34 : tensor<2x16x64xui32>
    %36 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %37 = stablehlo.add %33, %36 : tensor<2x16x64xui32>
    %c_8 = stablehlo.constant dense<1> : tensor<ui32>
    %38 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %39 = stablehlo.add %37, %38 : tensor<2x16x64xui32>
    %40 = stablehlo.add %35, %39 : tensor<2x16x64xui32>
    %c_9 = stablehlo.constant dense<17> : tensor<ui32>
    %41 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %42 = stablehlo.shift_left %39, %41 : tensor<2x16x64xui32>
    %c_10 = stablehlo.constant dense<15> : tensor<ui32>
    %43 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %44 = stablehlo.shift_right_logical %39, %43 : tensor<2x16x64xui32>
    %45 = stablehlo.or %42, %44 : tensor<2x16x64xui32>
    %46 = stablehlo.xor %40, %45 : tensor<2x16x64xui32>
    %47 = stablehlo.add %40, %46 : tensor<2x16x64xui32>
    %c_11 = stablehlo.constant dense<29> : tensor<ui32>
    %48 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %49 = stablehlo.shift_left %46, %48 : tensor<2x16x64xui32>
    %c_12 = stablehlo.constant dense<3> : tensor<ui32>
    %50 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %51 = stablehlo.shift_right_logical %46, %50 : tensor<2x16x64xui32>
    %52 = stablehlo.or %49, %51 : tensor<2x16x64xui32>
    %53 = stablehlo.xor %47, %52 : tensor<2x16x64xui32>
    %54 = stablehlo.add %47, %53 : tensor<2x16x64xui32>
    %c_13 = stablehlo.constant dense<16> : tensor<ui32>
    %55 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %56 = stablehlo.shift_left %53, %55 : tensor<2x16x64xui32>
    %c_14 = stablehlo.constant dense<16> : tensor<ui32>
    %57 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %58 = stablehlo.shift_right_logical %53, %57 : tensor<2x16x64xui32>
    %59 = stablehlo.or %56, %58 : tensor<2x16x64xui32>
    %60 = stablehlo.xor %54, %59 : tensor<2x16x64xui32>
    %61 = stablehlo.add %54, %60 : tensor<2x16x64xui32>
    %c_15 = stablehlo.constant dense<24> : tensor<ui32>
    %62 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %63 = stablehlo.shift_left %60, %62 : tensor<2x16x64xui32>
    %c_16 = stablehlo.constant dense<8> : tensor<ui32>
    %64 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %65 = stablehlo.shift_right_logical %60, %64 : tensor<2x16x64xui32>
    %66 = stablehlo.or %63, %65 : tensor<2x16x64xui32>
    %67 = stablehlo.xor %61, %66 : tensor<2x16x64xui32>
    %68 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %69 = stablehlo.add %61, %68 : tensor<2x16x64xui32>
    %70 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %71 = stablehlo.add %67, %70 : tensor<2x16x64xui32>
    %c_17 = stablehlo.constant dense<2> : tensor<ui32>
    %72 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %73 = stablehlo.add %71, %72 : tensor<2x16x64xui32>
    %74 = stablehlo.add %69, %73 : tensor<2x16x64xui32>
    %c_18 = stablehlo.constant dense<13> : tensor<ui32>
    %75 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %76 = stablehlo.shift_left %73, %75 : tensor<2x16x64xui32>
    %c_19 = stablehlo.constant dense<19> : tensor<ui32>
    %77 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %78 = stablehlo.shift_right_logical %73, %77 : tensor<2x16x64xui32>
    %79 = stablehlo.or %76, %78 : tensor<2x16x64xui32>
    %80 = stablehlo.xor %74, %79 : tensor<2x16x64xui32>
    %81 = stablehlo.add %74, %80 : tensor<2x16x64xui32>
    %c_20 = stablehlo.constant dense<15> : tensor<ui32>
    %82 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %83 = stablehlo.shift_left %80, %82 : tensor<2x16x64xui32>
    %c_21 = stablehlo.constant dense<17> : tensor<ui32>
    %84 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %85 = stablehlo.shift_right_logical %80, %84 : tensor<2x16x64xui32>
    %86 = stablehlo.or %83, %85 : tensor<2x16x64xui32>
    %87 = stablehlo.xor %81, %86 : tensor<2x16x64xui32>
    %88 = stablehlo.add %81, %87 : tensor<2x16x64xui32>
    %c_22 = stablehlo.constant dense<26> : tensor<ui32>
    %89 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %90 = stablehlo.shift_left %87, %89 : tensor<2x16x64xui32>
    %c_23 = stablehlo.constant dense<6> : tensor<ui32>
    %91 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %92 = stablehlo.shift_right_logical %87, %91 : tensor<2x16x64xui32>
    %93 = stablehlo.or %90, %92 : tensor<2x16x64xui32>
    %94 = stablehlo.xor %88, %93 : tensor<2x16x64xui32>
    %95 = stablehlo.add %88, %94 : tensor<2x16x64xui32>
    %c_24 = stablehlo.constant dense<6> : tensor<ui32>
    %96 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %97 = stablehlo.shift_left %94, %96 : tensor<2x16x64xui32>
    %c_25 = stablehlo.constant dense<26> : tensor<ui32>
    %98 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %99 = stablehlo.shift_right_logical %94, %98 : tensor<2x16x64xui32>
    %100 = stablehlo.or %97, %99 : tensor<2x16x64xui32>
    %101 = stablehlo.xor %95, %100 : tensor<2x16x64xui32>
    %102 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %103 = stablehlo.add %95, %102 : tensor<2x16x64xui32>
    %104 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %105 = stablehlo.add %101, %104 : tensor<2x16x64xui32>
    %c_26 = stablehlo.constant dense<3> : tensor<ui32>
    %106 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %107 = stablehlo.add %105, %106 : tensor<2x16x64xui32>
    %108 = stablehlo.add %103, %107 : tensor<2x16x64xui32>
    %c_27 = stablehlo.constant dense<17> : tensor<ui32>
    %109 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %110 = stablehlo.shift_left %107, %109 : tensor<2x16x64xui32>
    %c_28 = stablehlo.constant dense<15> : tensor<ui32>
    %111 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %112 = stablehlo.shift_right_logical %107, %111 : tensor<2x16x64xui32>
    %113 = stablehlo.or %110, %112 : tensor<2x16x64xui32>
    %114 = stablehlo.xor %108, %113 : tensor<2x16x64xui32>
    %115 = stablehlo.add %108, %114 : tensor<2x16x64xui32>
    %c_29 = stablehlo.constant dense<29> : tensor<ui32>
    %116 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %117 = stablehlo.shift_left %114, %116 : tensor<2x16x64xui32>
    %c_30 = stablehlo.constant dense<3> : tensor<ui32>
    %118 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %119 = stablehlo.shift_right_logical %114, %118 : tensor<2x16x64xui32>
    %120 = stablehlo.or %117, %119 : tensor<2x16x64xui32>
    %121 = stablehlo.xor %115, %120 : tensor<2x16x64xui32>
    %122 = stablehlo.add %115, %121 : tensor<2x16x64xui32>
    %c_31 = stablehlo.constant dense<16> : tensor<ui32>
    %123 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %124 = stablehlo.shift_left %121, %123 : tensor<2x16x64xui32>
    %c_32 = stablehlo.constant dense<16> : tensor<ui32>
    %125 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %126 = stablehlo.shift_right_logical %121, %125 : tensor<2x16x64xui32>
    %127 = stablehlo.or %124, %126 : tensor<2x16x64xui32>
    %128 = stablehlo.xor %122, %127 : tensor<2x16x64xui32>
    %129 = stablehlo.add %122, %128 : tensor<2x16x64xui32>
    %c_33 = stablehlo.constant dense<24> : tensor<ui32>
    %130 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %131 = stablehlo.shift_left %128, %130 : tensor<2x16x64xui32>
    %c_34 = stablehlo.constant dense<8> : tensor<ui32>
    %132 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %133 = stablehlo.shift_right_logical %128, %132 : tensor<2x16x64xui32>
    %134 = stablehlo.or %131, %133 : tensor<2x16x64xui32>
    %135 = stablehlo.xor %129, %134 : tensor<2x16x64xui32>
    %136 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %137 = stablehlo.add %129, %136 : tensor<2x16x64xui32>
    %138 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %139 = stablehlo.add %135, %138 : tensor<2x16x64xui32>
    %c_35 = stablehlo.constant dense<4> : tensor<ui32>
    %140 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %141 = stablehlo.add %139, %140 : tensor<2x16x64xui32>
    %142 = stablehlo.add %137, %141 : tensor<2x16x64xui32>
    %c_36 = stablehlo.constant dense<13> : tensor<ui32>
    %143 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %144 = stablehlo.shift_left %141, %143 : tensor<2x16x64xui32>
    %c_37 = stablehlo.constant dense<19> : tensor<ui32>
    %145 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %146 = stablehlo.shift_right_logical %141, %145 : tensor<2x16x64xui32>
    %147 = stablehlo.or %144, %146 : tensor<2x16x64xui32>
    %148 = stablehlo.xor %142, %147 : tensor<2x16x64xui32>
    %149 = stablehlo.add %142, %148 : tensor<2x16x64xui32>
    %c_38 = stablehlo.constant dense<15> : tensor<ui32>
    %150 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %151 = stablehlo.shift_left %148, %150 : tensor<2x16x64xui32>
    %c_39 = stablehlo.constant dense<17> : tensor<ui32>
    %152 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %153 = stablehlo.shift_right_logical %148, %152 : tensor<2x16x64xui32>
    %154 = stablehlo.or %151, %153 : tensor<2x16x64xui32>
    %155 = stablehlo.xor %149, %154 : tensor<2x16x64xui32>
    %156 = stablehlo.add %149, %155 : tensor<2x16x64xui32>
    %c_40 = stablehlo.constant dense<26> : tensor<ui32>
    %157 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %158 = stablehlo.shift_left %155, %157 : tensor<2x16x64xui32>
    %c_41 = stablehlo.constant dense<6> : tensor<ui32>
    %159 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %160 = stablehlo.shift_right_logical %155, %159 : tensor<2x16x64xui32>
    %161 = stablehlo.or %158, %160 : tensor<2x16x64xui32>
    %162 = stablehlo.xor %156, %161 : tensor<2x16x64xui32>
    %163 = stablehlo.add %156, %162 : tensor<2x16x64xui32>
    %c_42 = stablehlo.constant dense<6> : tensor<ui32>
    %164 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %165 = stablehlo.shift_left %162, %164 : tensor<2x16x64xui32>
    %c_43 = stablehlo.constant dense<26> : tensor<ui32>
    %166 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %167 = stablehlo.shift_right_logical %162, %166 : tensor<2x16x64xui32>
    %168 = stablehlo.or %165, %167 : tensor<2x16x64xui32>
    %169 = stablehlo.xor %163, %168 : tensor<2x16x64xui32>
    %170 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %171 = stablehlo.add %163, %170 : tensor<2x16x64xui32>
    %172 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %173 = stablehlo.add %169, %172 : tensor<2x16x64xui32>
    %c_44 = stablehlo.constant dense<5> : tensor<ui32>
    %174 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %175 = stablehlo.add %173, %174 : tensor<2x16x64xui32>
    return %171, %175 : tensor<2x16x64xui32>, tensor<2x16x64xui32>
  }
  func.func private @_where_1(%arg0: tensor<2x16x64xi1>, %arg1: tensor<2x16x64xf16>, %arg2: tensor<i32>) -> tensor<2x16x64xf16> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<2x16x64xi1>, tensor<2x16x64xf16>
    return %2 : tensor<2x16x64xf16>
  }
  func.func private @layer(%arg0: tensor<256xf32>, %arg1: tensor<64x256xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64x64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<64xf32>, %arg6: tensor<64xf32>, %arg7: tensor<64xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64x64xf32>, %arg10: tensor<64xf32>, %arg11: tensor<64x64xf32>, %arg12: tensor<64xf32>, %arg13: tensor<256x64xf32>, %arg14: tensor<64xf32>, %arg15: tensor<64x64xf32>, %arg16: tensor<2x16x64xf16>, %arg17: tensor<16x16xf32>, %arg18: tensor<2xui32>) -> (tensor<2x16x64xf16>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x16xi1>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x256xf16>, tensor<2x16x64xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<256x64xf16>, tensor<2x16x256xf16>, tensor<2x16x64xi1>) {
    %0 = call @_threefry_split(%arg18) : (tensor<2xui32>) -> tensor<3x2xui32>
    %1 = stablehlo.convert %arg16 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %5 = stablehlo.divide %3, %4 : tensor<2x16x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %7 = stablehlo.subtract %1, %6 : tensor<2x16x64xf32>
    %8 = chlo.square %7 : tensor<2x16x64xf32> -> tensor<2x16x64xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x16x64xf32>
    %10 = stablehlo.multiply %9, %7 : tensor<2x16x64xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_3 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<2x16x1xf32>
    %15 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %16 = stablehlo.subtract %1, %15 : tensor<2x16x64xf32>
    %cst_4 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %18 = stablehlo.add %14, %17 : tensor<2x16x1xf32>
    %19 = stablehlo.rsqrt %18 : tensor<2x16x1xf32>
    %20 = stablehlo.divide %19, %18 : tensor<2x16x1xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %22 = stablehlo.multiply %21, %20 : tensor<2x16x1xf32>
    %23 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %24 = stablehlo.multiply %16, %23 : tensor<2x16x64xf32>
    %25 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %27 = stablehlo.multiply %24, %26 : tensor<2x16x64xf32>
    %28 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %30 = stablehlo.add %27, %29 : tensor<2x16x64xf32>
    %31 = stablehlo.convert %30 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %32 = stablehlo.slice %0 [0:1, 0:2] : (tensor<3x2xui32>) -> tensor<1x2xui32>
    %33 = stablehlo.reshape %32 : (tensor<1x2xui32>) -> tensor<2xui32>
    %34 = stablehlo.convert %arg11 : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %35 = stablehlo.dot_general %31, %34, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %36 = stablehlo.convert %arg10 : (tensor<64xf32>) -> tensor<64xf16>
    %37 = stablehlo.broadcast_in_dim %36, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<2x16x64xf16>
    %39 = stablehlo.add %35, %38 : tensor<2x16x64xf16>
    %40 = stablehlo.reshape %39 : (tensor<2x16x64xf16>) -> tensor<2x16x2x32xf16>
    %41 = stablehlo.transpose %40, dims = [0, 2, 1, 3] : (tensor<2x16x2x32xf16>) -> tensor<2x2x16x32xf16>
    %42 = stablehlo.convert %arg3 : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %43 = stablehlo.dot_general %31, %42, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %44 = stablehlo.convert %arg2 : (tensor<64xf32>) -> tensor<64xf16>
    %45 = stablehlo.broadcast_in_dim %44, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<2x16x64xf16>
    %47 = stablehlo.add %43, %46 : tensor<2x16x64xf16>
    %48 = stablehlo.reshape %47 : (tensor<2x16x64xf16>) -> tensor<2x16x2x32xf16>
    %49 = stablehlo.transpose %48, dims = [0, 2, 1, 3] : (tensor<2x16x2x32xf16>) -> tensor<2x2x16x32xf16>
    %50 = stablehlo.dot_general %41, %49, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>) -> tensor<2x2x16x16xf16>
    %51 = stablehlo.convert %50 : (tensor<2x2x16x16xf16>) -> tensor<2x2x16x16xf32>
    %cst_6 = stablehlo.constant dense<5.65685415> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x2x16x16xf32>
    %53 = stablehlo.divide %51, %52 : tensor<2x2x16x16xf32>
    %54 = stablehlo.convert %arg17 : tensor<16x16xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [2, 3] : (tensor<16x16xf32>) -> tensor<1x1x16x16xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2, 3] : (tensor<1x1x16x16xf32>) -> tensor<2x2x16x16xf32>
    %57 = stablehlo.add %53, %56 : tensor<2x2x16x16xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x16xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x2x16xf32>
    %60 = stablehlo.maximum %59, %58 : tensor<2x2x16xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<2x2x16xf32>) -> tensor<2x2x16x1xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<2x2x16x1xf32>) -> tensor<2x2x16x16xf32>
    %63 = stablehlo.subtract %57, %62 : tensor<2x2x16x16xf32>
    %64 = stablehlo.exponential %63 : tensor<2x2x16x16xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.reduce(%64 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x16xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<2x2x16xf32>) -> tensor<2x2x16x1xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<2x2x16x1xf32>) -> tensor<2x2x16x16xf32>
    %68 = stablehlo.divide %64, %67 : tensor<2x2x16x16xf32>
    %69 = stablehlo.multiply %66, %66 : tensor<2x2x16x1xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x2x16x1xf32>
    %71 = stablehlo.divide %70, %69 : tensor<2x2x16x1xf32>
    %72 = stablehlo.convert %68 : (tensor<2x2x16x16xf32>) -> tensor<2x2x16x16xf16>
    %cst_11 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %73 = call @_bernoulli_2(%33, %cst_11) : (tensor<2xui32>, tensor<f32>) -> tensor<2x2x16x16xi1>
    %cst_12 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %74 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f16>) -> tensor<2x2x16x16xf16>
    %75 = stablehlo.divide %72, %74 : tensor<2x2x16x16xf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %76 = call @_where_5(%73, %75, %c) : (tensor<2x2x16x16xi1>, tensor<2x2x16x16xf16>, tensor<i32>) -> tensor<2x2x16x16xf16>
    %77 = stablehlo.convert %arg15 : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %78 = stablehlo.dot_general %31, %77, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %79 = stablehlo.convert %arg14 : (tensor<64xf32>) -> tensor<64xf16>
    %80 = stablehlo.broadcast_in_dim %79, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<2x16x64xf16>
    %82 = stablehlo.add %78, %81 : tensor<2x16x64xf16>
    %83 = stablehlo.reshape %82 : (tensor<2x16x64xf16>) -> tensor<2x16x2x32xf16>
    %84 = stablehlo.transpose %83, dims = [0, 2, 1, 3] : (tensor<2x16x2x32xf16>) -> tensor<2x2x16x32xf16>
    %85 = stablehlo.dot_general %76, %84, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x16x16xf16>, tensor<2x2x16x32xf16>) -> tensor<2x2x16x32xf16>
    %86 = stablehlo.transpose %85, dims = [0, 2, 1, 3] : (tensor<2x2x16x32xf16>) -> tensor<2x16x2x32xf16>
    %87 = stablehlo.reshape %86 : (tensor<2x16x2x32xf16>) -> tensor<2x16x64xf16>
    %88 = stablehlo.convert %arg9 : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %89 = stablehlo.dot_general %87, %88, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %90 = stablehlo.convert %arg8 : (tensor<64xf32>) -> tensor<64xf16>
    %91 = stablehlo.broadcast_in_dim %90, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<2x16x64xf16>
    %93 = stablehlo.add %89, %92 : tensor<2x16x64xf16>
    %94 = stablehlo.slice %0 [1:2, 0:2] : (tensor<3x2xui32>) -> tensor<1x2xui32>
    %95 = stablehlo.reshape %94 : (tensor<1x2xui32>) -> tensor<2xui32>
    %cst_13 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %96 = call @_bernoulli_6(%95, %cst_13) : (tensor<2xui32>, tensor<f32>) -> tensor<2x16x64xi1>
    %cst_14 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %97 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %98 = stablehlo.divide %93, %97 : tensor<2x16x64xf16>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %99 = call @_where_8(%96, %98, %c_15) : (tensor<2x16x64xi1>, tensor<2x16x64xf16>, tensor<i32>) -> tensor<2x16x64xf16>
    %100 = stablehlo.add %arg16, %99 : tensor<2x16x64xf16>
    %101 = stablehlo.convert %100 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.reduce(%101 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_17 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %105 = stablehlo.divide %103, %104 : tensor<2x16x1xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %107 = stablehlo.subtract %101, %106 : tensor<2x16x64xf32>
    %108 = chlo.square %107 : tensor<2x16x64xf32> -> tensor<2x16x64xf32>
    %cst_18 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2x16x64xf32>
    %110 = stablehlo.multiply %109, %107 : tensor<2x16x64xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.reduce(%108 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_20 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %114 = stablehlo.divide %112, %113 : tensor<2x16x1xf32>
    %115 = stablehlo.broadcast_in_dim %105, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %116 = stablehlo.subtract %101, %115 : tensor<2x16x64xf32>
    %cst_21 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %118 = stablehlo.add %114, %117 : tensor<2x16x1xf32>
    %119 = stablehlo.rsqrt %118 : tensor<2x16x1xf32>
    %120 = stablehlo.divide %119, %118 : tensor<2x16x1xf32>
    %cst_22 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %122 = stablehlo.multiply %121, %120 : tensor<2x16x1xf32>
    %123 = stablehlo.broadcast_in_dim %119, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %124 = stablehlo.multiply %116, %123 : tensor<2x16x64xf32>
    %125 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %126 = stablehlo.broadcast_in_dim %125, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %127 = stablehlo.multiply %124, %126 : tensor<2x16x64xf32>
    %128 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %129 = stablehlo.broadcast_in_dim %128, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %130 = stablehlo.add %127, %129 : tensor<2x16x64xf32>
    %131 = stablehlo.convert %130 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %132 = stablehlo.convert %arg1 : (tensor<64x256xf32>) -> tensor<64x256xf16>
    %133 = stablehlo.dot_general %131, %132, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x256xf16>) -> tensor<2x16x256xf16>
    %134 = stablehlo.convert %arg0 : (tensor<256xf32>) -> tensor<256xf16>
    %135 = stablehlo.broadcast_in_dim %134, dims = [2] : (tensor<256xf16>) -> tensor<1x1x256xf16>
    %136 = stablehlo.broadcast_in_dim %135, dims = [0, 1, 2] : (tensor<1x1x256xf16>) -> tensor<2x16x256xf16>
    %137 = stablehlo.add %133, %136 : tensor<2x16x256xf16>
    %138 = stablehlo.multiply %137, %137 : tensor<2x16x256xf16>
    %139 = stablehlo.multiply %138, %137 : tensor<2x16x256xf16>
    %140 = stablehlo.multiply %137, %137 : tensor<2x16x256xf16>
    %cst_23 = stablehlo.constant dense<3.000000e+00> : tensor<f16>
    %141 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %142 = stablehlo.multiply %141, %140 : tensor<2x16x256xf16>
    %cst_24 = stablehlo.constant dense<4.470830e-02> : tensor<f16>
    %143 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %144 = stablehlo.multiply %143, %139 : tensor<2x16x256xf16>
    %145 = stablehlo.add %137, %144 : tensor<2x16x256xf16>
    %cst_25 = stablehlo.constant dense<7.978520e-01> : tensor<f16>
    %146 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %147 = stablehlo.multiply %146, %145 : tensor<2x16x256xf16>
    %148 = stablehlo.tanh %147 : tensor<2x16x256xf16>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %149 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %150 = stablehlo.subtract %149, %148 : tensor<2x16x256xf16>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %151 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %152 = stablehlo.add %151, %148 : tensor<2x16x256xf16>
    %cst_28 = stablehlo.constant dense<5.000000e-01> : tensor<f16>
    %153 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %154 = stablehlo.multiply %153, %152 : tensor<2x16x256xf16>
    %155 = stablehlo.multiply %137, %154 : tensor<2x16x256xf16>
    %156 = stablehlo.convert %arg13 : (tensor<256x64xf32>) -> tensor<256x64xf16>
    %157 = stablehlo.dot_general %155, %156, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x256xf16>, tensor<256x64xf16>) -> tensor<2x16x64xf16>
    %158 = stablehlo.convert %arg12 : (tensor<64xf32>) -> tensor<64xf16>
    %159 = stablehlo.broadcast_in_dim %158, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<2x16x64xf16>
    %161 = stablehlo.add %157, %160 : tensor<2x16x64xf16>
    %162 = stablehlo.slice %0 [2:3, 0:2] : (tensor<3x2xui32>) -> tensor<1x2xui32>
    %163 = stablehlo.reshape %162 : (tensor<1x2xui32>) -> tensor<2xui32>
    %cst_29 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %164 = call @_bernoulli_6(%163, %cst_29) : (tensor<2xui32>, tensor<f32>) -> tensor<2x16x64xi1>
    %cst_30 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %165 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %166 = stablehlo.divide %161, %165 : tensor<2x16x64xf16>
    %c_31 = stablehlo.constant dense<0> : tensor<i32>
    %167 = call @_where_8(%164, %166, %c_31) : (tensor<2x16x64xi1>, tensor<2x16x64xf16>, tensor<i32>) -> tensor<2x16x64xf16>
    %168 = stablehlo.add %100, %167 : tensor<2x16x64xf16>
    return %168, %10, %22, %19, %16, %25, %24, %34, %31, %42, %49, %41, %64, %66, %71, %73, %77, %84, %76, %88, %87, %96, %110, %122, %119, %116, %125, %124, %132, %131, %142, %148, %150, %154, %137, %156, %155, %164 : tensor<2x16x64xf16>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x16xi1>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x256xf16>, tensor<2x16x64xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<256x64xf16>, tensor<2x16x256xf16>, tensor<2x16x64xi1>
  }
  func.func private @_bernoulli_2(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<2x2x16x16xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform_3(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<2x2x16x16xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2x2x16x16xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<2x2x16x16xf32>, tensor<2x2x16x16xf32>) -> tensor<2x2x16x16xi1>
    return %2 : tensor<2x2x16x16xi1>
  }
  func.func private @_uniform_3(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<2x2x16x16xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<2x2x16x16xui64>
    %9 = stablehlo.iota dim = 1 : tensor<2x2x16x16xui64>
    %10 = stablehlo.iota dim = 2 : tensor<2x2x16x16xui64>
    %11 = stablehlo.iota dim = 3 : tensor<2x2x16x16xui64>
    %c = stablehlo.constant dense<512> : tensor<ui64>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2x2x16x16xui64>
    %13 = stablehlo.multiply %12, %8 : tensor<2x2x16x16xui64>
    %c_0 = stablehlo.constant dense<256> : tensor<ui64>
    %14 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2x2x16x16xui64>
    %15 = stablehlo.multiply %14, %9 : tensor<2x2x16x16xui64>
    %c_1 = stablehlo.constant dense<16> : tensor<ui64>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<2x2x16x16xui64>
    %17 = stablehlo.multiply %16, %10 : tensor<2x2x16x16xui64>
    %c_2 = stablehlo.constant dense<1> : tensor<ui64>
    %18 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<2x2x16x16xui64>
    %19 = stablehlo.multiply %18, %11 : tensor<2x2x16x16xui64>
    %20 = stablehlo.add %13, %15 : tensor<2x2x16x16xui64>
    %21 = stablehlo.add %20, %17 : tensor<2x2x16x16xui64>
    %22 = stablehlo.add %21, %19 : tensor<2x2x16x16xui64>
    %c_3 = stablehlo.constant dense<32> : tensor<ui64>
    %23 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui64>) -> tensor<2x2x16x16xui64>
    %24 = stablehlo.shift_right_logical %22, %23 : tensor<2x2x16x16xui64>
    %25 = stablehlo.convert %22 : (tensor<2x2x16x16xui64>) -> tensor<2x2x16x16xui32>
    %26 = stablehlo.convert %24 : (tensor<2x2x16x16xui64>) -> tensor<2x2x16x16xui32>
    %27:2 = call @threefry2x32_4(%5, %7, %26, %25) : (tensor<ui32>, tensor<ui32>, tensor<2x2x16x16xui32>, tensor<2x2x16x16xui32>) -> (tensor<2x2x16x16xui32>, tensor<2x2x16x16xui32>)
    %28 = stablehlo.xor %27#0, %27#1 : tensor<2x2x16x16xui32>
    %c_4 = stablehlo.constant dense<9> : tensor<ui32>
    %29 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %30 = stablehlo.shift_right_logical %28, %29 : tensor<2x2x16x16xui32>
    %c_5 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %31 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %32 = stablehlo.or %30, %31 : tensor<2x2x16x16xui32>
    %33 = stablehlo.bitcast_convert %32 : (tensor<2x2x16x16xui32>) -> tensor<2x2x16x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x16x16xf32>
    %35 = stablehlo.subtract %33, %34 : tensor<2x2x16x16xf32>
    %36 = stablehlo.subtract %3, %2 : tensor<1x1x1x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<2x2x16x16xf32>
    %38 = stablehlo.multiply %35, %37 : tensor<2x2x16x16xf32>
    %39 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<2x2x16x16xf32>
    %40 = stablehlo.add %38, %39 : tensor<2x2x16x16xf32>
    %41 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<2x2x16x16xf32>
    %42 = stablehlo.maximum %41, %40 : tensor<2x2x16x16xf32>
    return %42 : tensor<2x2x16x16xf32>
  }
  func.func private @threefry2x32_4(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<2x2x16x16xui32>, %arg3: tensor<2x2x16x16xui32>) -> (tensor<2x2x16x16xui32>, tensor<2x2x16x16xui32>) {
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<2x2x16x16xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<2x2x16x16xui32>
    %6 = stablehlo.add %3, %5 : tensor<2x2x16x16xui32>
    %c_0 = stablehlo.constant dense<13> : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %8 = stablehlo.shift_left %5, %7 : tensor<2x2x16x16xui32>
    %c_1 = stablehlo.constant dense<19> : tensor<ui32>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %10 = stablehlo.shift_right_logical %5, %9 : tensor<2x2x16x16xui32>
    %11 = stablehlo.or %8, %10 : tensor<2x2x16x16xui32>
    %12 = stablehlo.xor %6, %11 : tensor<2x2x16x16xui32>
    %13 = stablehlo.add %6, %12 : tensor<2x2x16x16xui32>
    %c_2 = stablehlo.constant dense<15> : tensor<ui32>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %15 = stablehlo.shift_left %12, %14 : tensor<2x2x16x16xui32>
    %c_3 = stablehlo.constant dense<17> : tensor<ui32>
    %16 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %17 = stablehlo.shift_right_logical %12, %16 : tensor<2x2x16x16xui32>
    %18 = stablehlo.or %15, %17 : tensor<2x2x16x16xui32>
    %19 = stablehlo.xor %13, %18 : tensor<2x2x16x16xui32>
    %20 = stablehlo.add %13, %19 : tensor<2x2x16x16xui32>
    %c_4 = stablehlo.constant dense<26> : tensor<ui32>
    %21 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %22 = stablehlo.shift_left %19, %21 : tensor<2x2x16x16xui32>
    %c_5 = stablehlo.constant dense<6> : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %24 = stablehlo.shift_right_logical %19, %23 : tensor<2x2x16x16xui32>
    %25 = stablehlo.or %22, %24 : tensor<2x2x16x16xui32>
    %26 = stablehlo.xor %20, %25 : tensor<2x2x16x16xui32>
    %27 = stablehlo.add %20, %26 : tensor<2x2x16x16xui32>
    %c_6 = stablehlo.constant dense<6> : tensor<ui32>
    %28 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %29 = stablehlo.shift_left %26, %28 : tensor<2x2x16x16xui32>
    %c_7 = stablehlo.constant dense<26> : tensor<ui32>
    %30 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %31 = stablehlo.shift_right_logical %26, %30 : tensor<2x2x16x16xui32>
    %32 = stablehlo.or %29, %31 : tensor<2x2x16x16xui32>
    %33 = stablehlo.xor %27, %32 : tensor<2x2x16x16xui32>
    %34 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %35 = stablehlo.add %27, %34 : tensor<2x2x16x16xui32>
    %36 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %37 = stablehlo.add %33, %36 : tensor<2x2x16x16xui32>
    %c_8 = stablehlo.constant dense<1> : tensor<ui32>
    %38 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %39 = stablehlo.add %37, %38 : tensor<2x2x16x16xui32>
    %40 = stablehlo.add %35, %39 : tensor<2x2x16x16xui32>
    %c_9 = stablehlo.constant dense<17> : tensor<ui32>
    %41 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %42 = stablehlo.shift_left %39, %41 : tensor<2x2x16x16xui32>
    %c_10 = stablehlo.constant dense<15> : tensor<ui32>
    %43 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %44 = stablehlo.shift_right_logical %39, %43 : tensor<2x2x16x16xui32>
    %45 = stablehlo.or %42, %44 : tensor<2x2x16x16xui32>
    %46 = stablehlo.xor %40, %45 : tensor<2x2x16x16xui32>
    %47 = stablehlo.add %40, %46 : tensor<2x2x16x16xui32>
    %c_11 = stablehlo.constant dense<29> : tensor<ui32>
    %48 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %49 = stablehlo.shift_left %46, %48 : tensor<2x2x16x16xui32>
    %c_12 = stablehlo.constant dense<3> : tensor<ui32>
    %50 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %51 = stablehlo.shift_right_logical %46, %50 : tensor<2x2x16x16xui32>
    %52 = stablehlo.or %49, %51 : tensor<2x2x16x16xui32>
    %53 = stablehlo.xor %47, %52 : tensor<2x2x16x16xui32>
    %54 = stablehlo.add %47, %53 : tensor<2x2x16x16xui32>
    %c_13 = stablehlo.constant dense<16> : tensor<ui32>
    %55 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %56 = stablehlo.shift_left %53, %55 : tensor<2x2x16x16xui32>
    %c_14 = stablehlo.constant dense<16> : tensor<ui32>
    %57 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %58 = stablehlo.shift_right_logical %53, %57 : tensor<2x2x16x16xui32>
    %59 = stablehlo.or %56, %58 : tensor<2x2x16x16xui32>
    %60 = stablehlo.xor %54, %59 : tensor<2x2x16x16xui32>
    %61 = stablehlo.add %54, %60 : tensor<2x2x16x16xui32>
    %c_15 = stablehlo.constant dense<24> : tensor<ui32>
    %62 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %63 = stablehlo.shift_left %60, %62 : tensor<2x2x16x16xui32>
    %c_16 = stablehlo.constant dense<8> : tensor<ui32>
    %64 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %65 = stablehlo.shift_right_logical %60, %64 : tensor<2x2x16x16xui32>
    %66 = stablehlo.or %63, %65 : tensor<2x2x16x16xui32>
    %67 = stablehlo.xor %61, %66 : tensor<2x2x16x16xui32>
    %68 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %69 = stablehlo.add %61, %68 : tensor<2x2x16x16xui32>
    %70 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %71 = stablehlo.add %67, %70 : tensor<2x2x16x16xui32>
    %c_17 = stablehlo.constant dense<2> : tensor<ui32>
    %72 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %73 = stablehlo.add %71, %72 : tensor<2x2x16x16xui32>
    %74 = stablehlo.add %69, %73 : tensor<2x2x16x16xui32>
    %c_18 = stablehlo.constant dense<13> : tensor<ui32>
    %75 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %76 = stablehlo.shift_left %73, %75 : tensor<2x2x16x16xui32>
    %c_19 = stablehlo.constant dense<19> : tensor<ui32>
    %77 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %78 = stablehlo.shift_right_logical %73, %77 : tensor<2x2x16x16xui32>
    %79 = stablehlo.or %76, %78 : tensor<2x2x16x16xui32>
    %80 = stablehlo.xor %74, %79 : tensor<2x2x16x16xui32>
    %81 = stablehlo.add %74, %80 : tensor<2x2x16x16xui32>
    %c_20 = stablehlo.constant dense<15> : tensor<ui32>
    %82 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %83 = stablehlo.shift_left %80, %82 : tensor<2x2x16x16xui32>
    %c_21 = stablehlo.constant dense<17> : tensor<ui32>
    %84 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %85 = stablehlo.shift_right_logical %80, %84 : tensor<2x2x16x16xui32>
    %86 = stablehlo.or %83, %85 : tensor<2x2x16x16xui32>
    %87 = stablehlo.xor %81, %86 : tensor<2x2x16x16xui32>
    %88 = stablehlo.add %81, %87 : tensor<2x2x16x16xui32>
    %c_22 = stablehlo.constant dense<26> : tensor<ui32>
    %89 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %90 = stablehlo.shift_left %87, %89 : tensor<2x2x16x16xui32>
    %c_23 = stablehlo.constant dense<6> : tensor<ui32>
    %91 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %92 = stablehlo.shift_right_logical %87, %91 : tensor<2x2x16x16xui32>
    %93 = stablehlo.or %90, %92 : tensor<2x2x16x16xui32>
    %94 = stablehlo.xor %88, %93 : tensor<2x2x16x16xui32>
    %95 = stablehlo.add %88, %94 : tensor<2x2x16x16xui32>
    %c_24 = stablehlo.constant dense<6> : tensor<ui32>
    %96 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %97 = stablehlo.shift_left %94, %96 : tensor<2x2x16x16xui32>
    %c_25 = stablehlo.constant dense<26> : tensor<ui32>
    %98 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %99 = stablehlo.shift_right_logical %94, %98 : tensor<2x2x16x16xui32>
    %100 = stablehlo.or %97, %99 : tensor<2x2x16x16xui32>
    %101 = stablehlo.xor %95, %100 : tensor<2x2x16x16xui32>
    %102 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %103 = stablehlo.add %95, %102 : tensor<2x2x16x16xui32>
    %104 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %105 = stablehlo.add %101, %104 : tensor<2x2x16x16xui32>
    %c_26 = stablehlo.constant dense<3> : tensor<ui32>
    %106 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %107 = stablehlo.add %105, %106 : tensor<2x2x16x16xui32>
    %108 = stablehlo.add %103, %107 : tensor<2x2x16x16xui32>
    %c_27 = stablehlo.constant dense<17> : tensor<ui32>
    %109 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %110 = stablehlo.shift_left %107, %109 : tensor<2x2x16x16xui32>
    %c_28 = stablehlo.constant dense<15> : tensor<ui32>
    %111 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %112 = stablehlo.shift_right_logical %107, %111 : tensor<2x2x16x16xui32>
    %113 = stablehlo.or %110, %112 : tensor<2x2x16x16xui32>
    %114 = stablehlo.xor %108, %113 : tensor<2x2x16x16xui32>
    %115 = stablehlo.add %108, %114 : tensor<2x2x16x16xui32>
    %c_29 = stablehlo.constant dense<29> : tensor<ui32>
    %116 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %117 = stablehlo.shift_left %114, %116 : tensor<2x2x16x16xui32>
    %c_30 = stablehlo.constant dense<3> : tensor<ui32>
    %118 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %119 = stablehlo.shift_right_logical %114, %118 : tensor<2x2x16x16xui32>
    %120 = stablehlo.or %117, %119 : tensor<2x2x16x16xui32>
    %121 = stablehlo.xor %115, %120 : tensor<2x2x16x16xui32>
    %122 = stablehlo.add %115, %121 : tensor<2x2x16x16xui32>
    %c_31 = stablehlo.constant dense<16> : tensor<ui32>
    %123 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %124 = stablehlo.shift_left %121, %123 : tensor<2x2x16x16xui32>
    %c_32 = stablehlo.constant dense<16> : tensor<ui32>
    %125 = stablehlo.broadcast_in_dim %c_32, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %126 = stablehlo.shift_right_logical %121, %125 : tensor<2x2x16x16xui32>
    %127 = stablehlo.or %124, %126 : tensor<2x2x16x16xui32>
    %128 = stablehlo.xor %122, %127 : tensor<2x2x16x16xui32>
    %129 = stablehlo.add %122, %128 : tensor<2x2x16x16xui32>
    %c_33 = stablehlo.constant dense<24> : tensor<ui32>
    %130 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %131 = stablehlo.shift_left %128, %130 : tensor<2x2x16x16xui32>
    %c_34 = stablehlo.constant dense<8> : tensor<ui32>
    %132 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %133 = stablehlo.shift_right_logical %128, %132 : tensor<2x2x16x16xui32>
    %134 = stablehlo.or %131, %133 : tensor<2x2x16x16xui32>
    %135 = stablehlo.xor %129, %134 : tensor<2x2x16x16xui32>
    %136 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %137 = stablehlo.add %129, %136 : tensor<2x2x16x16xui32>
    %138 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %139 = stablehlo.add %135, %138 : tensor<2x2x16x16xui32>
    %c_35 = stablehlo.constant dense<4> : tensor<ui32>
    %140 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %141 = stablehlo.add %139, %140 : tensor<2x2x16x16xui32>
    %142 = stablehlo.add %137, %141 : tensor<2x2x16x16xui32>
    %c_36 = stablehlo.constant dense<13> : tensor<ui32>
    %143 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %144 = stablehlo.shift_left %141, %143 : tensor<2x2x16x16xui32>
    %c_37 = stablehlo.constant dense<19> : tensor<ui32>
    %145 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %146 = stablehlo.shift_right_logical %141, %145 : tensor<2x2x16x16xui32>
    %147 = stablehlo.or %144, %146 : tensor<2x2x16x16xui32>
    %148 = stablehlo.xor %142, %147 : tensor<2x2x16x16xui32>
    %149 = stablehlo.add %142, %148 : tensor<2x2x16x16xui32>
    %c_38 = stablehlo.constant dense<15> : tensor<ui32>
    %150 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %151 = stablehlo.shift_left %148, %150 : tensor<2x2x16x16xui32>
    %c_39 = stablehlo.constant dense<17> : tensor<ui32>
    %152 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %153 = stablehlo.shift_right_logical %148, %152 : tensor<2x2x16x16xui32>
    %154 = stablehlo.or %151, %153 : tensor<2x2x16x16xui32>
    %155 = stablehlo.xor %149, %154 : tensor<2x2x16x16xui32>
    %156 = stablehlo.add %149, %155 : tensor<2x2x16x16xui32>
    %c_40 = stablehlo.constant dense<26> : tensor<ui32>
    %157 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %158 = stablehlo.shift_left %155, %157 : tensor<2x2x16x16xui32>
    %c_41 = stablehlo.constant dense<6> : tensor<ui32>
    %159 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %160 = stablehlo.shift_right_logical %155, %159 : tensor<2x2x16x16xui32>
    %161 = stablehlo.or %158, %160 : tensor<2x2x16x16xui32>
    %162 = stablehlo.xor %156, %161 : tensor<2x2x16x16xui32>
    %163 = stablehlo.add %156, %162 : tensor<2x2x16x16xui32>
    %c_42 = stablehlo.constant dense<6> : tensor<ui32>
    %164 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %165 = stablehlo.shift_left %162, %164 : tensor<2x2x16x16xui32>
    %c_43 = stablehlo.constant dense<26> : tensor<ui32>
    %166 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %167 = stablehlo.shift_right_logical %162, %166 : tensor<2x2x16x16xui32>
    %168 = stablehlo.or %165, %167 : tensor<2x2x16x16xui32>
    %169 = stablehlo.xor %163, %168 : tensor<2x2x16x16xui32>
    %170 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %171 = stablehlo.add %163, %170 : tensor<2x2x16x16xui32>
    %172 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %173 = stablehlo.add %169, %172 : tensor<2x2x16x16xui32>
    %c_44 = stablehlo.constant dense<5> : tensor<ui32>
    %174 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<ui32>) -> tensor<2x2x16x16xui32>
    %175 = stablehlo.add %173, %174 : tensor<2x2x16x16xui32>
    return %171, %175 : tensor<2x2x16x16xui32>, tensor<2x2x16x16xui32>
  }
  func.func private @_where_5(%arg0: tensor<2x2x16x16xi1>, %arg1: tensor<2x2x16x16xf16>, %arg2: tensor<i32>) -> tensor<2x2x16x16xf16> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<2x2x16x16xf16>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<2x2x16x16xi1>, tensor<2x2x16x16xf16>
    return %2 : tensor<2x2x16x16xf16>
  }
  func.func private @_bernoulli_6(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<2x16x64xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform_7(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<2x16x64xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2x16x64xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<2x16x64xf32>, tensor<2x16x64xf32>) -> tensor<2x16x64xi1>
    return %2 : tensor<2x16x64xi1>
  }
  func.func private @_uniform_7(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<2x16x64xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<2x16x64xui64>
    %9 = stablehlo.iota dim = 1 : tensor<2x16x64xui64>
    %10 = stablehlo.iota dim = 2 : tensor<2x16x64xui64>
    %c = stablehlo.constant dense<1024> : tensor<ui64>
    %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2x16x64xui64>
    %12 = stablehlo.multiply %11, %8 : tensor<2x16x64xui64>
    %c_0 = stablehlo.constant dense<64> : tensor<ui64>
    %13 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2x16x64xui64>
    %14 = stablehlo.multiply %13, %9 : tensor<2x16x64xui64>
    %c_1 = stablehlo.constant dense<1> : tensor<ui64>
    %15 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<2x16x64xui64>
    %16 = stablehlo.multiply %15, %10 : tensor<2x16x64xui64>
    %17 = stablehlo.add %12, %14 : tensor<2x16x64xui64>
    %18 = stablehlo.add %17, %16 : tensor<2x16x64xui64>
    %c_2 = stablehlo.constant dense<32> : tensor<ui64>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<2x16x64xui64>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<2x16x64xui64>
    %21 = stablehlo.convert %18 : (tensor<2x16x64xui64>) -> tensor<2x16x64xui32>
    %22 = stablehlo.convert %20 : (tensor<2x16x64xui64>) -> tensor<2x16x64xui32>
    %23:2 = call @threefry2x32_0(%5, %7, %22, %21) : (tensor<ui32>, tensor<ui32>, tensor<2x16x64xui32>, tensor<2x16x64xui32>) -> (tensor<2x16x64xui32>, tensor<2x16x64xui32>)
    %24 = stablehlo.xor %23#0, %23#1 : tensor<2x16x64xui32>
    %c_3 = stablehlo.constant dense<9> : tensor<ui32>
    %25 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %26 = stablehlo.shift_right_logical %24, %25 : tensor<2x16x64xui32>
    %c_4 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<2x16x64xui32>
    %28 = stablehlo.or %26, %27 : tensor<2x16x64xui32>
    %29 = stablehlo.bitcast_convert %28 : (tensor<2x16x64xui32>) -> tensor<2x16x64xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x16x64xf32>
    %31 = stablehlo.subtract %29, %30 : tensor<2x16x64xf32>
    %32 = stablehlo.subtract %3, %2 : tensor<1x1x1xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<2x16x64xf32>
    %34 = stablehlo.multiply %31, %33 : tensor<2x16x64xf32>
    %35 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<2x16x64xf32>
    %36 = stablehlo.add %34, %35 : tensor<2x16x64xf32>
    %37 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<2x16x64xf32>
    %38 = stablehlo.maximum %37, %36 : tensor<2x16x64xf32>
    return %38 : tensor<2x16x64xf32>
  }
  func.func private @_where_8(%arg0: tensor<2x16x64xi1>, %arg1: tensor<2x16x64xf16>, %arg2: tensor<i32>) -> tensor<2x16x64xf16> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<2x16x64xi1>, tensor<2x16x64xf16>
    return %2 : tensor<2x16x64xf16>
  }
  func.func private @log_softmax(%arg0: tensor<2x16x64xf32>) -> (tensor<2x16x64xf32>, tensor<2x16x64xf32>, tensor<2x16x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<2x16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x16x64xf32>
    %6 = stablehlo.exponential %5 : tensor<2x16x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %9 = stablehlo.log %8 : tensor<2x16x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<2x16x64xf32>
    return %11, %6, %8 : tensor<2x16x64xf32>, tensor<2x16x64xf32>, tensor<2x16x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<2x16x64xf32>, %arg1: tensor<2x16x1xi32>) -> (tensor<2x16x1xf32>, tensor<2x16x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x16x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2x16x1xi32>, tensor<2x16x1xi32>) -> tensor<2x16x1xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x16x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<2x16x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2x16x1xi1>, tensor<2x16x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<2x16x1xi32>) -> tensor<2x16x1x1xi32>
    %c_1 = stablehlo.constant dense<63> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x16x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<2x16x1x1xi32>, tensor<2x16x1x1xi32>) -> tensor<2x16x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<2x16x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<2x16x1x1xi32>, tensor<2x16x1x1xi32>) -> tensor<2x16x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<2x16x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<2x16x1x1xi1>, tensor<i1>) -> tensor<2x16x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x16x64xf32>, tensor<2x16x1x1xi32>) -> tensor<2x16x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<2x16x1xi1>, tensor<2x16x1xf32>
    return %15, %5 : tensor<2x16x1xf32>, tensor<2x16x1x1xi32>
  }
  func.func private @take_along_axis_9(%arg0: tensor<2x16x1x1xi32>, %arg1: tensor<2x16x1xf32>) -> tensor<2x16x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x16x64xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x16x64xf32>, tensor<2x16x1x1xi32>, tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    return %1 : tensor<2x16x64xf32>
  }
  func.func private @log_softmax_10(%arg0: tensor<2x16x64xf32>, %arg1: tensor<2x16x1xf32>, %arg2: tensor<2x16x64xf32>) -> tensor<2x16x64xf32> {
    %0 = stablehlo.negate %arg2 : tensor<2x16x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<2x16x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<2x16x64xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<2x16x64xf32>
    return %7 : tensor<2x16x64xf32>
  }
  func.func private @layer_11(%arg0: tensor<2x16x64xf32>, %arg1: tensor<2x16x1xf32>, %arg2: tensor<2x16x1xf32>, %arg3: tensor<2x16x64xf32>, %arg4: tensor<1x1x64xf32>, %arg5: tensor<2x16x64xf32>, %arg6: tensor<64x64xf16>, %arg7: tensor<2x16x64xf16>, %arg8: tensor<64x64xf16>, %arg9: tensor<2x2x16x32xf16>, %arg10: tensor<2x2x16x32xf16>, %arg11: tensor<2x2x16x16xf32>, %arg12: tensor<2x2x16x1xf32>, %arg13: tensor<2x2x16x1xf32>, %arg14: tensor<2x2x16x16xi1>, %arg15: tensor<64x64xf16>, %arg16: tensor<2x2x16x32xf16>, %arg17: tensor<2x2x16x16xf16>, %arg18: tensor<64x64xf16>, %arg19: tensor<2x16x64xf16>, %arg20: tensor<2x16x64xi1>, %arg21: tensor<2x16x64xf32>, %arg22: tensor<2x16x1xf32>, %arg23: tensor<2x16x1xf32>, %arg24: tensor<2x16x64xf32>, %arg25: tensor<1x1x64xf32>, %arg26: tensor<2x16x64xf32>, %arg27: tensor<64x256xf16>, %arg28: tensor<2x16x64xf16>, %arg29: tensor<2x16x256xf16>, %arg30: tensor<2x16x256xf16>, %arg31: tensor<2x16x256xf16>, %arg32: tensor<2x16x256xf16>, %arg33: tensor<2x16x256xf16>, %arg34: tensor<256x64xf16>, %arg35: tensor<2x16x256xf16>, %arg36: tensor<2x16x64xi1>, %arg37: tensor<2x16x64xf16>) -> (tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x16x64xf16>) {
    %0 = call @_where_12(%arg36, %arg37) : (tensor<2x16x64xi1>, tensor<2x16x64xf16>) -> tensor<2x16x64xf16>
    %cst = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %2 = stablehlo.divide %0, %1 : tensor<2x16x64xf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf16>, tensor<f16>) -> tensor<64xf16>
    %4 = stablehlo.reshape %3 : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf16>, tensor<f16>) -> tensor<64xf16>
    %6 = stablehlo.convert %5 : (tensor<64xf16>) -> tensor<64xf32>
    %7 = stablehlo.dot_general %2, %arg35, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<2x16x256xf16>) -> tensor<64x256xf16>
    %8 = stablehlo.transpose %7, dims = [1, 0] : (tensor<64x256xf16>) -> tensor<256x64xf16>
    %9 = stablehlo.dot_general %2, %arg34, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<256x64xf16>) -> tensor<2x16x256xf16>
    %10 = stablehlo.convert %8 : (tensor<256x64xf16>) -> tensor<256x64xf32>
    %11 = stablehlo.multiply %arg33, %9 : tensor<2x16x256xf16>
    %12 = stablehlo.multiply %9, %arg32 : tensor<2x16x256xf16>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f16>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %14 = stablehlo.multiply %13, %11 : tensor<2x16x256xf16>
    %15 = stablehlo.multiply %14, %arg31 : tensor<2x16x256xf16>
    %16 = stablehlo.multiply %15, %arg30 : tensor<2x16x256xf16>
    %17 = stablehlo.add %15, %16 : tensor<2x16x256xf16>
    %cst_3 = stablehlo.constant dense<7.978520e-01> : tensor<f16>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %19 = stablehlo.multiply %18, %17 : tensor<2x16x256xf16>
    %20 = stablehlo.add %12, %19 : tensor<2x16x256xf16>
    %cst_4 = stablehlo.constant dense<4.470830e-02> : tensor<f16>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %22 = stablehlo.multiply %21, %19 : tensor<2x16x256xf16>
    %23 = stablehlo.multiply %22, %arg29 : tensor<2x16x256xf16>
    %24 = stablehlo.add %20, %23 : tensor<2x16x256xf16>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %25 = stablehlo.reduce(%24 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x256xf16>, tensor<f16>) -> tensor<256xf16>
    %26 = stablehlo.reshape %25 : (tensor<256xf16>) -> tensor<1x1x256xf16>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %27 = stablehlo.reduce(%26 init: %cst_6) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x256xf16>, tensor<f16>) -> tensor<256xf16>
    %28 = stablehlo.convert %27 : (tensor<256xf16>) -> tensor<256xf32>
    %29 = stablehlo.dot_general %24, %arg28, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x256xf16>, tensor<2x16x64xf16>) -> tensor<256x64xf16>
    %30 = stablehlo.transpose %29, dims = [1, 0] : (tensor<256x64xf16>) -> tensor<64x256xf16>
    %31 = stablehlo.dot_general %24, %arg27, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x256xf16>, tensor<64x256xf16>) -> tensor<2x16x64xf16>
    %32 = stablehlo.convert %30 : (tensor<64x256xf16>) -> tensor<64x256xf32>
    %33 = stablehlo.convert %31 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %35 = stablehlo.reshape %34 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %37 = stablehlo.multiply %arg26, %33 : tensor<2x16x64xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_9) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %39 = stablehlo.reshape %38 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %40 = stablehlo.broadcast_in_dim %arg25, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %41 = stablehlo.multiply %33, %40 : tensor<2x16x64xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.reduce(%39 init: %cst_10) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %43 = stablehlo.multiply %arg24, %41 : tensor<2x16x64xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%43 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %45 = stablehlo.reshape %44 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %46 = stablehlo.broadcast_in_dim %arg23, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %47 = stablehlo.multiply %41, %46 : tensor<2x16x64xf32>
    %48 = stablehlo.multiply %45, %arg22 : tensor<2x16x1xf32>
    %49 = stablehlo.negate %47 : tensor<2x16x64xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %51 = stablehlo.reshape %50 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_13 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %53 = stablehlo.divide %48, %52 : tensor<2x16x1xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%53 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %56 = stablehlo.multiply %55, %arg21 : tensor<2x16x64xf32>
    %57 = stablehlo.negate %56 : tensor<2x16x64xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %59 = stablehlo.reshape %58 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %60 = stablehlo.add %47, %56 : tensor<2x16x64xf32>
    %61 = stablehlo.add %51, %59 : tensor<2x16x1xf32>
    %cst_16 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %63 = stablehlo.divide %61, %62 : tensor<2x16x1xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%63 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %66 = stablehlo.add %60, %65 : tensor<2x16x64xf32>
    %67 = stablehlo.convert %66 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %68 = stablehlo.add %arg37, %67 : tensor<2x16x64xf16>
    %69 = call @_where_12(%arg20, %68) : (tensor<2x16x64xi1>, tensor<2x16x64xf16>) -> tensor<2x16x64xf16>
    %cst_18 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %70 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %71 = stablehlo.divide %69, %70 : tensor<2x16x64xf16>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %72 = stablehlo.reduce(%71 init: %cst_19) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf16>, tensor<f16>) -> tensor<64xf16>
    %73 = stablehlo.reshape %72 : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %74 = stablehlo.reduce(%73 init: %cst_20) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf16>, tensor<f16>) -> tensor<64xf16>
    %75 = stablehlo.convert %74 : (tensor<64xf16>) -> tensor<64xf32>
    %76 = stablehlo.dot_general %71, %arg19, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<2x16x64xf16>) -> tensor<64x64xf16>
    %77 = stablehlo.transpose %76, dims = [1, 0] : (tensor<64x64xf16>) -> tensor<64x64xf16>
    %78 = stablehlo.dot_general %71, %arg18, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %79 = stablehlo.convert %77 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %80 = stablehlo.reshape %78 : (tensor<2x16x64xf16>) -> tensor<2x16x2x32xf16>
    %81 = stablehlo.transpose %80, dims = [0, 2, 1, 3] : (tensor<2x16x2x32xf16>) -> tensor<2x2x16x32xf16>
    %82 = stablehlo.dot_general %81, %arg17, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>) -> tensor<2x2x32x16xf16>
    %83 = stablehlo.transpose %82, dims = [0, 1, 3, 2] : (tensor<2x2x32x16xf16>) -> tensor<2x2x16x32xf16>
    %84 = stablehlo.dot_general %81, %arg16, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>) -> tensor<2x2x16x16xf16>
    %85 = stablehlo.transpose %83, dims = [0, 2, 1, 3] : (tensor<2x2x16x32xf16>) -> tensor<2x16x2x32xf16>
    %86 = stablehlo.reshape %85 : (tensor<2x16x2x32xf16>) -> tensor<2x16x64xf16>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %87 = stablehlo.reduce(%86 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf16>, tensor<f16>) -> tensor<64xf16>
    %88 = stablehlo.reshape %87 : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %89 = stablehlo.reduce(%88 init: %cst_22) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf16>, tensor<f16>) -> tensor<64xf16>
    %90 = stablehlo.convert %89 : (tensor<64xf16>) -> tensor<64xf32>
    %91 = stablehlo.dot_general %86, %arg7, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<2x16x64xf16>) -> tensor<64x64xf16>
    %92 = stablehlo.transpose %91, dims = [1, 0] : (tensor<64x64xf16>) -> tensor<64x64xf16>
    %93 = stablehlo.dot_general %86, %arg15, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %94 = stablehlo.convert %92 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %95 = call @_where_13(%arg14, %84) : (tensor<2x2x16x16xi1>, tensor<2x2x16x16xf16>) -> tensor<2x2x16x16xf16>
    %cst_23 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %96 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f16>) -> tensor<2x2x16x16xf16>
    %97 = stablehlo.divide %95, %96 : tensor<2x2x16x16xf16>
    %98 = stablehlo.convert %97 : (tensor<2x2x16x16xf16>) -> tensor<2x2x16x16xf32>
    %99 = stablehlo.broadcast_in_dim %arg13, dims = [0, 1, 2, 3] : (tensor<2x2x16x1xf32>) -> tensor<2x2x16x16xf32>
    %100 = stablehlo.multiply %98, %99 : tensor<2x2x16x16xf32>
    %101 = stablehlo.multiply %100, %arg11 : tensor<2x2x16x16xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.reduce(%101 init: %cst_24) applies stablehlo.add across dimensions = [3] : (tensor<2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x16xf32>
    %103 = stablehlo.reshape %102 : (tensor<2x2x16xf32>) -> tensor<2x2x16x1xf32>
    %104 = stablehlo.negate %103 : tensor<2x2x16x1xf32>
    %105 = stablehlo.broadcast_in_dim %arg12, dims = [0, 1, 2, 3] : (tensor<2x2x16x1xf32>) -> tensor<2x2x16x16xf32>
    %106 = stablehlo.divide %98, %105 : tensor<2x2x16x16xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %107 = stablehlo.reduce(%104 init: %cst_25) applies stablehlo.add across dimensions = [3] : (tensor<2x2x16x1xf32>, tensor<f32>) -> tensor<2x2x16xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2] : (tensor<2x2x16xf32>) -> tensor<2x2x16x16xf32>
    %109 = stablehlo.add %106, %108 : tensor<2x2x16x16xf32>
    %110 = stablehlo.multiply %109, %arg11 : tensor<2x2x16x16xf32>
    %cst_26 = stablehlo.constant dense<5.65685415> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<2x2x16x16xf32>
    %112 = stablehlo.divide %110, %111 : tensor<2x2x16x16xf32>
    %113 = stablehlo.convert %112 : (tensor<2x2x16x16xf32>) -> tensor<2x2x16x16xf16>
    %114 = stablehlo.dot_general %113, %arg10, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x16x16xf16>, tensor<2x2x16x32xf16>) -> tensor<2x2x16x32xf16>
    %115 = stablehlo.dot_general %113, %arg9, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x16x16xf16>, tensor<2x2x16x32xf16>) -> tensor<2x2x16x32xf16>
    %116 = stablehlo.transpose %114, dims = [0, 2, 1, 3] : (tensor<2x2x16x32xf16>) -> tensor<2x16x2x32xf16>
    %117 = stablehlo.reshape %116 : (tensor<2x16x2x32xf16>) -> tensor<2x16x64xf16>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %118 = stablehlo.reduce(%117 init: %cst_27) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf16>, tensor<f16>) -> tensor<64xf16>
    %119 = stablehlo.reshape %118 : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %120 = stablehlo.reduce(%119 init: %cst_28) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf16>, tensor<f16>) -> tensor<64xf16>
    %121 = stablehlo.convert %120 : (tensor<64xf16>) -> tensor<64xf32>
    %122 = stablehlo.dot_general %117, %arg7, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<2x16x64xf16>) -> tensor<64x64xf16>
    %123 = stablehlo.transpose %122, dims = [1, 0] : (tensor<64x64xf16>) -> tensor<64x64xf16>
    %124 = stablehlo.dot_general %117, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %125 = stablehlo.add %93, %124 : tensor<2x16x64xf16>
    %126 = stablehlo.convert %123 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %127 = stablehlo.transpose %115, dims = [0, 2, 1, 3] : (tensor<2x2x16x32xf16>) -> tensor<2x16x2x32xf16>
    %128 = stablehlo.reshape %127 : (tensor<2x16x2x32xf16>) -> tensor<2x16x64xf16>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %129 = stablehlo.reduce(%128 init: %cst_29) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf16>, tensor<f16>) -> tensor<64xf16>
    %130 = stablehlo.reshape %129 : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %131 = stablehlo.reduce(%130 init: %cst_30) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf16>, tensor<f16>) -> tensor<64xf16>
    %132 = stablehlo.convert %131 : (tensor<64xf16>) -> tensor<64xf32>
    %133 = stablehlo.dot_general %128, %arg7, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<2x16x64xf16>) -> tensor<64x64xf16>
    %134 = stablehlo.transpose %133, dims = [1, 0] : (tensor<64x64xf16>) -> tensor<64x64xf16>
    %135 = stablehlo.dot_general %128, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %136 = stablehlo.add %125, %135 : tensor<2x16x64xf16>
    %137 = stablehlo.convert %134 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %138 = stablehlo.convert %136 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %139 = stablehlo.reduce(%138 init: %cst_31) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %140 = stablehlo.reshape %139 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.reduce(%140 init: %cst_32) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %142 = stablehlo.multiply %arg5, %138 : tensor<2x16x64xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %143 = stablehlo.reduce(%142 init: %cst_33) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %144 = stablehlo.reshape %143 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %145 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %146 = stablehlo.multiply %138, %145 : tensor<2x16x64xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.reduce(%144 init: %cst_34) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %148 = stablehlo.multiply %arg3, %146 : tensor<2x16x64xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %149 = stablehlo.reduce(%148 init: %cst_35) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %150 = stablehlo.reshape %149 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %151 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %152 = stablehlo.multiply %146, %151 : tensor<2x16x64xf32>
    %153 = stablehlo.multiply %150, %arg1 : tensor<2x16x1xf32>
    %154 = stablehlo.negate %152 : tensor<2x16x64xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %155 = stablehlo.reduce(%154 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %156 = stablehlo.reshape %155 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_37 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %158 = stablehlo.divide %153, %157 : tensor<2x16x1xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %159 = stablehlo.reduce(%158 init: %cst_38) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %161 = stablehlo.multiply %160, %arg0 : tensor<2x16x64xf32>
    %162 = stablehlo.negate %161 : tensor<2x16x64xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %163 = stablehlo.reduce(%162 init: %cst_39) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %164 = stablehlo.reshape %163 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %165 = stablehlo.add %152, %161 : tensor<2x16x64xf32>
    %166 = stablehlo.add %156, %164 : tensor<2x16x1xf32>
    %cst_40 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %168 = stablehlo.divide %166, %167 : tensor<2x16x1xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %169 = stablehlo.reduce(%168 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %171 = stablehlo.add %165, %170 : tensor<2x16x64xf32>
    %172 = stablehlo.convert %171 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %173 = stablehlo.add %68, %172 : tensor<2x16x64xf16>
    return %28, %32, %121, %126, %147, %141, %42, %36, %75, %79, %132, %137, %6, %10, %90, %94, %173 : tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x16x64xf16>
  }
  func.func private @_where_12(%arg0: tensor<2x16x64xi1>, %arg1: tensor<2x16x64xf16>) -> tensor<2x16x64xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<2x16x64xi1>, tensor<2x16x64xf16>
    return %1 : tensor<2x16x64xf16>
  }
  func.func private @_where_13(%arg0: tensor<2x2x16x16xi1>, %arg1: tensor<2x2x16x16xf16>) -> tensor<2x2x16x16xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<2x2x16x16xf16>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<2x2x16x16xi1>, tensor<2x2x16x16xf16>
    return %1 : tensor<2x2x16x16xf16>
  }
  func.func private @_where_14(%arg0: tensor<2x16x64xi1>, %arg1: tensor<2x16x64xf16>) -> tensor<2x16x64xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<2x16x64xi1>, tensor<2x16x64xf16>
    return %1 : tensor<2x16x64xf16>
  }
  func.func private @_adam(%arg0: tensor<256xf32>, %arg1: tensor<256xf32>, %arg2: tensor<256xf32>, %arg3: tensor<256xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<256xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<256xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<256xf32>
    %6 = stablehlo.add %3, %5 : tensor<256xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<256xf32>
    %9 = chlo.square %1 : tensor<256xf32> -> tensor<256xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<256xf32>
    %12 = stablehlo.add %8, %11 : tensor<256xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %14 = stablehlo.divide %6, %13 : tensor<256xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %16 = stablehlo.divide %12, %15 : tensor<256xf32>
    %17 = stablehlo.sqrt %16 : tensor<256xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %19 = stablehlo.add %17, %18 : tensor<256xf32>
    %20 = stablehlo.divide %14, %19 : tensor<256xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<256xf32>
    %23 = stablehlo.add %20, %22 : tensor<256xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<256xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<256xf32>
    return %26, %6, %12 : tensor<256xf32>, tensor<256xf32>, tensor<256xf32>
  }
  func.func private @_adam_15(%arg0: tensor<64x256xf32>, %arg1: tensor<64x256xf32>, %arg2: tensor<64x256xf32>, %arg3: tensor<64x256xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<64x256xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<64x256xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<64x256xf32>
    %6 = stablehlo.add %3, %5 : tensor<64x256xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<64x256xf32>
    %9 = chlo.square %1 : tensor<64x256xf32> -> tensor<64x256xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<64x256xf32>
    %12 = stablehlo.add %8, %11 : tensor<64x256xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %14 = stablehlo.divide %6, %13 : tensor<64x256xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %16 = stablehlo.divide %12, %15 : tensor<64x256xf32>
    %17 = stablehlo.sqrt %16 : tensor<64x256xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %19 = stablehlo.add %17, %18 : tensor<64x256xf32>
    %20 = stablehlo.divide %14, %19 : tensor<64x256xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<64x256xf32>
    %23 = stablehlo.add %20, %22 : tensor<64x256xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<64x256xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<64x256xf32>
    return %26, %6, %12 : tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>
  }
  func.func private @_adam_16(%arg0: tensor<64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<64xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<64xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<64xf32>
    %6 = stablehlo.add %3, %5 : tensor<64xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<64xf32>
    %9 = chlo.square %1 : tensor<64xf32> -> tensor<64xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<64xf32>
    %12 = stablehlo.add %8, %11 : tensor<64xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %14 = stablehlo.divide %6, %13 : tensor<64xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %16 = stablehlo.divide %12, %15 : tensor<64xf32>
    %17 = stablehlo.sqrt %16 : tensor<64xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %19 = stablehlo.add %17, %18 : tensor<64xf32>
    %20 = stablehlo.divide %14, %19 : tensor<64xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<64xf32>
    %23 = stablehlo.add %20, %22 : tensor<64xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<64xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<64xf32>
    return %26, %6, %12 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  func.func private @_adam_17(%arg0: tensor<64x64xf32>, %arg1: tensor<64x64xf32>, %arg2: tensor<64x64xf32>, %arg3: tensor<64x64xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<64x64xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<64x64xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<64x64xf32>
    %6 = stablehlo.add %3, %5 : tensor<64x64xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<64x64xf32>
    %9 = chlo.square %1 : tensor<64x64xf32> -> tensor<64x64xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<64x64xf32>
    %12 = stablehlo.add %8, %11 : tensor<64x64xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %14 = stablehlo.divide %6, %13 : tensor<64x64xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %16 = stablehlo.divide %12, %15 : tensor<64x64xf32>
    %17 = stablehlo.sqrt %16 : tensor<64x64xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %19 = stablehlo.add %17, %18 : tensor<64x64xf32>
    %20 = stablehlo.divide %14, %19 : tensor<64x64xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<64x64xf32>
    %23 = stablehlo.add %20, %22 : tensor<64x64xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<64x64xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<64x64xf32>
    return %26, %6, %12 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  }
  func.func private @_adam_18(%arg0: tensor<256x64xf32>, %arg1: tensor<256x64xf32>, %arg2: tensor<256x64xf32>, %arg3: tensor<256x64xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<256x64xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<256x64xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<256x64xf32>
    %6 = stablehlo.add %3, %5 : tensor<256x64xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<256x64xf32>
    %9 = chlo.square %1 : tensor<256x64xf32> -> tensor<256x64xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<256x64xf32>
    %12 = stablehlo.add %8, %11 : tensor<256x64xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %14 = stablehlo.divide %6, %13 : tensor<256x64xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %16 = stablehlo.divide %12, %15 : tensor<256x64xf32>
    %17 = stablehlo.sqrt %16 : tensor<256x64xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %19 = stablehlo.add %17, %18 : tensor<256x64xf32>
    %20 = stablehlo.divide %14, %19 : tensor<256x64xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<256x64xf32>
    %23 = stablehlo.add %20, %22 : tensor<256x64xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<256x64xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<256x64xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<256x64xf32>
    return %26, %6, %12 : tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>
  }
  func.func private @_adam_19(%arg0: tensor<16x64xf32>, %arg1: tensor<16x64xf32>, %arg2: tensor<16x64xf32>, %arg3: tensor<16x64xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<16x64xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<16x64xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<16x64xf32>
    %6 = stablehlo.add %3, %5 : tensor<16x64xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<16x64xf32>
    %9 = chlo.square %1 : tensor<16x64xf32> -> tensor<16x64xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<16x64xf32>
    %12 = stablehlo.add %8, %11 : tensor<16x64xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %14 = stablehlo.divide %6, %13 : tensor<16x64xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %16 = stablehlo.divide %12, %15 : tensor<16x64xf32>
    %17 = stablehlo.sqrt %16 : tensor<16x64xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %19 = stablehlo.add %17, %18 : tensor<16x64xf32>
    %20 = stablehlo.divide %14, %19 : tensor<16x64xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<16x64xf32>
    %23 = stablehlo.add %20, %22 : tensor<16x64xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16x64xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<16x64xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<16x64xf32>
    return %26, %6, %12 : tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>
  }
}
