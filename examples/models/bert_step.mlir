module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024xf32>, %arg1: tensor<256xf32>, %arg2: tensor<8192x256xf32>, %arg3: tensor<256x1024xf32>, %arg4: tensor<256x256xf32>, %arg5: tensor<256x256xf32>, %arg6: tensor<256x256xf32>, %arg7: tensor<256xf32>, %arg8: tensor<256xf32>, %arg9: tensor<1024x256xf32>, %arg10: tensor<256xf32>, %arg11: tensor<256xf32>, %arg12: tensor<256x256xf32>, %arg13: tensor<1024xf32>, %arg14: tensor<256xf32>, %arg15: tensor<8192x256xf32>, %arg16: tensor<256x1024xf32>, %arg17: tensor<256x256xf32>, %arg18: tensor<256x256xf32>, %arg19: tensor<256x256xf32>, %arg20: tensor<256xf32>, %arg21: tensor<256xf32>, %arg22: tensor<1024x256xf32>, %arg23: tensor<256xf32>, %arg24: tensor<256xf32>, %arg25: tensor<256x256xf32>, %arg26: tensor<1024xf32>, %arg27: tensor<256xf32>, %arg28: tensor<8192x256xf32>, %arg29: tensor<256x1024xf32>, %arg30: tensor<256x256xf32>, %arg31: tensor<256x256xf32>, %arg32: tensor<256x256xf32>, %arg33: tensor<256xf32>, %arg34: tensor<256xf32>, %arg35: tensor<1024x256xf32>, %arg36: tensor<256xf32>, %arg37: tensor<256xf32>, %arg38: tensor<256x256xf32>, %arg39: tensor<f32>, %arg40: tensor<8x128xi32>, %arg41: tensor<8x128xi32>, %arg42: tensor<2xui32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<1024xf32> {jax.result_info = "result[1]['bias1']"}, tensor<256xf32> {jax.result_info = "result[1]['bias2']"}, tensor<8192x256xf32> {jax.result_info = "result[1]['embedding']"}, tensor<256x1024xf32> {jax.result_info = "result[1]['first']"}, tensor<256x256xf32> {jax.result_info = "result[1]['key']"}, tensor<256x256xf32> {jax.result_info = "result[1]['out']"}, tensor<256x256xf32> {jax.result_info = "result[1]['query']"}, tensor<256xf32> {jax.result_info = "result[1]['scale1']"}, tensor<256xf32> {jax.result_info = "result[1]['scale2']"}, tensor<1024x256xf32> {jax.result_info = "result[1]['second']"}, tensor<256xf32> {jax.result_info = "result[1]['shift1']"}, tensor<256xf32> {jax.result_info = "result[1]['shift2']"}, tensor<256x256xf32> {jax.result_info = "result[1]['value']"}, tensor<1024xf32> {jax.result_info = "result[2]['bias1']"}, tensor<256xf32> {jax.result_info = "result[2]['bias2']"}, tensor<8192x256xf32> {jax.result_info = "result[2]['embedding']"}, tensor<256x1024xf32> {jax.result_info = "result[2]['first']"}, tensor<256x256xf32> {jax.result_info = "result[2]['key']"}, tensor<256x256xf32> {jax.result_info = "result[2]['out']"}, tensor<256x256xf32> {jax.result_info = "result[2]['query']"}, tensor<256xf32> {jax.result_info = "result[2]['scale1']"}, tensor<256xf32> {jax.result_info = "result[2]['scale2']"}, tensor<1024x256xf32> {jax.result_info = "result[2]['second']"}, tensor<256xf32> {jax.result_info = "result[2]['shift1']"}, tensor<256xf32> {jax.result_info = "result[2]['shift2']"}, tensor<256x256xf32> {jax.result_info = "result[2]['value']"}, tensor<1024xf32> {jax.result_info = "result[3]['bias1']"}, tensor<256xf32> {jax.result_info = "result[3]['bias2']"}, tensor<8192x256xf32> {jax.result_info = "result[3]['embedding']"}, tensor<256x1024xf32> {jax.result_info = "result[3]['first']"}, tensor<256x256xf32> {jax.result_info = "result[3]['key']"}, tensor<256x256xf32> {jax.result_info = "result[3]['out']"}, tensor<256x256xf32> {jax.result_info = "result[3]['query']"}, tensor<256xf32> {jax.result_info = "result[3]['scale1']"}, tensor<256xf32> {jax.result_info = "result[3]['scale2']"}, tensor<1024x256xf32> {jax.result_info = "result[3]['second']"}, tensor<256xf32> {jax.result_info = "result[3]['shift1']"}, tensor<256xf32> {jax.result_info = "result[3]['shift2']"}, tensor<256x256xf32> {jax.result_info = "result[3]['value']"}) {
    %0 = call @_threefry_split(%arg42) : (tensor<2xui32>) -> tensor<2x2xui32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x128xi32>
    %2 = stablehlo.compare LT, %arg40, %1, SIGNED : (tensor<8x128xi32>, tensor<8x128xi32>) -> tensor<8x128xi1>
    %c_0 = stablehlo.constant dense<8192> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x128xi32>
    %4 = stablehlo.add %arg40, %3 : tensor<8x128xi32>
    %5 = stablehlo.select %2, %4, %arg40 : tensor<8x128xi1>, tensor<8x128xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<8x128xi32>) -> tensor<8x128x1xi32>
    %7 = "stablehlo.gather"(%arg2, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 256>}> : (tensor<8192x256xf32>, tensor<8x128x1xi32>) -> tensor<8x128x256xf32>
    %8 = stablehlo.dot_general %7, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<256x256xf32>) -> tensor<8x128x256xf32>
    %9 = stablehlo.reshape %8 : (tensor<8x128x256xf32>) -> tensor<8x128x4x64xf32>
    %10 = stablehlo.dot_general %7, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<256x256xf32>) -> tensor<8x128x256xf32>
    %11 = stablehlo.reshape %10 : (tensor<8x128x256xf32>) -> tensor<8x128x4x64xf32>
    %12 = stablehlo.dot_general %7, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<256x256xf32>) -> tensor<8x128x256xf32>
    %13 = stablehlo.reshape %12 : (tensor<8x128x256xf32>) -> tensor<8x128x4x64xf32>
    %14 = stablehlo.dot_general %9, %11, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x128x4x64xf32>) -> tensor<8x4x128x128xf32>
    %cst = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %16 = stablehlo.divide %14, %15 : tensor<8x4x128x128xf32>
    %17 = stablehlo.slice %0 [0:1, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %18 = stablehlo.reshape %17 : (tensor<1x2xui32>) -> tensor<2xui32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %19 = stablehlo.reduce(%16 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x4x128xf32>
    %21 = stablehlo.maximum %20, %19 : tensor<8x4x128xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %24 = stablehlo.subtract %16, %23 : tensor<8x4x128x128xf32>
    %25 = stablehlo.exponential %24 : tensor<8x4x128x128xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %29 = stablehlo.divide %25, %28 : tensor<8x4x128x128xf32>
    %30 = stablehlo.multiply %27, %27 : tensor<8x4x128x1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x4x128x1xf32>
    %32 = stablehlo.divide %31, %30 : tensor<8x4x128x1xf32>
    %cst_5 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %33 = call @_bernoulli(%18, %cst_5) : (tensor<2xui32>, tensor<f32>) -> tensor<8x4x128x128xi1>
    %cst_6 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %35 = stablehlo.divide %29, %34 : tensor<8x4x128x128xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %36 = call @_where(%33, %35, %c_7) : (tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>, tensor<i32>) -> tensor<8x4x128x128xf32>
    %37 = stablehlo.dot_general %13, %36, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x64x128xf32>
    %38 = stablehlo.transpose %37, dims = [0, 3, 1, 2] : (tensor<8x4x64x128xf32>) -> tensor<8x128x4x64xf32>
    %39 = stablehlo.reshape %38 : (tensor<8x128x4x64xf32>) -> tensor<8x128x256xf32>
    %40 = stablehlo.slice %0 [1:2, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %41 = stablehlo.reshape %40 : (tensor<1x2xui32>) -> tensor<2xui32>
    %42 = stablehlo.dot_general %39, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<256x256xf32>) -> tensor<8x128x256xf32>
    %cst_8 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %43 = call @_bernoulli_2(%41, %cst_8) : (tensor<2xui32>, tensor<f32>) -> tensor<8x128x256xi1>
    %cst_9 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x128x256xf32>
    %45 = stablehlo.divide %42, %44 : tensor<8x128x256xf32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %46 = call @_where_6(%43, %45, %c_10) : (tensor<8x128x256xi1>, tensor<8x128x256xf32>, tensor<i32>) -> tensor<8x128x256xf32>
    %47 = stablehlo.add %7, %46 : tensor<8x128x256xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_12 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %51 = stablehlo.divide %49, %50 : tensor<8x128x1xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x256xf32>
    %53 = stablehlo.subtract %47, %52 : tensor<8x128x256xf32>
    %54 = chlo.square %53 : tensor<8x128x256xf32> -> tensor<8x128x256xf32>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x128x256xf32>
    %56 = stablehlo.multiply %55, %53 : tensor<8x128x256xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%54 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_15 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %60 = stablehlo.divide %58, %59 : tensor<8x128x1xf32>
    %61 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x256xf32>
    %62 = stablehlo.subtract %47, %61 : tensor<8x128x256xf32>
    %cst_16 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %64 = stablehlo.add %60, %63 : tensor<8x128x1xf32>
    %65 = stablehlo.rsqrt %64 : tensor<8x128x1xf32>
    %66 = stablehlo.divide %65, %64 : tensor<8x128x1xf32>
    %cst_17 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %68 = stablehlo.multiply %67, %66 : tensor<8x128x1xf32>
    %69 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x256xf32>
    %70 = stablehlo.multiply %62, %69 : tensor<8x128x256xf32>
    %71 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2] : (tensor<1x1x256xf32>) -> tensor<8x128x256xf32>
    %73 = stablehlo.multiply %70, %72 : tensor<8x128x256xf32>
    %74 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2] : (tensor<1x1x256xf32>) -> tensor<8x128x256xf32>
    %76 = stablehlo.add %73, %75 : tensor<8x128x256xf32>
    %77 = stablehlo.dot_general %76, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<256x1024xf32>) -> tensor<8x128x1024xf32>
    %78 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<1024xf32>) -> tensor<1x1x1024xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<1x1x1024xf32>) -> tensor<8x128x1024xf32>
    %80 = stablehlo.add %77, %79 : tensor<8x128x1024xf32>
    %cst_18 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x128x1024xf32>
    %82 = stablehlo.multiply %81, %80 : tensor<8x128x1024xf32>
    %83 = stablehlo.negate %80 : tensor<8x128x1024xf32>
    %cst_19 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x128x1024xf32>
    %85 = stablehlo.multiply %83, %84 : tensor<8x128x1024xf32>
    %86 = chlo.erfc %85 : tensor<8x128x1024xf32> -> tensor<8x128x1024xf32>
    %87 = chlo.square %85 : tensor<8x128x1024xf32> -> tensor<8x128x1024xf32>
    %88 = stablehlo.negate %87 : tensor<8x128x1024xf32>
    %89 = stablehlo.exponential %88 : tensor<8x128x1024xf32>
    %90 = stablehlo.multiply %82, %86 : tensor<8x128x1024xf32>
    %91 = stablehlo.dot_general %90, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x1024xf32>, tensor<1024x256xf32>) -> tensor<8x128x256xf32>
    %92 = stablehlo.add %76, %91 : tensor<8x128x256xf32>
    %93 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %94 = stablehlo.broadcast_in_dim %93, dims = [0, 1, 2] : (tensor<1x1x256xf32>) -> tensor<8x128x256xf32>
    %95 = stablehlo.add %92, %94 : tensor<8x128x256xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_20) applies stablehlo.add across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_21 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %99 = stablehlo.divide %97, %98 : tensor<8x128x1xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x256xf32>
    %101 = stablehlo.subtract %95, %100 : tensor<8x128x256xf32>
    %102 = chlo.square %101 : tensor<8x128x256xf32> -> tensor<8x128x256xf32>
    %cst_22 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x128x256xf32>
    %104 = stablehlo.multiply %103, %101 : tensor<8x128x256xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = stablehlo.reduce(%102 init: %cst_23) applies stablehlo.add across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_24 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %108 = stablehlo.divide %106, %107 : tensor<8x128x1xf32>
    %109 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x256xf32>
    %110 = stablehlo.subtract %95, %109 : tensor<8x128x256xf32>
    %cst_25 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %112 = stablehlo.add %108, %111 : tensor<8x128x1xf32>
    %113 = stablehlo.rsqrt %112 : tensor<8x128x1xf32>
    %114 = stablehlo.divide %113, %112 : tensor<8x128x1xf32>
    %cst_26 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %116 = stablehlo.multiply %115, %114 : tensor<8x128x1xf32>
    %117 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x256xf32>
    %118 = stablehlo.multiply %110, %117 : tensor<8x128x256xf32>
    %119 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0, 1, 2] : (tensor<1x1x256xf32>) -> tensor<8x128x256xf32>
    %121 = stablehlo.multiply %118, %120 : tensor<8x128x256xf32>
    %122 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1, 2] : (tensor<1x1x256xf32>) -> tensor<8x128x256xf32>
    %124 = stablehlo.add %121, %123 : tensor<8x128x256xf32>
    %125 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<8192x256xf32>) -> tensor<256x8192xf32>
    %126 = stablehlo.dot_general %124, %125, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<256x8192xf32>) -> tensor<8x128x8192xf32>
    %127:3 = call @log_softmax(%126) : (tensor<8x128x8192xf32>) -> (tensor<8x128x8192xf32>, tensor<8x128x8192xf32>, tensor<8x128x1xf32>)
    %128 = stablehlo.broadcast_in_dim %arg41, dims = [0, 1] : (tensor<8x128xi32>) -> tensor<8x128x1xi32>
    %129:2 = call @take_along_axis(%127#0, %128) : (tensor<8x128x8192xf32>, tensor<8x128x1xi32>) -> (tensor<8x128x1xf32>, tensor<8x128x1x1xi32>)
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.reduce(%129#0 init: %cst_27) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_28 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %131 = stablehlo.divide %130, %cst_28 : tensor<f32>
    %132 = stablehlo.negate %131 : tensor<f32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %133 = stablehlo.negate %cst_29 : tensor<f32>
    %cst_30 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %134 = stablehlo.divide %133, %cst_30 : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %134, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %136 = call @take_along_axis_7(%129#1, %135) : (tensor<8x128x1x1xi32>, tensor<8x128x1xf32>) -> tensor<8x128x8192xf32>
    %137 = call @log_softmax_8(%127#1, %127#2, %136) : (tensor<8x128x8192xf32>, tensor<8x128x1xf32>, tensor<8x128x8192xf32>) -> tensor<8x128x8192xf32>
    %138 = stablehlo.dot_general %137, %124, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x8192xf32>, tensor<8x128x256xf32>) -> tensor<8192x256xf32>
    %139 = stablehlo.transpose %138, dims = [1, 0] : (tensor<8192x256xf32>) -> tensor<256x8192xf32>
    %140 = stablehlo.dot_general %137, %125, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x8192xf32>, tensor<256x8192xf32>) -> tensor<8x128x256xf32>
    %141 = stablehlo.transpose %139, dims = [1, 0] : (tensor<256x8192xf32>) -> tensor<8192x256xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %142 = stablehlo.reduce(%140 init: %cst_31) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<256xf32>
    %143 = stablehlo.reshape %142 : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %144 = stablehlo.reduce(%143 init: %cst_32) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x256xf32>, tensor<f32>) -> tensor<256xf32>
    %145 = stablehlo.multiply %118, %140 : tensor<8x128x256xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %146 = stablehlo.reduce(%145 init: %cst_33) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<256xf32>
    %147 = stablehlo.reshape %146 : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %148 = stablehlo.broadcast_in_dim %119, dims = [0, 1, 2] : (tensor<1x1x256xf32>) -> tensor<8x128x256xf32>
    %149 = stablehlo.multiply %140, %148 : tensor<8x128x256xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %150 = stablehlo.reduce(%147 init: %cst_34) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x256xf32>, tensor<f32>) -> tensor<256xf32>
    %151 = stablehlo.multiply %110, %149 : tensor<8x128x256xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.reduce(%151 init: %cst_35) applies stablehlo.add across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %153 = stablehlo.reshape %152 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %154 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x256xf32>
    %155 = stablehlo.multiply %149, %154 : tensor<8x128x256xf32>
    %156 = stablehlo.multiply %153, %116 : tensor<8x128x1xf32>
    %157 = stablehlo.negate %155 : tensor<8x128x256xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %158 = stablehlo.reduce(%157 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %159 = stablehlo.reshape %158 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_37 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %161 = stablehlo.divide %156, %160 : tensor<8x128x1xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %162 = stablehlo.reduce(%161 init: %cst_38) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x256xf32>
    %164 = stablehlo.multiply %163, %104 : tensor<8x128x256xf32>
    %165 = stablehlo.negate %164 : tensor<8x128x256xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %166 = stablehlo.reduce(%165 init: %cst_39) applies stablehlo.add across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %167 = stablehlo.reshape %166 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %168 = stablehlo.add %155, %164 : tensor<8x128x256xf32>
    %169 = stablehlo.add %159, %167 : tensor<8x128x1xf32>
    %cst_40 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %171 = stablehlo.divide %169, %170 : tensor<8x128x1xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.reduce(%171 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %173 = stablehlo.broadcast_in_dim %172, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x256xf32>
    %174 = stablehlo.add %168, %173 : tensor<8x128x256xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %175 = stablehlo.reduce(%174 init: %cst_42) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<256xf32>
    %176 = stablehlo.reshape %175 : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %177 = stablehlo.reduce(%176 init: %cst_43) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x256xf32>, tensor<f32>) -> tensor<256xf32>
    %178 = stablehlo.dot_general %174, %90, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<8x128x1024xf32>) -> tensor<256x1024xf32>
    %179 = stablehlo.transpose %178, dims = [1, 0] : (tensor<256x1024xf32>) -> tensor<1024x256xf32>
    %180 = stablehlo.dot_general %174, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<1024x256xf32>) -> tensor<8x128x1024xf32>
    %181 = stablehlo.multiply %82, %180 : tensor<8x128x1024xf32>
    %182 = stablehlo.multiply %180, %86 : tensor<8x128x1024xf32>
    %cst_44 = stablehlo.constant dense<-1.12837923> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8x128x1024xf32>
    %184 = stablehlo.multiply %183, %181 : tensor<8x128x1024xf32>
    %185 = stablehlo.multiply %184, %89 : tensor<8x128x1024xf32>
    %cst_45 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x128x1024xf32>
    %187 = stablehlo.multiply %185, %186 : tensor<8x128x1024xf32>
    %188 = stablehlo.negate %187 : tensor<8x128x1024xf32>
    %cst_46 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<8x128x1024xf32>
    %190 = stablehlo.multiply %189, %182 : tensor<8x128x1024xf32>
    %191 = stablehlo.add %188, %190 : tensor<8x128x1024xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %192 = stablehlo.reduce(%191 init: %cst_47) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    %193 = stablehlo.reshape %192 : (tensor<1024xf32>) -> tensor<1x1x1024xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %194 = stablehlo.reduce(%193 init: %cst_48) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    %195 = stablehlo.dot_general %191, %76, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x1024xf32>, tensor<8x128x256xf32>) -> tensor<1024x256xf32>
    %196 = stablehlo.transpose %195, dims = [1, 0] : (tensor<1024x256xf32>) -> tensor<256x1024xf32>
    %197 = stablehlo.dot_general %191, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x1024xf32>, tensor<256x1024xf32>) -> tensor<8x128x256xf32>
    %198 = stablehlo.add %174, %197 : tensor<8x128x256xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %199 = stablehlo.reduce(%198 init: %cst_49) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<256xf32>
    %200 = stablehlo.reshape %199 : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %201 = stablehlo.reduce(%200 init: %cst_50) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x256xf32>, tensor<f32>) -> tensor<256xf32>
    %202 = stablehlo.multiply %70, %198 : tensor<8x128x256xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %203 = stablehlo.reduce(%202 init: %cst_51) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<256xf32>
    %204 = stablehlo.reshape %203 : (tensor<256xf32>) -> tensor<1x1x256xf32>
    %205 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2] : (tensor<1x1x256xf32>) -> tensor<8x128x256xf32>
    %206 = stablehlo.multiply %198, %205 : tensor<8x128x256xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %207 = stablehlo.reduce(%204 init: %cst_52) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x256xf32>, tensor<f32>) -> tensor<256xf32>
    %208 = stablehlo.multiply %62, %206 : tensor<8x128x256xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %209 = stablehlo.reduce(%208 init: %cst_53) applies stablehlo.add across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %210 = stablehlo.reshape %209 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %211 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x256xf32>
    %212 = stablehlo.multiply %206, %211 : tensor<8x128x256xf32>
    %213 = stablehlo.multiply %210, %68 : tensor<8x128x1xf32>
    %214 = stablehlo.negate %212 : tensor<8x128x256xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %215 = stablehlo.reduce(%214 init: %cst_54) applies stablehlo.add across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %216 = stablehlo.reshape %215 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %cst_55 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %217 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %218 = stablehlo.divide %213, %217 : tensor<8x128x1xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %219 = stablehlo.reduce(%218 init: %cst_56) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %220 = stablehlo.broadcast_in_dim %219, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x256xf32>
    %221 = stablehlo.multiply %220, %56 : tensor<8x128x256xf32>
    %222 = stablehlo.negate %221 : tensor<8x128x256xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %223 = stablehlo.reduce(%222 init: %cst_57) applies stablehlo.add across dimensions = [2] : (tensor<8x128x256xf32>, tensor<f32>) -> tensor<8x128xf32>
    %224 = stablehlo.reshape %223 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %225 = stablehlo.add %212, %221 : tensor<8x128x256xf32>
    %226 = stablehlo.add %216, %224 : tensor<8x128x1xf32>
    %cst_58 = stablehlo.constant dense<2.560000e+02> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %228 = stablehlo.divide %226, %227 : tensor<8x128x1xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %229 = stablehlo.reduce(%228 init: %cst_59) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %230 = stablehlo.broadcast_in_dim %229, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x256xf32>
    %231 = stablehlo.add %225, %230 : tensor<8x128x256xf32>
    %232 = call @_where_9(%43, %231) : (tensor<8x128x256xi1>, tensor<8x128x256xf32>) -> tensor<8x128x256xf32>
    %cst_60 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %233 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<8x128x256xf32>
    %234 = stablehlo.divide %232, %233 : tensor<8x128x256xf32>
    %235 = stablehlo.dot_general %234, %39, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<8x128x256xf32>) -> tensor<256x256xf32>
    %236 = stablehlo.transpose %235, dims = [1, 0] : (tensor<256x256xf32>) -> tensor<256x256xf32>
    %237 = stablehlo.dot_general %234, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<256x256xf32>) -> tensor<8x128x256xf32>
    %238 = stablehlo.reshape %237 : (tensor<8x128x256xf32>) -> tensor<8x128x4x64xf32>
    %239 = stablehlo.transpose %238, dims = [0, 2, 3, 1] : (tensor<8x128x4x64xf32>) -> tensor<8x4x64x128xf32>
    %240 = stablehlo.dot_general %239, %13, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x64x128xf32>, tensor<8x128x4x64xf32>) -> tensor<8x4x128x128xf32>
    %241 = stablehlo.dot_general %239, %36, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x64x128xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x64x128xf32>
    %242 = stablehlo.transpose %241, dims = [0, 3, 1, 2] : (tensor<8x4x64x128xf32>) -> tensor<8x128x4x64xf32>
    %243 = call @_where_10(%33, %240) : (tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>) -> tensor<8x4x128x128xf32>
    %cst_61 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %244 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %245 = stablehlo.divide %243, %244 : tensor<8x4x128x128xf32>
    %246 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %247 = stablehlo.multiply %245, %246 : tensor<8x4x128x128xf32>
    %248 = stablehlo.multiply %247, %25 : tensor<8x4x128x128xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %249 = stablehlo.reduce(%248 init: %cst_62) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x128xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %250 = stablehlo.reshape %249 : (tensor<8x4x128xf32>) -> tensor<8x4x128x1xf32>
    %251 = stablehlo.negate %250 : tensor<8x4x128x1xf32>
    %252 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3] : (tensor<8x4x128x1xf32>) -> tensor<8x4x128x128xf32>
    %253 = stablehlo.divide %245, %252 : tensor<8x4x128x128xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %254 = stablehlo.reduce(%251 init: %cst_63) applies stablehlo.add across dimensions = [3] : (tensor<8x4x128x1xf32>, tensor<f32>) -> tensor<8x4x128xf32>
    %255 = stablehlo.broadcast_in_dim %254, dims = [0, 1, 2] : (tensor<8x4x128xf32>) -> tensor<8x4x128x128xf32>
    %256 = stablehlo.add %253, %255 : tensor<8x4x128x128xf32>
    %257 = stablehlo.multiply %256, %25 : tensor<8x4x128x128xf32>
    %cst_64 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %258 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %259 = stablehlo.divide %257, %258 : tensor<8x4x128x128xf32>
    %260 = stablehlo.dot_general %259, %9, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x128x4x64xf32>) -> tensor<8x4x128x64xf32>
    %261 = stablehlo.transpose %260, dims = [0, 2, 1, 3] : (tensor<8x4x128x64xf32>) -> tensor<8x128x4x64xf32>
    %262 = stablehlo.dot_general %259, %11, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x128x128xf32>, tensor<8x128x4x64xf32>) -> tensor<8x4x128x64xf32>
    %263 = stablehlo.transpose %262, dims = [0, 2, 1, 3] : (tensor<8x4x128x64xf32>) -> tensor<8x128x4x64xf32>
    %264 = stablehlo.reshape %242 : (tensor<8x128x4x64xf32>) -> tensor<8x128x256xf32>
    %265 = stablehlo.dot_general %264, %7, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<8x128x256xf32>) -> tensor<256x256xf32>
    %266 = stablehlo.transpose %265, dims = [1, 0] : (tensor<256x256xf32>) -> tensor<256x256xf32>
    %267 = stablehlo.dot_general %264, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<256x256xf32>) -> tensor<8x128x256xf32>
    %268 = stablehlo.add %231, %267 : tensor<8x128x256xf32>
    %269 = stablehlo.reshape %261 : (tensor<8x128x4x64xf32>) -> tensor<8x128x256xf32>
    %270 = stablehlo.dot_general %269, %7, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<8x128x256xf32>) -> tensor<256x256xf32>
    %271 = stablehlo.transpose %270, dims = [1, 0] : (tensor<256x256xf32>) -> tensor<256x256xf32>
    %272 = stablehlo.dot_general %269, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<256x256xf32>) -> tensor<8x128x256xf32>
    %273 = stablehlo.add %268, %272 : tensor<8x128x256xf32>
    %274 = stablehlo.reshape %263 : (tensor<8x128x4x64xf32>) -> tensor<8x128x256xf32>
    %275 = stablehlo.dot_general %274, %7, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<8x128x256xf32>) -> tensor<256x256xf32>
    %276 = stablehlo.transpose %275, dims = [1, 0] : (tensor<256x256xf32>) -> tensor<256x256xf32>
    %277 = stablehlo.dot_general %274, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x256xf32>, tensor<256x256xf32>) -> tensor<8x128x256xf32>
    %278 = stablehlo.add %273, %277 : tensor<8x128x256xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %279 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<8192x256xf32>
    %280 = "stablehlo.scatter"(%279, %6, %278) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg43: tensor<f32>, %arg44: tensor<f32>):
      %572 = stablehlo.add %arg43, %arg44 : tensor<f32>
      stablehlo.return %572 : tensor<f32>
    }) : (tensor<8192x256xf32>, tensor<8x128x1xi32>, tensor<8x128x256xf32>) -> tensor<8192x256xf32>
    %281 = stablehlo.add %141, %280 : tensor<8192x256xf32>
    %cst_66 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %282 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<1024xf32>
    %283 = stablehlo.multiply %282, %arg13 : tensor<1024xf32>
    %cst_67 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %284 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<1024xf32>
    %285 = stablehlo.multiply %284, %194 : tensor<1024xf32>
    %286 = stablehlo.add %283, %285 : tensor<1024xf32>
    %cst_68 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %287 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %288 = stablehlo.multiply %287, %arg14 : tensor<256xf32>
    %cst_69 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %289 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %290 = stablehlo.multiply %289, %177 : tensor<256xf32>
    %291 = stablehlo.add %288, %290 : tensor<256xf32>
    %cst_70 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %292 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<8192x256xf32>
    %293 = stablehlo.multiply %292, %arg15 : tensor<8192x256xf32>
    %cst_71 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %294 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<8192x256xf32>
    %295 = stablehlo.multiply %294, %281 : tensor<8192x256xf32>
    %296 = stablehlo.add %293, %295 : tensor<8192x256xf32>
    %cst_72 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %297 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %298 = stablehlo.multiply %297, %arg16 : tensor<256x1024xf32>
    %cst_73 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %299 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %300 = stablehlo.multiply %299, %196 : tensor<256x1024xf32>
    %301 = stablehlo.add %298, %300 : tensor<256x1024xf32>
    %cst_74 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %302 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %303 = stablehlo.multiply %302, %arg17 : tensor<256x256xf32>
    %cst_75 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %304 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %305 = stablehlo.multiply %304, %271 : tensor<256x256xf32>
    %306 = stablehlo.add %303, %305 : tensor<256x256xf32>
    %cst_76 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %307 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %308 = stablehlo.multiply %307, %arg18 : tensor<256x256xf32>
    %cst_77 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %310 = stablehlo.multiply %309, %236 : tensor<256x256xf32>
    %311 = stablehlo.add %308, %310 : tensor<256x256xf32>
    %cst_78 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %312 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %313 = stablehlo.multiply %312, %arg19 : tensor<256x256xf32>
    %cst_79 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %314 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %315 = stablehlo.multiply %314, %276 : tensor<256x256xf32>
    %316 = stablehlo.add %313, %315 : tensor<256x256xf32>
    %cst_80 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %317 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %318 = stablehlo.multiply %317, %arg20 : tensor<256xf32>
    %cst_81 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %319 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %320 = stablehlo.multiply %319, %207 : tensor<256xf32>
    %321 = stablehlo.add %318, %320 : tensor<256xf32>
    %cst_82 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %322 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %323 = stablehlo.multiply %322, %arg21 : tensor<256xf32>
    %cst_83 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %324 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %325 = stablehlo.multiply %324, %150 : tensor<256xf32>
    %326 = stablehlo.add %323, %325 : tensor<256xf32>
    %cst_84 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %327 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
    %328 = stablehlo.multiply %327, %arg22 : tensor<1024x256xf32>
    %cst_85 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %329 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
    %330 = stablehlo.multiply %329, %179 : tensor<1024x256xf32>
    %331 = stablehlo.add %328, %330 : tensor<1024x256xf32>
    %cst_86 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %332 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %333 = stablehlo.multiply %332, %arg23 : tensor<256xf32>
    %cst_87 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %334 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %335 = stablehlo.multiply %334, %201 : tensor<256xf32>
    %336 = stablehlo.add %333, %335 : tensor<256xf32>
    %cst_88 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %337 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %338 = stablehlo.multiply %337, %arg24 : tensor<256xf32>
    %cst_89 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %339 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %340 = stablehlo.multiply %339, %144 : tensor<256xf32>
    %341 = stablehlo.add %338, %340 : tensor<256xf32>
    %cst_90 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %342 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %343 = stablehlo.multiply %342, %arg25 : tensor<256x256xf32>
    %cst_91 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %344 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %345 = stablehlo.multiply %344, %266 : tensor<256x256xf32>
    %346 = stablehlo.add %343, %345 : tensor<256x256xf32>
    %cst_92 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %347 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<1024xf32>
    %348 = stablehlo.multiply %347, %arg26 : tensor<1024xf32>
    %cst_93 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %349 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<1024xf32>
    %350 = stablehlo.multiply %349, %194 : tensor<1024xf32>
    %351 = stablehlo.multiply %350, %194 : tensor<1024xf32>
    %352 = stablehlo.add %348, %351 : tensor<1024xf32>
    %cst_94 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %353 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %354 = stablehlo.multiply %353, %arg27 : tensor<256xf32>
    %cst_95 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %355 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %356 = stablehlo.multiply %355, %177 : tensor<256xf32>
    %357 = stablehlo.multiply %356, %177 : tensor<256xf32>
    %358 = stablehlo.add %354, %357 : tensor<256xf32>
    %cst_96 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %359 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<8192x256xf32>
    %360 = stablehlo.multiply %359, %arg28 : tensor<8192x256xf32>
    %cst_97 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %361 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<8192x256xf32>
    %362 = stablehlo.multiply %361, %281 : tensor<8192x256xf32>
    %363 = stablehlo.multiply %362, %281 : tensor<8192x256xf32>
    %364 = stablehlo.add %360, %363 : tensor<8192x256xf32>
    %cst_98 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %365 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %366 = stablehlo.multiply %365, %arg29 : tensor<256x1024xf32>
    %cst_99 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %367 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %368 = stablehlo.multiply %367, %196 : tensor<256x1024xf32>
    %369 = stablehlo.multiply %368, %196 : tensor<256x1024xf32>
    %370 = stablehlo.add %366, %369 : tensor<256x1024xf32>
    %cst_100 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %371 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %372 = stablehlo.multiply %371, %arg30 : tensor<256x256xf32>
    %cst_101 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %373 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %374 = stablehlo.multiply %373, %271 : tensor<256x256xf32>
    %375 = stablehlo.multiply %374, %271 : tensor<256x256xf32>
    %376 = stablehlo.add %372, %375 : tensor<256x256xf32>
    %cst_102 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %377 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %378 = stablehlo.multiply %377, %arg31 : tensor<256x256xf32>
    %cst_103 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %379 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %380 = stablehlo.multiply %379, %236 : tensor<256x256xf32>
    %381 = stablehlo.multiply %380, %236 : tensor<256x256xf32>
    %382 = stablehlo.add %378, %381 : tensor<256x256xf32>
    %cst_104 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %383 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %384 = stablehlo.multiply %383, %arg32 : tensor<256x256xf32>
    %cst_105 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %385 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %386 = stablehlo.multiply %385, %276 : tensor<256x256xf32>
    %387 = stablehlo.multiply %386, %276 : tensor<256x256xf32>
    %388 = stablehlo.add %384, %387 : tensor<256x256xf32>
    %cst_106 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %389 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %390 = stablehlo.multiply %389, %arg33 : tensor<256xf32>
    %cst_107 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %391 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %392 = stablehlo.multiply %391, %207 : tensor<256xf32>
    %393 = stablehlo.multiply %392, %207 : tensor<256xf32>
    %394 = stablehlo.add %390, %393 : tensor<256xf32>
    %cst_108 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %395 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %396 = stablehlo.multiply %395, %arg34 : tensor<256xf32>
    %cst_109 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %397 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %398 = stablehlo.multiply %397, %150 : tensor<256xf32>
    %399 = stablehlo.multiply %398, %150 : tensor<256xf32>
    %400 = stablehlo.add %396, %399 : tensor<256xf32>
    %cst_110 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %401 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
    %402 = stablehlo.multiply %401, %arg35 : tensor<1024x256xf32>
    %cst_111 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %403 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
    %404 = stablehlo.multiply %403, %179 : tensor<1024x256xf32>
    %405 = stablehlo.multiply %404, %179 : tensor<1024x256xf32>
    %406 = stablehlo.add %402, %405 : tensor<1024x256xf32>
    %cst_112 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %407 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %408 = stablehlo.multiply %407, %arg36 : tensor<256xf32>
    %cst_113 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %409 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %410 = stablehlo.multiply %409, %201 : tensor<256xf32>
    %411 = stablehlo.multiply %410, %201 : tensor<256xf32>
    %412 = stablehlo.add %408, %411 : tensor<256xf32>
    %cst_114 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %413 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %414 = stablehlo.multiply %413, %arg37 : tensor<256xf32>
    %cst_115 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %415 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %416 = stablehlo.multiply %415, %144 : tensor<256xf32>
    %417 = stablehlo.multiply %416, %144 : tensor<256xf32>
    %418 = stablehlo.add %414, %417 : tensor<256xf32>
    %cst_116 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %419 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %420 = stablehlo.multiply %419, %arg38 : tensor<256x256xf32>
    %cst_117 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %421 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %422 = stablehlo.multiply %421, %266 : tensor<256x256xf32>
    %423 = stablehlo.multiply %422, %266 : tensor<256x256xf32>
    %424 = stablehlo.add %420, %423 : tensor<256x256xf32>
    %cst_118 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %425 = stablehlo.power %cst_118, %arg39 : tensor<f32>
    %cst_119 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %426 = stablehlo.subtract %cst_119, %425 : tensor<f32>
    %cst_120 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %427 = stablehlo.power %cst_120, %arg39 : tensor<f32>
    %cst_121 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %428 = stablehlo.subtract %cst_121, %427 : tensor<f32>
    %429 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<1024xf32>
    %430 = stablehlo.divide %286, %429 : tensor<1024xf32>
    %cst_122 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %431 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<1024xf32>
    %432 = stablehlo.multiply %431, %430 : tensor<1024xf32>
    %433 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<1024xf32>
    %434 = stablehlo.divide %352, %433 : tensor<1024xf32>
    %435 = stablehlo.sqrt %434 : tensor<1024xf32>
    %cst_123 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %436 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<1024xf32>
    %437 = stablehlo.add %435, %436 : tensor<1024xf32>
    %438 = stablehlo.divide %432, %437 : tensor<1024xf32>
    %439 = stablehlo.subtract %arg0, %438 : tensor<1024xf32>
    %440 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %441 = stablehlo.divide %291, %440 : tensor<256xf32>
    %cst_124 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %442 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %443 = stablehlo.multiply %442, %441 : tensor<256xf32>
    %444 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %445 = stablehlo.divide %358, %444 : tensor<256xf32>
    %446 = stablehlo.sqrt %445 : tensor<256xf32>
    %cst_125 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %447 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %448 = stablehlo.add %446, %447 : tensor<256xf32>
    %449 = stablehlo.divide %443, %448 : tensor<256xf32>
    %450 = stablehlo.subtract %arg1, %449 : tensor<256xf32>
    %451 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<8192x256xf32>
    %452 = stablehlo.divide %296, %451 : tensor<8192x256xf32>
    %cst_126 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %453 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<8192x256xf32>
    %454 = stablehlo.multiply %453, %452 : tensor<8192x256xf32>
    %455 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<8192x256xf32>
    %456 = stablehlo.divide %364, %455 : tensor<8192x256xf32>
    %457 = stablehlo.sqrt %456 : tensor<8192x256xf32>
    %cst_127 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %458 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<8192x256xf32>
    %459 = stablehlo.add %457, %458 : tensor<8192x256xf32>
    %460 = stablehlo.divide %454, %459 : tensor<8192x256xf32>
    %461 = stablehlo.subtract %arg2, %460 : tensor<8192x256xf32>
    %462 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %463 = stablehlo.divide %301, %462 : tensor<256x1024xf32>
    %cst_128 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %464 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %465 = stablehlo.multiply %464, %463 : tensor<256x1024xf32>
    %466 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %467 = stablehlo.divide %370, %466 : tensor<256x1024xf32>
    %468 = stablehlo.sqrt %467 : tensor<256x1024xf32>
    %cst_129 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %469 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<256x1024xf32>
    %470 = stablehlo.add %468, %469 : tensor<256x1024xf32>
    %471 = stablehlo.divide %465, %470 : tensor<256x1024xf32>
    %472 = stablehlo.subtract %arg3, %471 : tensor<256x1024xf32>
    %473 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %474 = stablehlo.divide %306, %473 : tensor<256x256xf32>
    %cst_130 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %475 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %476 = stablehlo.multiply %475, %474 : tensor<256x256xf32>
    %477 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %478 = stablehlo.divide %376, %477 : tensor<256x256xf32>
    %479 = stablehlo.sqrt %478 : tensor<256x256xf32>
    %cst_131 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %480 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %481 = stablehlo.add %479, %480 : tensor<256x256xf32>
    %482 = stablehlo.divide %476, %481 : tensor<256x256xf32>
    %483 = stablehlo.subtract %arg4, %482 : tensor<256x256xf32>
    %484 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %485 = stablehlo.divide %311, %484 : tensor<256x256xf32>
    %cst_132 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %486 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %487 = stablehlo.multiply %486, %485 : tensor<256x256xf32>
    %488 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %489 = stablehlo.divide %382, %488 : tensor<256x256xf32>
    %490 = stablehlo.sqrt %489 : tensor<256x256xf32>
    %cst_133 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %491 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %492 = stablehlo.add %490, %491 : tensor<256x256xf32>
    %493 = stablehlo.divide %487, %492 : tensor<256x256xf32>
    %494 = stablehlo.subtract %arg5, %493 : tensor<256x256xf32>
    %495 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %496 = stablehlo.divide %316, %495 : tensor<256x256xf32>
    %cst_134 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %497 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %498 = stablehlo.multiply %497, %496 : tensor<256x256xf32>
    %499 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %500 = stablehlo.divide %388, %499 : tensor<256x256xf32>
    %501 = stablehlo.sqrt %500 : tensor<256x256xf32>
    %cst_135 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %502 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %503 = stablehlo.add %501, %502 : tensor<256x256xf32>
    %504 = stablehlo.divide %498, %503 : tensor<256x256xf32>
    %505 = stablehlo.subtract %arg6, %504 : tensor<256x256xf32>
    %506 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %507 = stablehlo.divide %321, %506 : tensor<256xf32>
    %cst_136 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %508 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %509 = stablehlo.multiply %508, %507 : tensor<256xf32>
    %510 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %511 = stablehlo.divide %394, %510 : tensor<256xf32>
    %512 = stablehlo.sqrt %511 : tensor<256xf32>
    %cst_137 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %513 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %514 = stablehlo.add %512, %513 : tensor<256xf32>
    %515 = stablehlo.divide %509, %514 : tensor<256xf32>
    %516 = stablehlo.subtract %arg7, %515 : tensor<256xf32>
    %517 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %518 = stablehlo.divide %326, %517 : tensor<256xf32>
    %cst_138 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %519 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %520 = stablehlo.multiply %519, %518 : tensor<256xf32>
    %521 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %522 = stablehlo.divide %400, %521 : tensor<256xf32>
    %523 = stablehlo.sqrt %522 : tensor<256xf32>
    %cst_139 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %524 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %525 = stablehlo.add %523, %524 : tensor<256xf32>
    %526 = stablehlo.divide %520, %525 : tensor<256xf32>
    %527 = stablehlo.subtract %arg8, %526 : tensor<256xf32>
    %528 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
    %529 = stablehlo.divide %331, %528 : tensor<1024x256xf32>
    %cst_140 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %530 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
    %531 = stablehlo.multiply %530, %529 : tensor<1024x256xf32>
    %532 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
    %533 = stablehlo.divide %406, %532 : tensor<1024x256xf32>
    %534 = stablehlo.sqrt %533 : tensor<1024x256xf32>
    %cst_141 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %535 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<1024x256xf32>
    %536 = stablehlo.add %534, %535 : tensor<1024x256xf32>
    %537 = stablehlo.divide %531, %536 : tensor<1024x256xf32>
    %538 = stablehlo.subtract %arg9, %537 : tensor<1024x256xf32>
    %539 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %540 = stablehlo.divide %336, %539 : tensor<256xf32>
    %cst_142 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %541 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %542 = stablehlo.multiply %541, %540 : tensor<256xf32>
    %543 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %544 = stablehlo.divide %412, %543 : tensor<256xf32>
    %545 = stablehlo.sqrt %544 : tensor<256xf32>
    %cst_143 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %546 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %547 = stablehlo.add %545, %546 : tensor<256xf32>
    %548 = stablehlo.divide %542, %547 : tensor<256xf32>
    %549 = stablehlo.subtract %arg10, %548 : tensor<256xf32>
    %550 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %551 = stablehlo.divide %341, %550 : tensor<256xf32>
    %cst_144 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %552 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %553 = stablehlo.multiply %552, %551 : tensor<256xf32>
    %554 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %555 = stablehlo.divide %418, %554 : tensor<256xf32>
    %556 = stablehlo.sqrt %555 : tensor<256xf32>
    %cst_145 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %557 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %558 = stablehlo.add %556, %557 : tensor<256xf32>
    %559 = stablehlo.divide %553, %558 : tensor<256xf32>
    %560 = stablehlo.subtract %arg11, %559 : tensor<256xf32>
    %561 = stablehlo.broadcast_in_dim %426, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %562 = stablehlo.divide %346, %561 : tensor<256x256xf32>
    %cst_146 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %563 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %564 = stablehlo.multiply %563, %562 : tensor<256x256xf32>
    %565 = stablehlo.broadcast_in_dim %428, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %566 = stablehlo.divide %424, %565 : tensor<256x256xf32>
    %567 = stablehlo.sqrt %566 : tensor<256x256xf32>
    %cst_147 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %568 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<256x256xf32>
    %569 = stablehlo.add %567, %568 : tensor<256x256xf32>
    %570 = stablehlo.divide %564, %569 : tensor<256x256xf32>
    %571 = stablehlo.subtract %arg12, %570 : tensor<256x256xf32>
    return %132, %439, %450, %461, %472, %483, %494, %505, %516, %527, %538, %549, %560, %571, %286, %291, %296, %301, %306, %311, %316, %321, %326, %331, %336, %341, %346, %352, %358, %364, %370, %376, %382, %388, %394, %400, %406, %412, %418, %424 : tensor<f32>, tensor<1024xf32>, tensor<256xf32>, tensor<8192x256xf32>, tensor<256x1024xf32>, tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x256xf32>, tensor<1024xf32>, tensor<256xf32>, tensor<8192x256xf32>, tensor<256x1024xf32>, tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x256xf32>, tensor<1024xf32>, tensor<256xf32>, tensor<8192x256xf32>, tensor<256x1024xf32>, tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<1024x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256x256xf32>
  }
  func.func private @_threefry_split(%arg0: tensor<2xui32>) -> tensor<2x2xui32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.iota dim = 0 : tensor<2xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<2xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<2xui64>
    %9 = stablehlo.convert %6 : (tensor<2xui64>) -> tensor<2xui32>
    %10 = stablehlo.convert %8 : (tensor<2xui64>) -> tensor<2xui32>
    %11:2 = call @threefry2x32(%1, %3, %10, %9) : (tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
    %12 = stablehlo.broadcast_in_dim %11#0, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %13 = stablehlo.broadcast_in_dim %11#1, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<2x1xui32>, tensor<2x1xui32>) -> tensor<2x2xui32>
    return %14 : tensor<2x2xui32>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<2xui32>, %arg3: tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<2xui32>, tensor<2xui32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<2xui32>, %arg2: tensor<2xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<2xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<2xui32>
    %9 = stablehlo.or %5, %8 : tensor<2xui32>
    %10 = stablehlo.xor %3, %9 : tensor<2xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<2xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<2xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<2xui32>
    %19 = stablehlo.or %15, %18 : tensor<2xui32>
    %20 = stablehlo.xor %13, %19 : tensor<2xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<2xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<2xui32>
    %29 = stablehlo.or %25, %28 : tensor<2xui32>
    %30 = stablehlo.xor %23, %29 : tensor<2xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<2xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<2xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<2xui32>
    %39 = stablehlo.or %35, %38 : tensor<2xui32>
    %40 = stablehlo.xor %33, %39 : tensor<2xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %42 = stablehlo.add %33, %41 : tensor<2xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %44 = stablehlo.add %40, %43 : tensor<2xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %48 = stablehlo.add %44, %47 : tensor<2xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_bernoulli(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<8x4x128x128xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<8x4x128x128xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<8x4x128x128xf32>, tensor<8x4x128x128xf32>) -> tensor<8x4x128x128xi1>
    return %2 : tensor<8x4x128x128xi1>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<8x4x128x128xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<8x4x128x128xui64>
    %9 = stablehlo.iota dim = 1 : tensor<8x4x128x128xui64>
    %10 = stablehlo.iota dim = 2 : tensor<8x4x128x128xui64>
    %11 = stablehlo.iota dim = 3 : tensor<8x4x128x128xui64>
    %c = stablehlo.constant dense<65536> : tensor<ui64>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<8x4x128x128xui64>
    %13 = stablehlo.multiply %12, %8 : tensor<8x4x128x128xui64>
    %c_0 = stablehlo.constant dense<16384> : tensor<ui64>
    %14 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<8x4x128x128xui64>
    %15 = stablehlo.multiply %14, %9 : tensor<8x4x128x128xui64>
    %c_1 = stablehlo.constant dense<128> : tensor<ui64>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<8x4x128x128xui64>
    %17 = stablehlo.multiply %16, %10 : tensor<8x4x128x128xui64>
    %c_2 = stablehlo.constant dense<1> : tensor<ui64>
    %18 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<8x4x128x128xui64>
    %19 = stablehlo.multiply %18, %11 : tensor<8x4x128x128xui64>
    %20 = stablehlo.add %13, %15 : tensor<8x4x128x128xui64>
    %21 = stablehlo.add %20, %17 : tensor<8x4x128x128xui64>
    %22 = stablehlo.add %21, %19 : tensor<8x4x128x128xui64>
    %c_3 = stablehlo.constant dense<32> : tensor<ui64>
    %23 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui64>) -> tensor<8x4x128x128xui64>
    %24 = stablehlo.shift_right_logical %22, %23 : tensor<8x4x128x128xui64>
    %25 = stablehlo.convert %22 : (tensor<8x4x128x128xui64>) -> tensor<8x4x128x128xui32>
    %26 = stablehlo.convert %24 : (tensor<8x4x128x128xui64>) -> tensor<8x4x128x128xui32>
    %27:2 = call @threefry2x32_0(%5, %7, %26, %25) : (tensor<ui32>, tensor<ui32>, tensor<8x4x128x128xui32>, tensor<8x4x128x128xui32>) -> (tensor<8x4x128x128xui32>, tensor<8x4x128x128xui32>)
    %28 = stablehlo.xor %27#0, %27#1 : tensor<8x4x128x128xui32>
    %c_4 = stablehlo.constant dense<9> : tensor<ui32>
    %29 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %30 = stablehlo.shift_right_logical %28, %29 : tensor<8x4x128x128xui32>
    %c_5 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %31 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %32 = stablehlo.or %30, %31 : tensor<8x4x128x128xui32>
    %33 = stablehlo.bitcast_convert %32 : (tensor<8x4x128x128xui32>) -> tensor<8x4x128x128xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %35 = stablehlo.subtract %33, %34 : tensor<8x4x128x128xf32>
    %36 = stablehlo.subtract %3, %2 : tensor<1x1x1x1xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<8x4x128x128xf32>
    %38 = stablehlo.multiply %35, %37 : tensor<8x4x128x128xf32>
    %39 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<8x4x128x128xf32>
    %40 = stablehlo.add %38, %39 : tensor<8x4x128x128xf32>
    %41 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<8x4x128x128xf32>
    %42 = stablehlo.maximum %41, %40 : tensor<8x4x128x128xf32>
    return %42 : tensor<8x4x128x128xf32>
  }
  func.func private @threefry2x32_0(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<8x4x128x128xui32>, %arg3: tensor<8x4x128x128xui32>) -> (tensor<8x4x128x128xui32>, tensor<8x4x128x128xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<8x4x128x128xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<8x4x128x128xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<8x4x128x128xui32>, tensor<8x4x128x128xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_1(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<8x4x128x128xui32>, tensor<8x4x128x128xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<8x4x128x128xui32>, tensor<8x4x128x128xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<8x4x128x128xui32>, tensor<8x4x128x128xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<8x4x128x128xui32>, tensor<8x4x128x128xui32>
  }
  func.func private @closed_call_1(%arg0: tensor<i32>, %arg1: tensor<8x4x128x128xui32>, %arg2: tensor<8x4x128x128xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<8x4x128x128xui32>, tensor<8x4x128x128xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<8x4x128x128xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<8x4x128x128xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<8x4x128x128xui32>
    %9 = stablehlo.or %5, %8 : tensor<8x4x128x128xui32>
    %10 = stablehlo.xor %3, %9 : tensor<8x4x128x128xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<8x4x128x128xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<8x4x128x128xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<8x4x128x128xui32>
    %19 = stablehlo.or %15, %18 : tensor<8x4x128x128xui32>
    %20 = stablehlo.xor %13, %19 : tensor<8x4x128x128xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<8x4x128x128xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<8x4x128x128xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<8x4x128x128xui32>
    %29 = stablehlo.or %25, %28 : tensor<8x4x128x128xui32>
    %30 = stablehlo.xor %23, %29 : tensor<8x4x128x128xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<8x4x128x128xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<8x4x128x128xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<8x4x128x128xui32>
    %39 = stablehlo.or %35, %38 : tensor<8x4x128x128xui32>
    %40 = stablehlo.xor %33, %39 : tensor<8x4x128x128xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %42 = stablehlo.add %33, %41 : tensor<8x4x128x128xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %44 = stablehlo.add %40, %43 : tensor<8x4x128x128xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<8x4x128x128xui32>
    %48 = stablehlo.add %44, %47 : tensor<8x4x128x128xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<8x4x128x128xui32>, tensor<8x4x128x128xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_where(%arg0: tensor<8x4x128x128xi1>, %arg1: tensor<8x4x128x128xf32>, %arg2: tensor<i32>) -> tensor<8x4x128x128xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>
    return %2 : tensor<8x4x128x128xf32>
  }
  func.func private @_bernoulli_2(%arg0: tensor<2xui32>, %arg1: tensor<f32>) -> tensor<8x128x256xi1> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform_3(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<8x128x256xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x128x256xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<8x128x256xf32>, tensor<8x128x256xf32>) -> tensor<8x128x256xi1>
    return %2 : tensor<8x128x256xi1>
  }
  func.func private @_uniform_3(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<8x128x256xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.convert %arg2 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %4 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %7 = stablehlo.reshape %6 : (tensor<1xui32>) -> tensor<ui32>
    %8 = stablehlo.iota dim = 0 : tensor<8x128x256xui64>
    %9 = stablehlo.iota dim = 1 : tensor<8x128x256xui64>
    %10 = stablehlo.iota dim = 2 : tensor<8x128x256xui64>
    %c = stablehlo.constant dense<32768> : tensor<ui64>
    %11 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<8x128x256xui64>
    %12 = stablehlo.multiply %11, %8 : tensor<8x128x256xui64>
    %c_0 = stablehlo.constant dense<256> : tensor<ui64>
    %13 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<8x128x256xui64>
    %14 = stablehlo.multiply %13, %9 : tensor<8x128x256xui64>
    %c_1 = stablehlo.constant dense<1> : tensor<ui64>
    %15 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<8x128x256xui64>
    %16 = stablehlo.multiply %15, %10 : tensor<8x128x256xui64>
    %17 = stablehlo.add %12, %14 : tensor<8x128x256xui64>
    %18 = stablehlo.add %17, %16 : tensor<8x128x256xui64>
    %c_2 = stablehlo.constant dense<32> : tensor<ui64>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<8x128x256xui64>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<8x128x256xui64>
    %21 = stablehlo.convert %18 : (tensor<8x128x256xui64>) -> tensor<8x128x256xui32>
    %22 = stablehlo.convert %20 : (tensor<8x128x256xui64>) -> tensor<8x128x256xui32>
    %23:2 = call @threefry2x32_4(%5, %7, %22, %21) : (tensor<ui32>, tensor<ui32>, tensor<8x128x256xui32>, tensor<8x128x256xui32>) -> (tensor<8x128x256xui32>, tensor<8x128x256xui32>)
    %24 = stablehlo.xor %23#0, %23#1 : tensor<8x128x256xui32>
    %c_3 = stablehlo.constant dense<9> : tensor<ui32>
    %25 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %26 = stablehlo.shift_right_logical %24, %25 : tensor<8x128x256xui32>
    %c_4 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %28 = stablehlo.or %26, %27 : tensor<8x128x256xui32>
    %29 = stablehlo.bitcast_convert %28 : (tensor<8x128x256xui32>) -> tensor<8x128x256xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128x256xf32>
    %31 = stablehlo.subtract %29, %30 : tensor<8x128x256xf32>
    %32 = stablehlo.subtract %3, %2 : tensor<1x1x1xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<8x128x256xf32>
    %34 = stablehlo.multiply %31, %33 : tensor<8x128x256xf32>
    %35 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<8x128x256xf32>
    %36 = stablehlo.add %34, %35 : tensor<8x128x256xf32>
    %37 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<8x128x256xf32>
    %38 = stablehlo.maximum %37, %36 : tensor<8x128x256xf32>
    return %38 : tensor<8x128x256xf32>
  }
  func.func private @threefry2x32_4(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<8x128x256xui32>, %arg3: tensor<8x128x256xui32>) -> (tensor<8x128x256xui32>, tensor<8x128x256xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<8x128x256xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<8x128x256xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<8x128x256xui32>, tensor<8x128x256xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_5(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<8x128x256xui32>, tensor<8x128x256xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<8x128x256xui32>, tensor<8x128x256xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<8x128x256xui32>, tensor<8x128x256xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<8x128x256xui32>, tensor<8x128x256xui32>
  }
  func.func private @closed_call_5(%arg0: tensor<i32>, %arg1: tensor<8x128x256xui32>, %arg2: tensor<8x128x256xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<8x128x256xui32>, tensor<8x128x256xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<8x128x256xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<8x128x256xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<8x128x256xui32>
    %9 = stablehlo.or %5, %8 : tensor<8x128x256xui32>
    %10 = stablehlo.xor %3, %9 : tensor<8x128x256xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<8x128x256xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<8x128x256xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<8x128x256xui32>
    %19 = stablehlo.or %15, %18 : tensor<8x128x256xui32>
    %20 = stablehlo.xor %13, %19 : tensor<8x128x256xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<8x128x256xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<8x128x256xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<8x128x256xui32>
    %29 = stablehlo.or %25, %28 : tensor<8x128x256xui32>
    %30 = stablehlo.xor %23, %29 : tensor<8x128x256xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<8x128x256xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<8x128x256xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<8x128x256xui32>
    %39 = stablehlo.or %35, %38 : tensor<8x128x256xui32>
    %40 = stablehlo.xor %33, %39 : tensor<8x128x256xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %42 = stablehlo.add %33, %41 : tensor<8x128x256xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %44 = stablehlo.add %40, %43 : tensor<8x128x256xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<8x128x256xui32>
    %48 = stablehlo.add %44, %47 : tensor<8x128x256xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<8x128x256xui32>, tensor<8x128x256xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_where_6(%arg0: tensor<8x128x256xi1>, %arg1: tensor<8x128x256xf32>, %arg2: tensor<i32>) -> tensor<8x128x256xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x128x256xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<8x128x256xi1>, tensor<8x128x256xf32>
    return %2 : tensor<8x128x256xf32>
  }
  func.func private @log_softmax(%arg0: tensor<8x128x8192xf32>) -> (tensor<8x128x8192xf32>, tensor<8x128x8192xf32>, tensor<8x128x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<8x128x8192xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8x128xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x8192xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x128x8192xf32>
    %6 = stablehlo.exponential %5 : tensor<8x128x8192xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x128x8192xf32>, tensor<f32>) -> tensor<8x128xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %9 = stablehlo.log %8 : tensor<8x128x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x8192xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x128x8192xf32>
    return %11, %6, %8 : tensor<8x128x8192xf32>, tensor<8x128x8192xf32>, tensor<8x128x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x128x8192xf32>, %arg1: tensor<8x128x1xi32>) -> (tensor<8x128x1xf32>, tensor<8x128x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x128x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x128x1xi32>, tensor<8x128x1xi32>) -> tensor<8x128x1xi1>
    %c_0 = stablehlo.constant dense<8192> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x128x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x128x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x128x1xi1>, tensor<8x128x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x128x1xi32>) -> tensor<8x128x1x1xi32>
    %c_1 = stablehlo.constant dense<8191> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x128x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x128x1x1xi32>, tensor<8x128x1x1xi32>) -> tensor<8x128x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<8x128x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x128x1x1xi32>, tensor<8x128x1x1xi32>) -> tensor<8x128x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x128x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<8x128x1x1xi1>, tensor<i1>) -> tensor<8x128x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x128x8192xf32>, tensor<8x128x1x1xi32>) -> tensor<8x128x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x128x1xi1>, tensor<8x128x1xf32>
    return %15, %5 : tensor<8x128x1xf32>, tensor<8x128x1x1xi32>
  }
  func.func private @take_along_axis_7(%arg0: tensor<8x128x1x1xi32>, %arg1: tensor<8x128x1xf32>) -> tensor<8x128x8192xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128x8192xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x128x8192xf32>, tensor<8x128x1x1xi32>, tensor<8x128x1xf32>) -> tensor<8x128x8192xf32>
    return %1 : tensor<8x128x8192xf32>
  }
  func.func private @log_softmax_8(%arg0: tensor<8x128x8192xf32>, %arg1: tensor<8x128x1xf32>, %arg2: tensor<8x128x8192xf32>) -> tensor<8x128x8192xf32> {
    %0 = stablehlo.negate %arg2 : tensor<8x128x8192xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x128x8192xf32>, tensor<f32>) -> tensor<8x128xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<8x128x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<8x128x1xf32>, tensor<f32>) -> tensor<8x128xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x8192xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<8x128x8192xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<8x128x8192xf32>
    return %7 : tensor<8x128x8192xf32>
  }
  func.func private @_where_9(%arg0: tensor<8x128x256xi1>, %arg1: tensor<8x128x256xf32>) -> tensor<8x128x256xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128x256xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<8x128x256xi1>, tensor<8x128x256xf32>
    return %1 : tensor<8x128x256xf32>
  }
  func.func private @_where_10(%arg0: tensor<8x4x128x128xi1>, %arg1: tensor<8x4x128x128xf32>) -> tensor<8x4x128x128xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x128x128xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<8x4x128x128xi1>, tensor<8x4x128x128xf32>
    return %1 : tensor<8x4x128x128xf32>
  }
}

