module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  func.func public @main(%arg0: tensor<f32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<2xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<64x2xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<256xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<64x256xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<64xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<64x64xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<64xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<64xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<64xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<64xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<64x64xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<64xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<64x64xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<64xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<256x64xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<64xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<64x64xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<256xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<64x256xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<64xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<64x64xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<64xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<64xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<64xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<64xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<64xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<64x64xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<64xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<64x64xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<64xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<256x64xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<64xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<64x64xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<64xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<64xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<16x64xf32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<64xf32> {tf.aliasing_output = 38 : i32}, %arg39: tensor<64x64xf32> {tf.aliasing_output = 39 : i32}, %arg40: tensor<2x64xf32> {tf.aliasing_output = 40 : i32}, %arg41: tensor<64x64xf32> {tf.aliasing_output = 41 : i32}, %arg42: tensor<2xf32> {tf.aliasing_output = 42 : i32}, %arg43: tensor<64x2xf32> {tf.aliasing_output = 43 : i32}, %arg44: tensor<256xf32> {tf.aliasing_output = 44 : i32}, %arg45: tensor<64x256xf32> {tf.aliasing_output = 45 : i32}, %arg46: tensor<64xf32> {tf.aliasing_output = 46 : i32}, %arg47: tensor<64x64xf32> {tf.aliasing_output = 47 : i32}, %arg48: tensor<64xf32> {tf.aliasing_output = 48 : i32}, %arg49: tensor<64xf32> {tf.aliasing_output = 49 : i32}, %arg50: tensor<64xf32> {tf.aliasing_output = 50 : i32}, %arg51: tensor<64xf32> {tf.aliasing_output = 51 : i32}, %arg52: tensor<64xf32> {tf.aliasing_output = 52 : i32}, %arg53: tensor<64x64xf32> {tf.aliasing_output = 53 : i32}, %arg54: tensor<64xf32> {tf.aliasing_output = 54 : i32}, %arg55: tensor<64x64xf32> {tf.aliasing_output = 55 : i32}, %arg56: tensor<64xf32> {tf.aliasing_output = 56 : i32}, %arg57: tensor<256x64xf32> {tf.aliasing_output = 57 : i32}, %arg58: tensor<64xf32> {tf.aliasing_output = 58 : i32}, %arg59: tensor<64x64xf32> {tf.aliasing_output = 59 : i32}, %arg60: tensor<256xf32> {tf.aliasing_output = 60 : i32}, %arg61: tensor<64x256xf32> {tf.aliasing_output = 61 : i32}, %arg62: tensor<64xf32> {tf.aliasing_output = 62 : i32}, %arg63: tensor<64x64xf32> {tf.aliasing_output = 63 : i32}, %arg64: tensor<64xf32> {tf.aliasing_output = 64 : i32}, %arg65: tensor<64xf32> {tf.aliasing_output = 65 : i32}, %arg66: tensor<64xf32> {tf.aliasing_output = 66 : i32}, %arg67: tensor<64xf32> {tf.aliasing_output = 67 : i32}, %arg68: tensor<64xf32> {tf.aliasing_output = 68 : i32}, %arg69: tensor<64x64xf32> {tf.aliasing_output = 69 : i32}, %arg70: tensor<64xf32> {tf.aliasing_output = 70 : i32}, %arg71: tensor<64x64xf32> {tf.aliasing_output = 71 : i32}, %arg72: tensor<64xf32> {tf.aliasing_output = 72 : i32}, %arg73: tensor<256x64xf32> {tf.aliasing_output = 73 : i32}, %arg74: tensor<64xf32> {tf.aliasing_output = 74 : i32}, %arg75: tensor<64x64xf32> {tf.aliasing_output = 75 : i32}, %arg76: tensor<64xf32> {tf.aliasing_output = 76 : i32}, %arg77: tensor<64xf32> {tf.aliasing_output = 77 : i32}, %arg78: tensor<16x64xf32> {tf.aliasing_output = 78 : i32}, %arg79: tensor<64xf32> {tf.aliasing_output = 79 : i32}, %arg80: tensor<64x64xf32> {tf.aliasing_output = 80 : i32}, %arg81: tensor<2x64xf32> {tf.aliasing_output = 81 : i32}, %arg82: tensor<64x64xf32> {tf.aliasing_output = 82 : i32}, %arg83: tensor<2xf32> {tf.aliasing_output = 83 : i32}, %arg84: tensor<64x2xf32> {tf.aliasing_output = 84 : i32}, %arg85: tensor<256xf32> {tf.aliasing_output = 85 : i32}, %arg86: tensor<64x256xf32> {tf.aliasing_output = 86 : i32}, %arg87: tensor<64xf32> {tf.aliasing_output = 87 : i32}, %arg88: tensor<64x64xf32> {tf.aliasing_output = 88 : i32}, %arg89: tensor<64xf32> {tf.aliasing_output = 89 : i32}, %arg90: tensor<64xf32> {tf.aliasing_output = 90 : i32}, %arg91: tensor<64xf32> {tf.aliasing_output = 91 : i32}, %arg92: tensor<64xf32> {tf.aliasing_output = 92 : i32}, %arg93: tensor<64xf32> {tf.aliasing_output = 93 : i32}, %arg94: tensor<64x64xf32> {tf.aliasing_output = 94 : i32}, %arg95: tensor<64xf32> {tf.aliasing_output = 95 : i32}, %arg96: tensor<64x64xf32> {tf.aliasing_output = 96 : i32}, %arg97: tensor<64xf32> {tf.aliasing_output = 97 : i32}, %arg98: tensor<256x64xf32> {tf.aliasing_output = 98 : i32}, %arg99: tensor<64xf32> {tf.aliasing_output = 99 : i32}, %arg100: tensor<64x64xf32> {tf.aliasing_output = 100 : i32}, %arg101: tensor<256xf32> {tf.aliasing_output = 101 : i32}, %arg102: tensor<64x256xf32> {tf.aliasing_output = 102 : i32}, %arg103: tensor<64xf32> {tf.aliasing_output = 103 : i32}, %arg104: tensor<64x64xf32> {tf.aliasing_output = 104 : i32}, %arg105: tensor<64xf32> {tf.aliasing_output = 105 : i32}, %arg106: tensor<64xf32> {tf.aliasing_output = 106 : i32}, %arg107: tensor<64xf32> {tf.aliasing_output = 107 : i32}, %arg108: tensor<64xf32> {tf.aliasing_output = 108 : i32}, %arg109: tensor<64xf32> {tf.aliasing_output = 109 : i32}, %arg110: tensor<64x64xf32> {tf.aliasing_output = 110 : i32}, %arg111: tensor<64xf32> {tf.aliasing_output = 111 : i32}, %arg112: tensor<64x64xf32> {tf.aliasing_output = 112 : i32}, %arg113: tensor<64xf32> {tf.aliasing_output = 113 : i32}, %arg114: tensor<256x64xf32> {tf.aliasing_output = 114 : i32}, %arg115: tensor<64xf32> {tf.aliasing_output = 115 : i32}, %arg116: tensor<64x64xf32> {tf.aliasing_output = 116 : i32}, %arg117: tensor<64xf32> {tf.aliasing_output = 117 : i32}, %arg118: tensor<64xf32> {tf.aliasing_output = 118 : i32}, %arg119: tensor<16x64xf32> {tf.aliasing_output = 119 : i32}, %arg120: tensor<64xf32> {tf.aliasing_output = 120 : i32}, %arg121: tensor<64x64xf32> {tf.aliasing_output = 121 : i32}, %arg122: tensor<2x64xf32> {tf.aliasing_output = 122 : i32}, %arg123: tensor<64x64xf32> {tf.aliasing_output = 123 : i32}, %arg124: tensor<2xi32>, %arg125: tensor<2x16xi32>, %arg126: tensor<2x16xi32>, %arg127: tensor<2x16xi32>, %arg128: tensor<2xui32>) -> (tensor<f32> {jax.result_info = "result[0]['count']"}, tensor<2xf32> {jax.result_info = "result[0]['means']['head']['bias']"}, tensor<64x2xf32> {jax.result_info = "result[0]['means']['head']['weight']"}, tensor<256xf32> {jax.result_info = "result[0]['means']['layers'][0]['first']['bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['means']['layers'][0]['first']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['key']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][0]['key']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['norm1']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['norm1']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['norm2']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['norm2']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['project']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][0]['project']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['query']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][0]['query']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['second']['bias']"}, tensor<256x64xf32> {jax.result_info = "result[0]['means']['layers'][0]['second']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][0]['value']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][0]['value']['weight']"}, tensor<256xf32> {jax.result_info = "result[0]['means']['layers'][1]['first']['bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['means']['layers'][1]['first']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['key']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][1]['key']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['norm1']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['norm1']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['norm2']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['norm2']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['project']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][1]['project']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['query']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][1]['query']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['second']['bias']"}, tensor<256x64xf32> {jax.result_info = "result[0]['means']['layers'][1]['second']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['layers'][1]['value']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['layers'][1]['value']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['norm']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['norm']['shift']"}, tensor<16x64xf32> {jax.result_info = "result[0]['means']['places']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['pool']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['pool']['weight']"}, tensor<2x64xf32> {jax.result_info = "result[0]['means']['segments']"}, tensor<64x64xf32> {jax.result_info = "result[0]['means']['words']"}, tensor<2xf32> {jax.result_info = "result[0]['squares']['head']['bias']"}, tensor<64x2xf32> {jax.result_info = "result[0]['squares']['head']['weight']"}, tensor<256xf32> {jax.result_info = "result[0]['squares']['layers'][0]['first']['bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['squares']['layers'][0]['first']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['key']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['key']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['norm1']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['norm1']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['norm2']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['norm2']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['project']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['project']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['query']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['query']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['second']['bias']"}, tensor<256x64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['second']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['value']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][0]['value']['weight']"}, tensor<256xf32> {jax.result_info = "result[0]['squares']['layers'][1]['first']['bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['squares']['layers'][1]['first']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['key']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['key']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['norm1']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['norm1']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['norm2']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['norm2']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['project']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['project']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['query']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['query']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['second']['bias']"}, tensor<256x64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['second']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['value']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['layers'][1]['value']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['norm']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['norm']['shift']"}, tensor<16x64xf32> {jax.result_info = "result[0]['squares']['places']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['pool']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['pool']['weight']"}, tensor<2x64xf32> {jax.result_info = "result[0]['squares']['segments']"}, tensor<64x64xf32> {jax.result_info = "result[0]['squares']['words']"}, tensor<2xf32> {jax.result_info = "result[0]['weights']['head']['bias']"}, tensor<64x2xf32> {jax.result_info = "result[0]['weights']['head']['weight']"}, tensor<256xf32> {jax.result_info = "result[0]['weights']['layers'][0]['first']['bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['weights']['layers'][0]['first']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['key']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['key']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['norm1']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['norm1']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['norm2']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['norm2']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['project']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['project']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['query']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['query']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['second']['bias']"}, tensor<256x64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['second']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['value']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][0]['value']['weight']"}, tensor<256xf32> {jax.result_info = "result[0]['weights']['layers'][1]['first']['bias']"}, tensor<64x256xf32> {jax.result_info = "result[0]['weights']['layers'][1]['first']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['key']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['key']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['norm1']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['norm1']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['norm2']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['norm2']['shift']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['project']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['project']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['query']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['query']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['second']['bias']"}, tensor<256x64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['second']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['value']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['layers'][1]['value']['weight']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['norm']['scale']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['norm']['shift']"}, tensor<16x64xf32> {jax.result_info = "result[0]['weights']['places']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['pool']['bias']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['pool']['weight']"}, tensor<2x64xf32> {jax.result_info = "result[0]['weights']['segments']"}, tensor<64x64xf32> {jax.result_info = "result[0]['weights']['words']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = sdy.sharding_constraint %arg128 <@empty_mesh, [{}]> : tensor<2xui32>
    %1 = call @_threefry_split(%0) : (tensor<2xui32>) -> tensor<3x2xui32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x16xi32>
    %3 = stablehlo.compare LT, %arg127, %2, SIGNED : (tensor<2x16xi32>, tensor<2x16xi32>) -> tensor<2x16xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x16xi32>
    %5 = stablehlo.add %arg127, %4 : tensor<2x16xi32>
    %6 = stablehlo.select %3, %5, %arg127 : tensor<2x16xi1>, tensor<2x16xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<2x16xi32>) -> tensor<2x16x1xi32>
    %8 = "stablehlo.gather"(%arg123, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<64x64xf32>, tensor<2x16x1xi32>) -> tensor<2x16x64xf32>
    %9 = stablehlo.broadcast_in_dim %arg119, dims = [1, 2] : (tensor<16x64xf32>) -> tensor<1x16x64xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x16x64xf32>) -> tensor<2x16x64xf32>
    %11 = stablehlo.add %8, %10 : tensor<2x16x64xf32>
    %12 = stablehlo.convert %11 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2x16xi32>
    %14 = stablehlo.compare LT, %arg126, %13, SIGNED : (tensor<2x16xi32>, tensor<2x16xi32>) -> tensor<2x16xi1>
    %c_2 = stablehlo.constant dense<2> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x16xi32>
    %16 = stablehlo.add %arg126, %15 : tensor<2x16xi32>
    %17 = stablehlo.select %14, %16, %arg126 : tensor<2x16xi1>, tensor<2x16xi32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<2x16xi32>) -> tensor<2x16x1xi32>
    %19 = "stablehlo.gather"(%arg122, %18) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 64>}> : (tensor<2x64xf32>, tensor<2x16x1xi32>) -> tensor<2x16x64xf32>
    %20 = stablehlo.convert %19 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %21 = stablehlo.add %12, %20 : tensor<2x16x64xf16>
    %22 = stablehlo.convert %21 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_3 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %26 = stablehlo.divide %24, %25 : tensor<2x16x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %28 = stablehlo.subtract %22, %27 : tensor<2x16x64xf32>
    %29 = chlo.square %28 : tensor<2x16x64xf32> -> tensor<2x16x64xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x16x64xf32>
    %31 = stablehlo.multiply %30, %28 : tensor<2x16x64xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%29 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_6 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %35 = stablehlo.divide %33, %34 : tensor<2x16x1xf32>
    %36 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %37 = stablehlo.subtract %22, %36 : tensor<2x16x64xf32>
    %cst_7 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %39 = stablehlo.add %35, %38 : tensor<2x16x1xf32>
    %40 = stablehlo.rsqrt %39 : tensor<2x16x1xf32>
    %41 = stablehlo.divide %40, %39 : tensor<2x16x1xf32>
    %cst_8 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %43 = stablehlo.multiply %42, %41 : tensor<2x16x1xf32>
    %44 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %45 = stablehlo.multiply %37, %44 : tensor<2x16x64xf32>
    %46 = stablehlo.broadcast_in_dim %arg117, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %48 = stablehlo.multiply %45, %47 : tensor<2x16x64xf32>
    %49 = stablehlo.broadcast_in_dim %arg118, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %51 = stablehlo.add %48, %50 : tensor<2x16x64xf32>
    %52 = stablehlo.convert %51 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %53 = stablehlo.broadcast_in_dim %arg125, dims = [0, 3] : (tensor<2x16xi32>) -> tensor<2x1x1x16xi32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<2x1x1x16xi32>
    %55 = stablehlo.compare GT, %53, %54, SIGNED : (tensor<2x1x1x16xi32>, tensor<2x1x1x16xi32>) -> tensor<2x1x1x16xi1>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_11 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %56 = call @_where(%55, %cst_10, %cst_11) : (tensor<2x1x1x16xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x16xf32>
    %57 = stablehlo.slice %1 [0:1, 0:2] : (tensor<3x2xui32>) -> tensor<1x2xui32>
    %58 = stablehlo.reshape %57 : (tensor<1x2xui32>) -> tensor<2xui32>
    %cst_12 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %59 = call @_bernoulli(%58, %cst_12) : (tensor<2xui32>, tensor<f32>) -> tensor<2x16x64xi1>
    %cst_13 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %60 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %61 = stablehlo.divide %52, %60 : tensor<2x16x64xf16>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %62 = call @_where_1(%59, %61, %c_14) : (tensor<2x16x64xi1>, tensor<2x16x64xf16>, tensor<i32>) -> tensor<2x16x64xf16>
    %63 = stablehlo.slice %1 [1:3, 0:2] : (tensor<3x2xui32>) -> tensor<2x2xui32>
    %64 = stablehlo.slice %63 [0:1, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %65 = stablehlo.reshape %64 : (tensor<1x2xui32>) -> tensor<2xui32>
    %66:35 = call @layer(%arg85, %arg86, %arg87, %arg88, %arg89, %arg90, %arg91, %arg92, %arg93, %arg94, %arg95, %arg96, %arg97, %arg98, %arg99, %arg100, %62, %56, %65) : (tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x16x64xf16>, tensor<2x1x1x16xf32>, tensor<2xui32>) -> (tensor<2x16x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x16xi1>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x256xf16>, tensor<2x16x64xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<256x64xf16>, tensor<2x16x256xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>)
    %67 = stablehlo.slice %63 [1:2, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %68 = stablehlo.reshape %67 : (tensor<1x2xui32>) -> tensor<2xui32>
    %69:35 = call @layer(%arg101, %arg102, %arg103, %arg104, %arg105, %arg106, %arg107, %arg108, %arg109, %arg110, %arg111, %arg112, %arg113, %arg114, %arg115, %arg116, %66#0, %56, %68) : (tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x16x64xf16>, tensor<2x1x1x16xf32>, tensor<2xui32>) -> (tensor<2x16x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x16xi1>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x256xf16>, tensor<2x16x64xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<256x64xf16>, tensor<2x16x256xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>)
    %70 = stablehlo.slice %69#0 [0:2, 0:1, 0:64] : (tensor<2x16x64xf16>) -> tensor<2x1x64xf16>
    %71 = stablehlo.reshape %70 : (tensor<2x1x64xf16>) -> tensor<2x64xf16>
    %72 = stablehlo.convert %arg121 : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %73 = stablehlo.dot_general %71, %72, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x64xf16>, tensor<64x64xf16>) -> tensor<2x64xf16>
    %74 = stablehlo.convert %arg120 : (tensor<64xf32>) -> tensor<64xf16>
    %75 = stablehlo.broadcast_in_dim %74, dims = [1] : (tensor<64xf16>) -> tensor<1x64xf16>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1] : (tensor<1x64xf16>) -> tensor<2x64xf16>
    %77 = stablehlo.add %73, %76 : tensor<2x64xf16>
    %78 = stablehlo.tanh %77 : tensor<2x64xf16>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f16>
    %79 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f16>) -> tensor<2x64xf16>
    %80 = stablehlo.subtract %79, %78 : tensor<2x64xf16>
    %81 = stablehlo.convert %arg84 : (tensor<64x2xf32>) -> tensor<64x2xf16>
    %82 = stablehlo.dot_general %78, %81, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x64xf16>, tensor<64x2xf16>) -> tensor<2x2xf16>
    %83 = stablehlo.convert %arg83 : (tensor<2xf32>) -> tensor<2xf16>
    %84 = stablehlo.broadcast_in_dim %83, dims = [1] : (tensor<2xf16>) -> tensor<1x2xf16>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1] : (tensor<1x2xf16>) -> tensor<2x2xf16>
    %86 = stablehlo.add %82, %85 : tensor<2x2xf16>
    %87 = stablehlo.convert %86 : (tensor<2x2xf16>) -> tensor<2x2xf32>
    %88:3 = call @log_softmax(%87) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>)
    %89 = stablehlo.broadcast_in_dim %arg124, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %90:2 = call @take_along_axis(%88#0, %89) : (tensor<2x2xf32>, tensor<2x1xi32>) -> (tensor<2x1xf32>, tensor<2x1x1xi32>)
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %91 = stablehlo.reduce(%90#0 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %92 = stablehlo.divide %91, %cst_17 : tensor<f32>
    %93 = stablehlo.negate %92 : tensor<f32>
    %cst_18 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %94 = stablehlo.multiply %93, %cst_18 : tensor<f32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_20 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %95 = stablehlo.multiply %cst_19, %cst_20 : tensor<f32>
    %96 = stablehlo.negate %95 : tensor<f32>
    %cst_21 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %97 = stablehlo.divide %96, %cst_21 : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %99 = call @take_along_axis_9(%90#1, %98) : (tensor<2x1x1xi32>, tensor<2x1xf32>) -> tensor<2x2xf32>
    %100 = call @log_softmax_10(%88#1, %88#2, %99) : (tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %101 = stablehlo.convert %100 : (tensor<2x2xf32>) -> tensor<2x2xf16>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %102 = stablehlo.reduce(%101 init: %cst_22) applies stablehlo.add across dimensions = [0] : (tensor<2x2xf16>, tensor<f16>) -> tensor<2xf16>
    %103 = stablehlo.reshape %102 : (tensor<2xf16>) -> tensor<1x2xf16>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %104 = stablehlo.reduce(%103 init: %cst_23) applies stablehlo.add across dimensions = [0] : (tensor<1x2xf16>, tensor<f16>) -> tensor<2xf16>
    %105 = stablehlo.convert %104 : (tensor<2xf16>) -> tensor<2xf32>
    %106 = stablehlo.dot_general %101, %78, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf16>, tensor<2x64xf16>) -> tensor<2x64xf16>
    %107 = stablehlo.transpose %106, dims = [1, 0] : (tensor<2x64xf16>) -> tensor<64x2xf16>
    %108 = stablehlo.dot_general %101, %81, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf16>, tensor<64x2xf16>) -> tensor<2x64xf16>
    %109 = stablehlo.convert %107 : (tensor<64x2xf16>) -> tensor<64x2xf32>
    %110 = stablehlo.multiply %108, %80 : tensor<2x64xf16>
    %111 = stablehlo.multiply %110, %78 : tensor<2x64xf16>
    %112 = stablehlo.add %110, %111 : tensor<2x64xf16>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %113 = stablehlo.reduce(%112 init: %cst_24) applies stablehlo.add across dimensions = [0] : (tensor<2x64xf16>, tensor<f16>) -> tensor<64xf16>
    %114 = stablehlo.reshape %113 : (tensor<64xf16>) -> tensor<1x64xf16>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %115 = stablehlo.reduce(%114 init: %cst_25) applies stablehlo.add across dimensions = [0] : (tensor<1x64xf16>, tensor<f16>) -> tensor<64xf16>
    %116 = stablehlo.convert %115 : (tensor<64xf16>) -> tensor<64xf32>
    %117 = stablehlo.dot_general %112, %71, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x64xf16>, tensor<2x64xf16>) -> tensor<64x64xf16>
    %118 = stablehlo.transpose %117, dims = [1, 0] : (tensor<64x64xf16>) -> tensor<64x64xf16>
    %119 = stablehlo.dot_general %112, %72, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x64xf16>, tensor<64x64xf16>) -> tensor<2x64xf16>
    %120 = stablehlo.convert %118 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %121 = stablehlo.broadcast_in_dim %119, dims = [0, 2] : (tensor<2x64xf16>) -> tensor<2x1x64xf16>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %122 = stablehlo.pad %121, %cst_26, low = [0, 0, 0], high = [0, 15, 0], interior = [0, 0, 0] : (tensor<2x1x64xf16>, tensor<f16>) -> tensor<2x16x64xf16>
    %123:17 = call @layer_11(%69#1, %66#0, %69#2, %69#3, %69#4, %69#5, %69#6, %69#7, %69#8, %69#9, %69#10, %69#11, %69#12, %69#13, %69#14, %69#15, %69#16, %69#17, %69#18, %69#19, %69#20, %69#21, %69#22, %69#23, %69#24, %69#25, %69#26, %69#27, %69#28, %69#29, %69#30, %69#31, %69#32, %69#33, %69#34, %122) : (tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x16xi1>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x256xf16>, tensor<2x16x64xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<256x64xf16>, tensor<2x16x256xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<2x16x64xf16>) -> (tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x16x64xf16>)
    %124:17 = call @layer_11(%66#1, %62, %66#2, %66#3, %66#4, %66#5, %66#6, %66#7, %66#8, %66#9, %66#10, %66#11, %66#12, %66#13, %66#14, %66#15, %66#16, %66#17, %66#18, %66#19, %66#20, %66#21, %66#22, %66#23, %66#24, %66#25, %66#26, %66#27, %66#28, %66#29, %66#30, %66#31, %66#32, %66#33, %66#34, %123#16) : (tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x16xi1>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x256xf16>, tensor<2x16x64xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<256x64xf16>, tensor<2x16x256xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<2x16x64xf16>) -> (tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x16x64xf16>)
    %125 = call @_where_14(%59, %124#16) : (tensor<2x16x64xi1>, tensor<2x16x64xf16>) -> tensor<2x16x64xf16>
    %cst_27 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %126 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %127 = stablehlo.divide %125, %126 : tensor<2x16x64xf16>
    %128 = stablehlo.convert %127 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.reduce(%128 init: %cst_28) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %130 = stablehlo.reshape %129 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %131 = stablehlo.reduce(%130 init: %cst_29) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %132 = stablehlo.multiply %45, %128 : tensor<2x16x64xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %133 = stablehlo.reduce(%132 init: %cst_30) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %134 = stablehlo.reshape %133 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %135 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %136 = stablehlo.multiply %128, %135 : tensor<2x16x64xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137 = stablehlo.reduce(%134 init: %cst_31) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %138 = stablehlo.multiply %37, %136 : tensor<2x16x64xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %139 = stablehlo.reduce(%138 init: %cst_32) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %140 = stablehlo.reshape %139 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %141 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %142 = stablehlo.multiply %136, %141 : tensor<2x16x64xf32>
    %143 = stablehlo.multiply %140, %43 : tensor<2x16x1xf32>
    %144 = stablehlo.negate %142 : tensor<2x16x64xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.reduce(%144 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %146 = stablehlo.reshape %145 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_34 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %148 = stablehlo.divide %143, %147 : tensor<2x16x1xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %149 = stablehlo.reduce(%148 init: %cst_35) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %150 = stablehlo.broadcast_in_dim %149, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %151 = stablehlo.multiply %150, %31 : tensor<2x16x64xf32>
    %152 = stablehlo.negate %151 : tensor<2x16x64xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %153 = stablehlo.reduce(%152 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %154 = stablehlo.reshape %153 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %155 = stablehlo.add %142, %151 : tensor<2x16x64xf32>
    %156 = stablehlo.add %146, %154 : tensor<2x16x1xf32>
    %cst_37 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %158 = stablehlo.divide %156, %157 : tensor<2x16x1xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %159 = stablehlo.reduce(%158 init: %cst_38) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %161 = stablehlo.add %155, %160 : tensor<2x16x64xf32>
    %162 = stablehlo.convert %161 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %163 = stablehlo.convert %162 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<2x64xf32>
    %165 = "stablehlo.scatter"(%164, %18, %163) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg129: tensor<f32>, %arg130: tensor<f32>):
      %219 = stablehlo.add %arg129, %arg130 : tensor<f32>
      stablehlo.return %219 : tensor<f32>
    }) : (tensor<2x64xf32>, tensor<2x16x1xi32>, tensor<2x16x64xf32>) -> tensor<2x64xf32>
    %166 = stablehlo.convert %162 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %167 = stablehlo.reduce(%166 init: %cst_40) applies stablehlo.add across dimensions = [0] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<16x64xf32>
    %168 = stablehlo.reshape %167 : (tensor<16x64xf32>) -> tensor<1x16x64xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %169 = stablehlo.reduce(%168 init: %cst_41) applies stablehlo.add across dimensions = [0] : (tensor<1x16x64xf32>, tensor<f32>) -> tensor<16x64xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %171 = "stablehlo.scatter"(%170, %7, %166) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg129: tensor<f32>, %arg130: tensor<f32>):
      %219 = stablehlo.add %arg129, %arg130 : tensor<f32>
      stablehlo.return %219 : tensor<f32>
    }) : (tensor<64x64xf32>, tensor<2x16x1xi32>, tensor<2x16x64xf32>) -> tensor<64x64xf32>
    %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %172 = stablehlo.add %arg0, %cst_43 : tensor<f32>
    %cst_44 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %173 = stablehlo.power %cst_44, %172 : tensor<f32>
    %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %174 = stablehlo.subtract %cst_45, %173 : tensor<f32>
    %cst_46 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %175 = stablehlo.power %cst_46, %172 : tensor<f32>
    %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %176 = stablehlo.subtract %cst_47, %175 : tensor<f32>
    %177:3 = call @_adam(%arg83, %arg1, %arg42, %105, %174, %176) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    %178:3 = call @_adam_15(%arg84, %arg2, %arg43, %109, %174, %176) : (tensor<64x2xf32>, tensor<64x2xf32>, tensor<64x2xf32>, tensor<64x2xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x2xf32>, tensor<64x2xf32>, tensor<64x2xf32>)
    %179:3 = call @_adam_16(%arg85, %arg3, %arg44, %124#0, %174, %176) : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<f32>, tensor<f32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>)
    %180:3 = call @_adam_17(%arg86, %arg4, %arg45, %124#1, %174, %176) : (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>)
    %181:3 = call @_adam_18(%arg87, %arg5, %arg46, %124#2, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %182:3 = call @_adam_19(%arg88, %arg6, %arg47, %124#3, %174, %176) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %183:3 = call @_adam_18(%arg89, %arg7, %arg48, %124#4, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %184:3 = call @_adam_18(%arg90, %arg8, %arg49, %124#5, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %185:3 = call @_adam_18(%arg91, %arg9, %arg50, %124#6, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %186:3 = call @_adam_18(%arg92, %arg10, %arg51, %124#7, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %187:3 = call @_adam_18(%arg93, %arg11, %arg52, %124#8, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %188:3 = call @_adam_19(%arg94, %arg12, %arg53, %124#9, %174, %176) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %189:3 = call @_adam_18(%arg95, %arg13, %arg54, %124#10, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %190:3 = call @_adam_19(%arg96, %arg14, %arg55, %124#11, %174, %176) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %191:3 = call @_adam_18(%arg97, %arg15, %arg56, %124#12, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %192:3 = call @_adam_20(%arg98, %arg16, %arg57, %124#13, %174, %176) : (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>)
    %193:3 = call @_adam_18(%arg99, %arg17, %arg58, %124#14, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %194:3 = call @_adam_19(%arg100, %arg18, %arg59, %124#15, %174, %176) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %195:3 = call @_adam_16(%arg101, %arg19, %arg60, %123#0, %174, %176) : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<f32>, tensor<f32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>)
    %196:3 = call @_adam_17(%arg102, %arg20, %arg61, %123#1, %174, %176) : (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>)
    %197:3 = call @_adam_18(%arg103, %arg21, %arg62, %123#2, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %198:3 = call @_adam_19(%arg104, %arg22, %arg63, %123#3, %174, %176) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %199:3 = call @_adam_18(%arg105, %arg23, %arg64, %123#4, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %200:3 = call @_adam_18(%arg106, %arg24, %arg65, %123#5, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %201:3 = call @_adam_18(%arg107, %arg25, %arg66, %123#6, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %202:3 = call @_adam_18(%arg108, %arg26, %arg67, %123#7, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %203:3 = call @_adam_18(%arg109, %arg27, %arg68, %123#8, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %204:3 = call @_adam_19(%arg110, %arg28, %arg69, %123#9, %174, %176) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %205:3 = call @_adam_18(%arg111, %arg29, %arg70, %123#10, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %206:3 = call @_adam_19(%arg112, %arg30, %arg71, %123#11, %174, %176) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %207:3 = call @_adam_18(%arg113, %arg31, %arg72, %123#12, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %208:3 = call @_adam_20(%arg114, %arg32, %arg73, %123#13, %174, %176) : (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>)
    %209:3 = call @_adam_18(%arg115, %arg33, %arg74, %123#14, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %210:3 = call @_adam_19(%arg116, %arg34, %arg75, %123#15, %174, %176) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %211:3 = call @_adam_18(%arg117, %arg35, %arg76, %137, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %212:3 = call @_adam_18(%arg118, %arg36, %arg77, %131, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %213:3 = call @_adam_21(%arg119, %arg37, %arg78, %169, %174, %176) : (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>)
    %214:3 = call @_adam_18(%arg120, %arg38, %arg79, %116, %174, %176) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %215:3 = call @_adam_19(%arg121, %arg39, %arg80, %120, %174, %176) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %216:3 = call @_adam_22(%arg122, %arg40, %arg81, %165, %174, %176) : (tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>)
    %217:3 = call @_adam_19(%arg123, %arg41, %arg82, %171, %174, %176) : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
    %cst_48 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %218 = stablehlo.divide %94, %cst_48 : tensor<f32>
    return %172, %177#1, %178#1, %179#1, %180#1, %181#1, %182#1, %183#1, %184#1, %185#1, %186#1, %187#1, %188#1, %189#1, %190#1, %191#1, %192#1, %193#1, %194#1, %195#1, %196#1, %197#1, %198#1, %199#1, %200#1, %201#1, %202#1, %203#1, %204#1, %205#1, %206#1, %207#1, %208#1, %209#1, %210#1, %211#1, %212#1, %213#1, %214#1, %215#1, %216#1, %217#1, %177#2, %178#2, %179#2, %180#2, %181#2, %182#2, %183#2, %184#2, %185#2, %186#2, %187#2, %188#2, %189#2, %190#2, %191#2, %192#2, %193#2, %194#2, %195#2, %196#2, %197#2, %198#2, %199#2, %200#2, %201#2, %202#2, %203#2, %204#2, %205#2, %206#2, %207#2, %208#2, %209#2, %210#2, %211#2, %212#2, %213#2, %214#2, %215#2, %216#2, %217#2, %177#0, %178#0, %179#0, %180#0, %181#0, %182#0, %183#0, %184#0, %185#0, %186#0, %187#0, %188#0, %189#0, %190#0, %191#0, %192#0, %193#0, %194#0, %195#0, %196#0, %197#0, %198#0, %199#0, %200#0, %201#0, %202#0, %203#0, %204#0, %205#0, %206#0, %207#0, %208#0, %209#0, %210#0, %211#0, %212#0, %213#0, %214#0, %215#0, %216#0, %217#0, %218 : tensor<f32>, tensor<2xf32>, tensor<64x2xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<16x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x64xf32>, tensor<64x64xf32>, tensor<2xf32>, tensor<64x2xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<16x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x64xf32>, tensor<64x64xf32>, tensor<2xf32>, tensor<64x2xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<16x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x64xf32>, tensor<64x64xf32>, tensor<f32>
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
  func.func private @_where(%arg0: tensor<2x1x1x16xi1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<2x1x1x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2x1x1x16xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x1x1x16xf32>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<2x1x1x16xi1>, tensor<2x1x1x16xf32>
    return %2 : tensor<2x1x1x16xf32>
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
  func.func private @layer(%arg0: tensor<256xf32>, %arg1: tensor<64x256xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64x64xf32>, %arg4: tensor<64xf32>, %arg5: tensor<64xf32>, %arg6: tensor<64xf32>, %arg7: tensor<64xf32>, %arg8: tensor<64xf32>, %arg9: tensor<64x64xf32>, %arg10: tensor<64xf32>, %arg11: tensor<64x64xf32>, %arg12: tensor<64xf32>, %arg13: tensor<256x64xf32>, %arg14: tensor<64xf32>, %arg15: tensor<64x64xf32>, %arg16: tensor<2x16x64xf16>, %arg17: tensor<2x1x1x16xf32>, %arg18: tensor<2xui32>) -> (tensor<2x16x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x16xi1>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x256xf16>, tensor<2x16x64xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<256x64xf16>, tensor<2x16x256xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>) {
    %0 = call @_threefry_split(%arg18) : (tensor<2xui32>) -> tensor<3x2xui32>
    %1 = stablehlo.slice %0 [0:1, 0:2] : (tensor<3x2xui32>) -> tensor<1x2xui32>
    %2 = stablehlo.reshape %1 : (tensor<1x2xui32>) -> tensor<2xui32>
    %3 = stablehlo.convert %arg11 : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %4 = stablehlo.dot_general %arg16, %3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %5 = stablehlo.convert %arg10 : (tensor<64xf32>) -> tensor<64xf16>
    %6 = stablehlo.broadcast_in_dim %5, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<2x16x64xf16>
    %8 = stablehlo.add %4, %7 : tensor<2x16x64xf16>
    %9 = stablehlo.reshape %8 : (tensor<2x16x64xf16>) -> tensor<2x16x2x32xf16>
    %10 = stablehlo.transpose %9, dims = [0, 2, 1, 3] : (tensor<2x16x2x32xf16>) -> tensor<2x2x16x32xf16>
    %11 = stablehlo.convert %arg3 : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %12 = stablehlo.dot_general %arg16, %11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %13 = stablehlo.convert %arg2 : (tensor<64xf32>) -> tensor<64xf16>
    %14 = stablehlo.broadcast_in_dim %13, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<2x16x64xf16>
    %16 = stablehlo.add %12, %15 : tensor<2x16x64xf16>
    %17 = stablehlo.reshape %16 : (tensor<2x16x64xf16>) -> tensor<2x16x2x32xf16>
    %18 = stablehlo.transpose %17, dims = [0, 2, 1, 3] : (tensor<2x16x2x32xf16>) -> tensor<2x2x16x32xf16>
    %19 = stablehlo.dot_general %10, %18, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>) -> tensor<2x2x16x16xf16>
    %20 = stablehlo.convert %19 : (tensor<2x2x16x16xf16>) -> tensor<2x2x16x16xf32>
    %cst = stablehlo.constant dense<5.65685415> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x16x16xf32>
    %22 = stablehlo.divide %20, %21 : tensor<2x2x16x16xf32>
    %23 = stablehlo.convert %arg17 : tensor<2x1x1x16xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2, 3] : (tensor<2x1x1x16xf32>) -> tensor<2x2x16x16xf32>
    %25 = stablehlo.add %22, %24 : tensor<2x2x16x16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst_0) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x16xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x2x16xf32>
    %28 = stablehlo.maximum %27, %26 : tensor<2x2x16xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<2x2x16xf32>) -> tensor<2x2x16x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2, 3] : (tensor<2x2x16x1xf32>) -> tensor<2x2x16x16xf32>
    %31 = stablehlo.subtract %25, %30 : tensor<2x2x16x16xf32>
    %32 = stablehlo.exponential %31 : tensor<2x2x16x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x16xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2] : (tensor<2x2x16xf32>) -> tensor<2x2x16x1xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2, 3] : (tensor<2x2x16x1xf32>) -> tensor<2x2x16x16xf32>
    %36 = stablehlo.divide %32, %35 : tensor<2x2x16x16xf32>
    %37 = stablehlo.multiply %34, %34 : tensor<2x2x16x1xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x2x16x1xf32>
    %39 = stablehlo.divide %38, %37 : tensor<2x2x16x1xf32>
    %40 = stablehlo.convert %36 : (tensor<2x2x16x16xf32>) -> tensor<2x2x16x16xf16>
    %cst_4 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %41 = call @_bernoulli_2(%2, %cst_4) : (tensor<2xui32>, tensor<f32>) -> tensor<2x2x16x16xi1>
    %cst_5 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %42 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f16>) -> tensor<2x2x16x16xf16>
    %43 = stablehlo.divide %40, %42 : tensor<2x2x16x16xf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %44 = call @_where_5(%41, %43, %c) : (tensor<2x2x16x16xi1>, tensor<2x2x16x16xf16>, tensor<i32>) -> tensor<2x2x16x16xf16>
    %45 = stablehlo.convert %arg15 : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %46 = stablehlo.dot_general %arg16, %45, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %47 = stablehlo.convert %arg14 : (tensor<64xf32>) -> tensor<64xf16>
    %48 = stablehlo.broadcast_in_dim %47, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<2x16x64xf16>
    %50 = stablehlo.add %46, %49 : tensor<2x16x64xf16>
    %51 = stablehlo.reshape %50 : (tensor<2x16x64xf16>) -> tensor<2x16x2x32xf16>
    %52 = stablehlo.transpose %51, dims = [0, 2, 1, 3] : (tensor<2x16x2x32xf16>) -> tensor<2x2x16x32xf16>
    %53 = stablehlo.dot_general %44, %52, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x16x16xf16>, tensor<2x2x16x32xf16>) -> tensor<2x2x16x32xf16>
    %54 = stablehlo.transpose %53, dims = [0, 2, 1, 3] : (tensor<2x2x16x32xf16>) -> tensor<2x16x2x32xf16>
    %55 = stablehlo.reshape %54 : (tensor<2x16x2x32xf16>) -> tensor<2x16x64xf16>
    %56 = stablehlo.convert %arg9 : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %57 = stablehlo.dot_general %55, %56, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %58 = stablehlo.convert %arg8 : (tensor<64xf32>) -> tensor<64xf16>
    %59 = stablehlo.broadcast_in_dim %58, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<2x16x64xf16>
    %61 = stablehlo.add %57, %60 : tensor<2x16x64xf16>
    %62 = stablehlo.slice %0 [1:2, 0:2] : (tensor<3x2xui32>) -> tensor<1x2xui32>
    %63 = stablehlo.reshape %62 : (tensor<1x2xui32>) -> tensor<2xui32>
    %cst_6 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %64 = call @_bernoulli_6(%63, %cst_6) : (tensor<2xui32>, tensor<f32>) -> tensor<2x16x64xi1>
    %cst_7 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %65 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %66 = stablehlo.divide %61, %65 : tensor<2x16x64xf16>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %67 = call @_where_8(%64, %66, %c_8) : (tensor<2x16x64xi1>, tensor<2x16x64xf16>, tensor<i32>) -> tensor<2x16x64xf16>
    %68 = stablehlo.add %arg16, %67 : tensor<2x16x64xf16>
    %69 = stablehlo.convert %68 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.reduce(%69 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_10 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %73 = stablehlo.divide %71, %72 : tensor<2x16x1xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %75 = stablehlo.subtract %69, %74 : tensor<2x16x64xf32>
    %76 = chlo.square %75 : tensor<2x16x64xf32> -> tensor<2x16x64xf32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x16x64xf32>
    %78 = stablehlo.multiply %77, %75 : tensor<2x16x64xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.reduce(%76 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_13 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %82 = stablehlo.divide %80, %81 : tensor<2x16x1xf32>
    %83 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %84 = stablehlo.subtract %69, %83 : tensor<2x16x64xf32>
    %cst_14 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %86 = stablehlo.add %82, %85 : tensor<2x16x1xf32>
    %87 = stablehlo.rsqrt %86 : tensor<2x16x1xf32>
    %88 = stablehlo.divide %87, %86 : tensor<2x16x1xf32>
    %cst_15 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %90 = stablehlo.multiply %89, %88 : tensor<2x16x1xf32>
    %91 = stablehlo.broadcast_in_dim %87, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %92 = stablehlo.multiply %84, %91 : tensor<2x16x64xf32>
    %93 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %94 = stablehlo.broadcast_in_dim %93, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %95 = stablehlo.multiply %92, %94 : tensor<2x16x64xf32>
    %96 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %98 = stablehlo.add %95, %97 : tensor<2x16x64xf32>
    %99 = stablehlo.convert %98 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %100 = stablehlo.convert %arg1 : (tensor<64x256xf32>) -> tensor<64x256xf16>
    %101 = stablehlo.dot_general %99, %100, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x256xf16>) -> tensor<2x16x256xf16>
    %102 = stablehlo.convert %arg0 : (tensor<256xf32>) -> tensor<256xf16>
    %103 = stablehlo.broadcast_in_dim %102, dims = [2] : (tensor<256xf16>) -> tensor<1x1x256xf16>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2] : (tensor<1x1x256xf16>) -> tensor<2x16x256xf16>
    %105 = stablehlo.add %101, %104 : tensor<2x16x256xf16>
    %cst_16 = stablehlo.constant dense<5.000000e-01> : tensor<f16>
    %106 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %107 = stablehlo.multiply %106, %105 : tensor<2x16x256xf16>
    %108 = stablehlo.negate %105 : tensor<2x16x256xf16>
    %cst_17 = stablehlo.constant dense<7.070310e-01> : tensor<f16>
    %109 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %110 = stablehlo.multiply %108, %109 : tensor<2x16x256xf16>
    %111 = chlo.erfc %110 : tensor<2x16x256xf16> -> tensor<2x16x256xf16>
    %112 = chlo.square %110 : tensor<2x16x256xf16> -> tensor<2x16x256xf16>
    %113 = stablehlo.negate %112 : tensor<2x16x256xf16>
    %114 = stablehlo.exponential %113 : tensor<2x16x256xf16>
    %115 = stablehlo.multiply %107, %111 : tensor<2x16x256xf16>
    %116 = stablehlo.convert %arg13 : (tensor<256x64xf32>) -> tensor<256x64xf16>
    %117 = stablehlo.dot_general %115, %116, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x16x256xf16>, tensor<256x64xf16>) -> tensor<2x16x64xf16>
    %118 = stablehlo.convert %arg12 : (tensor<64xf32>) -> tensor<64xf16>
    %119 = stablehlo.broadcast_in_dim %118, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<2x16x64xf16>
    %121 = stablehlo.add %117, %120 : tensor<2x16x64xf16>
    %122 = stablehlo.slice %0 [2:3, 0:2] : (tensor<3x2xui32>) -> tensor<1x2xui32>
    %123 = stablehlo.reshape %122 : (tensor<1x2xui32>) -> tensor<2xui32>
    %cst_18 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %124 = call @_bernoulli_6(%123, %cst_18) : (tensor<2xui32>, tensor<f32>) -> tensor<2x16x64xi1>
    %cst_19 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %125 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %126 = stablehlo.divide %121, %125 : tensor<2x16x64xf16>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %127 = call @_where_8(%124, %126, %c_20) : (tensor<2x16x64xi1>, tensor<2x16x64xf16>, tensor<i32>) -> tensor<2x16x64xf16>
    %128 = stablehlo.add %99, %127 : tensor<2x16x64xf16>
    %129 = stablehlo.convert %128 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.reduce(%129 init: %cst_21) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_22 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %133 = stablehlo.divide %131, %132 : tensor<2x16x1xf32>
    %134 = stablehlo.broadcast_in_dim %133, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %135 = stablehlo.subtract %129, %134 : tensor<2x16x64xf32>
    %136 = chlo.square %135 : tensor<2x16x64xf32> -> tensor<2x16x64xf32>
    %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2x16x64xf32>
    %138 = stablehlo.multiply %137, %135 : tensor<2x16x64xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %139 = stablehlo.reduce(%136 init: %cst_24) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %140 = stablehlo.broadcast_in_dim %139, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_25 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %142 = stablehlo.divide %140, %141 : tensor<2x16x1xf32>
    %143 = stablehlo.broadcast_in_dim %133, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %144 = stablehlo.subtract %129, %143 : tensor<2x16x64xf32>
    %cst_26 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %146 = stablehlo.add %142, %145 : tensor<2x16x1xf32>
    %147 = stablehlo.rsqrt %146 : tensor<2x16x1xf32>
    %148 = stablehlo.divide %147, %146 : tensor<2x16x1xf32>
    %cst_27 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %150 = stablehlo.multiply %149, %148 : tensor<2x16x1xf32>
    %151 = stablehlo.broadcast_in_dim %147, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %152 = stablehlo.multiply %144, %151 : tensor<2x16x64xf32>
    %153 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %154 = stablehlo.broadcast_in_dim %153, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %155 = stablehlo.multiply %152, %154 : tensor<2x16x64xf32>
    %156 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %157 = stablehlo.broadcast_in_dim %156, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %158 = stablehlo.add %155, %157 : tensor<2x16x64xf32>
    %159 = stablehlo.convert %158 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    return %159, %3, %11, %18, %10, %32, %34, %39, %41, %45, %52, %44, %56, %55, %64, %78, %90, %87, %84, %93, %92, %100, %99, %114, %111, %107, %116, %115, %124, %138, %150, %147, %144, %153, %152 : tensor<2x16x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x1xf32>, tensor<2x2x16x16xi1>, tensor<64x64xf16>, tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>, tensor<64x64xf16>, tensor<2x16x64xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>, tensor<64x256xf16>, tensor<2x16x64xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<2x16x256xf16>, tensor<256x64xf16>, tensor<2x16x256xf16>, tensor<2x16x64xi1>, tensor<2x16x64xf32>, tensor<2x16x1xf32>, tensor<2x16x1xf32>, tensor<2x16x64xf32>, tensor<1x1x64xf32>, tensor<2x16x64xf32>
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
  func.func private @log_softmax(%arg0: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<2xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x2xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x2xf32>
    %6 = stablehlo.exponential %5 : tensor<2x2xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %9 = stablehlo.log %8 : tensor<2x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x2xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<2x2xf32>
    return %11, %6, %8 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<2x2xf32>, %arg1: tensor<2x1xi32>) -> (tensor<2x1xf32>, tensor<2x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi1>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<2x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2x1xi1>, tensor<2x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<2x1xi32>) -> tensor<2x1x1xi32>
    %c_1 = stablehlo.constant dense<1> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<2x1x1xi32>, tensor<2x1x1xi32>) -> tensor<2x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<2x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<2x1x1xi32>, tensor<2x1x1xi32>) -> tensor<2x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<2x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<2x1x1xi1>, tensor<i1>) -> tensor<2x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<2x2xf32>, tensor<2x1x1xi32>) -> tensor<2x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<2x1xi1>, tensor<2x1xf32>
    return %15, %5 : tensor<2x1xf32>, tensor<2x1x1xi32>
  }
  func.func private @take_along_axis_9(%arg0: tensor<2x1x1xi32>, %arg1: tensor<2x1xf32>) -> tensor<2x2xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x2xf32>, tensor<2x1x1xi32>, tensor<2x1xf32>) -> tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  }
  func.func private @log_softmax_10(%arg0: tensor<2x2xf32>, %arg1: tensor<2x1xf32>, %arg2: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.negate %arg2 : tensor<2x2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.reshape %1 : (tensor<2xf32>) -> tensor<2x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<2x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<2x1xf32>, tensor<f32>) -> tensor<2xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<2xf32>) -> tensor<2x2xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<2x2xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<2x2xf32>
    return %7 : tensor<2x2xf32>
  }
  func.func private @layer_11(%arg0: tensor<64x64xf16>, %arg1: tensor<2x16x64xf16>, %arg2: tensor<64x64xf16>, %arg3: tensor<2x2x16x32xf16>, %arg4: tensor<2x2x16x32xf16>, %arg5: tensor<2x2x16x16xf32>, %arg6: tensor<2x2x16x1xf32>, %arg7: tensor<2x2x16x1xf32>, %arg8: tensor<2x2x16x16xi1>, %arg9: tensor<64x64xf16>, %arg10: tensor<2x2x16x32xf16>, %arg11: tensor<2x2x16x16xf16>, %arg12: tensor<64x64xf16>, %arg13: tensor<2x16x64xf16>, %arg14: tensor<2x16x64xi1>, %arg15: tensor<2x16x64xf32>, %arg16: tensor<2x16x1xf32>, %arg17: tensor<2x16x1xf32>, %arg18: tensor<2x16x64xf32>, %arg19: tensor<1x1x64xf32>, %arg20: tensor<2x16x64xf32>, %arg21: tensor<64x256xf16>, %arg22: tensor<2x16x64xf16>, %arg23: tensor<2x16x256xf16>, %arg24: tensor<2x16x256xf16>, %arg25: tensor<2x16x256xf16>, %arg26: tensor<256x64xf16>, %arg27: tensor<2x16x256xf16>, %arg28: tensor<2x16x64xi1>, %arg29: tensor<2x16x64xf32>, %arg30: tensor<2x16x1xf32>, %arg31: tensor<2x16x1xf32>, %arg32: tensor<2x16x64xf32>, %arg33: tensor<1x1x64xf32>, %arg34: tensor<2x16x64xf32>, %arg35: tensor<2x16x64xf16>) -> (tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x16x64xf16>) {
    %0 = stablehlo.convert %arg35 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %2 = stablehlo.reshape %1 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %4 = stablehlo.multiply %arg34, %0 : tensor<2x16x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %6 = stablehlo.reshape %5 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %7 = stablehlo.broadcast_in_dim %arg33, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %8 = stablehlo.multiply %0, %7 : tensor<2x16x64xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %10 = stablehlo.multiply %arg32, %8 : tensor<2x16x64xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %12 = stablehlo.reshape %11 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %13 = stablehlo.broadcast_in_dim %arg31, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %14 = stablehlo.multiply %8, %13 : tensor<2x16x64xf32>
    %15 = stablehlo.multiply %12, %arg30 : tensor<2x16x1xf32>
    %16 = stablehlo.negate %14 : tensor<2x16x64xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %18 = stablehlo.reshape %17 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_5 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %20 = stablehlo.divide %15, %19 : tensor<2x16x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %23 = stablehlo.multiply %22, %arg29 : tensor<2x16x64xf32>
    %24 = stablehlo.negate %23 : tensor<2x16x64xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %26 = stablehlo.reshape %25 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %27 = stablehlo.add %14, %23 : tensor<2x16x64xf32>
    %28 = stablehlo.add %18, %26 : tensor<2x16x1xf32>
    %cst_8 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %30 = stablehlo.divide %28, %29 : tensor<2x16x1xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.reduce(%30 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %33 = stablehlo.add %27, %32 : tensor<2x16x64xf32>
    %34 = stablehlo.convert %33 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %35 = call @_where_12(%arg28, %34) : (tensor<2x16x64xi1>, tensor<2x16x64xf16>) -> tensor<2x16x64xf16>
    %cst_10 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %36 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %37 = stablehlo.divide %35, %36 : tensor<2x16x64xf16>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %38 = stablehlo.reduce(%37 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf16>, tensor<f16>) -> tensor<64xf16>
    %39 = stablehlo.reshape %38 : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %40 = stablehlo.reduce(%39 init: %cst_12) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf16>, tensor<f16>) -> tensor<64xf16>
    %41 = stablehlo.convert %40 : (tensor<64xf16>) -> tensor<64xf32>
    %42 = stablehlo.dot_general %37, %arg27, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<2x16x256xf16>) -> tensor<64x256xf16>
    %43 = stablehlo.transpose %42, dims = [1, 0] : (tensor<64x256xf16>) -> tensor<256x64xf16>
    %44 = stablehlo.dot_general %37, %arg26, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<256x64xf16>) -> tensor<2x16x256xf16>
    %45 = stablehlo.convert %43 : (tensor<256x64xf16>) -> tensor<256x64xf32>
    %46 = stablehlo.multiply %arg25, %44 : tensor<2x16x256xf16>
    %47 = stablehlo.multiply %44, %arg24 : tensor<2x16x256xf16>
    %cst_13 = stablehlo.constant dense<-1.127930e+00> : tensor<f16>
    %48 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %49 = stablehlo.multiply %48, %46 : tensor<2x16x256xf16>
    %50 = stablehlo.multiply %49, %arg23 : tensor<2x16x256xf16>
    %cst_14 = stablehlo.constant dense<7.070310e-01> : tensor<f16>
    %51 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %52 = stablehlo.multiply %50, %51 : tensor<2x16x256xf16>
    %53 = stablehlo.negate %52 : tensor<2x16x256xf16>
    %cst_15 = stablehlo.constant dense<5.000000e-01> : tensor<f16>
    %54 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f16>) -> tensor<2x16x256xf16>
    %55 = stablehlo.multiply %54, %47 : tensor<2x16x256xf16>
    %56 = stablehlo.add %53, %55 : tensor<2x16x256xf16>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %57 = stablehlo.reduce(%56 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x256xf16>, tensor<f16>) -> tensor<256xf16>
    %58 = stablehlo.reshape %57 : (tensor<256xf16>) -> tensor<1x1x256xf16>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %59 = stablehlo.reduce(%58 init: %cst_17) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x256xf16>, tensor<f16>) -> tensor<256xf16>
    %60 = stablehlo.convert %59 : (tensor<256xf16>) -> tensor<256xf32>
    %61 = stablehlo.dot_general %56, %arg22, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x256xf16>, tensor<2x16x64xf16>) -> tensor<256x64xf16>
    %62 = stablehlo.transpose %61, dims = [1, 0] : (tensor<256x64xf16>) -> tensor<64x256xf16>
    %63 = stablehlo.dot_general %56, %arg21, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x256xf16>, tensor<64x256xf16>) -> tensor<2x16x64xf16>
    %64 = stablehlo.add %34, %63 : tensor<2x16x64xf16>
    %65 = stablehlo.convert %62 : (tensor<64x256xf16>) -> tensor<64x256xf32>
    %66 = stablehlo.convert %64 : (tensor<2x16x64xf16>) -> tensor<2x16x64xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.reduce(%66 init: %cst_18) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %68 = stablehlo.reshape %67 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.reduce(%68 init: %cst_19) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %70 = stablehlo.multiply %arg20, %66 : tensor<2x16x64xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.reduce(%70 init: %cst_20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<64xf32>
    %72 = stablehlo.reshape %71 : (tensor<64xf32>) -> tensor<1x1x64xf32>
    %73 = stablehlo.broadcast_in_dim %arg19, dims = [0, 1, 2] : (tensor<1x1x64xf32>) -> tensor<2x16x64xf32>
    %74 = stablehlo.multiply %66, %73 : tensor<2x16x64xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.reduce(%72 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %76 = stablehlo.multiply %arg18, %74 : tensor<2x16x64xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.reduce(%76 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %78 = stablehlo.reshape %77 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %79 = stablehlo.broadcast_in_dim %arg17, dims = [0, 1, 2] : (tensor<2x16x1xf32>) -> tensor<2x16x64xf32>
    %80 = stablehlo.multiply %74, %79 : tensor<2x16x64xf32>
    %81 = stablehlo.multiply %78, %arg16 : tensor<2x16x1xf32>
    %82 = stablehlo.negate %80 : tensor<2x16x64xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.reduce(%82 init: %cst_23) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %84 = stablehlo.reshape %83 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %cst_24 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %86 = stablehlo.divide %81, %85 : tensor<2x16x1xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%86 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %88 = stablehlo.broadcast_in_dim %87, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %89 = stablehlo.multiply %88, %arg15 : tensor<2x16x64xf32>
    %90 = stablehlo.negate %89 : tensor<2x16x64xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %91 = stablehlo.reduce(%90 init: %cst_26) applies stablehlo.add across dimensions = [2] : (tensor<2x16x64xf32>, tensor<f32>) -> tensor<2x16xf32>
    %92 = stablehlo.reshape %91 : (tensor<2x16xf32>) -> tensor<2x16x1xf32>
    %93 = stablehlo.add %80, %89 : tensor<2x16x64xf32>
    %94 = stablehlo.add %84, %92 : tensor<2x16x1xf32>
    %cst_27 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<2x16x1xf32>
    %96 = stablehlo.divide %94, %95 : tensor<2x16x1xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.reduce(%96 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<2x16x1xf32>, tensor<f32>) -> tensor<2x16xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0, 1] : (tensor<2x16xf32>) -> tensor<2x16x64xf32>
    %99 = stablehlo.add %93, %98 : tensor<2x16x64xf32>
    %100 = stablehlo.convert %99 : (tensor<2x16x64xf32>) -> tensor<2x16x64xf16>
    %101 = call @_where_12(%arg14, %100) : (tensor<2x16x64xi1>, tensor<2x16x64xf16>) -> tensor<2x16x64xf16>
    %cst_29 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %102 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f16>) -> tensor<2x16x64xf16>
    %103 = stablehlo.divide %101, %102 : tensor<2x16x64xf16>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %104 = stablehlo.reduce(%103 init: %cst_30) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf16>, tensor<f16>) -> tensor<64xf16>
    %105 = stablehlo.reshape %104 : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %106 = stablehlo.reduce(%105 init: %cst_31) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf16>, tensor<f16>) -> tensor<64xf16>
    %107 = stablehlo.convert %106 : (tensor<64xf16>) -> tensor<64xf32>
    %108 = stablehlo.dot_general %103, %arg13, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<2x16x64xf16>) -> tensor<64x64xf16>
    %109 = stablehlo.transpose %108, dims = [1, 0] : (tensor<64x64xf16>) -> tensor<64x64xf16>
    %110 = stablehlo.dot_general %103, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %111 = stablehlo.convert %109 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %112 = stablehlo.reshape %110 : (tensor<2x16x64xf16>) -> tensor<2x16x2x32xf16>
    %113 = stablehlo.transpose %112, dims = [0, 2, 1, 3] : (tensor<2x16x2x32xf16>) -> tensor<2x2x16x32xf16>
    %114 = stablehlo.dot_general %113, %arg11, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x16x32xf16>, tensor<2x2x16x16xf16>) -> tensor<2x2x32x16xf16>
    %115 = stablehlo.transpose %114, dims = [0, 1, 3, 2] : (tensor<2x2x32x16xf16>) -> tensor<2x2x16x32xf16>
    %116 = stablehlo.dot_general %113, %arg10, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x16x32xf16>, tensor<2x2x16x32xf16>) -> tensor<2x2x16x16xf16>
    %117 = stablehlo.transpose %115, dims = [0, 2, 1, 3] : (tensor<2x2x16x32xf16>) -> tensor<2x16x2x32xf16>
    %118 = stablehlo.reshape %117 : (tensor<2x16x2x32xf16>) -> tensor<2x16x64xf16>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %119 = stablehlo.reduce(%118 init: %cst_32) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf16>, tensor<f16>) -> tensor<64xf16>
    %120 = stablehlo.reshape %119 : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %121 = stablehlo.reduce(%120 init: %cst_33) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf16>, tensor<f16>) -> tensor<64xf16>
    %122 = stablehlo.convert %121 : (tensor<64xf16>) -> tensor<64xf32>
    %123 = stablehlo.dot_general %118, %arg1, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<2x16x64xf16>) -> tensor<64x64xf16>
    %124 = stablehlo.transpose %123, dims = [1, 0] : (tensor<64x64xf16>) -> tensor<64x64xf16>
    %125 = stablehlo.dot_general %118, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %126 = stablehlo.add %100, %125 : tensor<2x16x64xf16>
    %127 = stablehlo.convert %124 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %128 = call @_where_13(%arg8, %116) : (tensor<2x2x16x16xi1>, tensor<2x2x16x16xf16>) -> tensor<2x2x16x16xf16>
    %cst_34 = stablehlo.constant dense<8.999020e-01> : tensor<f16>
    %129 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f16>) -> tensor<2x2x16x16xf16>
    %130 = stablehlo.divide %128, %129 : tensor<2x2x16x16xf16>
    %131 = stablehlo.convert %130 : (tensor<2x2x16x16xf16>) -> tensor<2x2x16x16xf32>
    %132 = stablehlo.broadcast_in_dim %arg7, dims = [0, 1, 2, 3] : (tensor<2x2x16x1xf32>) -> tensor<2x2x16x16xf32>
    %133 = stablehlo.multiply %131, %132 : tensor<2x2x16x16xf32>
    %134 = stablehlo.multiply %133, %arg5 : tensor<2x2x16x16xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %135 = stablehlo.reduce(%134 init: %cst_35) applies stablehlo.add across dimensions = [3] : (tensor<2x2x16x16xf32>, tensor<f32>) -> tensor<2x2x16xf32>
    %136 = stablehlo.reshape %135 : (tensor<2x2x16xf32>) -> tensor<2x2x16x1xf32>
    %137 = stablehlo.negate %136 : tensor<2x2x16x1xf32>
    %138 = stablehlo.broadcast_in_dim %arg6, dims = [0, 1, 2, 3] : (tensor<2x2x16x1xf32>) -> tensor<2x2x16x16xf32>
    %139 = stablehlo.divide %131, %138 : tensor<2x2x16x16xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %140 = stablehlo.reduce(%137 init: %cst_36) applies stablehlo.add across dimensions = [3] : (tensor<2x2x16x1xf32>, tensor<f32>) -> tensor<2x2x16xf32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [0, 1, 2] : (tensor<2x2x16xf32>) -> tensor<2x2x16x16xf32>
    %142 = stablehlo.add %139, %141 : tensor<2x2x16x16xf32>
    %143 = stablehlo.multiply %142, %arg5 : tensor<2x2x16x16xf32>
    %cst_37 = stablehlo.constant dense<5.65685415> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<2x2x16x16xf32>
    %145 = stablehlo.divide %143, %144 : tensor<2x2x16x16xf32>
    %146 = stablehlo.convert %145 : (tensor<2x2x16x16xf32>) -> tensor<2x2x16x16xf16>
    %147 = stablehlo.dot_general %146, %arg4, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x16x16xf16>, tensor<2x2x16x32xf16>) -> tensor<2x2x16x32xf16>
    %148 = stablehlo.dot_general %146, %arg3, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x2x16x16xf16>, tensor<2x2x16x32xf16>) -> tensor<2x2x16x32xf16>
    %149 = stablehlo.transpose %147, dims = [0, 2, 1, 3] : (tensor<2x2x16x32xf16>) -> tensor<2x16x2x32xf16>
    %150 = stablehlo.reshape %149 : (tensor<2x16x2x32xf16>) -> tensor<2x16x64xf16>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %151 = stablehlo.reduce(%150 init: %cst_38) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf16>, tensor<f16>) -> tensor<64xf16>
    %152 = stablehlo.reshape %151 : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %153 = stablehlo.reduce(%152 init: %cst_39) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf16>, tensor<f16>) -> tensor<64xf16>
    %154 = stablehlo.convert %153 : (tensor<64xf16>) -> tensor<64xf32>
    %155 = stablehlo.dot_general %150, %arg1, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<2x16x64xf16>) -> tensor<64x64xf16>
    %156 = stablehlo.transpose %155, dims = [1, 0] : (tensor<64x64xf16>) -> tensor<64x64xf16>
    %157 = stablehlo.dot_general %150, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %158 = stablehlo.add %126, %157 : tensor<2x16x64xf16>
    %159 = stablehlo.convert %156 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %160 = stablehlo.transpose %148, dims = [0, 2, 1, 3] : (tensor<2x2x16x32xf16>) -> tensor<2x16x2x32xf16>
    %161 = stablehlo.reshape %160 : (tensor<2x16x2x32xf16>) -> tensor<2x16x64xf16>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %162 = stablehlo.reduce(%161 init: %cst_40) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x16x64xf16>, tensor<f16>) -> tensor<64xf16>
    %163 = stablehlo.reshape %162 : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %164 = stablehlo.reduce(%163 init: %cst_41) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf16>, tensor<f16>) -> tensor<64xf16>
    %165 = stablehlo.convert %164 : (tensor<64xf16>) -> tensor<64xf32>
    %166 = stablehlo.dot_general %161, %arg1, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<2x16x64xf16>) -> tensor<64x64xf16>
    %167 = stablehlo.transpose %166, dims = [1, 0] : (tensor<64x64xf16>) -> tensor<64x64xf16>
    %168 = stablehlo.dot_general %161, %arg0, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x16x64xf16>, tensor<64x64xf16>) -> tensor<2x16x64xf16>
    %169 = stablehlo.add %158, %168 : tensor<2x16x64xf16>
    %170 = stablehlo.convert %167 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    return %60, %65, %154, %159, %75, %69, %9, %3, %107, %111, %165, %170, %41, %45, %122, %127, %169 : tensor<256xf32>, tensor<64x256xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<256x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<2x16x64xf16>
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
  func.func private @_adam(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>, %arg3: tensor<2xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<2xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<2xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<2xf32>
    %6 = stablehlo.add %3, %5 : tensor<2xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<2xf32>
    %9 = chlo.square %1 : tensor<2xf32> -> tensor<2xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<2xf32>
    %12 = stablehlo.add %8, %11 : tensor<2xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %14 = stablehlo.divide %6, %13 : tensor<2xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %16 = stablehlo.divide %12, %15 : tensor<2xf32>
    %17 = stablehlo.sqrt %16 : tensor<2xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %19 = stablehlo.add %17, %18 : tensor<2xf32>
    %20 = stablehlo.divide %14, %19 : tensor<2xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<2xf32>
    %23 = stablehlo.add %20, %22 : tensor<2xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<2xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<2xf32>
    return %26, %6, %12 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  func.func private @_adam_15(%arg0: tensor<64x2xf32>, %arg1: tensor<64x2xf32>, %arg2: tensor<64x2xf32>, %arg3: tensor<64x2xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<64x2xf32>, tensor<64x2xf32>, tensor<64x2xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x2xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<64x2xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x2xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<64x2xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x2xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<64x2xf32>
    %6 = stablehlo.add %3, %5 : tensor<64x2xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64x2xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<64x2xf32>
    %9 = chlo.square %1 : tensor<64x2xf32> -> tensor<64x2xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64x2xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<64x2xf32>
    %12 = stablehlo.add %8, %11 : tensor<64x2xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<64x2xf32>
    %14 = stablehlo.divide %6, %13 : tensor<64x2xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64x2xf32>
    %16 = stablehlo.divide %12, %15 : tensor<64x2xf32>
    %17 = stablehlo.sqrt %16 : tensor<64x2xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<64x2xf32>
    %19 = stablehlo.add %17, %18 : tensor<64x2xf32>
    %20 = stablehlo.divide %14, %19 : tensor<64x2xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64x2xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<64x2xf32>
    %23 = stablehlo.add %20, %22 : tensor<64x2xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<64x2xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<64x2xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<64x2xf32>
    return %26, %6, %12 : tensor<64x2xf32>, tensor<64x2xf32>, tensor<64x2xf32>
  }
  func.func private @_adam_16(%arg0: tensor<256xf32>, %arg1: tensor<256xf32>, %arg2: tensor<256xf32>, %arg3: tensor<256xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) {
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
  func.func private @_adam_17(%arg0: tensor<64x256xf32>, %arg1: tensor<64x256xf32>, %arg2: tensor<64x256xf32>, %arg3: tensor<64x256xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<64x256xf32>, tensor<64x256xf32>, tensor<64x256xf32>) {
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
  func.func private @_adam_18(%arg0: tensor<64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
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
  func.func private @_adam_19(%arg0: tensor<64x64xf32>, %arg1: tensor<64x64xf32>, %arg2: tensor<64x64xf32>, %arg3: tensor<64x64xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
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
  func.func private @_adam_20(%arg0: tensor<256x64xf32>, %arg1: tensor<256x64xf32>, %arg2: tensor<256x64xf32>, %arg3: tensor<256x64xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<256x64xf32>, tensor<256x64xf32>, tensor<256x64xf32>) {
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
  func.func private @_adam_21(%arg0: tensor<16x64xf32>, %arg1: tensor<16x64xf32>, %arg2: tensor<16x64xf32>, %arg3: tensor<16x64xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<16x64xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
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
  func.func private @_adam_22(%arg0: tensor<2x64xf32>, %arg1: tensor<2x64xf32>, %arg2: tensor<2x64xf32>, %arg3: tensor<2x64xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x64xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<2x64xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x64xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<2x64xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x64xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<2x64xf32>
    %6 = stablehlo.add %3, %5 : tensor<2x64xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x64xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<2x64xf32>
    %9 = chlo.square %1 : tensor<2x64xf32> -> tensor<2x64xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x64xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<2x64xf32>
    %12 = stablehlo.add %8, %11 : tensor<2x64xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<2x64xf32>
    %14 = stablehlo.divide %6, %13 : tensor<2x64xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<2x64xf32>
    %16 = stablehlo.divide %12, %15 : tensor<2x64xf32>
    %17 = stablehlo.sqrt %16 : tensor<2x64xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x64xf32>
    %19 = stablehlo.add %17, %18 : tensor<2x64xf32>
    %20 = stablehlo.divide %14, %19 : tensor<2x64xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x64xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<2x64xf32>
    %23 = stablehlo.add %20, %22 : tensor<2x64xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x64xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<2x64xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<2x64xf32>
    return %26, %6, %12 : tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>
  }
}
