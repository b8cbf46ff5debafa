module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4x1x1xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<4xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<4xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<4x4x3x3xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<4xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<4xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<16x4x1x1xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<16xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<16xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<16x4x1x1xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<16xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<16xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<8x16x1x1xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<8xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<8xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<8x8x3x3xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<8xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<8xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<32x8x1x1xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<32xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<32xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<32x16x1x1xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<32xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<32xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<10xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<32x10xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<4x3x7x7xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<4xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<4xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<4xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<4xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<4xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<4xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<4xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<4xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<16xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<16xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<16xf32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<16xf32> {tf.aliasing_output = 38 : i32}, %arg39: tensor<8xf32> {tf.aliasing_output = 39 : i32}, %arg40: tensor<8xf32> {tf.aliasing_output = 40 : i32}, %arg41: tensor<8xf32> {tf.aliasing_output = 41 : i32}, %arg42: tensor<8xf32> {tf.aliasing_output = 42 : i32}, %arg43: tensor<32xf32> {tf.aliasing_output = 43 : i32}, %arg44: tensor<32xf32> {tf.aliasing_output = 44 : i32}, %arg45: tensor<32xf32> {tf.aliasing_output = 45 : i32}, %arg46: tensor<32xf32> {tf.aliasing_output = 46 : i32}, %arg47: tensor<4x4x1x1xf32> {tf.aliasing_output = 47 : i32}, %arg48: tensor<4xf32> {tf.aliasing_output = 48 : i32}, %arg49: tensor<4xf32> {tf.aliasing_output = 49 : i32}, %arg50: tensor<4x4x3x3xf32> {tf.aliasing_output = 50 : i32}, %arg51: tensor<4xf32> {tf.aliasing_output = 51 : i32}, %arg52: tensor<4xf32> {tf.aliasing_output = 52 : i32}, %arg53: tensor<16x4x1x1xf32> {tf.aliasing_output = 53 : i32}, %arg54: tensor<16xf32> {tf.aliasing_output = 54 : i32}, %arg55: tensor<16xf32> {tf.aliasing_output = 55 : i32}, %arg56: tensor<16x4x1x1xf32> {tf.aliasing_output = 56 : i32}, %arg57: tensor<16xf32> {tf.aliasing_output = 57 : i32}, %arg58: tensor<16xf32> {tf.aliasing_output = 58 : i32}, %arg59: tensor<8x16x1x1xf32> {tf.aliasing_output = 59 : i32}, %arg60: tensor<8xf32> {tf.aliasing_output = 60 : i32}, %arg61: tensor<8xf32> {tf.aliasing_output = 61 : i32}, %arg62: tensor<8x8x3x3xf32> {tf.aliasing_output = 62 : i32}, %arg63: tensor<8xf32> {tf.aliasing_output = 63 : i32}, %arg64: tensor<8xf32> {tf.aliasing_output = 64 : i32}, %arg65: tensor<32x8x1x1xf32> {tf.aliasing_output = 65 : i32}, %arg66: tensor<32xf32> {tf.aliasing_output = 66 : i32}, %arg67: tensor<32xf32> {tf.aliasing_output = 67 : i32}, %arg68: tensor<32x16x1x1xf32> {tf.aliasing_output = 68 : i32}, %arg69: tensor<32xf32> {tf.aliasing_output = 69 : i32}, %arg70: tensor<32xf32> {tf.aliasing_output = 70 : i32}, %arg71: tensor<10xf32> {tf.aliasing_output = 71 : i32}, %arg72: tensor<32x10xf32> {tf.aliasing_output = 72 : i32}, %arg73: tensor<4x3x7x7xf32> {tf.aliasing_output = 73 : i32}, %arg74: tensor<4xf32> {tf.aliasing_output = 74 : i32}, %arg75: tensor<4xf32> {tf.aliasing_output = 75 : i32}, %arg76: tensor<4x3x32x32xf16>, %arg77: tensor<4xi32>) -> (tensor<4x4x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][0]['filter']"}, tensor<4xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][0]['scale']"}, tensor<4xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][0]['shift']"}, tensor<4x4x3x3xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][1]['filter']"}, tensor<4xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][1]['scale']"}, tensor<4xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][1]['shift']"}, tensor<16x4x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][2]['filter']"}, tensor<16xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][2]['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][2]['shift']"}, tensor<16x4x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][3]['filter']"}, tensor<16xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][3]['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][3]['shift']"}, tensor<8x16x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][0]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][0]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][0]['shift']"}, tensor<8x8x3x3xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][1]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][1]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][1]['shift']"}, tensor<32x8x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][2]['filter']"}, tensor<32xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][2]['scale']"}, tensor<32xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][2]['shift']"}, tensor<32x16x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][3]['filter']"}, tensor<32xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][3]['scale']"}, tensor<32xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][3]['shift']"}, tensor<10xf32> {jax.result_info = "result[0]['speeds']['head']['bias']"}, tensor<32x10xf32> {jax.result_info = "result[0]['speeds']['head']['weight']"}, tensor<4x3x7x7xf32> {jax.result_info = "result[0]['speeds']['stem']['filter']"}, tensor<4xf32> {jax.result_info = "result[0]['speeds']['stem']['scale']"}, tensor<4xf32> {jax.result_info = "result[0]['speeds']['stem']['shift']"}, tensor<4xf32> {jax.result_info = "result[0]['statistics'][0][0]"}, tensor<4xf32> {jax.result_info = "result[0]['statistics'][0][1]"}, tensor<4xf32> {jax.result_info = "result[0]['statistics'][1][0][0]"}, tensor<4xf32> {jax.result_info = "result[0]['statistics'][1][0][1]"}, tensor<4xf32> {jax.result_info = "result[0]['statistics'][1][1][0]"}, tensor<4xf32> {jax.result_info = "result[0]['statistics'][1][1][1]"}, tensor<16xf32> {jax.result_info = "result[0]['statistics'][1][2][0]"}, tensor<16xf32> {jax.result_info = "result[0]['statistics'][1][2][1]"}, tensor<16xf32> {jax.result_info = "result[0]['statistics'][1][3][0]"}, tensor<16xf32> {jax.result_info = "result[0]['statistics'][1][3][1]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][2][0][0]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][2][0][1]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][2][1][0]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][2][1][1]"}, tensor<32xf32> {jax.result_info = "result[0]['statistics'][2][2][0]"}, tensor<32xf32> {jax.result_info = "result[0]['statistics'][2][2][1]"}, tensor<32xf32> {jax.result_info = "result[0]['statistics'][2][3][0]"}, tensor<32xf32> {jax.result_info = "result[0]['statistics'][2][3][1]"}, tensor<4x4x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][0][0]['filter']"}, tensor<4xf32> {jax.result_info = "result[0]['weights']['blocks'][0][0]['scale']"}, tensor<4xf32> {jax.result_info = "result[0]['weights']['blocks'][0][0]['shift']"}, tensor<4x4x3x3xf32> {jax.result_info = "result[0]['weights']['blocks'][0][1]['filter']"}, tensor<4xf32> {jax.result_info = "result[0]['weights']['blocks'][0][1]['scale']"}, tensor<4xf32> {jax.result_info = "result[0]['weights']['blocks'][0][1]['shift']"}, tensor<16x4x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][0][2]['filter']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['blocks'][0][2]['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['blocks'][0][2]['shift']"}, tensor<16x4x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][0][3]['filter']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['blocks'][0][3]['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['blocks'][0][3]['shift']"}, tensor<8x16x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][1][0]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][1][0]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][1][0]['shift']"}, tensor<8x8x3x3xf32> {jax.result_info = "result[0]['weights']['blocks'][1][1]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][1][1]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][1][1]['shift']"}, tensor<32x8x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][1][2]['filter']"}, tensor<32xf32> {jax.result_info = "result[0]['weights']['blocks'][1][2]['scale']"}, tensor<32xf32> {jax.result_info = "result[0]['weights']['blocks'][1][2]['shift']"}, tensor<32x16x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][1][3]['filter']"}, tensor<32xf32> {jax.result_info = "result[0]['weights']['blocks'][1][3]['scale']"}, tensor<32xf32> {jax.result_info = "result[0]['weights']['blocks'][1][3]['shift']"}, tensor<10xf32> {jax.result_info = "result[0]['weights']['head']['bias']"}, tensor<32x10xf32> {jax.result_info = "result[0]['weights']['head']['weight']"}, tensor<4x3x7x7xf32> {jax.result_info = "result[0]['weights']['stem']['filter']"}, tensor<4xf32> {jax.result_info = "result[0]['weights']['stem']['scale']"}, tensor<4xf32> {jax.result_info = "result[0]['weights']['stem']['shift']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convert %arg73 : (tensor<4x3x7x7xf32>) -> tensor<4x3x7x7xf16>
    %1 = stablehlo.convolution(%arg76, %0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[3, 3], [3, 3]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x3x32x32xf16>, tensor<4x3x7x7xf16>) -> tensor<4x4x16x16xf16>
    %2:9 = call @batch_norm(%arg74, %arg75, %1) : (tensor<4xf32>, tensor<4xf32>, tensor<4x4x16x16xf16>) -> (tensor<4x4x16x16xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x16x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x16x16xf32>)
    %3 = call @relu(%2#0) : (tensor<4x4x16x16xf16>) -> tensor<4x4x16x16xf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x4x16x16xf16>
    %5 = stablehlo.compare GT, %2#0, %4, FLOAT : (tensor<4x4x16x16xf16>, tensor<4x4x16x16xf16>) -> tensor<4x4x16x16xi1>
    %cst_0 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<f16>
    %7 = "stablehlo.reduce_window"(%3, %6) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg78: tensor<f16>, %arg79: tensor<f16>):
      %273 = stablehlo.maximum %arg78, %arg79 : tensor<f16>
      stablehlo.return %273 : tensor<f16>
    }) : (tensor<4x4x16x16xf16>, tensor<f16>) -> tensor<4x4x8x8xf16>
    %8 = stablehlo.convert %arg47 : (tensor<4x4x1x1xf32>) -> tensor<4x4x1x1xf16>
    %9 = stablehlo.convolution(%7, %8) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x8x8xf16>, tensor<4x4x1x1xf16>) -> tensor<4x4x8x8xf16>
    %10:9 = call @batch_norm_0(%arg48, %arg49, %9) : (tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf16>) -> (tensor<4x4x8x8xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x8x8xf32>)
    %11 = call @relu_1(%10#0) : (tensor<4x4x8x8xf16>) -> tensor<4x4x8x8xf16>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<4x4x8x8xf16>
    %13 = stablehlo.compare GT, %10#0, %12, FLOAT : (tensor<4x4x8x8xf16>, tensor<4x4x8x8xf16>) -> tensor<4x4x8x8xi1>
    %14 = stablehlo.convert %arg50 : (tensor<4x4x3x3xf32>) -> tensor<4x4x3x3xf16>
    %15 = stablehlo.convolution(%11, %14) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x8x8xf16>, tensor<4x4x3x3xf16>) -> tensor<4x4x8x8xf16>
    %16:9 = call @batch_norm_2(%arg51, %arg52, %15) : (tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf16>) -> (tensor<4x4x8x8xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x8x8xf32>)
    %17 = call @relu_1(%16#0) : (tensor<4x4x8x8xf16>) -> tensor<4x4x8x8xf16>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %18 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<4x4x8x8xf16>
    %19 = stablehlo.compare GT, %16#0, %18, FLOAT : (tensor<4x4x8x8xf16>, tensor<4x4x8x8xf16>) -> tensor<4x4x8x8xi1>
    %20 = stablehlo.convert %arg53 : (tensor<16x4x1x1xf32>) -> tensor<16x4x1x1xf16>
    %21 = stablehlo.convolution(%17, %20) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x8x8xf16>, tensor<16x4x1x1xf16>) -> tensor<4x16x8x8xf16>
    %22:9 = call @batch_norm_3(%arg54, %arg55, %21) : (tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf16>) -> (tensor<4x16x8x8xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x8x8xf32>)
    %23 = stablehlo.convert %arg56 : (tensor<16x4x1x1xf32>) -> tensor<16x4x1x1xf16>
    %24 = stablehlo.convolution(%7, %23) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x8x8xf16>, tensor<16x4x1x1xf16>) -> tensor<4x16x8x8xf16>
    %25:9 = call @batch_norm_3(%arg57, %arg58, %24) : (tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf16>) -> (tensor<4x16x8x8xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x8x8xf32>)
    %26 = stablehlo.add %25#0, %22#0 : tensor<4x16x8x8xf16>
    %27 = call @relu_4(%26) : (tensor<4x16x8x8xf16>) -> tensor<4x16x8x8xf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %28 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f16>) -> tensor<4x16x8x8xf16>
    %29 = stablehlo.compare GT, %26, %28, FLOAT : (tensor<4x16x8x8xf16>, tensor<4x16x8x8xf16>) -> tensor<4x16x8x8xi1>
    %30 = stablehlo.convert %arg59 : (tensor<8x16x1x1xf32>) -> tensor<8x16x1x1xf16>
    %31 = stablehlo.convolution(%27, %30) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x16x8x8xf16>, tensor<8x16x1x1xf16>) -> tensor<4x8x8x8xf16>
    %32:9 = call @batch_norm_5(%arg60, %arg61, %31) : (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>) -> (tensor<4x8x8x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>)
    %33 = call @relu_6(%32#0) : (tensor<4x8x8x8xf16>) -> tensor<4x8x8x8xf16>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %34 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f16>) -> tensor<4x8x8x8xf16>
    %35 = stablehlo.compare GT, %32#0, %34, FLOAT : (tensor<4x8x8x8xf16>, tensor<4x8x8x8xf16>) -> tensor<4x8x8x8xi1>
    %36 = stablehlo.convert %arg62 : (tensor<8x8x3x3xf32>) -> tensor<8x8x3x3xf16>
    %37 = stablehlo.convolution(%33, %36) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<8x8x3x3xf16>) -> tensor<4x8x4x4xf16>
    %38:9 = call @batch_norm_7(%arg63, %arg64, %37) : (tensor<8xf32>, tensor<8xf32>, tensor<4x8x4x4xf16>) -> (tensor<4x8x4x4xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x4x4xf32>)
    %39 = call @relu_8(%38#0) : (tensor<4x8x4x4xf16>) -> tensor<4x8x4x4xf16>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %40 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f16>) -> tensor<4x8x4x4xf16>
    %41 = stablehlo.compare GT, %38#0, %40, FLOAT : (tensor<4x8x4x4xf16>, tensor<4x8x4x4xf16>) -> tensor<4x8x4x4xi1>
    %42 = stablehlo.convert %arg65 : (tensor<32x8x1x1xf32>) -> tensor<32x8x1x1xf16>
    %43 = stablehlo.convolution(%39, %42) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x4x4xf16>, tensor<32x8x1x1xf16>) -> tensor<4x32x4x4xf16>
    %44:9 = call @batch_norm_9(%arg66, %arg67, %43) : (tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf16>) -> (tensor<4x32x4x4xf16>, tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<1x32x1x1xf32>, tensor<4x32x4x4xf32>)
    %45 = stablehlo.convert %arg68 : (tensor<32x16x1x1xf32>) -> tensor<32x16x1x1xf16>
    %46 = stablehlo.convolution(%27, %45) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x16x8x8xf16>, tensor<32x16x1x1xf16>) -> tensor<4x32x4x4xf16>
    %47:9 = call @batch_norm_10(%arg69, %arg70, %46) : (tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf16>) -> (tensor<4x32x4x4xf16>, tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<1x32x1x1xf32>, tensor<4x32x4x4xf32>)
    %48 = stablehlo.add %47#0, %44#0 : tensor<4x32x4x4xf16>
    %49 = call @relu_11(%48) : (tensor<4x32x4x4xf16>) -> tensor<4x32x4x4xf16>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %50 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f16>) -> tensor<4x32x4x4xf16>
    %51 = stablehlo.compare GT, %48, %50, FLOAT : (tensor<4x32x4x4xf16>, tensor<4x32x4x4xf16>) -> tensor<4x32x4x4xi1>
    %52 = stablehlo.convert %49 : (tensor<4x32x4x4xf16>) -> tensor<4x32x4x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.reduce(%52 init: %cst_7) applies stablehlo.add across dimensions = [2, 3] : (tensor<4x32x4x4xf32>, tensor<f32>) -> tensor<4x32xf32>
    %cst_8 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %55 = stablehlo.divide %53, %54 : tensor<4x32xf32>
    %56 = stablehlo.convert %55 : (tensor<4x32xf32>) -> tensor<4x32xf16>
    %57 = stablehlo.convert %arg72 : (tensor<32x10xf32>) -> tensor<32x10xf16>
    %58 = stablehlo.dot_general %56, %57, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32xf16>, tensor<32x10xf16>) -> tensor<4x10xf16>
    %59 = stablehlo.convert %arg71 : (tensor<10xf32>) -> tensor<10xf16>
    %60 = stablehlo.broadcast_in_dim %59, dims = [1] : (tensor<10xf16>) -> tensor<1x10xf16>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1] : (tensor<1x10xf16>) -> tensor<4x10xf16>
    %62 = stablehlo.add %58, %61 : tensor<4x10xf16>
    %63 = stablehlo.convert %62 : (tensor<4x10xf16>) -> tensor<4x10xf32>
    %64:3 = call @log_softmax(%63) : (tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>)
    %65 = stablehlo.broadcast_in_dim %arg77, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %66:2 = call @take_along_axis(%64#0, %65) : (tensor<4x10xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1x1xi32>)
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.reduce(%66#0 init: %cst_9) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %68 = stablehlo.divide %67, %cst_10 : tensor<f32>
    %69 = stablehlo.negate %68 : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %70 = stablehlo.multiply %69, %cst_11 : tensor<f32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_13 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %71 = stablehlo.multiply %cst_12, %cst_13 : tensor<f32>
    %72 = stablehlo.negate %71 : tensor<f32>
    %cst_14 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %73 = stablehlo.divide %72, %cst_14 : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %75 = call @take_along_axis_12(%66#1, %74) : (tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>
    %76 = call @log_softmax_13(%64#1, %64#2, %75) : (tensor<4x10xf32>, tensor<4x1xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    %77 = stablehlo.convert %76 : (tensor<4x10xf32>) -> tensor<4x10xf16>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %78 = stablehlo.reduce(%77 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<4x10xf16>, tensor<f16>) -> tensor<10xf16>
    %79 = stablehlo.reshape %78 : (tensor<10xf16>) -> tensor<1x10xf16>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %80 = stablehlo.reduce(%79 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf16>, tensor<f16>) -> tensor<10xf16>
    %81 = stablehlo.convert %80 : (tensor<10xf16>) -> tensor<10xf32>
    %82 = stablehlo.dot_general %77, %56, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x10xf16>, tensor<4x32xf16>) -> tensor<10x32xf16>
    %83 = stablehlo.transpose %82, dims = [1, 0] : (tensor<10x32xf16>) -> tensor<32x10xf16>
    %84 = stablehlo.dot_general %77, %57, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x10xf16>, tensor<32x10xf16>) -> tensor<4x32xf16>
    %85 = stablehlo.convert %83 : (tensor<32x10xf16>) -> tensor<32x10xf32>
    %86 = stablehlo.convert %84 : (tensor<4x32xf16>) -> tensor<4x32xf32>
    %cst_17 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %88 = stablehlo.divide %86, %87 : tensor<4x32xf32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [0, 1] : (tensor<4x32xf32>) -> tensor<4x32x4x4xf32>
    %90 = stablehlo.convert %89 : (tensor<4x32x4x4xf32>) -> tensor<4x32x4x4xf16>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %91 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f16>) -> tensor<4x32x4x4xf16>
    %92 = stablehlo.select %51, %90, %91 : tensor<4x32x4x4xi1>, tensor<4x32x4x4xf16>
    %93:3 = call @batch_norm_14(%47#3, %47#4, %47#5, %47#6, %arg69, %47#7, %47#8, %92) : (tensor<4x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<1x32x1x1xf32>, tensor<4x32x4x4xf32>, tensor<4x32x4x4xf16>) -> (tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf16>)
    %94 = stablehlo.convolution(%27, %93#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, -1], [0, -1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x16x8x8xf16>, tensor<4x32x4x4xf16>) -> tensor<32x16x1x1xf16>
    %95 = stablehlo.reverse %45, dims = [2, 3] : tensor<32x16x1x1xf16>
    %96 = stablehlo.convolution(%93#2, %95) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x32x4x4xf16>, tensor<32x16x1x1xf16>) -> tensor<4x16x8x8xf16>
    %97 = stablehlo.convert %94 : (tensor<32x16x1x1xf16>) -> tensor<32x16x1x1xf32>
    %98:3 = call @batch_norm_15(%44#3, %44#4, %44#5, %44#6, %arg66, %44#7, %44#8, %92) : (tensor<4x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<1x32x1x1xf32>, tensor<4x32x4x4xf32>, tensor<4x32x4x4xf16>) -> (tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf16>)
    %99 = stablehlo.convolution(%39, %98#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x4x4xf16>, tensor<4x32x4x4xf16>) -> tensor<32x8x1x1xf16>
    %100 = stablehlo.reverse %42, dims = [2, 3] : tensor<32x8x1x1xf16>
    %101 = stablehlo.convolution(%98#2, %100) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x32x4x4xf16>, tensor<32x8x1x1xf16>) -> tensor<4x8x4x4xf16>
    %102 = stablehlo.convert %99 : (tensor<32x8x1x1xf16>) -> tensor<32x8x1x1xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %103 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f16>) -> tensor<4x8x4x4xf16>
    %104 = stablehlo.select %41, %101, %103 : tensor<4x8x4x4xi1>, tensor<4x8x4x4xf16>
    %105:3 = call @batch_norm_16(%38#3, %38#4, %38#5, %38#6, %arg63, %38#7, %38#8, %104) : (tensor<4x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x4x4xf32>, tensor<4x8x4x4xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x4x4xf16>)
    %106 = stablehlo.convolution(%33, %105#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 0], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<4x8x4x4xf16>) -> tensor<8x8x3x3xf16>
    %107 = stablehlo.reverse %36, dims = [2, 3] : tensor<8x8x3x3xf16>
    %108 = stablehlo.convolution(%105#2, %107) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x4x4xf16>, tensor<8x8x3x3xf16>) -> tensor<4x8x8x8xf16>
    %109 = stablehlo.convert %106 : (tensor<8x8x3x3xf16>) -> tensor<8x8x3x3xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %110 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f16>) -> tensor<4x8x8x8xf16>
    %111 = stablehlo.select %35, %108, %110 : tensor<4x8x8x8xi1>, tensor<4x8x8x8xf16>
    %112:3 = call @batch_norm_17(%32#3, %32#4, %32#5, %32#6, %arg60, %32#7, %32#8, %111) : (tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>, tensor<4x8x8x8xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>)
    %113 = stablehlo.convolution(%27, %112#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x16x8x8xf16>, tensor<4x8x8x8xf16>) -> tensor<8x16x1x1xf16>
    %114 = stablehlo.reverse %30, dims = [2, 3] : tensor<8x16x1x1xf16>
    %115 = stablehlo.convolution(%112#2, %114) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<8x16x1x1xf16>) -> tensor<4x16x8x8xf16>
    %116 = stablehlo.add %96, %115 : tensor<4x16x8x8xf16>
    %117 = stablehlo.convert %113 : (tensor<8x16x1x1xf16>) -> tensor<8x16x1x1xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %118 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f16>) -> tensor<4x16x8x8xf16>
    %119 = stablehlo.select %29, %116, %118 : tensor<4x16x8x8xi1>, tensor<4x16x8x8xf16>
    %120:3 = call @batch_norm_18(%25#3, %25#4, %25#5, %25#6, %arg57, %25#7, %25#8, %119) : (tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x8x8xf32>, tensor<4x16x8x8xf16>) -> (tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf16>)
    %121 = stablehlo.convolution(%7, %120#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x8x8xf16>, tensor<4x16x8x8xf16>) -> tensor<16x4x1x1xf16>
    %122 = stablehlo.reverse %23, dims = [2, 3] : tensor<16x4x1x1xf16>
    %123 = stablehlo.convolution(%120#2, %122) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x16x8x8xf16>, tensor<16x4x1x1xf16>) -> tensor<4x4x8x8xf16>
    %124 = stablehlo.convert %121 : (tensor<16x4x1x1xf16>) -> tensor<16x4x1x1xf32>
    %125:3 = call @batch_norm_18(%22#3, %22#4, %22#5, %22#6, %arg54, %22#7, %22#8, %119) : (tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x8x8xf32>, tensor<4x16x8x8xf16>) -> (tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf16>)
    %126 = stablehlo.convolution(%17, %125#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x8x8xf16>, tensor<4x16x8x8xf16>) -> tensor<16x4x1x1xf16>
    %127 = stablehlo.reverse %20, dims = [2, 3] : tensor<16x4x1x1xf16>
    %128 = stablehlo.convolution(%125#2, %127) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x16x8x8xf16>, tensor<16x4x1x1xf16>) -> tensor<4x4x8x8xf16>
    %129 = stablehlo.convert %126 : (tensor<16x4x1x1xf16>) -> tensor<16x4x1x1xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %130 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f16>) -> tensor<4x4x8x8xf16>
    %131 = stablehlo.select %19, %128, %130 : tensor<4x4x8x8xi1>, tensor<4x4x8x8xf16>
    %132:3 = call @batch_norm_19(%16#3, %16#4, %16#5, %16#6, %arg51, %16#7, %16#8, %131) : (tensor<4x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x8x8xf32>, tensor<4x4x8x8xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf16>)
    %133 = stablehlo.convolution(%11, %132#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x8x8xf16>, tensor<4x4x8x8xf16>) -> tensor<4x4x3x3xf16>
    %134 = stablehlo.reverse %14, dims = [2, 3] : tensor<4x4x3x3xf16>
    %135 = stablehlo.convolution(%132#2, %134) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x8x8xf16>, tensor<4x4x3x3xf16>) -> tensor<4x4x8x8xf16>
    %136 = stablehlo.convert %133 : (tensor<4x4x3x3xf16>) -> tensor<4x4x3x3xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %137 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f16>) -> tensor<4x4x8x8xf16>
    %138 = stablehlo.select %13, %135, %137 : tensor<4x4x8x8xi1>, tensor<4x4x8x8xf16>
    %139:3 = call @batch_norm_20(%10#3, %10#4, %10#5, %10#6, %arg48, %10#7, %10#8, %138) : (tensor<4x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x8x8xf32>, tensor<4x4x8x8xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf16>)
    %140 = stablehlo.convolution(%7, %139#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x8x8xf16>, tensor<4x4x8x8xf16>) -> tensor<4x4x1x1xf16>
    %141 = stablehlo.reverse %8, dims = [2, 3] : tensor<4x4x1x1xf16>
    %142 = stablehlo.convolution(%139#2, %141) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x4x8x8xf16>, tensor<4x4x1x1xf16>) -> tensor<4x4x8x8xf16>
    %143 = stablehlo.add %123, %142 : tensor<4x4x8x8xf16>
    %144 = stablehlo.convert %140 : (tensor<4x4x1x1xf16>) -> tensor<4x4x1x1xf32>
    %cst_24 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %145 = stablehlo.pad %3, %cst_24, low = [0, 0, 1, 1], high = [0, 0, 1, 1], interior = [0, 0, 0, 0] : (tensor<4x4x16x16xf16>, tensor<f16>) -> tensor<4x4x18x18xf16>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %146 = "stablehlo.select_and_scatter"(%145, %143, %cst_25) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg78: tensor<f16>, %arg79: tensor<f16>):
      %273 = stablehlo.compare GE, %arg78, %arg79, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      stablehlo.return %273 : tensor<i1>
    }, {
    ^bb0(%arg78: tensor<f16>, %arg79: tensor<f16>):
      %273 = stablehlo.add %arg78, %arg79 : tensor<f16>
      stablehlo.return %273 : tensor<f16>
    }) : (tensor<4x4x18x18xf16>, tensor<4x4x8x8xf16>, tensor<f16>) -> tensor<4x4x18x18xf16>
    %147 = stablehlo.slice %146 [0:4, 0:4, 1:17, 1:17] : (tensor<4x4x18x18xf16>) -> tensor<4x4x16x16xf16>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %148 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f16>) -> tensor<4x4x16x16xf16>
    %149 = stablehlo.select %5, %147, %148 : tensor<4x4x16x16xi1>, tensor<4x4x16x16xf16>
    %150:3 = call @batch_norm_21(%2#3, %2#4, %2#5, %2#6, %arg74, %2#7, %2#8, %149) : (tensor<4x4x16x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x16x16xf32>, tensor<4x4x16x16xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4x16x16xf16>)
    %151 = stablehlo.convolution(%arg76, %150#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[3, 2], [3, 2]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x3x32x32xf16>, tensor<4x4x16x16xf16>) -> tensor<4x3x7x7xf16>
    %152 = stablehlo.convert %151 : (tensor<4x3x7x7xf16>) -> tensor<4x3x7x7xf32>
    %cst_27 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %154 = stablehlo.multiply %153, %arg29 : tensor<4xf32>
    %cst_28 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %156 = stablehlo.multiply %155, %2#1 : tensor<4xf32>
    %157 = stablehlo.add %154, %156 : tensor<4xf32>
    %cst_29 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %159 = stablehlo.multiply %158, %arg30 : tensor<4xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %161 = stablehlo.multiply %160, %2#2 : tensor<4xf32>
    %162 = stablehlo.add %159, %161 : tensor<4xf32>
    %cst_31 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %164 = stablehlo.multiply %163, %arg31 : tensor<4xf32>
    %cst_32 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %166 = stablehlo.multiply %165, %10#1 : tensor<4xf32>
    %167 = stablehlo.add %164, %166 : tensor<4xf32>
    %cst_33 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %169 = stablehlo.multiply %168, %arg32 : tensor<4xf32>
    %cst_34 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %171 = stablehlo.multiply %170, %10#2 : tensor<4xf32>
    %172 = stablehlo.add %169, %171 : tensor<4xf32>
    %cst_35 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %174 = stablehlo.multiply %173, %arg33 : tensor<4xf32>
    %cst_36 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %176 = stablehlo.multiply %175, %16#1 : tensor<4xf32>
    %177 = stablehlo.add %174, %176 : tensor<4xf32>
    %cst_37 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %179 = stablehlo.multiply %178, %arg34 : tensor<4xf32>
    %cst_38 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %181 = stablehlo.multiply %180, %16#2 : tensor<4xf32>
    %182 = stablehlo.add %179, %181 : tensor<4xf32>
    %cst_39 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %184 = stablehlo.multiply %183, %arg35 : tensor<16xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %186 = stablehlo.multiply %185, %22#1 : tensor<16xf32>
    %187 = stablehlo.add %184, %186 : tensor<16xf32>
    %cst_41 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %189 = stablehlo.multiply %188, %arg36 : tensor<16xf32>
    %cst_42 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %190 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %191 = stablehlo.multiply %190, %22#2 : tensor<16xf32>
    %192 = stablehlo.add %189, %191 : tensor<16xf32>
    %cst_43 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %193 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %194 = stablehlo.multiply %193, %arg37 : tensor<16xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %196 = stablehlo.multiply %195, %25#1 : tensor<16xf32>
    %197 = stablehlo.add %194, %196 : tensor<16xf32>
    %cst_45 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %199 = stablehlo.multiply %198, %arg38 : tensor<16xf32>
    %cst_46 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %201 = stablehlo.multiply %200, %25#2 : tensor<16xf32>
    %202 = stablehlo.add %199, %201 : tensor<16xf32>
    %cst_47 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %204 = stablehlo.multiply %203, %arg39 : tensor<8xf32>
    %cst_48 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %205 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %206 = stablehlo.multiply %205, %32#1 : tensor<8xf32>
    %207 = stablehlo.add %204, %206 : tensor<8xf32>
    %cst_49 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %208 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %209 = stablehlo.multiply %208, %arg40 : tensor<8xf32>
    %cst_50 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %211 = stablehlo.multiply %210, %32#2 : tensor<8xf32>
    %212 = stablehlo.add %209, %211 : tensor<8xf32>
    %cst_51 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %214 = stablehlo.multiply %213, %arg41 : tensor<8xf32>
    %cst_52 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %216 = stablehlo.multiply %215, %38#1 : tensor<8xf32>
    %217 = stablehlo.add %214, %216 : tensor<8xf32>
    %cst_53 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %218 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %219 = stablehlo.multiply %218, %arg42 : tensor<8xf32>
    %cst_54 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %221 = stablehlo.multiply %220, %38#2 : tensor<8xf32>
    %222 = stablehlo.add %219, %221 : tensor<8xf32>
    %cst_55 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %224 = stablehlo.multiply %223, %arg43 : tensor<32xf32>
    %cst_56 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %225 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %226 = stablehlo.multiply %225, %44#1 : tensor<32xf32>
    %227 = stablehlo.add %224, %226 : tensor<32xf32>
    %cst_57 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %228 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %229 = stablehlo.multiply %228, %arg44 : tensor<32xf32>
    %cst_58 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %231 = stablehlo.multiply %230, %44#2 : tensor<32xf32>
    %232 = stablehlo.add %229, %231 : tensor<32xf32>
    %cst_59 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %233 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %234 = stablehlo.multiply %233, %arg45 : tensor<32xf32>
    %cst_60 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %235 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %236 = stablehlo.multiply %235, %47#1 : tensor<32xf32>
    %237 = stablehlo.add %234, %236 : tensor<32xf32>
    %cst_61 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %238 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %239 = stablehlo.multiply %238, %arg46 : tensor<32xf32>
    %cst_62 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %241 = stablehlo.multiply %240, %47#2 : tensor<32xf32>
    %242 = stablehlo.add %239, %241 : tensor<32xf32>
    %243:2 = call @_descended(%arg47, %arg0, %144) : (tensor<4x4x1x1xf32>, tensor<4x4x1x1xf32>, tensor<4x4x1x1xf32>) -> (tensor<4x4x1x1xf32>, tensor<4x4x1x1xf32>)
    %244:2 = call @_descended_22(%arg48, %arg1, %139#0) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %245:2 = call @_descended_22(%arg49, %arg2, %139#1) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %246:2 = call @_descended_23(%arg50, %arg3, %136) : (tensor<4x4x3x3xf32>, tensor<4x4x3x3xf32>, tensor<4x4x3x3xf32>) -> (tensor<4x4x3x3xf32>, tensor<4x4x3x3xf32>)
    %247:2 = call @_descended_22(%arg51, %arg4, %132#0) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %248:2 = call @_descended_22(%arg52, %arg5, %132#1) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %249:2 = call @_descended_24(%arg53, %arg6, %129) : (tensor<16x4x1x1xf32>, tensor<16x4x1x1xf32>, tensor<16x4x1x1xf32>) -> (tensor<16x4x1x1xf32>, tensor<16x4x1x1xf32>)
    %250:2 = call @_descended_25(%arg54, %arg7, %125#0) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %251:2 = call @_descended_25(%arg55, %arg8, %125#1) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %252:2 = call @_descended_24(%arg56, %arg9, %124) : (tensor<16x4x1x1xf32>, tensor<16x4x1x1xf32>, tensor<16x4x1x1xf32>) -> (tensor<16x4x1x1xf32>, tensor<16x4x1x1xf32>)
    %253:2 = call @_descended_25(%arg57, %arg10, %120#0) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %254:2 = call @_descended_25(%arg58, %arg11, %120#1) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %255:2 = call @_descended_26(%arg59, %arg12, %117) : (tensor<8x16x1x1xf32>, tensor<8x16x1x1xf32>, tensor<8x16x1x1xf32>) -> (tensor<8x16x1x1xf32>, tensor<8x16x1x1xf32>)
    %256:2 = call @_descended_27(%arg60, %arg13, %112#0) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %257:2 = call @_descended_27(%arg61, %arg14, %112#1) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %258:2 = call @_descended_28(%arg62, %arg15, %109) : (tensor<8x8x3x3xf32>, tensor<8x8x3x3xf32>, tensor<8x8x3x3xf32>) -> (tensor<8x8x3x3xf32>, tensor<8x8x3x3xf32>)
    %259:2 = call @_descended_27(%arg63, %arg16, %105#0) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %260:2 = call @_descended_27(%arg64, %arg17, %105#1) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %261:2 = call @_descended_29(%arg65, %arg18, %102) : (tensor<32x8x1x1xf32>, tensor<32x8x1x1xf32>, tensor<32x8x1x1xf32>) -> (tensor<32x8x1x1xf32>, tensor<32x8x1x1xf32>)
    %262:2 = call @_descended_30(%arg66, %arg19, %98#0) : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>)
    %263:2 = call @_descended_30(%arg67, %arg20, %98#1) : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>)
    %264:2 = call @_descended_31(%arg68, %arg21, %97) : (tensor<32x16x1x1xf32>, tensor<32x16x1x1xf32>, tensor<32x16x1x1xf32>) -> (tensor<32x16x1x1xf32>, tensor<32x16x1x1xf32>)
    %265:2 = call @_descended_30(%arg69, %arg22, %93#0) : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>)
    %266:2 = call @_descended_30(%arg70, %arg23, %93#1) : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>)
    %267:2 = call @_descended_32(%arg71, %arg24, %81) : (tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>)
    %268:2 = call @_descended_33(%arg72, %arg25, %85) : (tensor<32x10xf32>, tensor<32x10xf32>, tensor<32x10xf32>) -> (tensor<32x10xf32>, tensor<32x10xf32>)
    %269:2 = call @_descended_34(%arg73, %arg26, %152) : (tensor<4x3x7x7xf32>, tensor<4x3x7x7xf32>, tensor<4x3x7x7xf32>) -> (tensor<4x3x7x7xf32>, tensor<4x3x7x7xf32>)
    %270:2 = call @_descended_22(%arg74, %arg27, %150#0) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %271:2 = call @_descended_22(%arg75, %arg28, %150#1) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %cst_63 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %272 = stablehlo.divide %70, %cst_63 : tensor<f32>
    return %243#1, %244#1, %245#1, %246#1, %247#1, %248#1, %249#1, %250#1, %251#1, %252#1, %253#1, %254#1, %255#1, %256#1, %257#1, %258#1, %259#1, %260#1, %261#1, %262#1, %263#1, %264#1, %265#1, %266#1, %267#1, %268#1, %269#1, %270#1, %271#1, %157, %162, %167, %172, %177, %182, %187, %192, %197, %202, %207, %212, %217, %222, %227, %232, %237, %242, %243#0, %244#0, %245#0, %246#0, %247#0, %248#0, %249#0, %250#0, %251#0, %252#0, %253#0, %254#0, %255#0, %256#0, %257#0, %258#0, %259#0, %260#0, %261#0, %262#0, %263#0, %264#0, %265#0, %266#0, %267#0, %268#0, %269#0, %270#0, %271#0, %272 : tensor<4x4x1x1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x3x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16x4x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x4x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x16x1x1xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<32x8x1x1xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x16x1x1xf32>, tensor<32xf32>, tensor<32xf32>, tensor<10xf32>, tensor<32x10xf32>, tensor<4x3x7x7xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<4x4x1x1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x3x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16x4x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x4x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x16x1x1xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<32x8x1x1xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x16x1x1xf32>, tensor<32xf32>, tensor<32xf32>, tensor<10xf32>, tensor<32x10xf32>, tensor<4x3x7x7xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
  func.func private @batch_norm(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4x4x16x16xf16>) -> (tensor<4x4x16x16xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x16x16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x16x16xf32>) {
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
  func.func private @relu(%arg0: tensor<4x4x16x16xf16>) -> tensor<4x4x16x16xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x4x16x16xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x4x16x16xf16>
    return %1 : tensor<4x4x16x16xf16>
  }
  func.func private @batch_norm_0(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4x4x8x8xf16>) -> (tensor<4x4x8x8xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x8x8xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x4x8x8xf16>) -> tensor<4x4x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4xf32>
    %4 = chlo.square %0 : tensor<4x4x8x8xf32> -> tensor<4x4x8x8xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x4x8x8xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x4x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_3 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
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
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<4x4x8x8xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x4x8x8xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<4x4x8x8xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x4x8x8xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<4x4x8x8xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x4x8x8xf32>
    %33 = stablehlo.convert %32 : (tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x4x8x8xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x8x8xf32>
  }
  func.func private @relu_1(%arg0: tensor<4x4x8x8xf16>) -> tensor<4x4x8x8xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x4x8x8xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x4x8x8xf16>
    return %1 : tensor<4x4x8x8xf16>
  }
  func.func private @batch_norm_2(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4x4x8x8xf16>) -> (tensor<4x4x8x8xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x8x8xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x4x8x8xf16>) -> tensor<4x4x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4xf32>
    %4 = chlo.square %0 : tensor<4x4x8x8xf32> -> tensor<4x4x8x8xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x4x8x8xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x4x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_3 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
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
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<4x4x8x8xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x4x8x8xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<4x4x8x8xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x4x8x8xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<4x4x8x8xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x4x8x8xf32>
    %33 = stablehlo.convert %32 : (tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x4x8x8xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1x4x1x1xf32>, tensor<4x4x8x8xf32>
  }
  func.func private @batch_norm_3(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<4x16x8x8xf16>) -> (tensor<4x16x8x8xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x8x8xf32>) {
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
  func.func private @relu_4(%arg0: tensor<4x16x8x8xf16>) -> tensor<4x16x8x8xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x16x8x8xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x16x8x8xf16>
    return %1 : tensor<4x16x8x8xf16>
  }
  func.func private @batch_norm_5(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4x8x8x8xf16>) -> (tensor<4x8x8x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>) {
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
  func.func private @relu_6(%arg0: tensor<4x8x8x8xf16>) -> tensor<4x8x8x8xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x8x8x8xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x8x8x8xf16>
    return %1 : tensor<4x8x8x8xf16>
  }
  func.func private @batch_norm_7(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4x8x4x4xf16>) -> (tensor<4x8x4x4xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x4x4xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x8x4x4xf16>) -> tensor<4x8x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x4x4xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8xf32>
    %4 = chlo.square %0 : tensor<4x8x4x4xf32> -> tensor<4x8x4x4xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x8x4x4xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x8x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x4x4xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_3 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
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
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x4x4xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x8x4x4xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x4x4xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x8x4x4xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<1x8x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x4x4xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x8x4x4xf32>
    %33 = stablehlo.convert %32 : (tensor<4x8x4x4xf32>) -> tensor<4x8x4x4xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x8x4x4xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x4x4xf32>
  }
  func.func private @relu_8(%arg0: tensor<4x8x4x4xf16>) -> tensor<4x8x4x4xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x8x4x4xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x8x4x4xf16>
    return %1 : tensor<4x8x4x4xf16>
  }
  func.func private @batch_norm_9(%arg0: tensor<32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<4x32x4x4xf16>) -> (tensor<4x32x4x4xf16>, tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<1x32x1x1xf32>, tensor<4x32x4x4xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x32x4x4xf16>) -> tensor<4x32x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x32x4x4xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %3 = stablehlo.divide %1, %2 : tensor<32xf32>
    %4 = chlo.square %0 : tensor<4x32x4x4xf32> -> tensor<4x32x4x4xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x32x4x4xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x32x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x32x4x4xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_3 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %9 = stablehlo.divide %7, %8 : tensor<32xf32>
    %10 = chlo.square %3 : tensor<32xf32> -> tensor<32xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<32xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<32xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %15 = stablehlo.add %13, %14 : tensor<32xf32>
    %16 = stablehlo.rsqrt %15 : tensor<32xf32>
    %17 = stablehlo.divide %16, %15 : tensor<32xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<32xf32>
    %20 = stablehlo.multiply %arg0, %16 : tensor<32xf32>
    %21 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<32xf32>) -> tensor<32x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<32x1x1xf32>) -> tensor<1x32x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x32x1x1xf32>) -> tensor<4x32x4x4xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x32x4x4xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<32xf32>) -> tensor<32x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<32x1x1xf32>) -> tensor<1x32x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x32x1x1xf32>) -> tensor<4x32x4x4xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x32x4x4xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<32xf32>) -> tensor<32x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<32x1x1xf32>) -> tensor<1x32x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x32x1x1xf32>) -> tensor<4x32x4x4xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x32x4x4xf32>
    %33 = stablehlo.convert %32 : (tensor<4x32x4x4xf32>) -> tensor<4x32x4x4xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x32x4x4xf16>, tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<1x32x1x1xf32>, tensor<4x32x4x4xf32>
  }
  func.func private @batch_norm_10(%arg0: tensor<32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<4x32x4x4xf16>) -> (tensor<4x32x4x4xf16>, tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<1x32x1x1xf32>, tensor<4x32x4x4xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x32x4x4xf16>) -> tensor<4x32x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x32x4x4xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %3 = stablehlo.divide %1, %2 : tensor<32xf32>
    %4 = chlo.square %0 : tensor<4x32x4x4xf32> -> tensor<4x32x4x4xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x32x4x4xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x32x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x32x4x4xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_3 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %9 = stablehlo.divide %7, %8 : tensor<32xf32>
    %10 = chlo.square %3 : tensor<32xf32> -> tensor<32xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %12 = stablehlo.multiply %11, %3 : tensor<32xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<32xf32>
    %cst_5 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %15 = stablehlo.add %13, %14 : tensor<32xf32>
    %16 = stablehlo.rsqrt %15 : tensor<32xf32>
    %17 = stablehlo.divide %16, %15 : tensor<32xf32>
    %cst_6 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<32xf32>
    %20 = stablehlo.multiply %arg0, %16 : tensor<32xf32>
    %21 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<32xf32>) -> tensor<32x1x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1, 2, 3] : (tensor<32x1x1xf32>) -> tensor<1x32x1x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x32x1x1xf32>) -> tensor<4x32x4x4xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x32x4x4xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<32xf32>) -> tensor<32x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<32x1x1xf32>) -> tensor<1x32x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x32x1x1xf32>) -> tensor<4x32x4x4xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x32x4x4xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<32xf32>) -> tensor<32x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<32x1x1xf32>) -> tensor<1x32x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x32x1x1xf32>) -> tensor<4x32x4x4xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x32x4x4xf32>
    %33 = stablehlo.convert %32 : (tensor<4x32x4x4xf32>) -> tensor<4x32x4x4xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x32x4x4xf16>, tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<1x32x1x1xf32>, tensor<4x32x4x4xf32>
  }
  func.func private @relu_11(%arg0: tensor<4x32x4x4xf16>) -> tensor<4x32x4x4xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x32x4x4xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x32x4x4xf16>
    return %1 : tensor<4x32x4x4xf16>
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
  func.func private @take_along_axis_12(%arg0: tensor<4x1x1xi32>, %arg1: tensor<4x1xf32>) -> tensor<4x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x10xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x10xf32>, tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>
    return %1 : tensor<4x10xf32>
  }
  func.func private @log_softmax_13(%arg0: tensor<4x10xf32>, %arg1: tensor<4x1xf32>, %arg2: tensor<4x10xf32>) -> tensor<4x10xf32> {
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
  func.func private @batch_norm_14(%arg0: tensor<4x32x4x4xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32xf32>, %arg5: tensor<1x32x1x1xf32>, %arg6: tensor<4x32x4x4xf32>, %arg7: tensor<4x32x4x4xf16>) -> (tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x32x4x4xf16>) -> tensor<4x32x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x32x4x4xf32>, tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.reshape %1 : (tensor<32xf32>) -> tensor<1x32x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<32xf32>) -> tensor<32x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x32x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x32x4x4xf32>, tensor<f32>) -> tensor<32xf32>
    %8 = stablehlo.reshape %7 : (tensor<32xf32>) -> tensor<1x32x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x32x1x1xf32>) -> tensor<4x32x4x4xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x32x4x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<32xf32>) -> tensor<32x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %14 = stablehlo.negate %10 : tensor<4x32x4x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x32x4x4xf32>, tensor<f32>) -> tensor<32xf32>
    %16 = stablehlo.reshape %15 : (tensor<32xf32>) -> tensor<1x32x1x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<32xf32>) -> tensor<32x1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %20 = stablehlo.multiply %arg4, %13 : tensor<32xf32>
    %21 = stablehlo.multiply %13, %arg3 : tensor<32xf32>
    %22 = stablehlo.multiply %20, %arg2 : tensor<32xf32>
    %23 = stablehlo.negate %22 : tensor<32xf32>
    %24 = stablehlo.multiply %23, %arg1 : tensor<32xf32>
    %25 = stablehlo.add %19, %24 : tensor<32xf32>
    %cst_8 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %27 = stablehlo.divide %22, %26 : tensor<32xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<32xf32>) -> tensor<4x32x4x4xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x32x4x4xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x32x4x4xf32>
    %cst_9 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %32 = stablehlo.divide %25, %31 : tensor<32xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<32xf32>) -> tensor<4x32x4x4xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x32x4x4xf32>
    %35 = stablehlo.convert %34 : (tensor<4x32x4x4xf32>) -> tensor<4x32x4x4xf16>
    return %21, %5, %35 : tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf16>
  }
  func.func private @batch_norm_15(%arg0: tensor<4x32x4x4xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32xf32>, %arg5: tensor<1x32x1x1xf32>, %arg6: tensor<4x32x4x4xf32>, %arg7: tensor<4x32x4x4xf16>) -> (tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x32x4x4xf16>) -> tensor<4x32x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x32x4x4xf32>, tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.reshape %1 : (tensor<32xf32>) -> tensor<1x32x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<32xf32>) -> tensor<32x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x32x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x32x4x4xf32>, tensor<f32>) -> tensor<32xf32>
    %8 = stablehlo.reshape %7 : (tensor<32xf32>) -> tensor<1x32x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x32x1x1xf32>) -> tensor<4x32x4x4xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x32x4x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<32xf32>) -> tensor<32x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %14 = stablehlo.negate %10 : tensor<4x32x4x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x32x4x4xf32>, tensor<f32>) -> tensor<32xf32>
    %16 = stablehlo.reshape %15 : (tensor<32xf32>) -> tensor<1x32x1x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_6) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<32xf32>) -> tensor<32x1x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_7) applies stablehlo.add across dimensions = [1, 2] : (tensor<32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %20 = stablehlo.multiply %arg4, %13 : tensor<32xf32>
    %21 = stablehlo.multiply %13, %arg3 : tensor<32xf32>
    %22 = stablehlo.multiply %20, %arg2 : tensor<32xf32>
    %23 = stablehlo.negate %22 : tensor<32xf32>
    %24 = stablehlo.multiply %23, %arg1 : tensor<32xf32>
    %25 = stablehlo.add %19, %24 : tensor<32xf32>
    %cst_8 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %27 = stablehlo.divide %22, %26 : tensor<32xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<32xf32>) -> tensor<4x32x4x4xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x32x4x4xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x32x4x4xf32>
    %cst_9 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %32 = stablehlo.divide %25, %31 : tensor<32xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<32xf32>) -> tensor<4x32x4x4xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x32x4x4xf32>
    %35 = stablehlo.convert %34 : (tensor<4x32x4x4xf32>) -> tensor<4x32x4x4xf16>
    return %21, %5, %35 : tensor<32xf32>, tensor<32xf32>, tensor<4x32x4x4xf16>
  }
  func.func private @batch_norm_16(%arg0: tensor<4x8x4x4xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<1x8x1x1xf32>, %arg6: tensor<4x8x4x4xf32>, %arg7: tensor<4x8x4x4xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x4x4xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x8x4x4xf16>) -> tensor<4x8x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x4x4xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x8x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x4x4xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.reshape %7 : (tensor<8xf32>) -> tensor<1x8x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x4x4xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x8x4x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1xf32>, tensor<f32>) -> tensor<8xf32>
    %14 = stablehlo.negate %10 : tensor<4x8x4x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x4x4xf32>, tensor<f32>) -> tensor<8xf32>
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
    %cst_8 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %27 = stablehlo.divide %22, %26 : tensor<8xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<8xf32>) -> tensor<4x8x4x4xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x8x4x4xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x8x4x4xf32>
    %cst_9 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %32 = stablehlo.divide %25, %31 : tensor<8xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<8xf32>) -> tensor<4x8x4x4xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x8x4x4xf32>
    %35 = stablehlo.convert %34 : (tensor<4x8x4x4xf32>) -> tensor<4x8x4x4xf16>
    return %21, %5, %35 : tensor<8xf32>, tensor<8xf32>, tensor<4x8x4x4xf16>
  }
  func.func private @batch_norm_17(%arg0: tensor<4x8x8x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<1x8x1x1xf32>, %arg6: tensor<4x8x8x8xf32>, %arg7: tensor<4x8x8x8xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>) {
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
  func.func private @batch_norm_18(%arg0: tensor<4x16x8x8xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<1x16x1x1xf32>, %arg6: tensor<4x16x8x8xf32>, %arg7: tensor<4x16x8x8xf16>) -> (tensor<16xf32>, tensor<16xf32>, tensor<4x16x8x8xf16>) {
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
  func.func private @batch_norm_19(%arg0: tensor<4x4x8x8xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<4xf32>, %arg5: tensor<1x4x1x1xf32>, %arg6: tensor<4x4x8x8xf32>, %arg7: tensor<4x4x8x8xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x4x8x8xf16>) -> tensor<4x4x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x4x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.reshape %7 : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<4x4x8x8xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x4x8x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %14 = stablehlo.negate %10 : tensor<4x4x8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
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
    %cst_8 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %27 = stablehlo.divide %22, %26 : tensor<4xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<4xf32>) -> tensor<4x4x8x8xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x4x8x8xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x4x8x8xf32>
    %cst_9 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %32 = stablehlo.divide %25, %31 : tensor<4xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<4xf32>) -> tensor<4x4x8x8xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x4x8x8xf32>
    %35 = stablehlo.convert %34 : (tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf16>
    return %21, %5, %35 : tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf16>
  }
  func.func private @batch_norm_20(%arg0: tensor<4x4x8x8xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<4xf32>, %arg5: tensor<1x4x1x1xf32>, %arg6: tensor<4x4x8x8xf32>, %arg7: tensor<4x4x8x8xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x4x8x8xf16>) -> tensor<4x4x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.reshape %1 : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x4x8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.reshape %7 : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x4x1x1xf32>) -> tensor<4x4x8x8xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x4x8x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x1x1xf32>, tensor<f32>) -> tensor<4xf32>
    %14 = stablehlo.negate %10 : tensor<4x4x8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
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
    %cst_8 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %27 = stablehlo.divide %22, %26 : tensor<4xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<4xf32>) -> tensor<4x4x8x8xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x4x8x8xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x4x8x8xf32>
    %cst_9 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %32 = stablehlo.divide %25, %31 : tensor<4xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<4xf32>) -> tensor<4x4x8x8xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x4x8x8xf32>
    %35 = stablehlo.convert %34 : (tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf16>
    return %21, %5, %35 : tensor<4xf32>, tensor<4xf32>, tensor<4x4x8x8xf16>
  }
  func.func private @batch_norm_21(%arg0: tensor<4x4x16x16xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<4xf32>, %arg5: tensor<1x4x1x1xf32>, %arg6: tensor<4x4x16x16xf32>, %arg7: tensor<4x4x16x16xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4x16x16xf16>) {
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
  func.func private @_descended(%arg0: tensor<4x4x1x1xf32>, %arg1: tensor<4x4x1x1xf32>, %arg2: tensor<4x4x1x1xf32>) -> (tensor<4x4x1x1xf32>, tensor<4x4x1x1xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4x1x1xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<4x4x1x1xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4x1x1xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<4x4x1x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x4x1x1xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<4x4x1x1xf32>
    %6 = stablehlo.add %3, %5 : tensor<4x4x1x1xf32>
    %7 = stablehlo.add %1, %6 : tensor<4x4x1x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x4x1x1xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<4x4x1x1xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<4x4x1x1xf32>
    return %10, %7 : tensor<4x4x1x1xf32>, tensor<4x4x1x1xf32>
  }
  func.func private @_descended_22(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
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
  func.func private @_descended_23(%arg0: tensor<4x4x3x3xf32>, %arg1: tensor<4x4x3x3xf32>, %arg2: tensor<4x4x3x3xf32>) -> (tensor<4x4x3x3xf32>, tensor<4x4x3x3xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4x3x3xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<4x4x3x3xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4x3x3xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<4x4x3x3xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x4x3x3xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<4x4x3x3xf32>
    %6 = stablehlo.add %3, %5 : tensor<4x4x3x3xf32>
    %7 = stablehlo.add %1, %6 : tensor<4x4x3x3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x4x3x3xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<4x4x3x3xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<4x4x3x3xf32>
    return %10, %7 : tensor<4x4x3x3xf32>, tensor<4x4x3x3xf32>
  }
  func.func private @_descended_24(%arg0: tensor<16x4x1x1xf32>, %arg1: tensor<16x4x1x1xf32>, %arg2: tensor<16x4x1x1xf32>) -> (tensor<16x4x1x1xf32>, tensor<16x4x1x1xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x4x1x1xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<16x4x1x1xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x4x1x1xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<16x4x1x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x4x1x1xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<16x4x1x1xf32>
    %6 = stablehlo.add %3, %5 : tensor<16x4x1x1xf32>
    %7 = stablehlo.add %1, %6 : tensor<16x4x1x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x4x1x1xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<16x4x1x1xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<16x4x1x1xf32>
    return %10, %7 : tensor<16x4x1x1xf32>, tensor<16x4x1x1xf32>
  }
  func.func private @_descended_25(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
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
  func.func private @_descended_26(%arg0: tensor<8x16x1x1xf32>, %arg1: tensor<8x16x1x1xf32>, %arg2: tensor<8x16x1x1xf32>) -> (tensor<8x16x1x1xf32>, tensor<8x16x1x1xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16x1x1xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<8x16x1x1xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x16x1x1xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<8x16x1x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x16x1x1xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<8x16x1x1xf32>
    %6 = stablehlo.add %3, %5 : tensor<8x16x1x1xf32>
    %7 = stablehlo.add %1, %6 : tensor<8x16x1x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x16x1x1xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<8x16x1x1xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<8x16x1x1xf32>
    return %10, %7 : tensor<8x16x1x1xf32>, tensor<8x16x1x1xf32>
  }
  func.func private @_descended_27(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
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
  func.func private @_descended_28(%arg0: tensor<8x8x3x3xf32>, %arg1: tensor<8x8x3x3xf32>, %arg2: tensor<8x8x3x3xf32>) -> (tensor<8x8x3x3xf32>, tensor<8x8x3x3xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x3x3xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<8x8x3x3xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x8x3x3xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<8x8x3x3xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x8x3x3xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<8x8x3x3xf32>
    %6 = stablehlo.add %3, %5 : tensor<8x8x3x3xf32>
    %7 = stablehlo.add %1, %6 : tensor<8x8x3x3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x8x3x3xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<8x8x3x3xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<8x8x3x3xf32>
    return %10, %7 : tensor<8x8x3x3xf32>, tensor<8x8x3x3xf32>
  }
  func.func private @_descended_29(%arg0: tensor<32x8x1x1xf32>, %arg1: tensor<32x8x1x1xf32>, %arg2: tensor<32x8x1x1xf32>) -> (tensor<32x8x1x1xf32>, tensor<32x8x1x1xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x8x1x1xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<32x8x1x1xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x8x1x1xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<32x8x1x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x8x1x1xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<32x8x1x1xf32>
    %6 = stablehlo.add %3, %5 : tensor<32x8x1x1xf32>
    %7 = stablehlo.add %1, %6 : tensor<32x8x1x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32x8x1x1xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<32x8x1x1xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<32x8x1x1xf32>
    return %10, %7 : tensor<32x8x1x1xf32>, tensor<32x8x1x1xf32>
  }
  func.func private @_descended_30(%arg0: tensor<32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<32xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<32xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<32xf32>
    %6 = stablehlo.add %3, %5 : tensor<32xf32>
    %7 = stablehlo.add %1, %6 : tensor<32xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<32xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<32xf32>
    return %10, %7 : tensor<32xf32>, tensor<32xf32>
  }
  func.func private @_descended_31(%arg0: tensor<32x16x1x1xf32>, %arg1: tensor<32x16x1x1xf32>, %arg2: tensor<32x16x1x1xf32>) -> (tensor<32x16x1x1xf32>, tensor<32x16x1x1xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x16x1x1xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<32x16x1x1xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x16x1x1xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<32x16x1x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x16x1x1xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<32x16x1x1xf32>
    %6 = stablehlo.add %3, %5 : tensor<32x16x1x1xf32>
    %7 = stablehlo.add %1, %6 : tensor<32x16x1x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32x16x1x1xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<32x16x1x1xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<32x16x1x1xf32>
    return %10, %7 : tensor<32x16x1x1xf32>, tensor<32x16x1x1xf32>
  }
  func.func private @_descended_32(%arg0: tensor<10xf32>, %arg1: tensor<10xf32>, %arg2: tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>) {
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
  func.func private @_descended_33(%arg0: tensor<32x10xf32>, %arg1: tensor<32x10xf32>, %arg2: tensor<32x10xf32>) -> (tensor<32x10xf32>, tensor<32x10xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<32x10xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<32x10xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<32x10xf32>
    %6 = stablehlo.add %3, %5 : tensor<32x10xf32>
    %7 = stablehlo.add %1, %6 : tensor<32x10xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32x10xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<32x10xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<32x10xf32>
    return %10, %7 : tensor<32x10xf32>, tensor<32x10xf32>
  }
  func.func private @_descended_34(%arg0: tensor<4x3x7x7xf32>, %arg1: tensor<4x3x7x7xf32>, %arg2: tensor<4x3x7x7xf32>) -> (tensor<4x3x7x7xf32>, tensor<4x3x7x7xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3x7x7xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<4x3x7x7xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x3x7x7xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<4x3x7x7xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x3x7x7xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<4x3x7x7xf32>
    %6 = stablehlo.add %3, %5 : tensor<4x3x7x7xf32>
    %7 = stablehlo.add %1, %6 : tensor<4x3x7x7xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x3x7x7xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<4x3x7x7xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<4x3x7x7xf32>
    return %10, %7 : tensor<4x3x7x7xf32>, tensor<4x3x7x7xf32>
  }
}
