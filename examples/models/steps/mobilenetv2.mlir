module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x1x3x3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<8xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<4x8x1x1xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<4xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<4xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<12x4x1x1xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<12xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<12xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<12x1x3x3xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<12xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<12xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<8x12x1x1xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<8xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<8xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<24x8x1x1xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<24xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<24xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<24x1x3x3xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<24xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<24xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<8x24x1x1xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<8xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<8xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<16x8x1x1xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<16xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<16xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<10xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<16x10xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<8x3x3x3xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<8xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<8xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<8xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<8xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<8xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<8xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<4xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<4xf32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<12xf32> {tf.aliasing_output = 38 : i32}, %arg39: tensor<12xf32> {tf.aliasing_output = 39 : i32}, %arg40: tensor<12xf32> {tf.aliasing_output = 40 : i32}, %arg41: tensor<12xf32> {tf.aliasing_output = 41 : i32}, %arg42: tensor<8xf32> {tf.aliasing_output = 42 : i32}, %arg43: tensor<8xf32> {tf.aliasing_output = 43 : i32}, %arg44: tensor<24xf32> {tf.aliasing_output = 44 : i32}, %arg45: tensor<24xf32> {tf.aliasing_output = 45 : i32}, %arg46: tensor<24xf32> {tf.aliasing_output = 46 : i32}, %arg47: tensor<24xf32> {tf.aliasing_output = 47 : i32}, %arg48: tensor<8xf32> {tf.aliasing_output = 48 : i32}, %arg49: tensor<8xf32> {tf.aliasing_output = 49 : i32}, %arg50: tensor<16xf32> {tf.aliasing_output = 50 : i32}, %arg51: tensor<16xf32> {tf.aliasing_output = 51 : i32}, %arg52: tensor<8x1x3x3xf32> {tf.aliasing_output = 52 : i32}, %arg53: tensor<8xf32> {tf.aliasing_output = 53 : i32}, %arg54: tensor<8xf32> {tf.aliasing_output = 54 : i32}, %arg55: tensor<4x8x1x1xf32> {tf.aliasing_output = 55 : i32}, %arg56: tensor<4xf32> {tf.aliasing_output = 56 : i32}, %arg57: tensor<4xf32> {tf.aliasing_output = 57 : i32}, %arg58: tensor<12x4x1x1xf32> {tf.aliasing_output = 58 : i32}, %arg59: tensor<12xf32> {tf.aliasing_output = 59 : i32}, %arg60: tensor<12xf32> {tf.aliasing_output = 60 : i32}, %arg61: tensor<12x1x3x3xf32> {tf.aliasing_output = 61 : i32}, %arg62: tensor<12xf32> {tf.aliasing_output = 62 : i32}, %arg63: tensor<12xf32> {tf.aliasing_output = 63 : i32}, %arg64: tensor<8x12x1x1xf32> {tf.aliasing_output = 64 : i32}, %arg65: tensor<8xf32> {tf.aliasing_output = 65 : i32}, %arg66: tensor<8xf32> {tf.aliasing_output = 66 : i32}, %arg67: tensor<24x8x1x1xf32> {tf.aliasing_output = 67 : i32}, %arg68: tensor<24xf32> {tf.aliasing_output = 68 : i32}, %arg69: tensor<24xf32> {tf.aliasing_output = 69 : i32}, %arg70: tensor<24x1x3x3xf32> {tf.aliasing_output = 70 : i32}, %arg71: tensor<24xf32> {tf.aliasing_output = 71 : i32}, %arg72: tensor<24xf32> {tf.aliasing_output = 72 : i32}, %arg73: tensor<8x24x1x1xf32> {tf.aliasing_output = 73 : i32}, %arg74: tensor<8xf32> {tf.aliasing_output = 74 : i32}, %arg75: tensor<8xf32> {tf.aliasing_output = 75 : i32}, %arg76: tensor<16x8x1x1xf32> {tf.aliasing_output = 76 : i32}, %arg77: tensor<16xf32> {tf.aliasing_output = 77 : i32}, %arg78: tensor<16xf32> {tf.aliasing_output = 78 : i32}, %arg79: tensor<10xf32> {tf.aliasing_output = 79 : i32}, %arg80: tensor<16x10xf32> {tf.aliasing_output = 80 : i32}, %arg81: tensor<8x3x3x3xf32> {tf.aliasing_output = 81 : i32}, %arg82: tensor<8xf32> {tf.aliasing_output = 82 : i32}, %arg83: tensor<8xf32> {tf.aliasing_output = 83 : i32}, %arg84: tensor<4x3x32x32xf16>, %arg85: tensor<4xi32>) -> (tensor<8x1x3x3xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][0]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][0]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][0]['shift']"}, tensor<4x8x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][1]['filter']"}, tensor<4xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][1]['scale']"}, tensor<4xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][1]['shift']"}, tensor<12x4x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][0]['filter']"}, tensor<12xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][0]['scale']"}, tensor<12xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][0]['shift']"}, tensor<12x1x3x3xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][1]['filter']"}, tensor<12xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][1]['scale']"}, tensor<12xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][1]['shift']"}, tensor<8x12x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][2]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][2]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][2]['shift']"}, tensor<24x8x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][2][0]['filter']"}, tensor<24xf32> {jax.result_info = "result[0]['speeds']['blocks'][2][0]['scale']"}, tensor<24xf32> {jax.result_info = "result[0]['speeds']['blocks'][2][0]['shift']"}, tensor<24x1x3x3xf32> {jax.result_info = "result[0]['speeds']['blocks'][2][1]['filter']"}, tensor<24xf32> {jax.result_info = "result[0]['speeds']['blocks'][2][1]['scale']"}, tensor<24xf32> {jax.result_info = "result[0]['speeds']['blocks'][2][1]['shift']"}, tensor<8x24x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][2][2]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][2][2]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][2][2]['shift']"}, tensor<16x8x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][3][0]['filter']"}, tensor<16xf32> {jax.result_info = "result[0]['speeds']['blocks'][3][0]['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['speeds']['blocks'][3][0]['shift']"}, tensor<10xf32> {jax.result_info = "result[0]['speeds']['head']['bias']"}, tensor<16x10xf32> {jax.result_info = "result[0]['speeds']['head']['weight']"}, tensor<8x3x3x3xf32> {jax.result_info = "result[0]['speeds']['stem']['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['stem']['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['stem']['shift']"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][0][0]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][0][1]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][1][0][0]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][1][0][1]"}, tensor<4xf32> {jax.result_info = "result[0]['statistics'][1][1][0]"}, tensor<4xf32> {jax.result_info = "result[0]['statistics'][1][1][1]"}, tensor<12xf32> {jax.result_info = "result[0]['statistics'][2][0][0]"}, tensor<12xf32> {jax.result_info = "result[0]['statistics'][2][0][1]"}, tensor<12xf32> {jax.result_info = "result[0]['statistics'][2][1][0]"}, tensor<12xf32> {jax.result_info = "result[0]['statistics'][2][1][1]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][2][2][0]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][2][2][1]"}, tensor<24xf32> {jax.result_info = "result[0]['statistics'][3][0][0]"}, tensor<24xf32> {jax.result_info = "result[0]['statistics'][3][0][1]"}, tensor<24xf32> {jax.result_info = "result[0]['statistics'][3][1][0]"}, tensor<24xf32> {jax.result_info = "result[0]['statistics'][3][1][1]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][3][2][0]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][3][2][1]"}, tensor<16xf32> {jax.result_info = "result[0]['statistics'][4][0][0]"}, tensor<16xf32> {jax.result_info = "result[0]['statistics'][4][0][1]"}, tensor<8x1x3x3xf32> {jax.result_info = "result[0]['weights']['blocks'][0][0]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][0][0]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][0][0]['shift']"}, tensor<4x8x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][0][1]['filter']"}, tensor<4xf32> {jax.result_info = "result[0]['weights']['blocks'][0][1]['scale']"}, tensor<4xf32> {jax.result_info = "result[0]['weights']['blocks'][0][1]['shift']"}, tensor<12x4x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][1][0]['filter']"}, tensor<12xf32> {jax.result_info = "result[0]['weights']['blocks'][1][0]['scale']"}, tensor<12xf32> {jax.result_info = "result[0]['weights']['blocks'][1][0]['shift']"}, tensor<12x1x3x3xf32> {jax.result_info = "result[0]['weights']['blocks'][1][1]['filter']"}, tensor<12xf32> {jax.result_info = "result[0]['weights']['blocks'][1][1]['scale']"}, tensor<12xf32> {jax.result_info = "result[0]['weights']['blocks'][1][1]['shift']"}, tensor<8x12x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][1][2]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][1][2]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][1][2]['shift']"}, tensor<24x8x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][2][0]['filter']"}, tensor<24xf32> {jax.result_info = "result[0]['weights']['blocks'][2][0]['scale']"}, tensor<24xf32> {jax.result_info = "result[0]['weights']['blocks'][2][0]['shift']"}, tensor<24x1x3x3xf32> {jax.result_info = "result[0]['weights']['blocks'][2][1]['filter']"}, tensor<24xf32> {jax.result_info = "result[0]['weights']['blocks'][2][1]['scale']"}, tensor<24xf32> {jax.result_info = "result[0]['weights']['blocks'][2][1]['shift']"}, tensor<8x24x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][2][2]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][2][2]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][2][2]['shift']"}, tensor<16x8x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][3][0]['filter']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['blocks'][3][0]['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['blocks'][3][0]['shift']"}, tensor<10xf32> {jax.result_info = "result[0]['weights']['head']['bias']"}, tensor<16x10xf32> {jax.result_info = "result[0]['weights']['head']['weight']"}, tensor<8x3x3x3xf32> {jax.result_info = "result[0]['weights']['stem']['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['stem']['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['stem']['shift']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convert %arg81 : (tensor<8x3x3x3xf32>) -> tensor<8x3x3x3xf16>
    %1 = stablehlo.convolution(%arg84, %0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x3x32x32xf16>, tensor<8x3x3x3xf16>) -> tensor<4x8x16x16xf16>
    %2:9 = call @batch_norm(%arg82, %arg83, %1) : (tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf16>) -> (tensor<4x8x16x16xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x16x16xf32>)
    %3 = call @relu6(%2#0) : (tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x8x16x16xf16>
    %5 = stablehlo.compare GT, %2#0, %4, FLOAT : (tensor<4x8x16x16xf16>, tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xi1>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<4x8x16x16xf16>
    %7 = stablehlo.compare LT, %2#0, %6, FLOAT : (tensor<4x8x16x16xf16>, tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xi1>
    %8 = stablehlo.and %5, %7 : tensor<4x8x16x16xi1>
    %9 = stablehlo.convert %arg52 : (tensor<8x1x3x3xf32>) -> tensor<8x1x3x3xf16>
    %10 = stablehlo.convolution(%3, %9) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x16x16xf16>, tensor<8x1x3x3xf16>) -> tensor<4x8x16x16xf16>
    %11:9 = call @batch_norm_0(%arg53, %arg54, %10) : (tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf16>) -> (tensor<4x8x16x16xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x16x16xf32>)
    %12 = call @relu6(%11#0) : (tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xf16>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<4x8x16x16xf16>
    %14 = stablehlo.compare GT, %11#0, %13, FLOAT : (tensor<4x8x16x16xf16>, tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xi1>
    %cst_2 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<4x8x16x16xf16>
    %16 = stablehlo.compare LT, %11#0, %15, FLOAT : (tensor<4x8x16x16xf16>, tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xi1>
    %17 = stablehlo.and %14, %16 : tensor<4x8x16x16xi1>
    %18 = stablehlo.convert %arg55 : (tensor<4x8x1x1xf32>) -> tensor<4x8x1x1xf16>
    %19 = stablehlo.convolution(%12, %18) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x16x16xf16>, tensor<4x8x1x1xf16>) -> tensor<4x4x16x16xf16>
    %20:9 = call @batch_norm_1(%arg56, %arg57, %19) : (tensor<4xf32>, tensor<4xf32>, tensor<4x4x16x16xf16>) -> (tensor<4x4x16x16xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x16x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x16x16xf32>)
    %21 = stablehlo.convert %arg58 : (tensor<12x4x1x1xf32>) -> tensor<12x4x1x1xf16>
    %22 = stablehlo.convolution(%20#0, %21) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x16x16xf16>, tensor<12x4x1x1xf16>) -> tensor<4x12x16x16xf16>
    %23:9 = call @batch_norm_2(%arg59, %arg60, %22) : (tensor<12xf32>, tensor<12xf32>, tensor<4x12x16x16xf16>) -> (tensor<4x12x16x16xf16>, tensor<12xf32>, tensor<12xf32>, tensor<4x12x16x16xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<1x12x1x1xf32>, tensor<4x12x16x16xf32>)
    %24 = call @relu6_3(%23#0) : (tensor<4x12x16x16xf16>) -> tensor<4x12x16x16xf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %25 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f16>) -> tensor<4x12x16x16xf16>
    %26 = stablehlo.compare GT, %23#0, %25, FLOAT : (tensor<4x12x16x16xf16>, tensor<4x12x16x16xf16>) -> tensor<4x12x16x16xi1>
    %cst_4 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %27 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f16>) -> tensor<4x12x16x16xf16>
    %28 = stablehlo.compare LT, %23#0, %27, FLOAT : (tensor<4x12x16x16xf16>, tensor<4x12x16x16xf16>) -> tensor<4x12x16x16xi1>
    %29 = stablehlo.and %26, %28 : tensor<4x12x16x16xi1>
    %30 = stablehlo.convert %arg61 : (tensor<12x1x3x3xf32>) -> tensor<12x1x3x3xf16>
    %31 = stablehlo.convolution(%24, %30) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 12 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x12x16x16xf16>, tensor<12x1x3x3xf16>) -> tensor<4x12x8x8xf16>
    %32:9 = call @batch_norm_4(%arg62, %arg63, %31) : (tensor<12xf32>, tensor<12xf32>, tensor<4x12x8x8xf16>) -> (tensor<4x12x8x8xf16>, tensor<12xf32>, tensor<12xf32>, tensor<4x12x8x8xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<1x12x1x1xf32>, tensor<4x12x8x8xf32>)
    %33 = call @relu6_5(%32#0) : (tensor<4x12x8x8xf16>) -> tensor<4x12x8x8xf16>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %34 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f16>) -> tensor<4x12x8x8xf16>
    %35 = stablehlo.compare GT, %32#0, %34, FLOAT : (tensor<4x12x8x8xf16>, tensor<4x12x8x8xf16>) -> tensor<4x12x8x8xi1>
    %cst_6 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %36 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f16>) -> tensor<4x12x8x8xf16>
    %37 = stablehlo.compare LT, %32#0, %36, FLOAT : (tensor<4x12x8x8xf16>, tensor<4x12x8x8xf16>) -> tensor<4x12x8x8xi1>
    %38 = stablehlo.and %35, %37 : tensor<4x12x8x8xi1>
    %39 = stablehlo.convert %arg64 : (tensor<8x12x1x1xf32>) -> tensor<8x12x1x1xf16>
    %40 = stablehlo.convolution(%33, %39) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x12x8x8xf16>, tensor<8x12x1x1xf16>) -> tensor<4x8x8x8xf16>
    %41:9 = call @batch_norm_6(%arg65, %arg66, %40) : (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>) -> (tensor<4x8x8x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>)
    %42 = stablehlo.convert %arg67 : (tensor<24x8x1x1xf32>) -> tensor<24x8x1x1xf16>
    %43 = stablehlo.convolution(%41#0, %42) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<24x8x1x1xf16>) -> tensor<4x24x8x8xf16>
    %44:9 = call @batch_norm_7(%arg68, %arg69, %43) : (tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf16>) -> (tensor<4x24x8x8xf16>, tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<1x24x1x1xf32>, tensor<4x24x8x8xf32>)
    %45 = call @relu6_8(%44#0) : (tensor<4x24x8x8xf16>) -> tensor<4x24x8x8xf16>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %46 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f16>) -> tensor<4x24x8x8xf16>
    %47 = stablehlo.compare GT, %44#0, %46, FLOAT : (tensor<4x24x8x8xf16>, tensor<4x24x8x8xf16>) -> tensor<4x24x8x8xi1>
    %cst_8 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %48 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f16>) -> tensor<4x24x8x8xf16>
    %49 = stablehlo.compare LT, %44#0, %48, FLOAT : (tensor<4x24x8x8xf16>, tensor<4x24x8x8xf16>) -> tensor<4x24x8x8xi1>
    %50 = stablehlo.and %47, %49 : tensor<4x24x8x8xi1>
    %51 = stablehlo.convert %arg70 : (tensor<24x1x3x3xf32>) -> tensor<24x1x3x3xf16>
    %52 = stablehlo.convolution(%45, %51) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 24 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x24x8x8xf16>, tensor<24x1x3x3xf16>) -> tensor<4x24x8x8xf16>
    %53:9 = call @batch_norm_9(%arg71, %arg72, %52) : (tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf16>) -> (tensor<4x24x8x8xf16>, tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<1x24x1x1xf32>, tensor<4x24x8x8xf32>)
    %54 = call @relu6_8(%53#0) : (tensor<4x24x8x8xf16>) -> tensor<4x24x8x8xf16>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %55 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f16>) -> tensor<4x24x8x8xf16>
    %56 = stablehlo.compare GT, %53#0, %55, FLOAT : (tensor<4x24x8x8xf16>, tensor<4x24x8x8xf16>) -> tensor<4x24x8x8xi1>
    %cst_10 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %57 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f16>) -> tensor<4x24x8x8xf16>
    %58 = stablehlo.compare LT, %53#0, %57, FLOAT : (tensor<4x24x8x8xf16>, tensor<4x24x8x8xf16>) -> tensor<4x24x8x8xi1>
    %59 = stablehlo.and %56, %58 : tensor<4x24x8x8xi1>
    %60 = stablehlo.convert %arg73 : (tensor<8x24x1x1xf32>) -> tensor<8x24x1x1xf16>
    %61 = stablehlo.convolution(%54, %60) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x24x8x8xf16>, tensor<8x24x1x1xf16>) -> tensor<4x8x8x8xf16>
    %62:9 = call @batch_norm_10(%arg74, %arg75, %61) : (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>) -> (tensor<4x8x8x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>)
    %63 = stablehlo.add %41#0, %62#0 : tensor<4x8x8x8xf16>
    %64 = stablehlo.convert %arg76 : (tensor<16x8x1x1xf32>) -> tensor<16x8x1x1xf16>
    %65 = stablehlo.convolution(%63, %64) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<16x8x1x1xf16>) -> tensor<4x16x8x8xf16>
    %66:9 = call @batch_norm_11(%arg77, %arg78, %65) : (tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf16>) -> (tensor<4x16x8x8xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x8x8xf32>)
    %67 = call @relu6_12(%66#0) : (tensor<4x16x8x8xf16>) -> tensor<4x16x8x8xf16>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %68 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f16>) -> tensor<4x16x8x8xf16>
    %69 = stablehlo.compare GT, %66#0, %68, FLOAT : (tensor<4x16x8x8xf16>, tensor<4x16x8x8xf16>) -> tensor<4x16x8x8xi1>
    %cst_12 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %70 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f16>) -> tensor<4x16x8x8xf16>
    %71 = stablehlo.compare LT, %66#0, %70, FLOAT : (tensor<4x16x8x8xf16>, tensor<4x16x8x8xf16>) -> tensor<4x16x8x8xi1>
    %72 = stablehlo.and %69, %71 : tensor<4x16x8x8xi1>
    %73 = stablehlo.convert %67 : (tensor<4x16x8x8xf16>) -> tensor<4x16x8x8xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.reduce(%73 init: %cst_13) applies stablehlo.add across dimensions = [2, 3] : (tensor<4x16x8x8xf32>, tensor<f32>) -> tensor<4x16xf32>
    %cst_14 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %76 = stablehlo.divide %74, %75 : tensor<4x16xf32>
    %77 = stablehlo.convert %76 : (tensor<4x16xf32>) -> tensor<4x16xf16>
    %78 = stablehlo.convert %arg80 : (tensor<16x10xf32>) -> tensor<16x10xf16>
    %79 = stablehlo.dot_general %77, %78, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf16>, tensor<16x10xf16>) -> tensor<4x10xf16>
    %80 = stablehlo.convert %arg79 : (tensor<10xf32>) -> tensor<10xf16>
    %81 = stablehlo.broadcast_in_dim %80, dims = [1] : (tensor<10xf16>) -> tensor<1x10xf16>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1] : (tensor<1x10xf16>) -> tensor<4x10xf16>
    %83 = stablehlo.add %79, %82 : tensor<4x10xf16>
    %84 = stablehlo.convert %83 : (tensor<4x10xf16>) -> tensor<4x10xf32>
    %85:3 = call @log_softmax(%84) : (tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>)
    %86 = stablehlo.broadcast_in_dim %arg85, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %87:2 = call @take_along_axis(%85#0, %86) : (tensor<4x10xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1x1xi32>)
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%87#0 init: %cst_15) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_16 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %89 = stablehlo.divide %88, %cst_16 : tensor<f32>
    %90 = stablehlo.negate %89 : tensor<f32>
    %cst_17 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %91 = stablehlo.multiply %90, %cst_17 : tensor<f32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_19 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %92 = stablehlo.multiply %cst_18, %cst_19 : tensor<f32>
    %93 = stablehlo.negate %92 : tensor<f32>
    %cst_20 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %94 = stablehlo.divide %93, %cst_20 : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %96 = call @take_along_axis_13(%87#1, %95) : (tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>
    %97 = call @log_softmax_14(%85#1, %85#2, %96) : (tensor<4x10xf32>, tensor<4x1xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    %98 = stablehlo.convert %97 : (tensor<4x10xf32>) -> tensor<4x10xf16>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %99 = stablehlo.reduce(%98 init: %cst_21) applies stablehlo.add across dimensions = [0] : (tensor<4x10xf16>, tensor<f16>) -> tensor<10xf16>
    %100 = stablehlo.reshape %99 : (tensor<10xf16>) -> tensor<1x10xf16>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %101 = stablehlo.reduce(%100 init: %cst_22) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf16>, tensor<f16>) -> tensor<10xf16>
    %102 = stablehlo.convert %101 : (tensor<10xf16>) -> tensor<10xf32>
    %103 = stablehlo.dot_general %98, %77, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x10xf16>, tensor<4x16xf16>) -> tensor<10x16xf16>
    %104 = stablehlo.transpose %103, dims = [1, 0] : (tensor<10x16xf16>) -> tensor<16x10xf16>
    %105 = stablehlo.dot_general %98, %78, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x10xf16>, tensor<16x10xf16>) -> tensor<4x16xf16>
    %106 = stablehlo.convert %104 : (tensor<16x10xf16>) -> tensor<16x10xf32>
    %107 = stablehlo.convert %105 : (tensor<4x16xf16>) -> tensor<4x16xf32>
    %cst_23 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %109 = stablehlo.divide %107, %108 : tensor<4x16xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x8x8xf32>
    %111 = stablehlo.convert %110 : (tensor<4x16x8x8xf32>) -> tensor<4x16x8x8xf16>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %112 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f16>) -> tensor<4x16x8x8xf16>
    %113 = stablehlo.select %72, %111, %112 : tensor<4x16x8x8xi1>, tensor<4x16x8x8xf16>
    %114:3 = call @batch_norm_15(%66#3, %66#4, %66#5, %66#6, %arg77, %66#7, %66#8, %113) : (tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x8x8xf32>, tensor<4x16x8x8xf16>) -> (tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf16>)
    %115 = stablehlo.convolution(%63, %114#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<4x16x8x8xf16>) -> tensor<16x8x1x1xf16>
    %116 = stablehlo.reverse %64, dims = [2, 3] : tensor<16x8x1x1xf16>
    %117 = stablehlo.convolution(%114#2, %116) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x16x8x8xf16>, tensor<16x8x1x1xf16>) -> tensor<4x8x8x8xf16>
    %118 = stablehlo.convert %115 : (tensor<16x8x1x1xf16>) -> tensor<16x8x1x1xf32>
    %119:3 = call @batch_norm_16(%62#3, %62#4, %62#5, %62#6, %arg74, %62#7, %62#8, %117) : (tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>, tensor<4x8x8x8xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>)
    %120 = stablehlo.convolution(%54, %119#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x24x8x8xf16>, tensor<4x8x8x8xf16>) -> tensor<8x24x1x1xf16>
    %121 = stablehlo.reverse %60, dims = [2, 3] : tensor<8x24x1x1xf16>
    %122 = stablehlo.convolution(%119#2, %121) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<8x24x1x1xf16>) -> tensor<4x24x8x8xf16>
    %123 = stablehlo.convert %120 : (tensor<8x24x1x1xf16>) -> tensor<8x24x1x1xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %124 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f16>) -> tensor<4x24x8x8xf16>
    %125 = stablehlo.select %59, %122, %124 : tensor<4x24x8x8xi1>, tensor<4x24x8x8xf16>
    %126:3 = call @batch_norm_17(%53#3, %53#4, %53#5, %53#6, %arg71, %53#7, %53#8, %125) : (tensor<4x24x8x8xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<1x24x1x1xf32>, tensor<4x24x8x8xf32>, tensor<4x24x8x8xf16>) -> (tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf16>)
    %127 = stablehlo.convolution(%45, %126#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 24 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x24x8x8xf16>, tensor<4x24x8x8xf16>) -> tensor<24x1x3x3xf16>
    %128 = stablehlo.reshape %51 : (tensor<24x1x3x3xf16>) -> tensor<24x1x1x3x3xf16>
    %129 = stablehlo.transpose %128, dims = [1, 0, 2, 3, 4] : (tensor<24x1x1x3x3xf16>) -> tensor<1x24x1x3x3xf16>
    %130 = stablehlo.reshape %129 : (tensor<1x24x1x3x3xf16>) -> tensor<1x24x3x3xf16>
    %131 = stablehlo.reverse %130, dims = [2, 3] : tensor<1x24x3x3xf16>
    %132 = stablehlo.convolution(%126#2, %131) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 24 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x24x8x8xf16>, tensor<1x24x3x3xf16>) -> tensor<4x24x8x8xf16>
    %133 = stablehlo.convert %127 : (tensor<24x1x3x3xf16>) -> tensor<24x1x3x3xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %134 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f16>) -> tensor<4x24x8x8xf16>
    %135 = stablehlo.select %50, %132, %134 : tensor<4x24x8x8xi1>, tensor<4x24x8x8xf16>
    %136:3 = call @batch_norm_18(%44#3, %44#4, %44#5, %44#6, %arg68, %44#7, %44#8, %135) : (tensor<4x24x8x8xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<1x24x1x1xf32>, tensor<4x24x8x8xf32>, tensor<4x24x8x8xf16>) -> (tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf16>)
    %137 = stablehlo.convolution(%41#0, %136#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<4x24x8x8xf16>) -> tensor<24x8x1x1xf16>
    %138 = stablehlo.reverse %42, dims = [2, 3] : tensor<24x8x1x1xf16>
    %139 = stablehlo.convolution(%136#2, %138) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x24x8x8xf16>, tensor<24x8x1x1xf16>) -> tensor<4x8x8x8xf16>
    %140 = stablehlo.add %117, %139 : tensor<4x8x8x8xf16>
    %141 = stablehlo.convert %137 : (tensor<24x8x1x1xf16>) -> tensor<24x8x1x1xf32>
    %142:3 = call @batch_norm_19(%41#3, %41#4, %41#5, %41#6, %arg65, %41#7, %41#8, %140) : (tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>, tensor<4x8x8x8xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>)
    %143 = stablehlo.convolution(%33, %142#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x12x8x8xf16>, tensor<4x8x8x8xf16>) -> tensor<8x12x1x1xf16>
    %144 = stablehlo.reverse %39, dims = [2, 3] : tensor<8x12x1x1xf16>
    %145 = stablehlo.convolution(%142#2, %144) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<8x12x1x1xf16>) -> tensor<4x12x8x8xf16>
    %146 = stablehlo.convert %143 : (tensor<8x12x1x1xf16>) -> tensor<8x12x1x1xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %147 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f16>) -> tensor<4x12x8x8xf16>
    %148 = stablehlo.select %38, %145, %147 : tensor<4x12x8x8xi1>, tensor<4x12x8x8xf16>
    %149:3 = call @batch_norm_20(%32#3, %32#4, %32#5, %32#6, %arg62, %32#7, %32#8, %148) : (tensor<4x12x8x8xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<1x12x1x1xf32>, tensor<4x12x8x8xf32>, tensor<4x12x8x8xf16>) -> (tensor<12xf32>, tensor<12xf32>, tensor<4x12x8x8xf16>)
    %150 = stablehlo.convolution(%24, %149#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 0], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 12 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x12x16x16xf16>, tensor<4x12x8x8xf16>) -> tensor<12x1x3x3xf16>
    %151 = stablehlo.reshape %30 : (tensor<12x1x3x3xf16>) -> tensor<12x1x1x3x3xf16>
    %152 = stablehlo.transpose %151, dims = [1, 0, 2, 3, 4] : (tensor<12x1x1x3x3xf16>) -> tensor<1x12x1x3x3xf16>
    %153 = stablehlo.reshape %152 : (tensor<1x12x1x3x3xf16>) -> tensor<1x12x3x3xf16>
    %154 = stablehlo.reverse %153, dims = [2, 3] : tensor<1x12x3x3xf16>
    %155 = stablehlo.convolution(%149#2, %154) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 12 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x12x8x8xf16>, tensor<1x12x3x3xf16>) -> tensor<4x12x16x16xf16>
    %156 = stablehlo.convert %150 : (tensor<12x1x3x3xf16>) -> tensor<12x1x3x3xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %157 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f16>) -> tensor<4x12x16x16xf16>
    %158 = stablehlo.select %29, %155, %157 : tensor<4x12x16x16xi1>, tensor<4x12x16x16xf16>
    %159:3 = call @batch_norm_21(%23#3, %23#4, %23#5, %23#6, %arg59, %23#7, %23#8, %158) : (tensor<4x12x16x16xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<1x12x1x1xf32>, tensor<4x12x16x16xf32>, tensor<4x12x16x16xf16>) -> (tensor<12xf32>, tensor<12xf32>, tensor<4x12x16x16xf16>)
    %160 = stablehlo.convolution(%20#0, %159#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x16x16xf16>, tensor<4x12x16x16xf16>) -> tensor<12x4x1x1xf16>
    %161 = stablehlo.reverse %21, dims = [2, 3] : tensor<12x4x1x1xf16>
    %162 = stablehlo.convolution(%159#2, %161) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x12x16x16xf16>, tensor<12x4x1x1xf16>) -> tensor<4x4x16x16xf16>
    %163 = stablehlo.convert %160 : (tensor<12x4x1x1xf16>) -> tensor<12x4x1x1xf32>
    %164:3 = call @batch_norm_22(%20#3, %20#4, %20#5, %20#6, %arg56, %20#7, %20#8, %162) : (tensor<4x4x16x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x16x16xf32>, tensor<4x4x16x16xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4x16x16xf16>)
    %165 = stablehlo.convolution(%12, %164#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x16x16xf16>, tensor<4x4x16x16xf16>) -> tensor<4x8x1x1xf16>
    %166 = stablehlo.reverse %18, dims = [2, 3] : tensor<4x8x1x1xf16>
    %167 = stablehlo.convolution(%164#2, %166) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x16x16xf16>, tensor<4x8x1x1xf16>) -> tensor<4x8x16x16xf16>
    %168 = stablehlo.convert %165 : (tensor<4x8x1x1xf16>) -> tensor<4x8x1x1xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %169 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f16>) -> tensor<4x8x16x16xf16>
    %170 = stablehlo.select %17, %167, %169 : tensor<4x8x16x16xi1>, tensor<4x8x16x16xf16>
    %171:3 = call @batch_norm_23(%11#3, %11#4, %11#5, %11#6, %arg53, %11#7, %11#8, %170) : (tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x16x16xf32>, tensor<4x8x16x16xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf16>)
    %172 = stablehlo.convolution(%3, %171#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 8 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x16x16xf16>, tensor<4x8x16x16xf16>) -> tensor<8x1x3x3xf16>
    %173 = stablehlo.reshape %9 : (tensor<8x1x3x3xf16>) -> tensor<8x1x1x3x3xf16>
    %174 = stablehlo.transpose %173, dims = [1, 0, 2, 3, 4] : (tensor<8x1x1x3x3xf16>) -> tensor<1x8x1x3x3xf16>
    %175 = stablehlo.reshape %174 : (tensor<1x8x1x3x3xf16>) -> tensor<1x8x3x3xf16>
    %176 = stablehlo.reverse %175, dims = [2, 3] : tensor<1x8x3x3xf16>
    %177 = stablehlo.convolution(%171#2, %176) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x16x16xf16>, tensor<1x8x3x3xf16>) -> tensor<4x8x16x16xf16>
    %178 = stablehlo.convert %172 : (tensor<8x1x3x3xf16>) -> tensor<8x1x3x3xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %179 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f16>) -> tensor<4x8x16x16xf16>
    %180 = stablehlo.select %8, %177, %179 : tensor<4x8x16x16xi1>, tensor<4x8x16x16xf16>
    %181:3 = call @batch_norm_24(%2#3, %2#4, %2#5, %2#6, %arg82, %2#7, %2#8, %180) : (tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x16x16xf32>, tensor<4x8x16x16xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf16>)
    %182 = stablehlo.convolution(%arg84, %181#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 0], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x3x32x32xf16>, tensor<4x8x16x16xf16>) -> tensor<8x3x3x3xf16>
    %183 = stablehlo.convert %182 : (tensor<8x3x3x3xf16>) -> tensor<8x3x3x3xf32>
    %cst_31 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %184 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %185 = stablehlo.multiply %184, %arg32 : tensor<8xf32>
    %cst_32 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %187 = stablehlo.multiply %186, %2#1 : tensor<8xf32>
    %188 = stablehlo.add %185, %187 : tensor<8xf32>
    %cst_33 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %190 = stablehlo.multiply %189, %arg33 : tensor<8xf32>
    %cst_34 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %192 = stablehlo.multiply %191, %2#2 : tensor<8xf32>
    %193 = stablehlo.add %190, %192 : tensor<8xf32>
    %cst_35 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %194 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %195 = stablehlo.multiply %194, %arg34 : tensor<8xf32>
    %cst_36 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %196 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %197 = stablehlo.multiply %196, %11#1 : tensor<8xf32>
    %198 = stablehlo.add %195, %197 : tensor<8xf32>
    %cst_37 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %199 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %200 = stablehlo.multiply %199, %arg35 : tensor<8xf32>
    %cst_38 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %202 = stablehlo.multiply %201, %11#2 : tensor<8xf32>
    %203 = stablehlo.add %200, %202 : tensor<8xf32>
    %cst_39 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %205 = stablehlo.multiply %204, %arg36 : tensor<4xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %206 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %207 = stablehlo.multiply %206, %20#1 : tensor<4xf32>
    %208 = stablehlo.add %205, %207 : tensor<4xf32>
    %cst_41 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %210 = stablehlo.multiply %209, %arg37 : tensor<4xf32>
    %cst_42 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %211 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %212 = stablehlo.multiply %211, %20#2 : tensor<4xf32>
    %213 = stablehlo.add %210, %212 : tensor<4xf32>
    %cst_43 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %215 = stablehlo.multiply %214, %arg38 : tensor<12xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %216 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %217 = stablehlo.multiply %216, %23#1 : tensor<12xf32>
    %218 = stablehlo.add %215, %217 : tensor<12xf32>
    %cst_45 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %219 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %220 = stablehlo.multiply %219, %arg39 : tensor<12xf32>
    %cst_46 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %222 = stablehlo.multiply %221, %23#2 : tensor<12xf32>
    %223 = stablehlo.add %220, %222 : tensor<12xf32>
    %cst_47 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %224 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %225 = stablehlo.multiply %224, %arg40 : tensor<12xf32>
    %cst_48 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %227 = stablehlo.multiply %226, %32#1 : tensor<12xf32>
    %228 = stablehlo.add %225, %227 : tensor<12xf32>
    %cst_49 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %230 = stablehlo.multiply %229, %arg41 : tensor<12xf32>
    %cst_50 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %231 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %232 = stablehlo.multiply %231, %32#2 : tensor<12xf32>
    %233 = stablehlo.add %230, %232 : tensor<12xf32>
    %cst_51 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %234 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %235 = stablehlo.multiply %234, %arg42 : tensor<8xf32>
    %cst_52 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %237 = stablehlo.multiply %236, %41#1 : tensor<8xf32>
    %238 = stablehlo.add %235, %237 : tensor<8xf32>
    %cst_53 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %240 = stablehlo.multiply %239, %arg43 : tensor<8xf32>
    %cst_54 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %241 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %242 = stablehlo.multiply %241, %41#2 : tensor<8xf32>
    %243 = stablehlo.add %240, %242 : tensor<8xf32>
    %cst_55 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %244 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %245 = stablehlo.multiply %244, %arg44 : tensor<24xf32>
    %cst_56 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %247 = stablehlo.multiply %246, %44#1 : tensor<24xf32>
    %248 = stablehlo.add %245, %247 : tensor<24xf32>
    %cst_57 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %249 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %250 = stablehlo.multiply %249, %arg45 : tensor<24xf32>
    %cst_58 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %251 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %252 = stablehlo.multiply %251, %44#2 : tensor<24xf32>
    %253 = stablehlo.add %250, %252 : tensor<24xf32>
    %cst_59 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %254 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %255 = stablehlo.multiply %254, %arg46 : tensor<24xf32>
    %cst_60 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %257 = stablehlo.multiply %256, %53#1 : tensor<24xf32>
    %258 = stablehlo.add %255, %257 : tensor<24xf32>
    %cst_61 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %259 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %260 = stablehlo.multiply %259, %arg47 : tensor<24xf32>
    %cst_62 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %261 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %262 = stablehlo.multiply %261, %53#2 : tensor<24xf32>
    %263 = stablehlo.add %260, %262 : tensor<24xf32>
    %cst_63 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %264 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %265 = stablehlo.multiply %264, %arg48 : tensor<8xf32>
    %cst_64 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %266 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %267 = stablehlo.multiply %266, %62#1 : tensor<8xf32>
    %268 = stablehlo.add %265, %267 : tensor<8xf32>
    %cst_65 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %269 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %270 = stablehlo.multiply %269, %arg49 : tensor<8xf32>
    %cst_66 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %271 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %272 = stablehlo.multiply %271, %62#2 : tensor<8xf32>
    %273 = stablehlo.add %270, %272 : tensor<8xf32>
    %cst_67 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %274 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %275 = stablehlo.multiply %274, %arg50 : tensor<16xf32>
    %cst_68 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %276 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %277 = stablehlo.multiply %276, %66#1 : tensor<16xf32>
    %278 = stablehlo.add %275, %277 : tensor<16xf32>
    %cst_69 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %279 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %280 = stablehlo.multiply %279, %arg51 : tensor<16xf32>
    %cst_70 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %281 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %282 = stablehlo.multiply %281, %66#2 : tensor<16xf32>
    %283 = stablehlo.add %280, %282 : tensor<16xf32>
    %284:2 = call @_descended(%arg52, %arg0, %178) : (tensor<8x1x3x3xf32>, tensor<8x1x3x3xf32>, tensor<8x1x3x3xf32>) -> (tensor<8x1x3x3xf32>, tensor<8x1x3x3xf32>)
    %285:2 = call @_descended_25(%arg53, %arg1, %171#0) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %286:2 = call @_descended_25(%arg54, %arg2, %171#1) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %287:2 = call @_descended_26(%arg55, %arg3, %168) : (tensor<4x8x1x1xf32>, tensor<4x8x1x1xf32>, tensor<4x8x1x1xf32>) -> (tensor<4x8x1x1xf32>, tensor<4x8x1x1xf32>)
    %288:2 = call @_descended_27(%arg56, %arg4, %164#0) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %289:2 = call @_descended_27(%arg57, %arg5, %164#1) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %290:2 = call @_descended_28(%arg58, %arg6, %163) : (tensor<12x4x1x1xf32>, tensor<12x4x1x1xf32>, tensor<12x4x1x1xf32>) -> (tensor<12x4x1x1xf32>, tensor<12x4x1x1xf32>)
    %291:2 = call @_descended_29(%arg59, %arg7, %159#0) : (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>)
    %292:2 = call @_descended_29(%arg60, %arg8, %159#1) : (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>)
    %293:2 = call @_descended_30(%arg61, %arg9, %156) : (tensor<12x1x3x3xf32>, tensor<12x1x3x3xf32>, tensor<12x1x3x3xf32>) -> (tensor<12x1x3x3xf32>, tensor<12x1x3x3xf32>)
    %294:2 = call @_descended_29(%arg62, %arg10, %149#0) : (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>)
    %295:2 = call @_descended_29(%arg63, %arg11, %149#1) : (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>)
    %296:2 = call @_descended_31(%arg64, %arg12, %146) : (tensor<8x12x1x1xf32>, tensor<8x12x1x1xf32>, tensor<8x12x1x1xf32>) -> (tensor<8x12x1x1xf32>, tensor<8x12x1x1xf32>)
    %297:2 = call @_descended_25(%arg65, %arg13, %142#0) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %298:2 = call @_descended_25(%arg66, %arg14, %142#1) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %299:2 = call @_descended_32(%arg67, %arg15, %141) : (tensor<24x8x1x1xf32>, tensor<24x8x1x1xf32>, tensor<24x8x1x1xf32>) -> (tensor<24x8x1x1xf32>, tensor<24x8x1x1xf32>)
    %300:2 = call @_descended_33(%arg68, %arg16, %136#0) : (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) -> (tensor<24xf32>, tensor<24xf32>)
    %301:2 = call @_descended_33(%arg69, %arg17, %136#1) : (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) -> (tensor<24xf32>, tensor<24xf32>)
    %302:2 = call @_descended_34(%arg70, %arg18, %133) : (tensor<24x1x3x3xf32>, tensor<24x1x3x3xf32>, tensor<24x1x3x3xf32>) -> (tensor<24x1x3x3xf32>, tensor<24x1x3x3xf32>)
    %303:2 = call @_descended_33(%arg71, %arg19, %126#0) : (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) -> (tensor<24xf32>, tensor<24xf32>)
    %304:2 = call @_descended_33(%arg72, %arg20, %126#1) : (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) -> (tensor<24xf32>, tensor<24xf32>)
    %305:2 = call @_descended_35(%arg73, %arg21, %123) : (tensor<8x24x1x1xf32>, tensor<8x24x1x1xf32>, tensor<8x24x1x1xf32>) -> (tensor<8x24x1x1xf32>, tensor<8x24x1x1xf32>)
    %306:2 = call @_descended_25(%arg74, %arg22, %119#0) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %307:2 = call @_descended_25(%arg75, %arg23, %119#1) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %308:2 = call @_descended_36(%arg76, %arg24, %118) : (tensor<16x8x1x1xf32>, tensor<16x8x1x1xf32>, tensor<16x8x1x1xf32>) -> (tensor<16x8x1x1xf32>, tensor<16x8x1x1xf32>)
    %309:2 = call @_descended_37(%arg77, %arg25, %114#0) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %310:2 = call @_descended_37(%arg78, %arg26, %114#1) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %311:2 = call @_descended_38(%arg79, %arg27, %102) : (tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>)
    %312:2 = call @_descended_39(%arg80, %arg28, %106) : (tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x10xf32>) -> (tensor<16x10xf32>, tensor<16x10xf32>)
    %313:2 = call @_descended_40(%arg81, %arg29, %183) : (tensor<8x3x3x3xf32>, tensor<8x3x3x3xf32>, tensor<8x3x3x3xf32>) -> (tensor<8x3x3x3xf32>, tensor<8x3x3x3xf32>)
    %314:2 = call @_descended_25(%arg82, %arg30, %181#0) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %315:2 = call @_descended_25(%arg83, %arg31, %181#1) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %cst_71 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %316 = stablehlo.divide %91, %cst_71 : tensor<f32>
    return %284#1, %285#1, %286#1, %287#1, %288#1, %289#1, %290#1, %291#1, %292#1, %293#1, %294#1, %295#1, %296#1, %297#1, %298#1, %299#1, %300#1, %301#1, %302#1, %303#1, %304#1, %305#1, %306#1, %307#1, %308#1, %309#1, %310#1, %311#1, %312#1, %313#1, %314#1, %315#1, %188, %193, %198, %203, %208, %213, %218, %223, %228, %233, %238, %243, %248, %253, %258, %263, %268, %273, %278, %283, %284#0, %285#0, %286#0, %287#0, %288#0, %289#0, %290#0, %291#0, %292#0, %293#0, %294#0, %295#0, %296#0, %297#0, %298#0, %299#0, %300#0, %301#0, %302#0, %303#0, %304#0, %305#0, %306#0, %307#0, %308#0, %309#0, %310#0, %311#0, %312#0, %313#0, %314#0, %315#0, %316 : tensor<8x1x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x1x1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<12x4x1x1xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12x1x3x3xf32>, tensor<12xf32>, tensor<12xf32>, tensor<8x12x1x1xf32>, tensor<8xf32>, tensor<8xf32>, tensor<24x8x1x1xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24x1x3x3xf32>, tensor<24xf32>, tensor<24xf32>, tensor<8x24x1x1xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10xf32>, tensor<16x10xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<8xf32>, tensor<8xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x1x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x1x1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<12x4x1x1xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12x1x3x3xf32>, tensor<12xf32>, tensor<12xf32>, tensor<8x12x1x1xf32>, tensor<8xf32>, tensor<8xf32>, tensor<24x8x1x1xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24x1x3x3xf32>, tensor<24xf32>, tensor<24xf32>, tensor<8x24x1x1xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10xf32>, tensor<16x10xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>
  }
  func.func private @batch_norm(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4x8x16x16xf16>) -> (tensor<4x8x16x16xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x16x16xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x16x16xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8xf32>
    %4 = chlo.square %0 : tensor<4x8x16x16xf32> -> tensor<4x8x16x16xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8x16x16xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x8x16x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x16x16xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_3 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %9 = stablehlo.divide %7, %8 : tensor<8xf32>
    %10 = chlo.square %3 : tensor<8xf32> -> tensor<8xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<8xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %15 = stablehlo.add %13, %14 : tensor<8xf32>
    %16 = stablehlo.rsqrt %15 : tensor<8xf32>
    %17 = stablehlo.divide %16, %15 : tensor<8xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<8xf32>
    %20 = stablehlo.multiply %arg0, %16 : tensor<8xf32>
    %21 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x16x16xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x8x16x16xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x16x16xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x8x16x16xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x16x16xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x8x16x16xf32>
    %33 = stablehlo.convert %32 : (tensor<4x8x16x16xf32>) -> tensor<4x8x16x16xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x8x16x16xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x16x16xf32>
  }
  func.func private @relu6(%arg0: tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x8x16x16xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x8x16x16xf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<4x8x16x16xf16>
    %3 = stablehlo.minimum %1, %2 : tensor<4x8x16x16xf16>
    return %3 : tensor<4x8x16x16xf16>
  }
  func.func private @batch_norm_0(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4x8x16x16xf16>) -> (tensor<4x8x16x16xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x16x16xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x16x16xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8xf32>
    %4 = chlo.square %0 : tensor<4x8x16x16xf32> -> tensor<4x8x16x16xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8x16x16xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x8x16x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x16x16xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_3 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %9 = stablehlo.divide %7, %8 : tensor<8xf32>
    %10 = chlo.square %3 : tensor<8xf32> -> tensor<8xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<8xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %15 = stablehlo.add %13, %14 : tensor<8xf32>
    %16 = stablehlo.rsqrt %15 : tensor<8xf32>
    %17 = stablehlo.divide %16, %15 : tensor<8xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<8xf32>
    %20 = stablehlo.multiply %arg0, %16 : tensor<8xf32>
    %21 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x16x16xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x8x16x16xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x16x16xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x8x16x16xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x16x16xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x8x16x16xf32>
    %33 = stablehlo.convert %32 : (tensor<4x8x16x16xf32>) -> tensor<4x8x16x16xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x8x16x16xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x16x16xf32>
  }
  func.func private @batch_norm_1(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4x4x16x16xf16>) -> (tensor<4x4x16x16xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x16x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x16x16xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x4x16x16xf16>) -> tensor<4x4x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x16x16xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4xf32>
    %4 = chlo.square %0 : tensor<4x4x16x16xf32> -> tensor<4x4x16x16xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x4x16x16xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x4x16x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x16x16xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_3 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %9 = stablehlo.divide %7, %8 : tensor<4xf32>
    %10 = chlo.square %3 : tensor<4xf32> -> tensor<4xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<4xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<4xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %15 = stablehlo.add %13, %14 : tensor<4xf32>
    %16 = stablehlo.rsqrt %15 : tensor<4xf32>
    %17 = stablehlo.divide %16, %15 : tensor<4xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<4xf32>
    %20 = stablehlo.multiply %arg0, %16 : tensor<4xf32>
    %21 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<4x4x16x16xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x4x16x16xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<4x4x16x16xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x4x16x16xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<4x4x16x16xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x4x16x16xf32>
    %33 = stablehlo.convert %32 : (tensor<4x4x16x16xf32>) -> tensor<4x4x16x16xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x4x16x16xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x16x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x16x16xf32>
  }
  func.func private @batch_norm_2(%arg0: tensor<12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<4x12x16x16xf16>) -> (tensor<4x12x16x16xf16>, tensor<12xf32>, tensor<12xf32>, tensor<4x12x16x16xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<1x12x1x1xf32>, tensor<4x12x16x16xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x12x16x16xf16>) -> tensor<4x12x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x12x16x16xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %3 = stablehlo.divide %1, %2 : tensor<12xf32>
    %4 = chlo.square %0 : tensor<4x12x16x16xf32> -> tensor<4x12x16x16xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x12x16x16xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x12x16x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x12x16x16xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_3 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %9 = stablehlo.divide %7, %8 : tensor<12xf32>
    %10 = chlo.square %3 : tensor<12xf32> -> tensor<12xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<12xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<12xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %15 = stablehlo.add %13, %14 : tensor<12xf32>
    %16 = stablehlo.rsqrt %15 : tensor<12xf32>
    %17 = stablehlo.divide %16, %15 : tensor<12xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<12xf32>
    %20 = stablehlo.multiply %arg0, %16 : tensor<12xf32>
    %21 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<12xf32>) -> tensor<12x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<12x1x1xf32>) -> tensor<1x12x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x12x1x1xf32>) -> tensor<4x12x16x16xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x12x16x16xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<12xf32>) -> tensor<12x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<12x1x1xf32>) -> tensor<1x12x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x12x1x1xf32>) -> tensor<4x12x16x16xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x12x16x16xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<12xf32>) -> tensor<12x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<12x1x1xf32>) -> tensor<1x12x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x12x1x1xf32>) -> tensor<4x12x16x16xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x12x16x16xf32>
    %33 = stablehlo.convert %32 : (tensor<4x12x16x16xf32>) -> tensor<4x12x16x16xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x12x16x16xf16>, tensor<12xf32>, tensor<12xf32>, tensor<4x12x16x16xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<1x12x1x1xf32>, tensor<4x12x16x16xf32>
  }
  func.func private @relu6_3(%arg0: tensor<4x12x16x16xf16>) -> tensor<4x12x16x16xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x12x16x16xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x12x16x16xf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<4x12x16x16xf16>
    %3 = stablehlo.minimum %1, %2 : tensor<4x12x16x16xf16>
    return %3 : tensor<4x12x16x16xf16>
  }
  func.func private @batch_norm_4(%arg0: tensor<12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<4x12x8x8xf16>) -> (tensor<4x12x8x8xf16>, tensor<12xf32>, tensor<12xf32>, tensor<4x12x8x8xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<1x12x1x1xf32>, tensor<4x12x8x8xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x12x8x8xf16>) -> tensor<4x12x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x12x8x8xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_0 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %3 = stablehlo.divide %1, %2 : tensor<12xf32>
    %4 = chlo.square %0 : tensor<4x12x8x8xf32> -> tensor<4x12x8x8xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x12x8x8xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x12x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x12x8x8xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_3 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %9 = stablehlo.divide %7, %8 : tensor<12xf32>
    %10 = chlo.square %3 : tensor<12xf32> -> tensor<12xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<12xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<12xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %15 = stablehlo.add %13, %14 : tensor<12xf32>
    %16 = stablehlo.rsqrt %15 : tensor<12xf32>
    %17 = stablehlo.divide %16, %15 : tensor<12xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<12xf32>
    %20 = stablehlo.multiply %arg0, %16 : tensor<12xf32>
    %21 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<12xf32>) -> tensor<12x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<12x1x1xf32>) -> tensor<1x12x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x12x1x1xf32>) -> tensor<4x12x8x8xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x12x8x8xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<12xf32>) -> tensor<12x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<12x1x1xf32>) -> tensor<1x12x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x12x1x1xf32>) -> tensor<4x12x8x8xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x12x8x8xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<12xf32>) -> tensor<12x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<12x1x1xf32>) -> tensor<1x12x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x12x1x1xf32>) -> tensor<4x12x8x8xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x12x8x8xf32>
    %33 = stablehlo.convert %32 : (tensor<4x12x8x8xf32>) -> tensor<4x12x8x8xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x12x8x8xf16>, tensor<12xf32>, tensor<12xf32>, tensor<4x12x8x8xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<1x12x1x1xf32>, tensor<4x12x8x8xf32>
  }
  func.func private @relu6_5(%arg0: tensor<4x12x8x8xf16>) -> tensor<4x12x8x8xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x12x8x8xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x12x8x8xf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<4x12x8x8xf16>
    %3 = stablehlo.minimum %1, %2 : tensor<4x12x8x8xf16>
    return %3 : tensor<4x12x8x8xf16>
  }
  func.func private @batch_norm_6(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4x8x8x8xf16>) -> (tensor<4x8x8x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x8x8x8xf16>) -> tensor<4x8x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8xf32>
    %4 = chlo.square %0 : tensor<4x8x8x8xf32> -> tensor<4x8x8x8xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8x8x8xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x8x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_3 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %9 = stablehlo.divide %7, %8 : tensor<8xf32>
    %10 = chlo.square %3 : tensor<8xf32> -> tensor<8xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<8xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %15 = stablehlo.add %13, %14 : tensor<8xf32>
    %16 = stablehlo.rsqrt %15 : tensor<8xf32>
    %17 = stablehlo.divide %16, %15 : tensor<8xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<8xf32>
    %20 = stablehlo.multiply %arg0, %16 : tensor<8xf32>
    %21 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x8x8xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x8x8x8xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x8x8xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x8x8x8xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x8x8xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x8x8x8xf32>
    %33 = stablehlo.convert %32 : (tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x8x8x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>
  }
  func.func private @batch_norm_7(%arg0: tensor<24xf32>, %arg1: tensor<24xf32>, %arg2: tensor<4x24x8x8xf16>) -> (tensor<4x24x8x8xf16>, tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<1x24x1x1xf32>, tensor<4x24x8x8xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x24x8x8xf16>) -> tensor<4x24x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x24x8x8xf32>, tensor<f32>) -> tensor<24xf32>
    %cst_0 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %3 = stablehlo.divide %1, %2 : tensor<24xf32>
    %4 = chlo.square %0 : tensor<4x24x8x8xf32> -> tensor<4x24x8x8xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x24x8x8xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x24x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x24x8x8xf32>, tensor<f32>) -> tensor<24xf32>
    %cst_3 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %9 = stablehlo.divide %7, %8 : tensor<24xf32>
    %10 = chlo.square %3 : tensor<24xf32> -> tensor<24xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<24xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<24xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %15 = stablehlo.add %13, %14 : tensor<24xf32>
    %16 = stablehlo.rsqrt %15 : tensor<24xf32>
    %17 = stablehlo.divide %16, %15 : tensor<24xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<24xf32>
    %20 = stablehlo.multiply %arg0, %16 : tensor<24xf32>
    %21 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<24xf32>) -> tensor<24x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<24x1x1xf32>) -> tensor<1x24x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x24x1x1xf32>) -> tensor<4x24x8x8xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x24x8x8xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<24xf32>) -> tensor<24x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<24x1x1xf32>) -> tensor<1x24x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x24x1x1xf32>) -> tensor<4x24x8x8xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x24x8x8xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<24xf32>) -> tensor<24x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<24x1x1xf32>) -> tensor<1x24x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x24x1x1xf32>) -> tensor<4x24x8x8xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x24x8x8xf32>
    %33 = stablehlo.convert %32 : (tensor<4x24x8x8xf32>) -> tensor<4x24x8x8xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x24x8x8xf16>, tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<1x24x1x1xf32>, tensor<4x24x8x8xf32>
  }
  func.func private @relu6_8(%arg0: tensor<4x24x8x8xf16>) -> tensor<4x24x8x8xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x24x8x8xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x24x8x8xf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<4x24x8x8xf16>
    %3 = stablehlo.minimum %1, %2 : tensor<4x24x8x8xf16>
    return %3 : tensor<4x24x8x8xf16>
  }
  func.func private @batch_norm_9(%arg0: tensor<24xf32>, %arg1: tensor<24xf32>, %arg2: tensor<4x24x8x8xf16>) -> (tensor<4x24x8x8xf16>, tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<1x24x1x1xf32>, tensor<4x24x8x8xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x24x8x8xf16>) -> tensor<4x24x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x24x8x8xf32>, tensor<f32>) -> tensor<24xf32>
    %cst_0 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %3 = stablehlo.divide %1, %2 : tensor<24xf32>
    %4 = chlo.square %0 : tensor<4x24x8x8xf32> -> tensor<4x24x8x8xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x24x8x8xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x24x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x24x8x8xf32>, tensor<f32>) -> tensor<24xf32>
    %cst_3 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %9 = stablehlo.divide %7, %8 : tensor<24xf32>
    %10 = chlo.square %3 : tensor<24xf32> -> tensor<24xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<24xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<24xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %15 = stablehlo.add %13, %14 : tensor<24xf32>
    %16 = stablehlo.rsqrt %15 : tensor<24xf32>
    %17 = stablehlo.divide %16, %15 : tensor<24xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<24xf32>
    %20 = stablehlo.multiply %arg0, %16 : tensor<24xf32>
    %21 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<24xf32>) -> tensor<24x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<24x1x1xf32>) -> tensor<1x24x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x24x1x1xf32>) -> tensor<4x24x8x8xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x24x8x8xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<24xf32>) -> tensor<24x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<24x1x1xf32>) -> tensor<1x24x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x24x1x1xf32>) -> tensor<4x24x8x8xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x24x8x8xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<24xf32>) -> tensor<24x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<24x1x1xf32>) -> tensor<1x24x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x24x1x1xf32>) -> tensor<4x24x8x8xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x24x8x8xf32>
    %33 = stablehlo.convert %32 : (tensor<4x24x8x8xf32>) -> tensor<4x24x8x8xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x24x8x8xf16>, tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<1x24x1x1xf32>, tensor<4x24x8x8xf32>
  }
  func.func private @batch_norm_10(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4x8x8x8xf16>) -> (tensor<4x8x8x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x8x8x8xf16>) -> tensor<4x8x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8xf32>
    %4 = chlo.square %0 : tensor<4x8x8x8xf32> -> tensor<4x8x8x8xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8x8x8xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x8x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_3 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %9 = stablehlo.divide %7, %8 : tensor<8xf32>
    %10 = chlo.square %3 : tensor<8xf32> -> tensor<8xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<8xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %15 = stablehlo.add %13, %14 : tensor<8xf32>
    %16 = stablehlo.rsqrt %15 : tensor<8xf32>
    %17 = stablehlo.divide %16, %15 : tensor<8xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<8xf32>
    %20 = stablehlo.multiply %arg0, %16 : tensor<8xf32>
    %21 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x8x8xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x8x8x8xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x8x8xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x8x8x8xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x8x8xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x8x8x8xf32>
    %33 = stablehlo.convert %32 : (tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x8x8x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>
  }
  func.func private @batch_norm_11(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<4x16x8x8xf16>) -> (tensor<4x16x8x8xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x8x8xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x16x8x8xf16>) -> tensor<4x16x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x8x8xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %3 = stablehlo.divide %1, %2 : tensor<16xf32>
    %4 = chlo.square %0 : tensor<4x16x8x8xf32> -> tensor<4x16x8x8xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x16x8x8xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x16x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x8x8xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_3 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %9 = stablehlo.divide %7, %8 : tensor<16xf32>
    %10 = chlo.square %3 : tensor<16xf32> -> tensor<16xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<16xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<16xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %15 = stablehlo.add %13, %14 : tensor<16xf32>
    %16 = stablehlo.rsqrt %15 : tensor<16xf32>
    %17 = stablehlo.divide %16, %15 : tensor<16xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<16xf32>
    %20 = stablehlo.multiply %arg0, %16 : tensor<16xf32>
    %21 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x8x8xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x16x8x8xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x8x8xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x16x8x8xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x8x8xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x16x8x8xf32>
    %33 = stablehlo.convert %32 : (tensor<4x16x8x8xf32>) -> tensor<4x16x8x8xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x16x8x8xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x8x8xf32>
  }
  func.func private @relu6_12(%arg0: tensor<4x16x8x8xf16>) -> tensor<4x16x8x8xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x16x8x8xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x16x8x8xf16>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f16>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<4x16x8x8xf16>
    %3 = stablehlo.minimum %1, %2 : tensor<4x16x8x8xf16>
    return %3 : tensor<4x16x8x8xf16>
  }
  func.func private @log_softmax(%arg0: tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x10xf32>
    %6 = stablehlo.exponential %5 : tensor<4x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %9 = stablehlo.log %8 : tensor<4x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<4x10xf32>
    return %11, %6, %8 : tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<4x10xf32>, %arg1: tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x1xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<4x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<4x1xi1>, tensor<4x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<4x1xi32>) -> tensor<4x1x1xi32>
    %c_1 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<4x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<4x1x1xi32>, tensor<4x1x1xi32>) -> tensor<4x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<4x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<4x1x1xi1>, tensor<i1>) -> tensor<4x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x10xf32>, tensor<4x1x1xi32>) -> tensor<4x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<4x1xi1>, tensor<4x1xf32>
    return %15, %5 : tensor<4x1xf32>, tensor<4x1x1xi32>
  }
  func.func private @take_along_axis_13(%arg0: tensor<4x1x1xi32>, %arg1: tensor<4x1xf32>) -> tensor<4x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x10xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x10xf32>, tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>
    return %1 : tensor<4x10xf32>
  }
  func.func private @log_softmax_14(%arg0: tensor<4x10xf32>, %arg1: tensor<4x1xf32>, %arg2: tensor<4x10xf32>) -> tensor<4x10xf32> {
    %0 = stablehlo.negate %arg2 : tensor<4x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<4x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<4x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x10xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<4x10xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<4x10xf32>
    return %7 : tensor<4x10xf32>
  }
  func.func private @batch_norm_15(%arg0: tensor<4x16x8x8xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<1x16x1x1xf32>, %arg6: tensor<4x16x8x8xf32>, %arg7: tensor<4x16x8x8xf16>) -> (tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x16x8x8xf16>) -> tensor<4x16x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x8x8xf32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.reshape %1 : (tensor<16xf32>) -> tensor<1x16x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x16x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x8x8xf32>, tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.reshape %7 : (tensor<16xf32>) -> tensor<1x16x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x8x8xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x16x8x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %14 = stablehlo.negate %10 : tensor<4x16x8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x8x8xf32>, tensor<f32>) -> tensor<16xf32>
    %16 = stablehlo.reshape %15 : (tensor<16xf32>) -> tensor<1x16x1x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %20 = stablehlo.multiply %arg4, %13 : tensor<16xf32>
    %21 = stablehlo.multiply %13, %arg3 : tensor<16xf32>
    %22 = stablehlo.multiply %20, %arg2 : tensor<16xf32>
    %23 = stablehlo.negate %22 : tensor<16xf32>
    %24 = stablehlo.multiply %23, %arg1 : tensor<16xf32>
    %25 = stablehlo.add %19, %24 : tensor<16xf32>
    %cst_8 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %27 = stablehlo.divide %22, %26 : tensor<16xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<16xf32>) -> tensor<4x16x8x8xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x16x8x8xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x16x8x8xf32>
    %cst_9 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %32 = stablehlo.divide %25, %31 : tensor<16xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<16xf32>) -> tensor<4x16x8x8xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x16x8x8xf32>
    %35 = stablehlo.convert %34 : (tensor<4x16x8x8xf32>) -> tensor<4x16x8x8xf16>
    return %21, %5, %35 : tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf16>
  }
  func.func private @batch_norm_16(%arg0: tensor<4x8x8x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<1x8x1x1xf32>, %arg6: tensor<4x8x8x8xf32>, %arg7: tensor<4x8x8x8xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x8x8x8xf16>) -> tensor<4x8x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x8x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.reshape %7 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x8x8xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x8x8x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %14 = stablehlo.negate %10 : tensor<4x8x8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %16 = stablehlo.reshape %15 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %20 = stablehlo.multiply %arg4, %13 : tensor<8xf32>
    %21 = stablehlo.multiply %13, %arg3 : tensor<8xf32>
    %22 = stablehlo.multiply %20, %arg2 : tensor<8xf32>
    %23 = stablehlo.negate %22 : tensor<8xf32>
    %24 = stablehlo.multiply %23, %arg1 : tensor<8xf32>
    %25 = stablehlo.add %19, %24 : tensor<8xf32>
    %cst_8 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %27 = stablehlo.divide %22, %26 : tensor<8xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<8xf32>) -> tensor<4x8x8x8xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x8x8x8xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x8x8x8xf32>
    %cst_9 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %32 = stablehlo.divide %25, %31 : tensor<8xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<8xf32>) -> tensor<4x8x8x8xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x8x8x8xf32>
    %35 = stablehlo.convert %34 : (tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf16>
    return %21, %5, %35 : tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>
  }
  func.func private @batch_norm_17(%arg0: tensor<4x24x8x8xf32>, %arg1: tensor<24xf32>, %arg2: tensor<24xf32>, %arg3: tensor<24xf32>, %arg4: tensor<24xf32>, %arg5: tensor<1x24x1x1xf32>, %arg6: tensor<4x24x8x8xf32>, %arg7: tensor<4x24x8x8xf16>) -> (tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x24x8x8xf16>) -> tensor<4x24x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x24x8x8xf32>, tensor<f32>) -> tensor<24xf32>
    %2 = stablehlo.reshape %1 : (tensor<24xf32>) -> tensor<1x24x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x24x1x1xf32>, tensor<f32>) -> tensor<24xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<24xf32>) -> tensor<24x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<24x1x1xf32>, tensor<f32>) -> tensor<24xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x24x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x24x8x8xf32>, tensor<f32>) -> tensor<24xf32>
    %8 = stablehlo.reshape %7 : (tensor<24xf32>) -> tensor<1x24x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x24x1x1xf32>) -> tensor<4x24x8x8xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x24x8x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x24x1x1xf32>, tensor<f32>) -> tensor<24xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<24xf32>) -> tensor<24x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<24x1x1xf32>, tensor<f32>) -> tensor<24xf32>
    %14 = stablehlo.negate %10 : tensor<4x24x8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x24x8x8xf32>, tensor<f32>) -> tensor<24xf32>
    %16 = stablehlo.reshape %15 : (tensor<24xf32>) -> tensor<1x24x1x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x24x1x1xf32>, tensor<f32>) -> tensor<24xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<24xf32>) -> tensor<24x1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<24x1x1xf32>, tensor<f32>) -> tensor<24xf32>
    %20 = stablehlo.multiply %arg4, %13 : tensor<24xf32>
    %21 = stablehlo.multiply %13, %arg3 : tensor<24xf32>
    %22 = stablehlo.multiply %20, %arg2 : tensor<24xf32>
    %23 = stablehlo.negate %22 : tensor<24xf32>
    %24 = stablehlo.multiply %23, %arg1 : tensor<24xf32>
    %25 = stablehlo.add %19, %24 : tensor<24xf32>
    %cst_8 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %27 = stablehlo.divide %22, %26 : tensor<24xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<24xf32>) -> tensor<4x24x8x8xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x24x8x8xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x24x8x8xf32>
    %cst_9 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %32 = stablehlo.divide %25, %31 : tensor<24xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<24xf32>) -> tensor<4x24x8x8xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x24x8x8xf32>
    %35 = stablehlo.convert %34 : (tensor<4x24x8x8xf32>) -> tensor<4x24x8x8xf16>
    return %21, %5, %35 : tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf16>
  }
  func.func private @batch_norm_18(%arg0: tensor<4x24x8x8xf32>, %arg1: tensor<24xf32>, %arg2: tensor<24xf32>, %arg3: tensor<24xf32>, %arg4: tensor<24xf32>, %arg5: tensor<1x24x1x1xf32>, %arg6: tensor<4x24x8x8xf32>, %arg7: tensor<4x24x8x8xf16>) -> (tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x24x8x8xf16>) -> tensor<4x24x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x24x8x8xf32>, tensor<f32>) -> tensor<24xf32>
    %2 = stablehlo.reshape %1 : (tensor<24xf32>) -> tensor<1x24x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x24x1x1xf32>, tensor<f32>) -> tensor<24xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<24xf32>) -> tensor<24x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<24x1x1xf32>, tensor<f32>) -> tensor<24xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x24x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x24x8x8xf32>, tensor<f32>) -> tensor<24xf32>
    %8 = stablehlo.reshape %7 : (tensor<24xf32>) -> tensor<1x24x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x24x1x1xf32>) -> tensor<4x24x8x8xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x24x8x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x24x1x1xf32>, tensor<f32>) -> tensor<24xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<24xf32>) -> tensor<24x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<24x1x1xf32>, tensor<f32>) -> tensor<24xf32>
    %14 = stablehlo.negate %10 : tensor<4x24x8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x24x8x8xf32>, tensor<f32>) -> tensor<24xf32>
    %16 = stablehlo.reshape %15 : (tensor<24xf32>) -> tensor<1x24x1x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x24x1x1xf32>, tensor<f32>) -> tensor<24xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<24xf32>) -> tensor<24x1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<24x1x1xf32>, tensor<f32>) -> tensor<24xf32>
    %20 = stablehlo.multiply %arg4, %13 : tensor<24xf32>
    %21 = stablehlo.multiply %13, %arg3 : tensor<24xf32>
    %22 = stablehlo.multiply %20, %arg2 : tensor<24xf32>
    %23 = stablehlo.negate %22 : tensor<24xf32>
    %24 = stablehlo.multiply %23, %arg1 : tensor<24xf32>
    %25 = stablehlo.add %19, %24 : tensor<24xf32>
    %cst_8 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %27 = stablehlo.divide %22, %26 : tensor<24xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<24xf32>) -> tensor<4x24x8x8xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x24x8x8xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x24x8x8xf32>
    %cst_9 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %32 = stablehlo.divide %25, %31 : tensor<24xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<24xf32>) -> tensor<4x24x8x8xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x24x8x8xf32>
    %35 = stablehlo.convert %34 : (tensor<4x24x8x8xf32>) -> tensor<4x24x8x8xf16>
    return %21, %5, %35 : tensor<24xf32>, tensor<24xf32>, tensor<4x24x8x8xf16>
  }
  func.func private @batch_norm_19(%arg0: tensor<4x8x8x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<1x8x1x1xf32>, %arg6: tensor<4x8x8x8xf32>, %arg7: tensor<4x8x8x8xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x8x8x8xf16>) -> tensor<4x8x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x8x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.reshape %7 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x8x8xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x8x8x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %14 = stablehlo.negate %10 : tensor<4x8x8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %16 = stablehlo.reshape %15 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %20 = stablehlo.multiply %arg4, %13 : tensor<8xf32>
    %21 = stablehlo.multiply %13, %arg3 : tensor<8xf32>
    %22 = stablehlo.multiply %20, %arg2 : tensor<8xf32>
    %23 = stablehlo.negate %22 : tensor<8xf32>
    %24 = stablehlo.multiply %23, %arg1 : tensor<8xf32>
    %25 = stablehlo.add %19, %24 : tensor<8xf32>
    %cst_8 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %27 = stablehlo.divide %22, %26 : tensor<8xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<8xf32>) -> tensor<4x8x8x8xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x8x8x8xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x8x8x8xf32>
    %cst_9 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %32 = stablehlo.divide %25, %31 : tensor<8xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<8xf32>) -> tensor<4x8x8x8xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x8x8x8xf32>
    %35 = stablehlo.convert %34 : (tensor<4x8x8x8xf32>) -> tensor<4x8x8x8xf16>
    return %21, %5, %35 : tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>
  }
  func.func private @batch_norm_20(%arg0: tensor<4x12x8x8xf32>, %arg1: tensor<12xf32>, %arg2: tensor<12xf32>, %arg3: tensor<12xf32>, %arg4: tensor<12xf32>, %arg5: tensor<1x12x1x1xf32>, %arg6: tensor<4x12x8x8xf32>, %arg7: tensor<4x12x8x8xf16>) -> (tensor<12xf32>, tensor<12xf32>, tensor<4x12x8x8xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x12x8x8xf16>) -> tensor<4x12x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x12x8x8xf32>, tensor<f32>) -> tensor<12xf32>
    %2 = stablehlo.reshape %1 : (tensor<12xf32>) -> tensor<1x12x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x12x1x1xf32>, tensor<f32>) -> tensor<12xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<12xf32>) -> tensor<12x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<12x1x1xf32>, tensor<f32>) -> tensor<12xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x12x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x12x8x8xf32>, tensor<f32>) -> tensor<12xf32>
    %8 = stablehlo.reshape %7 : (tensor<12xf32>) -> tensor<1x12x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x12x1x1xf32>) -> tensor<4x12x8x8xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x12x8x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x12x1x1xf32>, tensor<f32>) -> tensor<12xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<12xf32>) -> tensor<12x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<12x1x1xf32>, tensor<f32>) -> tensor<12xf32>
    %14 = stablehlo.negate %10 : tensor<4x12x8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x12x8x8xf32>, tensor<f32>) -> tensor<12xf32>
    %16 = stablehlo.reshape %15 : (tensor<12xf32>) -> tensor<1x12x1x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x12x1x1xf32>, tensor<f32>) -> tensor<12xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<12xf32>) -> tensor<12x1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<12x1x1xf32>, tensor<f32>) -> tensor<12xf32>
    %20 = stablehlo.multiply %arg4, %13 : tensor<12xf32>
    %21 = stablehlo.multiply %13, %arg3 : tensor<12xf32>
    %22 = stablehlo.multiply %20, %arg2 : tensor<12xf32>
    %23 = stablehlo.negate %22 : tensor<12xf32>
    %24 = stablehlo.multiply %23, %arg1 : tensor<12xf32>
    %25 = stablehlo.add %19, %24 : tensor<12xf32>
    %cst_8 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %27 = stablehlo.divide %22, %26 : tensor<12xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<12xf32>) -> tensor<4x12x8x8xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x12x8x8xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x12x8x8xf32>
    %cst_9 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %32 = stablehlo.divide %25, %31 : tensor<12xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<12xf32>) -> tensor<4x12x8x8xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x12x8x8xf32>
    %35 = stablehlo.convert %34 : (tensor<4x12x8x8xf32>) -> tensor<4x12x8x8xf16>
    return %21, %5, %35 : tensor<12xf32>, tensor<12xf32>, tensor<4x12x8x8xf16>
  }
  func.func private @batch_norm_21(%arg0: tensor<4x12x16x16xf32>, %arg1: tensor<12xf32>, %arg2: tensor<12xf32>, %arg3: tensor<12xf32>, %arg4: tensor<12xf32>, %arg5: tensor<1x12x1x1xf32>, %arg6: tensor<4x12x16x16xf32>, %arg7: tensor<4x12x16x16xf16>) -> (tensor<12xf32>, tensor<12xf32>, tensor<4x12x16x16xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x12x16x16xf16>) -> tensor<4x12x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x12x16x16xf32>, tensor<f32>) -> tensor<12xf32>
    %2 = stablehlo.reshape %1 : (tensor<12xf32>) -> tensor<1x12x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x12x1x1xf32>, tensor<f32>) -> tensor<12xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<12xf32>) -> tensor<12x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<12x1x1xf32>, tensor<f32>) -> tensor<12xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x12x16x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x12x16x16xf32>, tensor<f32>) -> tensor<12xf32>
    %8 = stablehlo.reshape %7 : (tensor<12xf32>) -> tensor<1x12x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x12x1x1xf32>) -> tensor<4x12x16x16xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x12x16x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x12x1x1xf32>, tensor<f32>) -> tensor<12xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<12xf32>) -> tensor<12x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<12x1x1xf32>, tensor<f32>) -> tensor<12xf32>
    %14 = stablehlo.negate %10 : tensor<4x12x16x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x12x16x16xf32>, tensor<f32>) -> tensor<12xf32>
    %16 = stablehlo.reshape %15 : (tensor<12xf32>) -> tensor<1x12x1x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x12x1x1xf32>, tensor<f32>) -> tensor<12xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<12xf32>) -> tensor<12x1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<12x1x1xf32>, tensor<f32>) -> tensor<12xf32>
    %20 = stablehlo.multiply %arg4, %13 : tensor<12xf32>
    %21 = stablehlo.multiply %13, %arg3 : tensor<12xf32>
    %22 = stablehlo.multiply %20, %arg2 : tensor<12xf32>
    %23 = stablehlo.negate %22 : tensor<12xf32>
    %24 = stablehlo.multiply %23, %arg1 : tensor<12xf32>
    %25 = stablehlo.add %19, %24 : tensor<12xf32>
    %cst_8 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %27 = stablehlo.divide %22, %26 : tensor<12xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<12xf32>) -> tensor<4x12x16x16xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x12x16x16xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x12x16x16xf32>
    %cst_9 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %32 = stablehlo.divide %25, %31 : tensor<12xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<12xf32>) -> tensor<4x12x16x16xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x12x16x16xf32>
    %35 = stablehlo.convert %34 : (tensor<4x12x16x16xf32>) -> tensor<4x12x16x16xf16>
    return %21, %5, %35 : tensor<12xf32>, tensor<12xf32>, tensor<4x12x16x16xf16>
  }
  func.func private @batch_norm_22(%arg0: tensor<4x4x16x16xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<4xf32>, %arg5: tensor<1x4x1x1xf32>, %arg6: tensor<4x4x16x16xf32>, %arg7: tensor<4x4x16x16xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4x16x16xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x4x16x16xf16>) -> tensor<4x4x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x16x16xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x4x16x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x16x16xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.reshape %7 : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<4x4x16x16xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x4x16x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %14 = stablehlo.negate %10 : tensor<4x4x16x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x16x16xf32>, tensor<f32>) -> tensor<4xf32>
    %16 = stablehlo.reshape %15 : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %20 = stablehlo.multiply %arg4, %13 : tensor<4xf32>
    %21 = stablehlo.multiply %13, %arg3 : tensor<4xf32>
    %22 = stablehlo.multiply %20, %arg2 : tensor<4xf32>
    %23 = stablehlo.negate %22 : tensor<4xf32>
    %24 = stablehlo.multiply %23, %arg1 : tensor<4xf32>
    %25 = stablehlo.add %19, %24 : tensor<4xf32>
    %cst_8 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %27 = stablehlo.divide %22, %26 : tensor<4xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<4xf32>) -> tensor<4x4x16x16xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x4x16x16xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x4x16x16xf32>
    %cst_9 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %32 = stablehlo.divide %25, %31 : tensor<4xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<4xf32>) -> tensor<4x4x16x16xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x4x16x16xf32>
    %35 = stablehlo.convert %34 : (tensor<4x4x16x16xf32>) -> tensor<4x4x16x16xf16>
    return %21, %5, %35 : tensor<4xf32>, tensor<4xf32>, tensor<4x4x16x16xf16>
  }
  func.func private @batch_norm_23(%arg0: tensor<4x8x16x16xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<1x8x1x1xf32>, %arg6: tensor<4x8x16x16xf32>, %arg7: tensor<4x8x16x16xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x16x16xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x8x16x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x16x16xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.reshape %7 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x16x16xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x8x16x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %14 = stablehlo.negate %10 : tensor<4x8x16x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x16x16xf32>, tensor<f32>) -> tensor<8xf32>
    %16 = stablehlo.reshape %15 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %20 = stablehlo.multiply %arg4, %13 : tensor<8xf32>
    %21 = stablehlo.multiply %13, %arg3 : tensor<8xf32>
    %22 = stablehlo.multiply %20, %arg2 : tensor<8xf32>
    %23 = stablehlo.negate %22 : tensor<8xf32>
    %24 = stablehlo.multiply %23, %arg1 : tensor<8xf32>
    %25 = stablehlo.add %19, %24 : tensor<8xf32>
    %cst_8 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %27 = stablehlo.divide %22, %26 : tensor<8xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<8xf32>) -> tensor<4x8x16x16xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x8x16x16xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x8x16x16xf32>
    %cst_9 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %32 = stablehlo.divide %25, %31 : tensor<8xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<8xf32>) -> tensor<4x8x16x16xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x8x16x16xf32>
    %35 = stablehlo.convert %34 : (tensor<4x8x16x16xf32>) -> tensor<4x8x16x16xf16>
    return %21, %5, %35 : tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf16>
  }
  func.func private @batch_norm_24(%arg0: tensor<4x8x16x16xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<1x8x1x1xf32>, %arg6: tensor<4x8x16x16xf32>, %arg7: tensor<4x8x16x16xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x16x16xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x8x16x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x16x16xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.reshape %7 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x16x16xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x8x16x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %14 = stablehlo.negate %10 : tensor<4x8x16x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x16x16xf32>, tensor<f32>) -> tensor<8xf32>
    %16 = stablehlo.reshape %15 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %20 = stablehlo.multiply %arg4, %13 : tensor<8xf32>
    %21 = stablehlo.multiply %13, %arg3 : tensor<8xf32>
    %22 = stablehlo.multiply %20, %arg2 : tensor<8xf32>
    %23 = stablehlo.negate %22 : tensor<8xf32>
    %24 = stablehlo.multiply %23, %arg1 : tensor<8xf32>
    %25 = stablehlo.add %19, %24 : tensor<8xf32>
    %cst_8 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %27 = stablehlo.divide %22, %26 : tensor<8xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<8xf32>) -> tensor<4x8x16x16xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x8x16x16xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x8x16x16xf32>
    %cst_9 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %32 = stablehlo.divide %25, %31 : tensor<8xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<8xf32>) -> tensor<4x8x16x16xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x8x16x16xf32>
    %35 = stablehlo.convert %34 : (tensor<4x8x16x16xf32>) -> tensor<4x8x16x16xf16>
    return %21, %5, %35 : tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf16>
  }
  func.func private @_descended(%arg0: tensor<8x1x3x3xf32>, %arg1: tensor<8x1x3x3xf32>, %arg2: tensor<8x1x3x3xf32>) -> (tensor<8x1x3x3xf32>, tensor<8x1x3x3xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x1x3x3xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<8x1x3x3xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x1x3x3xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<8x1x3x3xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x1x3x3xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<8x1x3x3xf32>
    %6 = stablehlo.add %3, %5 : tensor<8x1x3x3xf32>
    %7 = stablehlo.add %1, %6 : tensor<8x1x3x3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x1x3x3xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<8x1x3x3xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<8x1x3x3xf32>
    return %10, %7 : tensor<8x1x3x3xf32>, tensor<8x1x3x3xf32>
  }
  func.func private @_descended_25(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<8xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<8xf32>
    %6 = stablehlo.add %3, %5 : tensor<8xf32>
    %7 = stablehlo.add %1, %6 : tensor<8xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<8xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<8xf32>
    return %10, %7 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @_descended_26(%arg0: tensor<4x8x1x1xf32>, %arg1: tensor<4x8x1x1xf32>, %arg2: tensor<4x8x1x1xf32>) -> (tensor<4x8x1x1xf32>, tensor<4x8x1x1xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x8x1x1xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<4x8x1x1xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x8x1x1xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<4x8x1x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8x1x1xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<4x8x1x1xf32>
    %6 = stablehlo.add %3, %5 : tensor<4x8x1x1xf32>
    %7 = stablehlo.add %1, %6 : tensor<4x8x1x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x8x1x1xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<4x8x1x1xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<4x8x1x1xf32>
    return %10, %7 : tensor<4x8x1x1xf32>, tensor<4x8x1x1xf32>
  }
  func.func private @_descended_27(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<4xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<4xf32>
    %6 = stablehlo.add %3, %5 : tensor<4xf32>
    %7 = stablehlo.add %1, %6 : tensor<4xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<4xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<4xf32>
    return %10, %7 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @_descended_28(%arg0: tensor<12x4x1x1xf32>, %arg1: tensor<12x4x1x1xf32>, %arg2: tensor<12x4x1x1xf32>) -> (tensor<12x4x1x1xf32>, tensor<12x4x1x1xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x4x1x1xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<12x4x1x1xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x4x1x1xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<12x4x1x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12x4x1x1xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<12x4x1x1xf32>
    %6 = stablehlo.add %3, %5 : tensor<12x4x1x1xf32>
    %7 = stablehlo.add %1, %6 : tensor<12x4x1x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12x4x1x1xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<12x4x1x1xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<12x4x1x1xf32>
    return %10, %7 : tensor<12x4x1x1xf32>, tensor<12x4x1x1xf32>
  }
  func.func private @_descended_29(%arg0: tensor<12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<12xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<12xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<12xf32>
    %6 = stablehlo.add %3, %5 : tensor<12xf32>
    %7 = stablehlo.add %1, %6 : tensor<12xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<12xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<12xf32>
    return %10, %7 : tensor<12xf32>, tensor<12xf32>
  }
  func.func private @_descended_30(%arg0: tensor<12x1x3x3xf32>, %arg1: tensor<12x1x3x3xf32>, %arg2: tensor<12x1x3x3xf32>) -> (tensor<12x1x3x3xf32>, tensor<12x1x3x3xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x1x3x3xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<12x1x3x3xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x1x3x3xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<12x1x3x3xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12x1x3x3xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<12x1x3x3xf32>
    %6 = stablehlo.add %3, %5 : tensor<12x1x3x3xf32>
    %7 = stablehlo.add %1, %6 : tensor<12x1x3x3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12x1x3x3xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<12x1x3x3xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<12x1x3x3xf32>
    return %10, %7 : tensor<12x1x3x3xf32>, tensor<12x1x3x3xf32>
  }
  func.func private @_descended_31(%arg0: tensor<8x12x1x1xf32>, %arg1: tensor<8x12x1x1xf32>, %arg2: tensor<8x12x1x1xf32>) -> (tensor<8x12x1x1xf32>, tensor<8x12x1x1xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x12x1x1xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<8x12x1x1xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x12x1x1xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<8x12x1x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x12x1x1xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<8x12x1x1xf32>
    %6 = stablehlo.add %3, %5 : tensor<8x12x1x1xf32>
    %7 = stablehlo.add %1, %6 : tensor<8x12x1x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x12x1x1xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<8x12x1x1xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<8x12x1x1xf32>
    return %10, %7 : tensor<8x12x1x1xf32>, tensor<8x12x1x1xf32>
  }
  func.func private @_descended_32(%arg0: tensor<24x8x1x1xf32>, %arg1: tensor<24x8x1x1xf32>, %arg2: tensor<24x8x1x1xf32>) -> (tensor<24x8x1x1xf32>, tensor<24x8x1x1xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x8x1x1xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<24x8x1x1xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x8x1x1xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<24x8x1x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x8x1x1xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<24x8x1x1xf32>
    %6 = stablehlo.add %3, %5 : tensor<24x8x1x1xf32>
    %7 = stablehlo.add %1, %6 : tensor<24x8x1x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<24x8x1x1xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<24x8x1x1xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<24x8x1x1xf32>
    return %10, %7 : tensor<24x8x1x1xf32>, tensor<24x8x1x1xf32>
  }
  func.func private @_descended_33(%arg0: tensor<24xf32>, %arg1: tensor<24xf32>, %arg2: tensor<24xf32>) -> (tensor<24xf32>, tensor<24xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<24xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<24xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<24xf32>
    %6 = stablehlo.add %3, %5 : tensor<24xf32>
    %7 = stablehlo.add %1, %6 : tensor<24xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<24xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<24xf32>
    return %10, %7 : tensor<24xf32>, tensor<24xf32>
  }
  func.func private @_descended_34(%arg0: tensor<24x1x3x3xf32>, %arg1: tensor<24x1x3x3xf32>, %arg2: tensor<24x1x3x3xf32>) -> (tensor<24x1x3x3xf32>, tensor<24x1x3x3xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x1x3x3xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<24x1x3x3xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x1x3x3xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<24x1x3x3xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x1x3x3xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<24x1x3x3xf32>
    %6 = stablehlo.add %3, %5 : tensor<24x1x3x3xf32>
    %7 = stablehlo.add %1, %6 : tensor<24x1x3x3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<24x1x3x3xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<24x1x3x3xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<24x1x3x3xf32>
    return %10, %7 : tensor<24x1x3x3xf32>, tensor<24x1x3x3xf32>
  }
  func.func private @_descended_35(%arg0: tensor<8x24x1x1xf32>, %arg1: tensor<8x24x1x1xf32>, %arg2: tensor<8x24x1x1xf32>) -> (tensor<8x24x1x1xf32>, tensor<8x24x1x1xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x24x1x1xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<8x24x1x1xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x24x1x1xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<8x24x1x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x24x1x1xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<8x24x1x1xf32>
    %6 = stablehlo.add %3, %5 : tensor<8x24x1x1xf32>
    %7 = stablehlo.add %1, %6 : tensor<8x24x1x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x24x1x1xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<8x24x1x1xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<8x24x1x1xf32>
    return %10, %7 : tensor<8x24x1x1xf32>, tensor<8x24x1x1xf32>
  }
  func.func private @_descended_36(%arg0: tensor<16x8x1x1xf32>, %arg1: tensor<16x8x1x1xf32>, %arg2: tensor<16x8x1x1xf32>) -> (tensor<16x8x1x1xf32>, tensor<16x8x1x1xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x8x1x1xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<16x8x1x1xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x8x1x1xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<16x8x1x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x8x1x1xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<16x8x1x1xf32>
    %6 = stablehlo.add %3, %5 : tensor<16x8x1x1xf32>
    %7 = stablehlo.add %1, %6 : tensor<16x8x1x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x8x1x1xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<16x8x1x1xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<16x8x1x1xf32>
    return %10, %7 : tensor<16x8x1x1xf32>, tensor<16x8x1x1xf32>
  }
  func.func private @_descended_37(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<16xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<16xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<16xf32>
    %6 = stablehlo.add %3, %5 : tensor<16xf32>
    %7 = stablehlo.add %1, %6 : tensor<16xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<16xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<16xf32>
    return %10, %7 : tensor<16xf32>, tensor<16xf32>
  }
  func.func private @_descended_38(%arg0: tensor<10xf32>, %arg1: tensor<10xf32>, %arg2: tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<10xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<10xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<10xf32>
    %6 = stablehlo.add %3, %5 : tensor<10xf32>
    %7 = stablehlo.add %1, %6 : tensor<10xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<10xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<10xf32>
    return %10, %7 : tensor<10xf32>, tensor<10xf32>
  }
  func.func private @_descended_39(%arg0: tensor<16x10xf32>, %arg1: tensor<16x10xf32>, %arg2: tensor<16x10xf32>) -> (tensor<16x10xf32>, tensor<16x10xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x10xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<16x10xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x10xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<16x10xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x10xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<16x10xf32>
    %6 = stablehlo.add %3, %5 : tensor<16x10xf32>
    %7 = stablehlo.add %1, %6 : tensor<16x10xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x10xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<16x10xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<16x10xf32>
    return %10, %7 : tensor<16x10xf32>, tensor<16x10xf32>
  }
  func.func private @_descended_40(%arg0: tensor<8x3x3x3xf32>, %arg1: tensor<8x3x3x3xf32>, %arg2: tensor<8x3x3x3xf32>) -> (tensor<8x3x3x3xf32>, tensor<8x3x3x3xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x3x3x3xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<8x3x3x3xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x3x3x3xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<8x3x3x3xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x3x3x3xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<8x3x3x3xf32>
    %6 = stablehlo.add %3, %5 : tensor<8x3x3x3xf32>
    %7 = stablehlo.add %1, %6 : tensor<8x3x3x3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x3x3x3xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<8x3x3x3xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<8x3x3x3xf32>
    return %10, %7 : tensor<8x3x3x3xf32>, tensor<8x3x3x3xf32>
  }
}
