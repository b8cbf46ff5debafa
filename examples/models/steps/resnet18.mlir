module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x8x3x3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<8xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<8x8x3x3xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<8xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<8xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<16x8x3x3xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<16xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<16xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<16x16x3x3xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<16xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<16xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<16x8x1x1xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<16xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<16xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<10xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<16x10xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<8x3x7x7xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<8xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<8xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<8xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<8xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<8xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<8xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<8xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<8xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<16xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<16xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<16xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<16xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<16xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<16xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<8x8x3x3xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<8xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<8xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<8x8x3x3xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<8xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<8xf32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<16x8x3x3xf32> {tf.aliasing_output = 38 : i32}, %arg39: tensor<16xf32> {tf.aliasing_output = 39 : i32}, %arg40: tensor<16xf32> {tf.aliasing_output = 40 : i32}, %arg41: tensor<16x16x3x3xf32> {tf.aliasing_output = 41 : i32}, %arg42: tensor<16xf32> {tf.aliasing_output = 42 : i32}, %arg43: tensor<16xf32> {tf.aliasing_output = 43 : i32}, %arg44: tensor<16x8x1x1xf32> {tf.aliasing_output = 44 : i32}, %arg45: tensor<16xf32> {tf.aliasing_output = 45 : i32}, %arg46: tensor<16xf32> {tf.aliasing_output = 46 : i32}, %arg47: tensor<10xf32> {tf.aliasing_output = 47 : i32}, %arg48: tensor<16x10xf32> {tf.aliasing_output = 48 : i32}, %arg49: tensor<8x3x7x7xf32> {tf.aliasing_output = 49 : i32}, %arg50: tensor<8xf32> {tf.aliasing_output = 50 : i32}, %arg51: tensor<8xf32> {tf.aliasing_output = 51 : i32}, %arg52: tensor<4x3x32x32xf16>, %arg53: tensor<4xi32>) -> (tensor<8x8x3x3xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][0]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][0]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][0]['shift']"}, tensor<8x8x3x3xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][1]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][1]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['blocks'][0][1]['shift']"}, tensor<16x8x3x3xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][0]['filter']"}, tensor<16xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][0]['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][0]['shift']"}, tensor<16x16x3x3xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][1]['filter']"}, tensor<16xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][1]['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][1]['shift']"}, tensor<16x8x1x1xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][2]['filter']"}, tensor<16xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][2]['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['speeds']['blocks'][1][2]['shift']"}, tensor<10xf32> {jax.result_info = "result[0]['speeds']['head']['bias']"}, tensor<16x10xf32> {jax.result_info = "result[0]['speeds']['head']['weight']"}, tensor<8x3x7x7xf32> {jax.result_info = "result[0]['speeds']['stem']['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['stem']['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['speeds']['stem']['shift']"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][0][0]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][0][1]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][1][0][0]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][1][0][1]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][1][1][0]"}, tensor<8xf32> {jax.result_info = "result[0]['statistics'][1][1][1]"}, tensor<16xf32> {jax.result_info = "result[0]['statistics'][2][0][0]"}, tensor<16xf32> {jax.result_info = "result[0]['statistics'][2][0][1]"}, tensor<16xf32> {jax.result_info = "result[0]['statistics'][2][1][0]"}, tensor<16xf32> {jax.result_info = "result[0]['statistics'][2][1][1]"}, tensor<16xf32> {jax.result_info = "result[0]['statistics'][2][2][0]"}, tensor<16xf32> {jax.result_info = "result[0]['statistics'][2][2][1]"}, tensor<8x8x3x3xf32> {jax.result_info = "result[0]['weights']['blocks'][0][0]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][0][0]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][0][0]['shift']"}, tensor<8x8x3x3xf32> {jax.result_info = "result[0]['weights']['blocks'][0][1]['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][0][1]['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['blocks'][0][1]['shift']"}, tensor<16x8x3x3xf32> {jax.result_info = "result[0]['weights']['blocks'][1][0]['filter']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['blocks'][1][0]['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['blocks'][1][0]['shift']"}, tensor<16x16x3x3xf32> {jax.result_info = "result[0]['weights']['blocks'][1][1]['filter']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['blocks'][1][1]['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['blocks'][1][1]['shift']"}, tensor<16x8x1x1xf32> {jax.result_info = "result[0]['weights']['blocks'][1][2]['filter']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['blocks'][1][2]['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['blocks'][1][2]['shift']"}, tensor<10xf32> {jax.result_info = "result[0]['weights']['head']['bias']"}, tensor<16x10xf32> {jax.result_info = "result[0]['weights']['head']['weight']"}, tensor<8x3x7x7xf32> {jax.result_info = "result[0]['weights']['stem']['filter']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['stem']['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['stem']['shift']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convert %arg49 : (tensor<8x3x7x7xf32>) -> tensor<8x3x7x7xf16>
    %1 = stablehlo.convolution(%arg52, %0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[3, 3], [3, 3]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x3x32x32xf16>, tensor<8x3x7x7xf16>) -> tensor<4x8x16x16xf16>
    %2:9 = call @batch_norm(%arg50, %arg51, %1) : (tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf16>) -> (tensor<4x8x16x16xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x16x16xf32>)
    %3 = call @relu(%2#0) : (tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x8x16x16xf16>
    %5 = stablehlo.compare GT, %2#0, %4, FLOAT : (tensor<4x8x16x16xf16>, tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xi1>
    %cst_0 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f16>) -> tensor<f16>
    %7 = "stablehlo.reduce_window"(%3, %6) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg54: tensor<f16>, %arg55: tensor<f16>):
      %200 = stablehlo.maximum %arg54, %arg55 : tensor<f16>
      stablehlo.return %200 : tensor<f16>
    }) : (tensor<4x8x16x16xf16>, tensor<f16>) -> tensor<4x8x8x8xf16>
    %8 = stablehlo.convert %arg32 : (tensor<8x8x3x3xf32>) -> tensor<8x8x3x3xf16>
    %9 = stablehlo.convolution(%7, %8) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<8x8x3x3xf16>) -> tensor<4x8x8x8xf16>
    %10:9 = call @batch_norm_0(%arg33, %arg34, %9) : (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>) -> (tensor<4x8x8x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>)
    %11 = call @relu_1(%10#0) : (tensor<4x8x8x8xf16>) -> tensor<4x8x8x8xf16>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f16>) -> tensor<4x8x8x8xf16>
    %13 = stablehlo.compare GT, %10#0, %12, FLOAT : (tensor<4x8x8x8xf16>, tensor<4x8x8x8xf16>) -> tensor<4x8x8x8xi1>
    %14 = stablehlo.convert %arg35 : (tensor<8x8x3x3xf32>) -> tensor<8x8x3x3xf16>
    %15 = stablehlo.convolution(%11, %14) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<8x8x3x3xf16>) -> tensor<4x8x8x8xf16>
    %16:9 = call @batch_norm_0(%arg36, %arg37, %15) : (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>) -> (tensor<4x8x8x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>)
    %17 = stablehlo.add %7, %16#0 : tensor<4x8x8x8xf16>
    %18 = call @relu_1(%17) : (tensor<4x8x8x8xf16>) -> tensor<4x8x8x8xf16>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<4x8x8x8xf16>
    %20 = stablehlo.compare GT, %17, %19, FLOAT : (tensor<4x8x8x8xf16>, tensor<4x8x8x8xf16>) -> tensor<4x8x8x8xi1>
    %21 = stablehlo.convert %arg38 : (tensor<16x8x3x3xf32>) -> tensor<16x8x3x3xf16>
    %22 = stablehlo.convolution(%18, %21) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<16x8x3x3xf16>) -> tensor<4x16x4x4xf16>
    %23:9 = call @batch_norm_2(%arg39, %arg40, %22) : (tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf16>) -> (tensor<4x16x4x4xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x4x4xf32>)
    %24 = call @relu_3(%23#0) : (tensor<4x16x4x4xf16>) -> tensor<4x16x4x4xf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %25 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f16>) -> tensor<4x16x4x4xf16>
    %26 = stablehlo.compare GT, %23#0, %25, FLOAT : (tensor<4x16x4x4xf16>, tensor<4x16x4x4xf16>) -> tensor<4x16x4x4xi1>
    %27 = stablehlo.convert %arg41 : (tensor<16x16x3x3xf32>) -> tensor<16x16x3x3xf16>
    %28 = stablehlo.convolution(%24, %27) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x16x4x4xf16>, tensor<16x16x3x3xf16>) -> tensor<4x16x4x4xf16>
    %29:9 = call @batch_norm_4(%arg42, %arg43, %28) : (tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf16>) -> (tensor<4x16x4x4xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x4x4xf32>)
    %30 = stablehlo.convert %arg44 : (tensor<16x8x1x1xf32>) -> tensor<16x8x1x1xf16>
    %31 = stablehlo.convolution(%18, %30) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<16x8x1x1xf16>) -> tensor<4x16x4x4xf16>
    %32:9 = call @batch_norm_5(%arg45, %arg46, %31) : (tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf16>) -> (tensor<4x16x4x4xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x4x4xf32>)
    %33 = stablehlo.add %32#0, %29#0 : tensor<4x16x4x4xf16>
    %34 = call @relu_3(%33) : (tensor<4x16x4x4xf16>) -> tensor<4x16x4x4xf16>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %35 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f16>) -> tensor<4x16x4x4xf16>
    %36 = stablehlo.compare GT, %33, %35, FLOAT : (tensor<4x16x4x4xf16>, tensor<4x16x4x4xf16>) -> tensor<4x16x4x4xi1>
    %37 = stablehlo.convert %34 : (tensor<4x16x4x4xf16>) -> tensor<4x16x4x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_5) applies stablehlo.add across dimensions = [2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<4x16xf32>
    %cst_6 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %40 = stablehlo.divide %38, %39 : tensor<4x16xf32>
    %41 = stablehlo.convert %40 : (tensor<4x16xf32>) -> tensor<4x16xf16>
    %42 = stablehlo.convert %arg48 : (tensor<16x10xf32>) -> tensor<16x10xf16>
    %43 = stablehlo.dot_general %41, %42, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf16>, tensor<16x10xf16>) -> tensor<4x10xf16>
    %44 = stablehlo.convert %arg47 : (tensor<10xf32>) -> tensor<10xf16>
    %45 = stablehlo.broadcast_in_dim %44, dims = [1] : (tensor<10xf16>) -> tensor<1x10xf16>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1] : (tensor<1x10xf16>) -> tensor<4x10xf16>
    %47 = stablehlo.add %43, %46 : tensor<4x10xf16>
    %48 = stablehlo.convert %47 : (tensor<4x10xf16>) -> tensor<4x10xf32>
    %49:3 = call @log_softmax(%48) : (tensor<4x10xf32>) -> (tensor<4x10xf32>, tensor<4x10xf32>, tensor<4x1xf32>)
    %50 = stablehlo.broadcast_in_dim %arg53, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %51:2 = call @take_along_axis(%49#0, %50) : (tensor<4x10xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1x1xi32>)
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%51#0 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %53 = stablehlo.divide %52, %cst_8 : tensor<f32>
    %54 = stablehlo.negate %53 : tensor<f32>
    %cst_9 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %55 = stablehlo.multiply %54, %cst_9 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %56 = stablehlo.multiply %cst_10, %cst_11 : tensor<f32>
    %57 = stablehlo.negate %56 : tensor<f32>
    %cst_12 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %58 = stablehlo.divide %57, %cst_12 : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %60 = call @take_along_axis_6(%51#1, %59) : (tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>
    %61 = call @log_softmax_7(%49#1, %49#2, %60) : (tensor<4x10xf32>, tensor<4x1xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    %62 = stablehlo.convert %61 : (tensor<4x10xf32>) -> tensor<4x10xf16>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %63 = stablehlo.reduce(%62 init: %cst_13) applies stablehlo.add across dimensions = [0] : (tensor<4x10xf16>, tensor<f16>) -> tensor<10xf16>
    %64 = stablehlo.reshape %63 : (tensor<10xf16>) -> tensor<1x10xf16>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %65 = stablehlo.reduce(%64 init: %cst_14) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf16>, tensor<f16>) -> tensor<10xf16>
    %66 = stablehlo.convert %65 : (tensor<10xf16>) -> tensor<10xf32>
    %67 = stablehlo.dot_general %62, %41, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x10xf16>, tensor<4x16xf16>) -> tensor<10x16xf16>
    %68 = stablehlo.transpose %67, dims = [1, 0] : (tensor<10x16xf16>) -> tensor<16x10xf16>
    %69 = stablehlo.dot_general %62, %42, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x10xf16>, tensor<16x10xf16>) -> tensor<4x16xf16>
    %70 = stablehlo.convert %68 : (tensor<16x10xf16>) -> tensor<16x10xf32>
    %71 = stablehlo.convert %69 : (tensor<4x16xf16>) -> tensor<4x16xf32>
    %cst_15 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
    %73 = stablehlo.divide %71, %72 : tensor<4x16xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1] : (tensor<4x16xf32>) -> tensor<4x16x4x4xf32>
    %75 = stablehlo.convert %74 : (tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf16>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %76 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f16>) -> tensor<4x16x4x4xf16>
    %77 = stablehlo.select %36, %75, %76 : tensor<4x16x4x4xi1>, tensor<4x16x4x4xf16>
    %78:3 = call @batch_norm_8(%32#3, %32#4, %32#5, %32#6, %arg45, %32#7, %32#8, %77) : (tensor<4x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x4x4xf32>, tensor<4x16x4x4xf16>) -> (tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf16>)
    %79 = stablehlo.convolution(%18, %78#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, -1], [0, -1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<4x16x4x4xf16>) -> tensor<16x8x1x1xf16>
    %80 = stablehlo.reverse %30, dims = [2, 3] : tensor<16x8x1x1xf16>
    %81 = stablehlo.convolution(%78#2, %80) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x16x4x4xf16>, tensor<16x8x1x1xf16>) -> tensor<4x8x8x8xf16>
    %82 = stablehlo.convert %79 : (tensor<16x8x1x1xf16>) -> tensor<16x8x1x1xf32>
    %83:3 = call @batch_norm_9(%29#3, %29#4, %29#5, %29#6, %arg42, %29#7, %29#8, %77) : (tensor<4x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x4x4xf32>, tensor<4x16x4x4xf16>) -> (tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf16>)
    %84 = stablehlo.convolution(%24, %83#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x16x4x4xf16>, tensor<4x16x4x4xf16>) -> tensor<16x16x3x3xf16>
    %85 = stablehlo.reverse %27, dims = [2, 3] : tensor<16x16x3x3xf16>
    %86 = stablehlo.convolution(%83#2, %85) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x16x4x4xf16>, tensor<16x16x3x3xf16>) -> tensor<4x16x4x4xf16>
    %87 = stablehlo.convert %84 : (tensor<16x16x3x3xf16>) -> tensor<16x16x3x3xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %88 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f16>) -> tensor<4x16x4x4xf16>
    %89 = stablehlo.select %26, %86, %88 : tensor<4x16x4x4xi1>, tensor<4x16x4x4xf16>
    %90:3 = call @batch_norm_10(%23#3, %23#4, %23#5, %23#6, %arg39, %23#7, %23#8, %89) : (tensor<4x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x4x4xf32>, tensor<4x16x4x4xf16>) -> (tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf16>)
    %91 = stablehlo.convolution(%18, %90#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 0], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<4x16x4x4xf16>) -> tensor<16x8x3x3xf16>
    %92 = stablehlo.reverse %21, dims = [2, 3] : tensor<16x8x3x3xf16>
    %93 = stablehlo.convolution(%90#2, %92) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x16x4x4xf16>, tensor<16x8x3x3xf16>) -> tensor<4x8x8x8xf16>
    %94 = stablehlo.add %81, %93 : tensor<4x8x8x8xf16>
    %95 = stablehlo.convert %91 : (tensor<16x8x3x3xf16>) -> tensor<16x8x3x3xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %96 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f16>) -> tensor<4x8x8x8xf16>
    %97 = stablehlo.select %20, %94, %96 : tensor<4x8x8x8xi1>, tensor<4x8x8x8xf16>
    %98:3 = call @batch_norm_11(%16#3, %16#4, %16#5, %16#6, %arg36, %16#7, %16#8, %97) : (tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>, tensor<4x8x8x8xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>)
    %99 = stablehlo.convolution(%11, %98#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<4x8x8x8xf16>) -> tensor<8x8x3x3xf16>
    %100 = stablehlo.reverse %14, dims = [2, 3] : tensor<8x8x3x3xf16>
    %101 = stablehlo.convolution(%98#2, %100) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<8x8x3x3xf16>) -> tensor<4x8x8x8xf16>
    %102 = stablehlo.convert %99 : (tensor<8x8x3x3xf16>) -> tensor<8x8x3x3xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %103 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f16>) -> tensor<4x8x8x8xf16>
    %104 = stablehlo.select %13, %101, %103 : tensor<4x8x8x8xi1>, tensor<4x8x8x8xf16>
    %105:3 = call @batch_norm_11(%10#3, %10#4, %10#5, %10#6, %arg33, %10#7, %10#8, %104) : (tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>, tensor<4x8x8x8xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>)
    %106 = stablehlo.convolution(%7, %105#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<4x8x8x8xf16>) -> tensor<8x8x3x3xf16>
    %107 = stablehlo.reverse %8, dims = [2, 3] : tensor<8x8x3x3xf16>
    %108 = stablehlo.convolution(%105#2, %107) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x8x8x8xf16>, tensor<8x8x3x3xf16>) -> tensor<4x8x8x8xf16>
    %109 = stablehlo.add %97, %108 : tensor<4x8x8x8xf16>
    %110 = stablehlo.convert %106 : (tensor<8x8x3x3xf16>) -> tensor<8x8x3x3xf32>
    %cst_20 = stablehlo.constant dense<0xFC00> : tensor<f16>
    %111 = stablehlo.pad %3, %cst_20, low = [0, 0, 1, 1], high = [0, 0, 1, 1], interior = [0, 0, 0, 0] : (tensor<4x8x16x16xf16>, tensor<f16>) -> tensor<4x8x18x18xf16>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %112 = "stablehlo.select_and_scatter"(%111, %109, %cst_21) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg54: tensor<f16>, %arg55: tensor<f16>):
      %200 = stablehlo.compare GE, %arg54, %arg55, FLOAT : (tensor<f16>, tensor<f16>) -> tensor<i1>
      stablehlo.return %200 : tensor<i1>
    }, {
    ^bb0(%arg54: tensor<f16>, %arg55: tensor<f16>):
      %200 = stablehlo.add %arg54, %arg55 : tensor<f16>
      stablehlo.return %200 : tensor<f16>
    }) : (tensor<4x8x18x18xf16>, tensor<4x8x8x8xf16>, tensor<f16>) -> tensor<4x8x18x18xf16>
    %113 = stablehlo.slice %112 [0:4, 0:8, 1:17, 1:17] : (tensor<4x8x18x18xf16>) -> tensor<4x8x16x16xf16>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %114 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f16>) -> tensor<4x8x16x16xf16>
    %115 = stablehlo.select %5, %113, %114 : tensor<4x8x16x16xi1>, tensor<4x8x16x16xf16>
    %116:3 = call @batch_norm_12(%2#3, %2#4, %2#5, %2#6, %arg50, %2#7, %2#8, %115) : (tensor<4x8x16x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x16x16xf32>, tensor<4x8x16x16xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf16>)
    %117 = stablehlo.convolution(%arg52, %116#2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[3, 2], [3, 2]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x3x32x32xf16>, tensor<4x8x16x16xf16>) -> tensor<8x3x7x7xf16>
    %118 = stablehlo.convert %117 : (tensor<8x3x7x7xf16>) -> tensor<8x3x7x7xf32>
    %cst_23 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %120 = stablehlo.multiply %119, %arg20 : tensor<8xf32>
    %cst_24 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %122 = stablehlo.multiply %121, %2#1 : tensor<8xf32>
    %123 = stablehlo.add %120, %122 : tensor<8xf32>
    %cst_25 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %125 = stablehlo.multiply %124, %arg21 : tensor<8xf32>
    %cst_26 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %127 = stablehlo.multiply %126, %2#2 : tensor<8xf32>
    %128 = stablehlo.add %125, %127 : tensor<8xf32>
    %cst_27 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %130 = stablehlo.multiply %129, %arg22 : tensor<8xf32>
    %cst_28 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %132 = stablehlo.multiply %131, %10#1 : tensor<8xf32>
    %133 = stablehlo.add %130, %132 : tensor<8xf32>
    %cst_29 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %135 = stablehlo.multiply %134, %arg23 : tensor<8xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %137 = stablehlo.multiply %136, %10#2 : tensor<8xf32>
    %138 = stablehlo.add %135, %137 : tensor<8xf32>
    %cst_31 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %140 = stablehlo.multiply %139, %arg24 : tensor<8xf32>
    %cst_32 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %142 = stablehlo.multiply %141, %16#1 : tensor<8xf32>
    %143 = stablehlo.add %140, %142 : tensor<8xf32>
    %cst_33 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %145 = stablehlo.multiply %144, %arg25 : tensor<8xf32>
    %cst_34 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %147 = stablehlo.multiply %146, %16#2 : tensor<8xf32>
    %148 = stablehlo.add %145, %147 : tensor<8xf32>
    %cst_35 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %150 = stablehlo.multiply %149, %arg26 : tensor<16xf32>
    %cst_36 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %152 = stablehlo.multiply %151, %23#1 : tensor<16xf32>
    %153 = stablehlo.add %150, %152 : tensor<16xf32>
    %cst_37 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %155 = stablehlo.multiply %154, %arg27 : tensor<16xf32>
    %cst_38 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %157 = stablehlo.multiply %156, %23#2 : tensor<16xf32>
    %158 = stablehlo.add %155, %157 : tensor<16xf32>
    %cst_39 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %160 = stablehlo.multiply %159, %arg28 : tensor<16xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %162 = stablehlo.multiply %161, %29#1 : tensor<16xf32>
    %163 = stablehlo.add %160, %162 : tensor<16xf32>
    %cst_41 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %165 = stablehlo.multiply %164, %arg29 : tensor<16xf32>
    %cst_42 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %167 = stablehlo.multiply %166, %29#2 : tensor<16xf32>
    %168 = stablehlo.add %165, %167 : tensor<16xf32>
    %cst_43 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %170 = stablehlo.multiply %169, %arg30 : tensor<16xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %172 = stablehlo.multiply %171, %32#1 : tensor<16xf32>
    %173 = stablehlo.add %170, %172 : tensor<16xf32>
    %cst_45 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %175 = stablehlo.multiply %174, %arg31 : tensor<16xf32>
    %cst_46 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %177 = stablehlo.multiply %176, %32#2 : tensor<16xf32>
    %178 = stablehlo.add %175, %177 : tensor<16xf32>
    %179:2 = call @_descended(%arg32, %arg0, %110) : (tensor<8x8x3x3xf32>, tensor<8x8x3x3xf32>, tensor<8x8x3x3xf32>) -> (tensor<8x8x3x3xf32>, tensor<8x8x3x3xf32>)
    %180:2 = call @_descended_13(%arg33, %arg1, %105#0) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %181:2 = call @_descended_13(%arg34, %arg2, %105#1) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %182:2 = call @_descended(%arg35, %arg3, %102) : (tensor<8x8x3x3xf32>, tensor<8x8x3x3xf32>, tensor<8x8x3x3xf32>) -> (tensor<8x8x3x3xf32>, tensor<8x8x3x3xf32>)
    %183:2 = call @_descended_13(%arg36, %arg4, %98#0) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %184:2 = call @_descended_13(%arg37, %arg5, %98#1) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %185:2 = call @_descended_14(%arg38, %arg6, %95) : (tensor<16x8x3x3xf32>, tensor<16x8x3x3xf32>, tensor<16x8x3x3xf32>) -> (tensor<16x8x3x3xf32>, tensor<16x8x3x3xf32>)
    %186:2 = call @_descended_15(%arg39, %arg7, %90#0) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %187:2 = call @_descended_15(%arg40, %arg8, %90#1) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %188:2 = call @_descended_16(%arg41, %arg9, %87) : (tensor<16x16x3x3xf32>, tensor<16x16x3x3xf32>, tensor<16x16x3x3xf32>) -> (tensor<16x16x3x3xf32>, tensor<16x16x3x3xf32>)
    %189:2 = call @_descended_15(%arg42, %arg10, %83#0) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %190:2 = call @_descended_15(%arg43, %arg11, %83#1) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %191:2 = call @_descended_17(%arg44, %arg12, %82) : (tensor<16x8x1x1xf32>, tensor<16x8x1x1xf32>, tensor<16x8x1x1xf32>) -> (tensor<16x8x1x1xf32>, tensor<16x8x1x1xf32>)
    %192:2 = call @_descended_15(%arg45, %arg13, %78#0) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %193:2 = call @_descended_15(%arg46, %arg14, %78#1) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %194:2 = call @_descended_18(%arg47, %arg15, %66) : (tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>)
    %195:2 = call @_descended_19(%arg48, %arg16, %70) : (tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x10xf32>) -> (tensor<16x10xf32>, tensor<16x10xf32>)
    %196:2 = call @_descended_20(%arg49, %arg17, %118) : (tensor<8x3x7x7xf32>, tensor<8x3x7x7xf32>, tensor<8x3x7x7xf32>) -> (tensor<8x3x7x7xf32>, tensor<8x3x7x7xf32>)
    %197:2 = call @_descended_13(%arg50, %arg18, %116#0) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %198:2 = call @_descended_13(%arg51, %arg19, %116#1) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %cst_47 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %199 = stablehlo.divide %55, %cst_47 : tensor<f32>
    return %179#1, %180#1, %181#1, %182#1, %183#1, %184#1, %185#1, %186#1, %187#1, %188#1, %189#1, %190#1, %191#1, %192#1, %193#1, %194#1, %195#1, %196#1, %197#1, %198#1, %123, %128, %133, %138, %143, %148, %153, %158, %163, %168, %173, %178, %179#0, %180#0, %181#0, %182#0, %183#0, %184#0, %185#0, %186#0, %187#0, %188#0, %189#0, %190#0, %191#0, %192#0, %193#0, %194#0, %195#0, %196#0, %197#0, %198#0, %199 : tensor<8x8x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10xf32>, tensor<16x10xf32>, tensor<8x3x7x7xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x8x3x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x8x1x1xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10xf32>, tensor<16x10xf32>, tensor<8x3x7x7xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>
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
  func.func private @relu(%arg0: tensor<4x8x16x16xf16>) -> tensor<4x8x16x16xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x8x16x16xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x8x16x16xf16>
    return %1 : tensor<4x8x16x16xf16>
  }
  func.func private @batch_norm_0(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4x8x8x8xf16>) -> (tensor<4x8x8x8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1x8x1x1xf32>, tensor<4x8x8x8xf32>) {
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
  func.func private @relu_1(%arg0: tensor<4x8x8x8xf16>) -> tensor<4x8x8x8xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x8x8x8xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x8x8x8xf16>
    return %1 : tensor<4x8x8x8xf16>
  }
  func.func private @batch_norm_2(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<4x16x4x4xf16>) -> (tensor<4x16x4x4xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x4x4xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x16x4x4xf16>) -> tensor<4x16x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %3 = stablehlo.divide %1, %2 : tensor<16xf32>
    %4 = chlo.square %0 : tensor<4x16x4x4xf32> -> tensor<4x16x4x4xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x16x4x4xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x16x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_3 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
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
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x4x4xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x16x4x4xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x4x4xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x16x4x4xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x4x4xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x16x4x4xf32>
    %33 = stablehlo.convert %32 : (tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x16x4x4xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x4x4xf32>
  }
  func.func private @relu_3(%arg0: tensor<4x16x4x4xf16>) -> tensor<4x16x4x4xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x16x4x4xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x16x4x4xf16>
    return %1 : tensor<4x16x4x4xf16>
  }
  func.func private @batch_norm_4(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<4x16x4x4xf16>) -> (tensor<4x16x4x4xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x4x4xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x16x4x4xf16>) -> tensor<4x16x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %3 = stablehlo.divide %1, %2 : tensor<16xf32>
    %4 = chlo.square %0 : tensor<4x16x4x4xf32> -> tensor<4x16x4x4xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x16x4x4xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x16x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_3 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
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
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x4x4xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x16x4x4xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x4x4xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x16x4x4xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x4x4xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x16x4x4xf32>
    %33 = stablehlo.convert %32 : (tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x16x4x4xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x4x4xf32>
  }
  func.func private @batch_norm_5(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<4x16x4x4xf16>) -> (tensor<4x16x4x4xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x4x4xf32>) {
    %0 = stablehlo.convert %arg2 : (tensor<4x16x4x4xf16>) -> tensor<4x16x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %3 = stablehlo.divide %1, %2 : tensor<16xf32>
    %4 = chlo.square %0 : tensor<4x16x4x4xf32> -> tensor<4x16x4x4xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x16x4x4xf32>
    %6 = stablehlo.multiply %5, %0 : tensor<4x16x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_3 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
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
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x4x4xf32>
    %24 = stablehlo.subtract %0, %23 : tensor<4x16x4x4xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [1, 2, 3] : (tensor<16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x4x4xf32>
    %28 = stablehlo.multiply %24, %27 : tensor<4x16x4x4xf32>
    %29 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x4x4xf32>
    %32 = stablehlo.add %28, %31 : tensor<4x16x4x4xf32>
    %33 = stablehlo.convert %32 : (tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf16>
    return %33, %3, %13, %6, %12, %19, %16, %26, %24 : tensor<4x16x4x4xf16>, tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<1x16x1x1xf32>, tensor<4x16x4x4xf32>
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
  func.func private @take_along_axis_6(%arg0: tensor<4x1x1xi32>, %arg1: tensor<4x1xf32>) -> tensor<4x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x10xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<4x10xf32>, tensor<4x1x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32>
    return %1 : tensor<4x10xf32>
  }
  func.func private @log_softmax_7(%arg0: tensor<4x10xf32>, %arg1: tensor<4x1xf32>, %arg2: tensor<4x10xf32>) -> tensor<4x10xf32> {
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
  func.func private @batch_norm_8(%arg0: tensor<4x16x4x4xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<1x16x1x1xf32>, %arg6: tensor<4x16x4x4xf32>, %arg7: tensor<4x16x4x4xf16>) -> (tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x16x4x4xf16>) -> tensor<4x16x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.reshape %1 : (tensor<16xf32>) -> tensor<1x16x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x16x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.reshape %7 : (tensor<16xf32>) -> tensor<1x16x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x4x4xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x16x4x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %14 = stablehlo.negate %10 : tensor<4x16x4x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
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
    %cst_8 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %27 = stablehlo.divide %22, %26 : tensor<16xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<16xf32>) -> tensor<4x16x4x4xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x16x4x4xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x16x4x4xf32>
    %cst_9 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %32 = stablehlo.divide %25, %31 : tensor<16xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<16xf32>) -> tensor<4x16x4x4xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x16x4x4xf32>
    %35 = stablehlo.convert %34 : (tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf16>
    return %21, %5, %35 : tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf16>
  }
  func.func private @batch_norm_9(%arg0: tensor<4x16x4x4xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<1x16x1x1xf32>, %arg6: tensor<4x16x4x4xf32>, %arg7: tensor<4x16x4x4xf16>) -> (tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x16x4x4xf16>) -> tensor<4x16x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.reshape %1 : (tensor<16xf32>) -> tensor<1x16x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x16x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.reshape %7 : (tensor<16xf32>) -> tensor<1x16x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x4x4xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x16x4x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %14 = stablehlo.negate %10 : tensor<4x16x4x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
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
    %cst_8 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %27 = stablehlo.divide %22, %26 : tensor<16xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<16xf32>) -> tensor<4x16x4x4xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x16x4x4xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x16x4x4xf32>
    %cst_9 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %32 = stablehlo.divide %25, %31 : tensor<16xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<16xf32>) -> tensor<4x16x4x4xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x16x4x4xf32>
    %35 = stablehlo.convert %34 : (tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf16>
    return %21, %5, %35 : tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf16>
  }
  func.func private @batch_norm_10(%arg0: tensor<4x16x4x4xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<1x16x1x1xf32>, %arg6: tensor<4x16x4x4xf32>, %arg7: tensor<4x16x4x4xf16>) -> (tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf16>) {
    %0 = stablehlo.convert %arg7 : (tensor<4x16x4x4xf16>) -> tensor<4x16x4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.reshape %1 : (tensor<16xf32>) -> tensor<1x16x1x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [1, 2] : (tensor<16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %6 = stablehlo.multiply %arg6, %0 : tensor<4x16x4x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.reshape %7 : (tensor<16xf32>) -> tensor<1x16x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2, 3] : (tensor<1x16x1x1xf32>) -> tensor<4x16x4x4xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<4x16x4x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_3) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<16xf32>) -> tensor<16x1x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<16x1x1xf32>, tensor<f32>) -> tensor<16xf32>
    %14 = stablehlo.negate %10 : tensor<4x16x4x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x16x4x4xf32>, tensor<f32>) -> tensor<16xf32>
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
    %cst_8 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %27 = stablehlo.divide %22, %26 : tensor<16xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<16xf32>) -> tensor<4x16x4x4xf32>
    %29 = stablehlo.multiply %28, %arg0 : tensor<4x16x4x4xf32>
    %30 = stablehlo.add %10, %29 : tensor<4x16x4x4xf32>
    %cst_9 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %32 = stablehlo.divide %25, %31 : tensor<16xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<16xf32>) -> tensor<4x16x4x4xf32>
    %34 = stablehlo.add %30, %33 : tensor<4x16x4x4xf32>
    %35 = stablehlo.convert %34 : (tensor<4x16x4x4xf32>) -> tensor<4x16x4x4xf16>
    return %21, %5, %35 : tensor<16xf32>, tensor<16xf32>, tensor<4x16x4x4xf16>
  }
  func.func private @batch_norm_11(%arg0: tensor<4x8x8x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<1x8x1x1xf32>, %arg6: tensor<4x8x8x8xf32>, %arg7: tensor<4x8x8x8xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x8x8xf16>) {
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
  func.func private @batch_norm_12(%arg0: tensor<4x8x16x16xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<1x8x1x1xf32>, %arg6: tensor<4x8x16x16xf32>, %arg7: tensor<4x8x16x16xf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4x8x16x16xf16>) {
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
  func.func private @_descended(%arg0: tensor<8x8x3x3xf32>, %arg1: tensor<8x8x3x3xf32>, %arg2: tensor<8x8x3x3xf32>) -> (tensor<8x8x3x3xf32>, tensor<8x8x3x3xf32>) {
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
  func.func private @_descended_13(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
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
  func.func private @_descended_14(%arg0: tensor<16x8x3x3xf32>, %arg1: tensor<16x8x3x3xf32>, %arg2: tensor<16x8x3x3xf32>) -> (tensor<16x8x3x3xf32>, tensor<16x8x3x3xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x8x3x3xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<16x8x3x3xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x8x3x3xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<16x8x3x3xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x8x3x3xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<16x8x3x3xf32>
    %6 = stablehlo.add %3, %5 : tensor<16x8x3x3xf32>
    %7 = stablehlo.add %1, %6 : tensor<16x8x3x3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x8x3x3xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<16x8x3x3xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<16x8x3x3xf32>
    return %10, %7 : tensor<16x8x3x3xf32>, tensor<16x8x3x3xf32>
  }
  func.func private @_descended_15(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
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
  func.func private @_descended_16(%arg0: tensor<16x16x3x3xf32>, %arg1: tensor<16x16x3x3xf32>, %arg2: tensor<16x16x3x3xf32>) -> (tensor<16x16x3x3xf32>, tensor<16x16x3x3xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x16x3x3xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<16x16x3x3xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x16x3x3xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<16x16x3x3xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x16x3x3xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<16x16x3x3xf32>
    %6 = stablehlo.add %3, %5 : tensor<16x16x3x3xf32>
    %7 = stablehlo.add %1, %6 : tensor<16x16x3x3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x16x3x3xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<16x16x3x3xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<16x16x3x3xf32>
    return %10, %7 : tensor<16x16x3x3xf32>, tensor<16x16x3x3xf32>
  }
  func.func private @_descended_17(%arg0: tensor<16x8x1x1xf32>, %arg1: tensor<16x8x1x1xf32>, %arg2: tensor<16x8x1x1xf32>) -> (tensor<16x8x1x1xf32>, tensor<16x8x1x1xf32>) {
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
  func.func private @_descended_18(%arg0: tensor<10xf32>, %arg1: tensor<10xf32>, %arg2: tensor<10xf32>) -> (tensor<10xf32>, tensor<10xf32>) {
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
  func.func private @_descended_19(%arg0: tensor<16x10xf32>, %arg1: tensor<16x10xf32>, %arg2: tensor<16x10xf32>) -> (tensor<16x10xf32>, tensor<16x10xf32>) {
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
  func.func private @_descended_20(%arg0: tensor<8x3x7x7xf32>, %arg1: tensor<8x3x7x7xf32>, %arg2: tensor<8x3x7x7xf32>) -> (tensor<8x3x7x7xf32>, tensor<8x3x7x7xf32>) {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x3x7x7xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<8x3x7x7xf32>
    %cst_0 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x3x7x7xf32>
    %3 = stablehlo.divide %arg2, %2 : tensor<8x3x7x7xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x3x7x7xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<8x3x7x7xf32>
    %6 = stablehlo.add %3, %5 : tensor<8x3x7x7xf32>
    %7 = stablehlo.add %1, %6 : tensor<8x3x7x7xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x3x7x7xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<8x3x7x7xf32>
    %10 = stablehlo.subtract %arg0, %9 : tensor<8x3x7x7xf32>
    return %10, %7 : tensor<8x3x7x7xf32>, tensor<8x3x7x7xf32>
  }
}
