module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<32x64xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<128xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<32x128xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<32x128xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<128xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<32x128xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<32x128xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<64x32xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<64xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<32x64xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<128xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<32x128xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<32x128xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<128xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<32x128xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<32x128xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<64x32xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<64xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<32x64xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<128xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<32x128xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<32x128xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<128xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<32x128xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<32x128xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<64x32xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<3x4xi32>, %arg29: tensor<3x4xi32>) -> (tensor<f32> {jax.result_info = "result[0]['count']"}, tensor<64xf32> {jax.result_info = "result[0]['means']['head']['bias']"}, tensor<32x64xf32> {jax.result_info = "result[0]['means']['head']['weight']"}, tensor<128xf32> {jax.result_info = "result[0]['means']['layers'][0]['input']['bias']"}, tensor<32x128xf32> {jax.result_info = "result[0]['means']['layers'][0]['input']['weight']"}, tensor<32x128xf32> {jax.result_info = "result[0]['means']['layers'][0]['state']"}, tensor<128xf32> {jax.result_info = "result[0]['means']['layers'][1]['input']['bias']"}, tensor<32x128xf32> {jax.result_info = "result[0]['means']['layers'][1]['input']['weight']"}, tensor<32x128xf32> {jax.result_info = "result[0]['means']['layers'][1]['state']"}, tensor<64x32xf32> {jax.result_info = "result[0]['means']['words']"}, tensor<64xf32> {jax.result_info = "result[0]['squares']['head']['bias']"}, tensor<32x64xf32> {jax.result_info = "result[0]['squares']['head']['weight']"}, tensor<128xf32> {jax.result_info = "result[0]['squares']['layers'][0]['input']['bias']"}, tensor<32x128xf32> {jax.result_info = "result[0]['squares']['layers'][0]['input']['weight']"}, tensor<32x128xf32> {jax.result_info = "result[0]['squares']['layers'][0]['state']"}, tensor<128xf32> {jax.result_info = "result[0]['squares']['layers'][1]['input']['bias']"}, tensor<32x128xf32> {jax.result_info = "result[0]['squares']['layers'][1]['input']['weight']"}, tensor<32x128xf32> {jax.result_info = "result[0]['squares']['layers'][1]['state']"}, tensor<64x32xf32> {jax.result_info = "result[0]['squares']['words']"}, tensor<64xf32> {jax.result_info = "result[0]['weights']['head']['bias']"}, tensor<32x64xf32> {jax.result_info = "result[0]['weights']['head']['weight']"}, tensor<128xf32> {jax.result_info = "result[0]['weights']['layers'][0]['input']['bias']"}, tensor<32x128xf32> {jax.result_info = "result[0]['weights']['layers'][0]['input']['weight']"}, tensor<32x128xf32> {jax.result_info = "result[0]['weights']['layers'][0]['state']"}, tensor<128xf32> {jax.result_info = "result[0]['weights']['layers'][1]['input']['bias']"}, tensor<32x128xf32> {jax.result_info = "result[0]['weights']['layers'][1]['input']['weight']"}, tensor<32x128xf32> {jax.result_info = "result[0]['weights']['layers'][1]['state']"}, tensor<64x32xf32> {jax.result_info = "result[0]['weights']['words']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %1 = stablehlo.compare LT, %arg29, %0, SIGNED : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
    %3 = stablehlo.add %arg29, %2 : tensor<3x4xi32>
    %4 = stablehlo.select %1, %3, %arg29 : tensor<3x4xi1>, tensor<3x4xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x4xi32>) -> tensor<3x4x1xi32>
    %6 = "stablehlo.gather"(%arg27, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<64x32xf32>, tensor<3x4x1xi32>) -> tensor<3x4x32xf32>
    %7 = stablehlo.convert %6 : (tensor<3x4x32xf32>) -> tensor<3x4x32xf16>
    %8 = stablehlo.convert %arg22 : (tensor<32x128xf32>) -> tensor<32x128xf16>
    %9 = stablehlo.dot_general %7, %8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4x32xf16>, tensor<32x128xf16>) -> tensor<3x4x128xf16>
    %10 = stablehlo.convert %arg21 : (tensor<128xf32>) -> tensor<128xf16>
    %11 = stablehlo.broadcast_in_dim %10, dims = [2] : (tensor<128xf16>) -> tensor<1x1x128xf16>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<1x1x128xf16>) -> tensor<3x4x128xf16>
    %13 = stablehlo.add %9, %12 : tensor<3x4x128xf16>
    %14 = stablehlo.convert %arg23 : (tensor<32x128xf32>) -> tensor<32x128xf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x32xf16>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %17 = stablehlo.slice %13 [0:1, 0:4, 0:128] : (tensor<3x4x128xf16>) -> tensor<1x4x128xf16>
    %18 = stablehlo.reshape %17 : (tensor<1x4x128xf16>) -> tensor<4x128xf16>
    %19:11 = call @cell_step(%18, %14, %15, %16) : (tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>) -> (tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>)
    %20 = stablehlo.slice %13 [1:2, 0:4, 0:128] : (tensor<3x4x128xf16>) -> tensor<1x4x128xf16>
    %21 = stablehlo.reshape %20 : (tensor<1x4x128xf16>) -> tensor<4x128xf16>
    %22:12 = call @cell_step_0(%21, %14, %19#0, %19#1) : (tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>) -> (tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>)
    %23 = stablehlo.slice %13 [2:3, 0:4, 0:128] : (tensor<3x4x128xf16>) -> tensor<1x4x128xf16>
    %24 = stablehlo.reshape %23 : (tensor<1x4x128xf16>) -> tensor<4x128xf16>
    %25:11 = call @cell_step_1(%24, %14, %22#0, %22#1) : (tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>) -> (tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>)
    %26 = stablehlo.broadcast_in_dim %19#0, dims = [1, 2] : (tensor<4x32xf16>) -> tensor<1x4x32xf16>
    %27 = stablehlo.broadcast_in_dim %22#0, dims = [1, 2] : (tensor<4x32xf16>) -> tensor<1x4x32xf16>
    %28 = stablehlo.broadcast_in_dim %25#0, dims = [1, 2] : (tensor<4x32xf16>) -> tensor<1x4x32xf16>
    %29 = stablehlo.concatenate %26, %27, %28, dim = 0 : (tensor<1x4x32xf16>, tensor<1x4x32xf16>, tensor<1x4x32xf16>) -> tensor<3x4x32xf16>
    %30 = stablehlo.convert %arg25 : (tensor<32x128xf32>) -> tensor<32x128xf16>
    %31 = stablehlo.dot_general %29, %30, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4x32xf16>, tensor<32x128xf16>) -> tensor<3x4x128xf16>
    %32 = stablehlo.convert %arg24 : (tensor<128xf32>) -> tensor<128xf16>
    %33 = stablehlo.broadcast_in_dim %32, dims = [2] : (tensor<128xf16>) -> tensor<1x1x128xf16>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2] : (tensor<1x1x128xf16>) -> tensor<3x4x128xf16>
    %35 = stablehlo.add %31, %34 : tensor<3x4x128xf16>
    %36 = stablehlo.convert %arg26 : (tensor<32x128xf32>) -> tensor<32x128xf16>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %37 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f16>) -> tensor<4x32xf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %39 = stablehlo.slice %35 [0:1, 0:4, 0:128] : (tensor<3x4x128xf16>) -> tensor<1x4x128xf16>
    %40 = stablehlo.reshape %39 : (tensor<1x4x128xf16>) -> tensor<4x128xf16>
    %41:11 = call @cell_step(%40, %36, %37, %38) : (tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>) -> (tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>)
    %42 = stablehlo.slice %35 [1:2, 0:4, 0:128] : (tensor<3x4x128xf16>) -> tensor<1x4x128xf16>
    %43 = stablehlo.reshape %42 : (tensor<1x4x128xf16>) -> tensor<4x128xf16>
    %44:12 = call @cell_step_0(%43, %36, %41#0, %41#1) : (tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>) -> (tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>)
    %45 = stablehlo.slice %35 [2:3, 0:4, 0:128] : (tensor<3x4x128xf16>) -> tensor<1x4x128xf16>
    %46 = stablehlo.reshape %45 : (tensor<1x4x128xf16>) -> tensor<4x128xf16>
    %47:11 = call @cell_step_1(%46, %36, %44#0, %44#1) : (tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>) -> (tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>)
    %48 = stablehlo.broadcast_in_dim %41#0, dims = [1, 2] : (tensor<4x32xf16>) -> tensor<1x4x32xf16>
    %49 = stablehlo.broadcast_in_dim %44#0, dims = [1, 2] : (tensor<4x32xf16>) -> tensor<1x4x32xf16>
    %50 = stablehlo.broadcast_in_dim %47#0, dims = [1, 2] : (tensor<4x32xf16>) -> tensor<1x4x32xf16>
    %51 = stablehlo.concatenate %48, %49, %50, dim = 0 : (tensor<1x4x32xf16>, tensor<1x4x32xf16>, tensor<1x4x32xf16>) -> tensor<3x4x32xf16>
    %52 = stablehlo.convert %arg20 : (tensor<32x64xf32>) -> tensor<32x64xf16>
    %53 = stablehlo.dot_general %51, %52, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x4x32xf16>, tensor<32x64xf16>) -> tensor<3x4x64xf16>
    %54 = stablehlo.convert %arg19 : (tensor<64xf32>) -> tensor<64xf16>
    %55 = stablehlo.broadcast_in_dim %54, dims = [2] : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<1x1x64xf16>) -> tensor<3x4x64xf16>
    %57 = stablehlo.add %53, %56 : tensor<3x4x64xf16>
    %58 = stablehlo.convert %57 : (tensor<3x4x64xf16>) -> tensor<3x4x64xf32>
    %59:3 = call @log_softmax(%58) : (tensor<3x4x64xf32>) -> (tensor<3x4x64xf32>, tensor<3x4x64xf32>, tensor<3x4x1xf32>)
    %60 = stablehlo.broadcast_in_dim %arg28, dims = [0, 1] : (tensor<3x4xi32>) -> tensor<3x4x1xi32>
    %61:2 = call @take_along_axis(%59#0, %60) : (tensor<3x4x64xf32>, tensor<3x4x1xi32>) -> (tensor<3x4x1xf32>, tensor<3x4x1x1xi32>)
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%61#0 init: %cst_4) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x4x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %63 = stablehlo.divide %62, %cst_5 : tensor<f32>
    %64 = stablehlo.negate %63 : tensor<f32>
    %cst_6 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %65 = stablehlo.multiply %64, %cst_6 : tensor<f32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_8 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %66 = stablehlo.multiply %cst_7, %cst_8 : tensor<f32>
    %67 = stablehlo.negate %66 : tensor<f32>
    %cst_9 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %68 = stablehlo.divide %67, %cst_9 : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [] : (tensor<f32>) -> tensor<3x4x1xf32>
    %70 = call @take_along_axis_2(%61#1, %69) : (tensor<3x4x1x1xi32>, tensor<3x4x1xf32>) -> tensor<3x4x64xf32>
    %71 = call @log_softmax_3(%59#1, %59#2, %70) : (tensor<3x4x64xf32>, tensor<3x4x1xf32>, tensor<3x4x64xf32>) -> tensor<3x4x64xf32>
    %72 = stablehlo.convert %71 : (tensor<3x4x64xf32>) -> tensor<3x4x64xf16>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %73 = stablehlo.reduce(%72 init: %cst_10) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4x64xf16>, tensor<f16>) -> tensor<64xf16>
    %74 = stablehlo.reshape %73 : (tensor<64xf16>) -> tensor<1x1x64xf16>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %75 = stablehlo.reduce(%74 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x64xf16>, tensor<f16>) -> tensor<64xf16>
    %76 = stablehlo.convert %75 : (tensor<64xf16>) -> tensor<64xf32>
    %77 = stablehlo.dot_general %72, %51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x64xf16>, tensor<3x4x32xf16>) -> tensor<64x32xf16>
    %78 = stablehlo.transpose %77, dims = [1, 0] : (tensor<64x32xf16>) -> tensor<32x64xf16>
    %79 = stablehlo.dot_general %72, %52, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x64xf16>, tensor<32x64xf16>) -> tensor<3x4x32xf16>
    %80 = stablehlo.convert %78 : (tensor<32x64xf16>) -> tensor<32x64xf32>
    %81 = stablehlo.slice %79 [0:1, 0:4, 0:32] : (tensor<3x4x32xf16>) -> tensor<1x4x32xf16>
    %82 = stablehlo.reshape %81 : (tensor<1x4x32xf16>) -> tensor<4x32xf16>
    %83 = stablehlo.slice %79 [1:2, 0:4, 0:32] : (tensor<3x4x32xf16>) -> tensor<1x4x32xf16>
    %84 = stablehlo.reshape %83 : (tensor<1x4x32xf16>) -> tensor<4x32xf16>
    %85 = stablehlo.slice %79 [2:3, 0:4, 0:32] : (tensor<3x4x32xf16>) -> tensor<1x4x32xf16>
    %86 = stablehlo.reshape %85 : (tensor<1x4x32xf16>) -> tensor<4x32xf16>
    %87:4 = call @cell_step_4(%36, %44#0, %47#1, %44#1, %47#2, %47#3, %47#4, %47#5, %47#6, %47#7, %47#8, %47#9, %47#10, %86) : (tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf16>) -> (tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>)
    %88 = stablehlo.add %84, %87#2 : tensor<4x32xf16>
    %89 = stablehlo.broadcast_in_dim %87#0, dims = [1, 2] : (tensor<4x128xf16>) -> tensor<1x4x128xf16>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %90 = stablehlo.pad %89, %cst_12, low = [2, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x4x128xf16>, tensor<f16>) -> tensor<3x4x128xf16>
    %91:4 = call @cell_step_5(%36, %41#0, %44#2, %41#1, %44#3, %44#4, %44#5, %44#6, %44#7, %44#8, %44#9, %44#10, %44#11, %88, %87#3) : (tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf16>, tensor<4x32xf32>) -> (tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>)
    %92 = stablehlo.add %87#1, %91#1 : tensor<32x128xf16>
    %93 = stablehlo.add %82, %91#2 : tensor<4x32xf16>
    %94 = stablehlo.broadcast_in_dim %91#0, dims = [1, 2] : (tensor<4x128xf16>) -> tensor<1x4x128xf16>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %95 = stablehlo.pad %94, %cst_13, low = [1, 0, 0], high = [1, 0, 0], interior = [0, 0, 0] : (tensor<1x4x128xf16>, tensor<f16>) -> tensor<3x4x128xf16>
    %96 = stablehlo.add %90, %95 : tensor<3x4x128xf16>
    %97:2 = call @cell_step_6(%37, %41#2, %38, %41#3, %41#4, %41#5, %41#6, %41#7, %41#8, %41#9, %41#10, %93, %91#3) : (tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf16>, tensor<4x32xf32>) -> (tensor<4x128xf16>, tensor<32x128xf16>)
    %98 = stablehlo.add %92, %97#1 : tensor<32x128xf16>
    %99 = stablehlo.broadcast_in_dim %97#0, dims = [1, 2] : (tensor<4x128xf16>) -> tensor<1x4x128xf16>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %100 = stablehlo.pad %99, %cst_14, low = [0, 0, 0], high = [2, 0, 0], interior = [0, 0, 0] : (tensor<1x4x128xf16>, tensor<f16>) -> tensor<3x4x128xf16>
    %101 = stablehlo.add %96, %100 : tensor<3x4x128xf16>
    %102 = stablehlo.convert %98 : (tensor<32x128xf16>) -> tensor<32x128xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %103 = stablehlo.reduce(%101 init: %cst_15) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4x128xf16>, tensor<f16>) -> tensor<128xf16>
    %104 = stablehlo.reshape %103 : (tensor<128xf16>) -> tensor<1x1x128xf16>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %105 = stablehlo.reduce(%104 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf16>, tensor<f16>) -> tensor<128xf16>
    %106 = stablehlo.convert %105 : (tensor<128xf16>) -> tensor<128xf32>
    %107 = stablehlo.dot_general %101, %29, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x128xf16>, tensor<3x4x32xf16>) -> tensor<128x32xf16>
    %108 = stablehlo.transpose %107, dims = [1, 0] : (tensor<128x32xf16>) -> tensor<32x128xf16>
    %109 = stablehlo.dot_general %101, %30, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x128xf16>, tensor<32x128xf16>) -> tensor<3x4x32xf16>
    %110 = stablehlo.convert %108 : (tensor<32x128xf16>) -> tensor<32x128xf32>
    %111 = stablehlo.slice %109 [0:1, 0:4, 0:32] : (tensor<3x4x32xf16>) -> tensor<1x4x32xf16>
    %112 = stablehlo.reshape %111 : (tensor<1x4x32xf16>) -> tensor<4x32xf16>
    %113 = stablehlo.slice %109 [1:2, 0:4, 0:32] : (tensor<3x4x32xf16>) -> tensor<1x4x32xf16>
    %114 = stablehlo.reshape %113 : (tensor<1x4x32xf16>) -> tensor<4x32xf16>
    %115 = stablehlo.slice %109 [2:3, 0:4, 0:32] : (tensor<3x4x32xf16>) -> tensor<1x4x32xf16>
    %116 = stablehlo.reshape %115 : (tensor<1x4x32xf16>) -> tensor<4x32xf16>
    %117:4 = call @cell_step_4(%14, %22#0, %25#1, %22#1, %25#2, %25#3, %25#4, %25#5, %25#6, %25#7, %25#8, %25#9, %25#10, %116) : (tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf16>) -> (tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>)
    %118 = stablehlo.add %114, %117#2 : tensor<4x32xf16>
    %119 = stablehlo.broadcast_in_dim %117#0, dims = [1, 2] : (tensor<4x128xf16>) -> tensor<1x4x128xf16>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %120 = stablehlo.pad %119, %cst_17, low = [2, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<1x4x128xf16>, tensor<f16>) -> tensor<3x4x128xf16>
    %121:4 = call @cell_step_5(%14, %19#0, %22#2, %19#1, %22#3, %22#4, %22#5, %22#6, %22#7, %22#8, %22#9, %22#10, %22#11, %118, %117#3) : (tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf16>, tensor<4x32xf32>) -> (tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>)
    %122 = stablehlo.add %117#1, %121#1 : tensor<32x128xf16>
    %123 = stablehlo.add %112, %121#2 : tensor<4x32xf16>
    %124 = stablehlo.broadcast_in_dim %121#0, dims = [1, 2] : (tensor<4x128xf16>) -> tensor<1x4x128xf16>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %125 = stablehlo.pad %124, %cst_18, low = [1, 0, 0], high = [1, 0, 0], interior = [0, 0, 0] : (tensor<1x4x128xf16>, tensor<f16>) -> tensor<3x4x128xf16>
    %126 = stablehlo.add %120, %125 : tensor<3x4x128xf16>
    %127:2 = call @cell_step_6(%15, %19#2, %16, %19#3, %19#4, %19#5, %19#6, %19#7, %19#8, %19#9, %19#10, %123, %121#3) : (tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf16>, tensor<4x32xf32>) -> (tensor<4x128xf16>, tensor<32x128xf16>)
    %128 = stablehlo.add %122, %127#1 : tensor<32x128xf16>
    %129 = stablehlo.broadcast_in_dim %127#0, dims = [1, 2] : (tensor<4x128xf16>) -> tensor<1x4x128xf16>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %130 = stablehlo.pad %129, %cst_19, low = [0, 0, 0], high = [2, 0, 0], interior = [0, 0, 0] : (tensor<1x4x128xf16>, tensor<f16>) -> tensor<3x4x128xf16>
    %131 = stablehlo.add %126, %130 : tensor<3x4x128xf16>
    %132 = stablehlo.convert %128 : (tensor<32x128xf16>) -> tensor<32x128xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %133 = stablehlo.reduce(%131 init: %cst_20) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4x128xf16>, tensor<f16>) -> tensor<128xf16>
    %134 = stablehlo.reshape %133 : (tensor<128xf16>) -> tensor<1x1x128xf16>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %135 = stablehlo.reduce(%134 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x128xf16>, tensor<f16>) -> tensor<128xf16>
    %136 = stablehlo.convert %135 : (tensor<128xf16>) -> tensor<128xf32>
    %137 = stablehlo.dot_general %131, %7, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x128xf16>, tensor<3x4x32xf16>) -> tensor<128x32xf16>
    %138 = stablehlo.transpose %137, dims = [1, 0] : (tensor<128x32xf16>) -> tensor<32x128xf16>
    %139 = stablehlo.dot_general %131, %8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x4x128xf16>, tensor<32x128xf16>) -> tensor<3x4x32xf16>
    %140 = stablehlo.convert %138 : (tensor<32x128xf16>) -> tensor<32x128xf32>
    %141 = stablehlo.convert %139 : (tensor<3x4x32xf16>) -> tensor<3x4x32xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %143 = "stablehlo.scatter"(%142, %5, %141) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg30: tensor<f32>, %arg31: tensor<f32>):
      %159 = stablehlo.add %arg30, %arg31 : tensor<f32>
      stablehlo.return %159 : tensor<f32>
    }) : (tensor<64x32xf32>, tensor<3x4x1xi32>, tensor<3x4x32xf32>) -> tensor<64x32xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %144 = stablehlo.add %arg0, %cst_23 : tensor<f32>
    %cst_24 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %145 = stablehlo.power %cst_24, %144 : tensor<f32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %146 = stablehlo.subtract %cst_25, %145 : tensor<f32>
    %cst_26 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %147 = stablehlo.power %cst_26, %144 : tensor<f32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %148 = stablehlo.subtract %cst_27, %147 : tensor<f32>
    %149:3 = call @_adam(%arg19, %arg1, %arg10, %76, %146, %148) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %150:3 = call @_adam_7(%arg20, %arg2, %arg11, %80, %146, %148) : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<f32>, tensor<f32>) -> (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>)
    %151:3 = call @_adam_8(%arg21, %arg3, %arg12, %136, %146, %148) : (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<f32>, tensor<f32>) -> (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>)
    %152:3 = call @_adam_9(%arg22, %arg4, %arg13, %140, %146, %148) : (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<f32>, tensor<f32>) -> (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>)
    %153:3 = call @_adam_9(%arg23, %arg5, %arg14, %132, %146, %148) : (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<f32>, tensor<f32>) -> (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>)
    %154:3 = call @_adam_8(%arg24, %arg6, %arg15, %106, %146, %148) : (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<f32>, tensor<f32>) -> (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>)
    %155:3 = call @_adam_9(%arg25, %arg7, %arg16, %110, %146, %148) : (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<f32>, tensor<f32>) -> (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>)
    %156:3 = call @_adam_9(%arg26, %arg8, %arg17, %102, %146, %148) : (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<f32>, tensor<f32>) -> (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>)
    %157:3 = call @_adam_10(%arg27, %arg9, %arg18, %143, %146, %148) : (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<f32>, tensor<f32>) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>)
    %cst_28 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %158 = stablehlo.divide %65, %cst_28 : tensor<f32>
    return %144, %149#1, %150#1, %151#1, %152#1, %153#1, %154#1, %155#1, %156#1, %157#1, %149#2, %150#2, %151#2, %152#2, %153#2, %154#2, %155#2, %156#2, %157#2, %149#0, %150#0, %151#0, %152#0, %153#0, %154#0, %155#0, %156#0, %157#0, %158 : tensor<f32>, tensor<64xf32>, tensor<32x64xf32>, tensor<128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<64x32xf32>, tensor<64xf32>, tensor<32x64xf32>, tensor<128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<64x32xf32>, tensor<64xf32>, tensor<32x64xf32>, tensor<128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<64x32xf32>, tensor<f32>
  }
  func.func private @cell_step(%arg0: tensor<4x128xf16>, %arg1: tensor<32x128xf16>, %arg2: tensor<4x32xf16>, %arg3: tensor<4x32xf32>) -> (tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) {
    %0 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32xf16>, tensor<32x128xf16>) -> tensor<4x128xf16>
    %1 = stablehlo.add %arg0, %0 : tensor<4x128xf16>
    %2 = stablehlo.convert %1 : (tensor<4x128xf16>) -> tensor<4x128xf32>
    %3 = stablehlo.slice %2 [0:4, 0:32] : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %4 = stablehlo.slice %2 [0:4, 32:64] : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %5 = stablehlo.slice %2 [0:4, 64:96] : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %6 = stablehlo.slice %2 [0:4, 96:128] : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %7 = stablehlo.negate %4 : tensor<4x32xf32>
    %8 = stablehlo.exponential %7 : tensor<4x32xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %10 = stablehlo.add %9, %8 : tensor<4x32xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %12 = stablehlo.divide %11, %10 : tensor<4x32xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %14 = stablehlo.subtract %13, %12 : tensor<4x32xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<4x32xf32>
    %16 = stablehlo.multiply %12, %arg3 : tensor<4x32xf32>
    %17 = stablehlo.negate %3 : tensor<4x32xf32>
    %18 = stablehlo.exponential %17 : tensor<4x32xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %20 = stablehlo.add %19, %18 : tensor<4x32xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %22 = stablehlo.divide %21, %20 : tensor<4x32xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %24 = stablehlo.subtract %23, %22 : tensor<4x32xf32>
    %25 = stablehlo.multiply %22, %24 : tensor<4x32xf32>
    %26 = stablehlo.tanh %6 : tensor<4x32xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %28 = stablehlo.subtract %27, %26 : tensor<4x32xf32>
    %29 = stablehlo.multiply %22, %26 : tensor<4x32xf32>
    %30 = stablehlo.add %16, %29 : tensor<4x32xf32>
    %31 = stablehlo.negate %5 : tensor<4x32xf32>
    %32 = stablehlo.exponential %31 : tensor<4x32xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %34 = stablehlo.add %33, %32 : tensor<4x32xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %36 = stablehlo.divide %35, %34 : tensor<4x32xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %38 = stablehlo.subtract %37, %36 : tensor<4x32xf32>
    %39 = stablehlo.multiply %36, %38 : tensor<4x32xf32>
    %40 = stablehlo.tanh %30 : tensor<4x32xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %42 = stablehlo.subtract %41, %40 : tensor<4x32xf32>
    %43 = stablehlo.multiply %36, %40 : tensor<4x32xf32>
    %44 = stablehlo.convert %43 : (tensor<4x32xf32>) -> tensor<4x32xf16>
    return %44, %30, %15, %25, %26, %28, %22, %39, %40, %42, %36 : tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>
  }
  func.func private @cell_step_0(%arg0: tensor<4x128xf16>, %arg1: tensor<32x128xf16>, %arg2: tensor<4x32xf16>, %arg3: tensor<4x32xf32>) -> (tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) {
    %0 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32xf16>, tensor<32x128xf16>) -> tensor<4x128xf16>
    %1 = stablehlo.add %arg0, %0 : tensor<4x128xf16>
    %2 = stablehlo.convert %1 : (tensor<4x128xf16>) -> tensor<4x128xf32>
    %3 = stablehlo.slice %2 [0:4, 0:32] : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %4 = stablehlo.slice %2 [0:4, 32:64] : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %5 = stablehlo.slice %2 [0:4, 64:96] : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %6 = stablehlo.slice %2 [0:4, 96:128] : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %7 = stablehlo.negate %4 : tensor<4x32xf32>
    %8 = stablehlo.exponential %7 : tensor<4x32xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %10 = stablehlo.add %9, %8 : tensor<4x32xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %12 = stablehlo.divide %11, %10 : tensor<4x32xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %14 = stablehlo.subtract %13, %12 : tensor<4x32xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<4x32xf32>
    %16 = stablehlo.multiply %12, %arg3 : tensor<4x32xf32>
    %17 = stablehlo.negate %3 : tensor<4x32xf32>
    %18 = stablehlo.exponential %17 : tensor<4x32xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %20 = stablehlo.add %19, %18 : tensor<4x32xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %22 = stablehlo.divide %21, %20 : tensor<4x32xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %24 = stablehlo.subtract %23, %22 : tensor<4x32xf32>
    %25 = stablehlo.multiply %22, %24 : tensor<4x32xf32>
    %26 = stablehlo.tanh %6 : tensor<4x32xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %28 = stablehlo.subtract %27, %26 : tensor<4x32xf32>
    %29 = stablehlo.multiply %22, %26 : tensor<4x32xf32>
    %30 = stablehlo.add %16, %29 : tensor<4x32xf32>
    %31 = stablehlo.negate %5 : tensor<4x32xf32>
    %32 = stablehlo.exponential %31 : tensor<4x32xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %34 = stablehlo.add %33, %32 : tensor<4x32xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %36 = stablehlo.divide %35, %34 : tensor<4x32xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %38 = stablehlo.subtract %37, %36 : tensor<4x32xf32>
    %39 = stablehlo.multiply %36, %38 : tensor<4x32xf32>
    %40 = stablehlo.tanh %30 : tensor<4x32xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %42 = stablehlo.subtract %41, %40 : tensor<4x32xf32>
    %43 = stablehlo.multiply %36, %40 : tensor<4x32xf32>
    %44 = stablehlo.convert %43 : (tensor<4x32xf32>) -> tensor<4x32xf16>
    return %44, %30, %15, %12, %25, %26, %28, %22, %39, %40, %42, %36 : tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>
  }
  func.func private @cell_step_1(%arg0: tensor<4x128xf16>, %arg1: tensor<32x128xf16>, %arg2: tensor<4x32xf16>, %arg3: tensor<4x32xf32>) -> (tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) {
    %0 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x32xf16>, tensor<32x128xf16>) -> tensor<4x128xf16>
    %1 = stablehlo.add %arg0, %0 : tensor<4x128xf16>
    %2 = stablehlo.convert %1 : (tensor<4x128xf16>) -> tensor<4x128xf32>
    %3 = stablehlo.slice %2 [0:4, 0:32] : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %4 = stablehlo.slice %2 [0:4, 32:64] : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %5 = stablehlo.slice %2 [0:4, 64:96] : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %6 = stablehlo.slice %2 [0:4, 96:128] : (tensor<4x128xf32>) -> tensor<4x32xf32>
    %7 = stablehlo.negate %4 : tensor<4x32xf32>
    %8 = stablehlo.exponential %7 : tensor<4x32xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %10 = stablehlo.add %9, %8 : tensor<4x32xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %12 = stablehlo.divide %11, %10 : tensor<4x32xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %14 = stablehlo.subtract %13, %12 : tensor<4x32xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<4x32xf32>
    %16 = stablehlo.multiply %12, %arg3 : tensor<4x32xf32>
    %17 = stablehlo.negate %3 : tensor<4x32xf32>
    %18 = stablehlo.exponential %17 : tensor<4x32xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %20 = stablehlo.add %19, %18 : tensor<4x32xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %22 = stablehlo.divide %21, %20 : tensor<4x32xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %24 = stablehlo.subtract %23, %22 : tensor<4x32xf32>
    %25 = stablehlo.multiply %22, %24 : tensor<4x32xf32>
    %26 = stablehlo.tanh %6 : tensor<4x32xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %28 = stablehlo.subtract %27, %26 : tensor<4x32xf32>
    %29 = stablehlo.multiply %22, %26 : tensor<4x32xf32>
    %30 = stablehlo.add %16, %29 : tensor<4x32xf32>
    %31 = stablehlo.negate %5 : tensor<4x32xf32>
    %32 = stablehlo.exponential %31 : tensor<4x32xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %34 = stablehlo.add %33, %32 : tensor<4x32xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %36 = stablehlo.divide %35, %34 : tensor<4x32xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %38 = stablehlo.subtract %37, %36 : tensor<4x32xf32>
    %39 = stablehlo.multiply %36, %38 : tensor<4x32xf32>
    %40 = stablehlo.tanh %30 : tensor<4x32xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x32xf32>
    %42 = stablehlo.subtract %41, %40 : tensor<4x32xf32>
    %43 = stablehlo.multiply %36, %40 : tensor<4x32xf32>
    %44 = stablehlo.convert %43 : (tensor<4x32xf32>) -> tensor<4x32xf16>
    return %44, %15, %12, %25, %26, %28, %22, %39, %40, %42, %36 : tensor<4x32xf16>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>
  }
  func.func private @log_softmax(%arg0: tensor<3x4x64xf32>) -> (tensor<3x4x64xf32>, tensor<3x4x64xf32>, tensor<3x4x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<3x4x64xf32>, tensor<f32>) -> tensor<3x4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<3x4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<3x4xf32>) -> tensor<3x4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<3x4x1xf32>) -> tensor<3x4x64xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<3x4x64xf32>
    %6 = stablehlo.exponential %5 : tensor<3x4x64xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<3x4x64xf32>, tensor<f32>) -> tensor<3x4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<3x4xf32>) -> tensor<3x4x1xf32>
    %9 = stablehlo.log %8 : tensor<3x4x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<3x4x1xf32>) -> tensor<3x4x64xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<3x4x64xf32>
    return %11, %6, %8 : tensor<3x4x64xf32>, tensor<3x4x64xf32>, tensor<3x4x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<3x4x64xf32>, %arg1: tensor<3x4x1xi32>) -> (tensor<3x4x1xf32>, tensor<3x4x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x4x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3x4x1xi32>, tensor<3x4x1xi32>) -> tensor<3x4x1xi1>
    %c_0 = stablehlo.constant dense<64> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x4x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3x4x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3x4x1xi1>, tensor<3x4x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<3x4x1xi32>) -> tensor<3x4x1x1xi32>
    %c_1 = stablehlo.constant dense<63> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x4x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x4x1x1xi32>, tensor<3x4x1x1xi32>) -> tensor<3x4x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<3x4x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<3x4x1x1xi32>, tensor<3x4x1x1xi32>) -> tensor<3x4x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<3x4x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<3x4x1x1xi1>, tensor<i1>) -> tensor<3x4x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<3x4x64xf32>, tensor<3x4x1x1xi32>) -> tensor<3x4x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<3x4x1xi1>, tensor<3x4x1xf32>
    return %15, %5 : tensor<3x4x1xf32>, tensor<3x4x1x1xi32>
  }
  func.func private @take_along_axis_2(%arg0: tensor<3x4x1x1xi32>, %arg1: tensor<3x4x1xf32>) -> tensor<3x4x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4x64xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<3x4x64xf32>, tensor<3x4x1x1xi32>, tensor<3x4x1xf32>) -> tensor<3x4x64xf32>
    return %1 : tensor<3x4x64xf32>
  }
  func.func private @log_softmax_3(%arg0: tensor<3x4x64xf32>, %arg1: tensor<3x4x1xf32>, %arg2: tensor<3x4x64xf32>) -> tensor<3x4x64xf32> {
    %0 = stablehlo.negate %arg2 : tensor<3x4x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<3x4x64xf32>, tensor<f32>) -> tensor<3x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<3x4xf32>) -> tensor<3x4x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<3x4x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<3x4x1xf32>, tensor<f32>) -> tensor<3x4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x4xf32>) -> tensor<3x4x64xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<3x4x64xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<3x4x64xf32>
    return %7 : tensor<3x4x64xf32>
  }
  func.func private @cell_step_4(%arg0: tensor<32x128xf16>, %arg1: tensor<4x32xf16>, %arg2: tensor<4x32xf32>, %arg3: tensor<4x32xf32>, %arg4: tensor<4x32xf32>, %arg5: tensor<4x32xf32>, %arg6: tensor<4x32xf32>, %arg7: tensor<4x32xf32>, %arg8: tensor<4x32xf32>, %arg9: tensor<4x32xf32>, %arg10: tensor<4x32xf32>, %arg11: tensor<4x32xf32>, %arg12: tensor<4x32xf32>, %arg13: tensor<4x32xf16>) -> (tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>) {
    %0 = stablehlo.convert %arg13 : (tensor<4x32xf16>) -> tensor<4x32xf32>
    %1 = stablehlo.multiply %arg12, %0 : tensor<4x32xf32>
    %2 = stablehlo.multiply %0, %arg10 : tensor<4x32xf32>
    %3 = stablehlo.multiply %1, %arg11 : tensor<4x32xf32>
    %4 = stablehlo.multiply %3, %arg10 : tensor<4x32xf32>
    %5 = stablehlo.add %3, %4 : tensor<4x32xf32>
    %6 = stablehlo.multiply %2, %arg9 : tensor<4x32xf32>
    %7 = stablehlo.multiply %arg8, %5 : tensor<4x32xf32>
    %8 = stablehlo.multiply %5, %arg6 : tensor<4x32xf32>
    %9 = stablehlo.multiply %7, %arg7 : tensor<4x32xf32>
    %10 = stablehlo.multiply %9, %arg6 : tensor<4x32xf32>
    %11 = stablehlo.add %9, %10 : tensor<4x32xf32>
    %12 = stablehlo.multiply %8, %arg5 : tensor<4x32xf32>
    %13 = stablehlo.multiply %arg4, %5 : tensor<4x32xf32>
    %14 = stablehlo.multiply %5, %arg3 : tensor<4x32xf32>
    %15 = stablehlo.multiply %14, %arg2 : tensor<4x32xf32>
    %16 = stablehlo.concatenate %12, %15, %6, %11, dim = 1 : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x128xf32>
    %17 = stablehlo.convert %16 : (tensor<4x128xf32>) -> tensor<4x128xf16>
    %18 = stablehlo.dot_general %17, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x128xf16>, tensor<4x32xf16>) -> tensor<128x32xf16>
    %19 = stablehlo.transpose %18, dims = [1, 0] : (tensor<128x32xf16>) -> tensor<32x128xf16>
    %20 = stablehlo.dot_general %17, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x128xf16>, tensor<32x128xf16>) -> tensor<4x32xf16>
    return %17, %19, %20, %13 : tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>
  }
  func.func private @cell_step_5(%arg0: tensor<32x128xf16>, %arg1: tensor<4x32xf16>, %arg2: tensor<4x32xf32>, %arg3: tensor<4x32xf32>, %arg4: tensor<4x32xf32>, %arg5: tensor<4x32xf32>, %arg6: tensor<4x32xf32>, %arg7: tensor<4x32xf32>, %arg8: tensor<4x32xf32>, %arg9: tensor<4x32xf32>, %arg10: tensor<4x32xf32>, %arg11: tensor<4x32xf32>, %arg12: tensor<4x32xf32>, %arg13: tensor<4x32xf16>, %arg14: tensor<4x32xf32>) -> (tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>) {
    %0 = stablehlo.convert %arg13 : (tensor<4x32xf16>) -> tensor<4x32xf32>
    %1 = stablehlo.multiply %arg12, %0 : tensor<4x32xf32>
    %2 = stablehlo.multiply %0, %arg10 : tensor<4x32xf32>
    %3 = stablehlo.multiply %1, %arg11 : tensor<4x32xf32>
    %4 = stablehlo.add %arg14, %3 : tensor<4x32xf32>
    %5 = stablehlo.multiply %3, %arg10 : tensor<4x32xf32>
    %6 = stablehlo.add %4, %5 : tensor<4x32xf32>
    %7 = stablehlo.multiply %2, %arg9 : tensor<4x32xf32>
    %8 = stablehlo.multiply %arg8, %6 : tensor<4x32xf32>
    %9 = stablehlo.multiply %6, %arg6 : tensor<4x32xf32>
    %10 = stablehlo.multiply %8, %arg7 : tensor<4x32xf32>
    %11 = stablehlo.multiply %10, %arg6 : tensor<4x32xf32>
    %12 = stablehlo.add %10, %11 : tensor<4x32xf32>
    %13 = stablehlo.multiply %9, %arg5 : tensor<4x32xf32>
    %14 = stablehlo.multiply %arg4, %6 : tensor<4x32xf32>
    %15 = stablehlo.multiply %6, %arg3 : tensor<4x32xf32>
    %16 = stablehlo.multiply %15, %arg2 : tensor<4x32xf32>
    %17 = stablehlo.concatenate %13, %16, %7, %12, dim = 1 : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x128xf32>
    %18 = stablehlo.convert %17 : (tensor<4x128xf32>) -> tensor<4x128xf16>
    %19 = stablehlo.dot_general %18, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x128xf16>, tensor<4x32xf16>) -> tensor<128x32xf16>
    %20 = stablehlo.transpose %19, dims = [1, 0] : (tensor<128x32xf16>) -> tensor<32x128xf16>
    %21 = stablehlo.dot_general %18, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x128xf16>, tensor<32x128xf16>) -> tensor<4x32xf16>
    return %18, %20, %21, %14 : tensor<4x128xf16>, tensor<32x128xf16>, tensor<4x32xf16>, tensor<4x32xf32>
  }
  func.func private @cell_step_6(%arg0: tensor<4x32xf16>, %arg1: tensor<4x32xf32>, %arg2: tensor<4x32xf32>, %arg3: tensor<4x32xf32>, %arg4: tensor<4x32xf32>, %arg5: tensor<4x32xf32>, %arg6: tensor<4x32xf32>, %arg7: tensor<4x32xf32>, %arg8: tensor<4x32xf32>, %arg9: tensor<4x32xf32>, %arg10: tensor<4x32xf32>, %arg11: tensor<4x32xf16>, %arg12: tensor<4x32xf32>) -> (tensor<4x128xf16>, tensor<32x128xf16>) {
    %0 = stablehlo.convert %arg11 : (tensor<4x32xf16>) -> tensor<4x32xf32>
    %1 = stablehlo.multiply %arg10, %0 : tensor<4x32xf32>
    %2 = stablehlo.multiply %0, %arg8 : tensor<4x32xf32>
    %3 = stablehlo.multiply %1, %arg9 : tensor<4x32xf32>
    %4 = stablehlo.add %arg12, %3 : tensor<4x32xf32>
    %5 = stablehlo.multiply %3, %arg8 : tensor<4x32xf32>
    %6 = stablehlo.add %4, %5 : tensor<4x32xf32>
    %7 = stablehlo.multiply %2, %arg7 : tensor<4x32xf32>
    %8 = stablehlo.multiply %arg6, %6 : tensor<4x32xf32>
    %9 = stablehlo.multiply %6, %arg4 : tensor<4x32xf32>
    %10 = stablehlo.multiply %8, %arg5 : tensor<4x32xf32>
    %11 = stablehlo.multiply %10, %arg4 : tensor<4x32xf32>
    %12 = stablehlo.add %10, %11 : tensor<4x32xf32>
    %13 = stablehlo.multiply %9, %arg3 : tensor<4x32xf32>
    %14 = stablehlo.multiply %6, %arg2 : tensor<4x32xf32>
    %15 = stablehlo.multiply %14, %arg1 : tensor<4x32xf32>
    %16 = stablehlo.concatenate %13, %15, %7, %12, dim = 1 : (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<4x128xf32>
    %17 = stablehlo.convert %16 : (tensor<4x128xf32>) -> tensor<4x128xf16>
    %18 = stablehlo.dot_general %17, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x128xf16>, tensor<4x32xf16>) -> tensor<128x32xf16>
    %19 = stablehlo.transpose %18, dims = [1, 0] : (tensor<128x32xf16>) -> tensor<32x128xf16>
    return %17, %19 : tensor<4x128xf16>, tensor<32x128xf16>
  }
  func.func private @_adam(%arg0: tensor<64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
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
  func.func private @_adam_7(%arg0: tensor<32x64xf32>, %arg1: tensor<32x64xf32>, %arg2: tensor<32x64xf32>, %arg3: tensor<32x64xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<32x64xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<32x64xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<32x64xf32>
    %6 = stablehlo.add %3, %5 : tensor<32x64xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<32x64xf32>
    %9 = chlo.square %1 : tensor<32x64xf32> -> tensor<32x64xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<32x64xf32>
    %12 = stablehlo.add %8, %11 : tensor<32x64xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %14 = stablehlo.divide %6, %13 : tensor<32x64xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %16 = stablehlo.divide %12, %15 : tensor<32x64xf32>
    %17 = stablehlo.sqrt %16 : tensor<32x64xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %19 = stablehlo.add %17, %18 : tensor<32x64xf32>
    %20 = stablehlo.divide %14, %19 : tensor<32x64xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<32x64xf32>
    %23 = stablehlo.add %20, %22 : tensor<32x64xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<32x64xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<32x64xf32>
    return %26, %6, %12 : tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>
  }
  func.func private @_adam_8(%arg0: tensor<128xf32>, %arg1: tensor<128xf32>, %arg2: tensor<128xf32>, %arg3: tensor<128xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<128xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<128xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<128xf32>
    %6 = stablehlo.add %3, %5 : tensor<128xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<128xf32>
    %9 = chlo.square %1 : tensor<128xf32> -> tensor<128xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<128xf32>
    %12 = stablehlo.add %8, %11 : tensor<128xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %14 = stablehlo.divide %6, %13 : tensor<128xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %16 = stablehlo.divide %12, %15 : tensor<128xf32>
    %17 = stablehlo.sqrt %16 : tensor<128xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %19 = stablehlo.add %17, %18 : tensor<128xf32>
    %20 = stablehlo.divide %14, %19 : tensor<128xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<128xf32>
    %23 = stablehlo.add %20, %22 : tensor<128xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<128xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<128xf32>
    return %26, %6, %12 : tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
  }
  func.func private @_adam_9(%arg0: tensor<32x128xf32>, %arg1: tensor<32x128xf32>, %arg2: tensor<32x128xf32>, %arg3: tensor<32x128xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<32x128xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<32x128xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<32x128xf32>
    %6 = stablehlo.add %3, %5 : tensor<32x128xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<32x128xf32>
    %9 = chlo.square %1 : tensor<32x128xf32> -> tensor<32x128xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<32x128xf32>
    %12 = stablehlo.add %8, %11 : tensor<32x128xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %14 = stablehlo.divide %6, %13 : tensor<32x128xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %16 = stablehlo.divide %12, %15 : tensor<32x128xf32>
    %17 = stablehlo.sqrt %16 : tensor<32x128xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %19 = stablehlo.add %17, %18 : tensor<32x128xf32>
    %20 = stablehlo.divide %14, %19 : tensor<32x128xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<32x128xf32>
    %23 = stablehlo.add %20, %22 : tensor<32x128xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<32x128xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<32x128xf32>
    return %26, %6, %12 : tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>
  }
  func.func private @_adam_10(%arg0: tensor<64x32xf32>, %arg1: tensor<64x32xf32>, %arg2: tensor<64x32xf32>, %arg3: tensor<64x32xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<64x32xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<64x32xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<64x32xf32>
    %6 = stablehlo.add %3, %5 : tensor<64x32xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<64x32xf32>
    %9 = chlo.square %1 : tensor<64x32xf32> -> tensor<64x32xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<64x32xf32>
    %12 = stablehlo.add %8, %11 : tensor<64x32xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %14 = stablehlo.divide %6, %13 : tensor<64x32xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %16 = stablehlo.divide %12, %15 : tensor<64x32xf32>
    %17 = stablehlo.sqrt %16 : tensor<64x32xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %19 = stablehlo.add %17, %18 : tensor<64x32xf32>
    %20 = stablehlo.divide %14, %19 : tensor<64x32xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<64x32xf32>
    %23 = stablehlo.add %20, %22 : tensor<64x32xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<64x32xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<64x32xf32>
    return %26, %6, %12 : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>
  }
}
