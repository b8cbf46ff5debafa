module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<f32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<32x8xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<32x16xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<1xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<16x1xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<32xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<32x32xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<16xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<32x16xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<8xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<16x8xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<48x8xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<48x16xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<32x8xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<32x16xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<1xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<16x1xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<32xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<32x32xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<16xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<32x16xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<8xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<16x8xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<48x8xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<48x16xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<32x8xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<32x16xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<1xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<16x1xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<32xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<32x32xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<16xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<32x16xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<8xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<16x8xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<48x8xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<48x16xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<32xi32>, %arg38: tensor<32xf32>, %arg39: tensor<32xi32>) -> (tensor<f32> {jax.result_info = "result[0]['count']"}, tensor<32x8xf32> {jax.result_info = "result[0]['means']['item']"}, tensor<32x16xf32> {jax.result_info = "result[0]['means']['item_layers']"}, tensor<1xf32> {jax.result_info = "result[0]['means']['last']['bias']"}, tensor<16x1xf32> {jax.result_info = "result[0]['means']['last']['weight']"}, tensor<32xf32> {jax.result_info = "result[0]['means']['layers'][0]['bias']"}, tensor<32x32xf32> {jax.result_info = "result[0]['means']['layers'][0]['weight']"}, tensor<16xf32> {jax.result_info = "result[0]['means']['layers'][1]['bias']"}, tensor<32x16xf32> {jax.result_info = "result[0]['means']['layers'][1]['weight']"}, tensor<8xf32> {jax.result_info = "result[0]['means']['layers'][2]['bias']"}, tensor<16x8xf32> {jax.result_info = "result[0]['means']['layers'][2]['weight']"}, tensor<48x8xf32> {jax.result_info = "result[0]['means']['user']"}, tensor<48x16xf32> {jax.result_info = "result[0]['means']['user_layers']"}, tensor<32x8xf32> {jax.result_info = "result[0]['squares']['item']"}, tensor<32x16xf32> {jax.result_info = "result[0]['squares']['item_layers']"}, tensor<1xf32> {jax.result_info = "result[0]['squares']['last']['bias']"}, tensor<16x1xf32> {jax.result_info = "result[0]['squares']['last']['weight']"}, tensor<32xf32> {jax.result_info = "result[0]['squares']['layers'][0]['bias']"}, tensor<32x32xf32> {jax.result_info = "result[0]['squares']['layers'][0]['weight']"}, tensor<16xf32> {jax.result_info = "result[0]['squares']['layers'][1]['bias']"}, tensor<32x16xf32> {jax.result_info = "result[0]['squares']['layers'][1]['weight']"}, tensor<8xf32> {jax.result_info = "result[0]['squares']['layers'][2]['bias']"}, tensor<16x8xf32> {jax.result_info = "result[0]['squares']['layers'][2]['weight']"}, tensor<48x8xf32> {jax.result_info = "result[0]['squares']['user']"}, tensor<48x16xf32> {jax.result_info = "result[0]['squares']['user_layers']"}, tensor<32x8xf32> {jax.result_info = "result[0]['weights']['item']"}, tensor<32x16xf32> {jax.result_info = "result[0]['weights']['item_layers']"}, tensor<1xf32> {jax.result_info = "result[0]['weights']['last']['bias']"}, tensor<16x1xf32> {jax.result_info = "result[0]['weights']['last']['weight']"}, tensor<32xf32> {jax.result_info = "result[0]['weights']['layers'][0]['bias']"}, tensor<32x32xf32> {jax.result_info = "result[0]['weights']['layers'][0]['weight']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['layers'][1]['bias']"}, tensor<32x16xf32> {jax.result_info = "result[0]['weights']['layers'][1]['weight']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['layers'][2]['bias']"}, tensor<16x8xf32> {jax.result_info = "result[0]['weights']['layers'][2]['weight']"}, tensor<48x8xf32> {jax.result_info = "result[0]['weights']['user']"}, tensor<48x16xf32> {jax.result_info = "result[0]['weights']['user_layers']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %1 = stablehlo.compare LT, %arg39, %0, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_0 = stablehlo.constant dense<48> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %3 = stablehlo.add %arg39, %2 : tensor<32xi32>
    %4 = stablehlo.select %1, %3, %arg39 : tensor<32xi1>, tensor<32xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %6 = "stablehlo.gather"(%arg35, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<48x8xf32>, tensor<32x1xi32>) -> tensor<32x8xf32>
    %7 = stablehlo.convert %6 : (tensor<32x8xf32>) -> tensor<32x8xf16>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %9 = stablehlo.compare LT, %arg37, %8, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_2 = stablehlo.constant dense<32> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %11 = stablehlo.add %arg37, %10 : tensor<32xi32>
    %12 = stablehlo.select %9, %11, %arg37 : tensor<32xi1>, tensor<32xi32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %14 = "stablehlo.gather"(%arg25, %13) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<32x8xf32>, tensor<32x1xi32>) -> tensor<32x8xf32>
    %15 = stablehlo.convert %14 : (tensor<32x8xf32>) -> tensor<32x8xf16>
    %16 = stablehlo.multiply %7, %15 : tensor<32x8xf16>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %18 = stablehlo.compare LT, %arg39, %17, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_4 = stablehlo.constant dense<48> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %20 = stablehlo.add %arg39, %19 : tensor<32xi32>
    %21 = stablehlo.select %18, %20, %arg39 : tensor<32xi1>, tensor<32xi32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %23 = "stablehlo.gather"(%arg36, %22) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<48x16xf32>, tensor<32x1xi32>) -> tensor<32x16xf32>
    %24 = stablehlo.convert %23 : (tensor<32x16xf32>) -> tensor<32x16xf16>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %26 = stablehlo.compare LT, %arg37, %25, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_6 = stablehlo.constant dense<32> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %28 = stablehlo.add %arg37, %27 : tensor<32xi32>
    %29 = stablehlo.select %26, %28, %arg37 : tensor<32xi1>, tensor<32xi32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %31 = "stablehlo.gather"(%arg26, %30) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<32x16xf32>, tensor<32x1xi32>) -> tensor<32x16xf32>
    %32 = stablehlo.convert %31 : (tensor<32x16xf32>) -> tensor<32x16xf16>
    %33 = stablehlo.concatenate %24, %32, dim = 1 : (tensor<32x16xf16>, tensor<32x16xf16>) -> tensor<32x32xf16>
    %34 = stablehlo.convert %arg30 : (tensor<32x32xf32>) -> tensor<32x32xf16>
    %35 = stablehlo.dot_general %33, %34, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
    %36 = stablehlo.convert %arg29 : (tensor<32xf32>) -> tensor<32xf16>
    %37 = stablehlo.broadcast_in_dim %36, dims = [1] : (tensor<32xf16>) -> tensor<1x32xf16>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<1x32xf16>) -> tensor<32x32xf16>
    %39 = stablehlo.add %35, %38 : tensor<32x32xf16>
    %40 = call @relu(%39) : (tensor<32x32xf16>) -> tensor<32x32xf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %41 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<32x32xf16>
    %42 = stablehlo.compare GT, %39, %41, FLOAT : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xi1>
    %43 = stablehlo.convert %arg32 : (tensor<32x16xf32>) -> tensor<32x16xf16>
    %44 = stablehlo.dot_general %40, %43, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf16>, tensor<32x16xf16>) -> tensor<32x16xf16>
    %45 = stablehlo.convert %arg31 : (tensor<16xf32>) -> tensor<16xf16>
    %46 = stablehlo.broadcast_in_dim %45, dims = [1] : (tensor<16xf16>) -> tensor<1x16xf16>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<1x16xf16>) -> tensor<32x16xf16>
    %48 = stablehlo.add %44, %47 : tensor<32x16xf16>
    %49 = call @relu_0(%48) : (tensor<32x16xf16>) -> tensor<32x16xf16>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %50 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f16>) -> tensor<32x16xf16>
    %51 = stablehlo.compare GT, %48, %50, FLOAT : (tensor<32x16xf16>, tensor<32x16xf16>) -> tensor<32x16xi1>
    %52 = stablehlo.convert %arg34 : (tensor<16x8xf32>) -> tensor<16x8xf16>
    %53 = stablehlo.dot_general %49, %52, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf16>, tensor<16x8xf16>) -> tensor<32x8xf16>
    %54 = stablehlo.convert %arg33 : (tensor<8xf32>) -> tensor<8xf16>
    %55 = stablehlo.broadcast_in_dim %54, dims = [1] : (tensor<8xf16>) -> tensor<1x8xf16>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1] : (tensor<1x8xf16>) -> tensor<32x8xf16>
    %57 = stablehlo.add %53, %56 : tensor<32x8xf16>
    %58 = call @relu_1(%57) : (tensor<32x8xf16>) -> tensor<32x8xf16>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %59 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f16>) -> tensor<32x8xf16>
    %60 = stablehlo.compare GT, %57, %59, FLOAT : (tensor<32x8xf16>, tensor<32x8xf16>) -> tensor<32x8xi1>
    %61 = stablehlo.concatenate %16, %58, dim = 1 : (tensor<32x8xf16>, tensor<32x8xf16>) -> tensor<32x16xf16>
    %62 = stablehlo.convert %arg28 : (tensor<16x1xf32>) -> tensor<16x1xf16>
    %63 = stablehlo.dot_general %61, %62, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf16>, tensor<16x1xf16>) -> tensor<32x1xf16>
    %64 = stablehlo.convert %arg27 : (tensor<1xf32>) -> tensor<1xf16>
    %65 = stablehlo.broadcast_in_dim %64, dims = [1] : (tensor<1xf16>) -> tensor<1x1xf16>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1] : (tensor<1x1xf16>) -> tensor<32x1xf16>
    %67 = stablehlo.add %63, %66 : tensor<32x1xf16>
    %68 = stablehlo.reshape %67 : (tensor<32x1xf16>) -> tensor<32xf16>
    %69 = stablehlo.convert %68 : (tensor<32xf16>) -> tensor<32xf32>
    %70:2 = call @softplus(%69) : (tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>)
    %71 = stablehlo.multiply %arg38, %69 : tensor<32xf32>
    %72 = stablehlo.subtract %70#0, %71 : tensor<32xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.reduce(%72 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %74 = stablehlo.divide %73, %cst_10 : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %75 = stablehlo.multiply %74, %cst_11 : tensor<f32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_13 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %76 = stablehlo.multiply %cst_12, %cst_13 : tensor<f32>
    %cst_14 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %77 = stablehlo.divide %76, %cst_14 : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %79 = stablehlo.negate %78 : tensor<32xf32>
    %80 = stablehlo.multiply %arg38, %79 : tensor<32xf32>
    %81 = call @softplus_2(%70#1, %78) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %82 = stablehlo.add %80, %81 : tensor<32xf32>
    %83 = stablehlo.convert %82 : (tensor<32xf32>) -> tensor<32xf16>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0] : (tensor<32xf16>) -> tensor<32x1xf16>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %85 = stablehlo.reduce(%84 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<32x1xf16>, tensor<f16>) -> tensor<1xf16>
    %86 = stablehlo.reshape %85 : (tensor<1xf16>) -> tensor<1x1xf16>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %87 = stablehlo.reduce(%86 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1xf16>, tensor<f16>) -> tensor<f16>
    %88 = stablehlo.broadcast_in_dim %87, dims = [] : (tensor<f16>) -> tensor<1xf16>
    %89 = stablehlo.convert %88 : (tensor<1xf16>) -> tensor<1xf32>
    %90 = stablehlo.dot_general %84, %61, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x1xf16>, tensor<32x16xf16>) -> tensor<1x16xf16>
    %91 = stablehlo.transpose %90, dims = [1, 0] : (tensor<1x16xf16>) -> tensor<16x1xf16>
    %92 = stablehlo.dot_general %84, %62, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x1xf16>, tensor<16x1xf16>) -> tensor<32x16xf16>
    %93 = stablehlo.convert %91 : (tensor<16x1xf16>) -> tensor<16x1xf32>
    %94 = stablehlo.slice %92 [0:32, 0:8] : (tensor<32x16xf16>) -> tensor<32x8xf16>
    %95 = stablehlo.slice %92 [0:32, 8:16] : (tensor<32x16xf16>) -> tensor<32x8xf16>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %96 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f16>) -> tensor<32x8xf16>
    %97 = stablehlo.select %60, %95, %96 : tensor<32x8xi1>, tensor<32x8xf16>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %98 = stablehlo.reduce(%97 init: %cst_18) applies stablehlo.add across dimensions = [0] : (tensor<32x8xf16>, tensor<f16>) -> tensor<8xf16>
    %99 = stablehlo.reshape %98 : (tensor<8xf16>) -> tensor<1x8xf16>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %100 = stablehlo.reduce(%99 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf16>, tensor<f16>) -> tensor<8xf16>
    %101 = stablehlo.convert %100 : (tensor<8xf16>) -> tensor<8xf32>
    %102 = stablehlo.dot_general %97, %49, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x8xf16>, tensor<32x16xf16>) -> tensor<8x16xf16>
    %103 = stablehlo.transpose %102, dims = [1, 0] : (tensor<8x16xf16>) -> tensor<16x8xf16>
    %104 = stablehlo.dot_general %97, %52, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x8xf16>, tensor<16x8xf16>) -> tensor<32x16xf16>
    %105 = stablehlo.convert %103 : (tensor<16x8xf16>) -> tensor<16x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %106 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f16>) -> tensor<32x16xf16>
    %107 = stablehlo.select %51, %104, %106 : tensor<32x16xi1>, tensor<32x16xf16>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %108 = stablehlo.reduce(%107 init: %cst_21) applies stablehlo.add across dimensions = [0] : (tensor<32x16xf16>, tensor<f16>) -> tensor<16xf16>
    %109 = stablehlo.reshape %108 : (tensor<16xf16>) -> tensor<1x16xf16>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %110 = stablehlo.reduce(%109 init: %cst_22) applies stablehlo.add across dimensions = [0] : (tensor<1x16xf16>, tensor<f16>) -> tensor<16xf16>
    %111 = stablehlo.convert %110 : (tensor<16xf16>) -> tensor<16xf32>
    %112 = stablehlo.dot_general %107, %40, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf16>, tensor<32x32xf16>) -> tensor<16x32xf16>
    %113 = stablehlo.transpose %112, dims = [1, 0] : (tensor<16x32xf16>) -> tensor<32x16xf16>
    %114 = stablehlo.dot_general %107, %43, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf16>, tensor<32x16xf16>) -> tensor<32x32xf16>
    %115 = stablehlo.convert %113 : (tensor<32x16xf16>) -> tensor<32x16xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %116 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f16>) -> tensor<32x32xf16>
    %117 = stablehlo.select %42, %114, %116 : tensor<32x32xi1>, tensor<32x32xf16>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %118 = stablehlo.reduce(%117 init: %cst_24) applies stablehlo.add across dimensions = [0] : (tensor<32x32xf16>, tensor<f16>) -> tensor<32xf16>
    %119 = stablehlo.reshape %118 : (tensor<32xf16>) -> tensor<1x32xf16>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %120 = stablehlo.reduce(%119 init: %cst_25) applies stablehlo.add across dimensions = [0] : (tensor<1x32xf16>, tensor<f16>) -> tensor<32xf16>
    %121 = stablehlo.convert %120 : (tensor<32xf16>) -> tensor<32xf32>
    %122 = stablehlo.dot_general %117, %33, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
    %123 = stablehlo.transpose %122, dims = [1, 0] : (tensor<32x32xf16>) -> tensor<32x32xf16>
    %124 = stablehlo.dot_general %117, %34, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
    %125 = stablehlo.convert %123 : (tensor<32x32xf16>) -> tensor<32x32xf32>
    %126 = stablehlo.slice %124 [0:32, 0:16] : (tensor<32x32xf16>) -> tensor<32x16xf16>
    %127 = stablehlo.slice %124 [0:32, 16:32] : (tensor<32x32xf16>) -> tensor<32x16xf16>
    %128 = stablehlo.convert %127 : (tensor<32x16xf16>) -> tensor<32x16xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %130 = "stablehlo.scatter"(%129, %30, %128) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg40: tensor<f32>, %arg41: tensor<f32>):
      %160 = stablehlo.add %arg40, %arg41 : tensor<f32>
      stablehlo.return %160 : tensor<f32>
    }) : (tensor<32x16xf32>, tensor<32x1xi32>, tensor<32x16xf32>) -> tensor<32x16xf32>
    %131 = stablehlo.convert %126 : (tensor<32x16xf16>) -> tensor<32x16xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %133 = "stablehlo.scatter"(%132, %22, %131) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg40: tensor<f32>, %arg41: tensor<f32>):
      %160 = stablehlo.add %arg40, %arg41 : tensor<f32>
      stablehlo.return %160 : tensor<f32>
    }) : (tensor<48x16xf32>, tensor<32x1xi32>, tensor<32x16xf32>) -> tensor<48x16xf32>
    %134 = stablehlo.multiply %7, %94 : tensor<32x8xf16>
    %135 = stablehlo.multiply %94, %15 : tensor<32x8xf16>
    %136 = stablehlo.convert %134 : (tensor<32x8xf16>) -> tensor<32x8xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %138 = "stablehlo.scatter"(%137, %13, %136) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg40: tensor<f32>, %arg41: tensor<f32>):
      %160 = stablehlo.add %arg40, %arg41 : tensor<f32>
      stablehlo.return %160 : tensor<f32>
    }) : (tensor<32x8xf32>, tensor<32x1xi32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %139 = stablehlo.convert %135 : (tensor<32x8xf16>) -> tensor<32x8xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<48x8xf32>
    %141 = "stablehlo.scatter"(%140, %5, %139) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg40: tensor<f32>, %arg41: tensor<f32>):
      %160 = stablehlo.add %arg40, %arg41 : tensor<f32>
      stablehlo.return %160 : tensor<f32>
    }) : (tensor<48x8xf32>, tensor<32x1xi32>, tensor<32x8xf32>) -> tensor<48x8xf32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %142 = stablehlo.add %arg0, %cst_30 : tensor<f32>
    %cst_31 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %143 = stablehlo.power %cst_31, %142 : tensor<f32>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %144 = stablehlo.subtract %cst_32, %143 : tensor<f32>
    %cst_33 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %145 = stablehlo.power %cst_33, %142 : tensor<f32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %146 = stablehlo.subtract %cst_34, %145 : tensor<f32>
    %147:3 = call @_adam(%arg25, %arg1, %arg13, %138, %144, %146) : (tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>)
    %148:3 = call @_adam_3(%arg26, %arg2, %arg14, %130, %144, %146) : (tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<f32>, tensor<f32>) -> (tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>)
    %149:3 = call @_adam_4(%arg27, %arg3, %arg15, %89, %144, %146) : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<f32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
    %150:3 = call @_adam_5(%arg28, %arg4, %arg16, %93, %144, %146) : (tensor<16x1xf32>, tensor<16x1xf32>, tensor<16x1xf32>, tensor<16x1xf32>, tensor<f32>, tensor<f32>) -> (tensor<16x1xf32>, tensor<16x1xf32>, tensor<16x1xf32>)
    %151:3 = call @_adam_6(%arg29, %arg5, %arg17, %121, %144, %146) : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<f32>, tensor<f32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>)
    %152:3 = call @_adam_7(%arg30, %arg6, %arg18, %125, %144, %146) : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<f32>, tensor<f32>) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>)
    %153:3 = call @_adam_8(%arg31, %arg7, %arg19, %111, %144, %146) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<f32>, tensor<f32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
    %154:3 = call @_adam_3(%arg32, %arg8, %arg20, %115, %144, %146) : (tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>, tensor<f32>, tensor<f32>) -> (tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>)
    %155:3 = call @_adam_9(%arg33, %arg9, %arg21, %101, %144, %146) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
    %156:3 = call @_adam_10(%arg34, %arg10, %arg22, %105, %144, %146) : (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>)
    %157:3 = call @_adam_11(%arg35, %arg11, %arg23, %141, %144, %146) : (tensor<48x8xf32>, tensor<48x8xf32>, tensor<48x8xf32>, tensor<48x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<48x8xf32>, tensor<48x8xf32>, tensor<48x8xf32>)
    %158:3 = call @_adam_12(%arg36, %arg12, %arg24, %133, %144, %146) : (tensor<48x16xf32>, tensor<48x16xf32>, tensor<48x16xf32>, tensor<48x16xf32>, tensor<f32>, tensor<f32>) -> (tensor<48x16xf32>, tensor<48x16xf32>, tensor<48x16xf32>)
    %cst_35 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %159 = stablehlo.divide %75, %cst_35 : tensor<f32>
    return %142, %147#1, %148#1, %149#1, %150#1, %151#1, %152#1, %153#1, %154#1, %155#1, %156#1, %157#1, %158#1, %147#2, %148#2, %149#2, %150#2, %151#2, %152#2, %153#2, %154#2, %155#2, %156#2, %157#2, %158#2, %147#0, %148#0, %149#0, %150#0, %151#0, %152#0, %153#0, %154#0, %155#0, %156#0, %157#0, %158#0, %159 : tensor<f32>, tensor<32x8xf32>, tensor<32x16xf32>, tensor<1xf32>, tensor<16x1xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<16xf32>, tensor<32x16xf32>, tensor<8xf32>, tensor<16x8xf32>, tensor<48x8xf32>, tensor<48x16xf32>, tensor<32x8xf32>, tensor<32x16xf32>, tensor<1xf32>, tensor<16x1xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<16xf32>, tensor<32x16xf32>, tensor<8xf32>, tensor<16x8xf32>, tensor<48x8xf32>, tensor<48x16xf32>, tensor<32x8xf32>, tensor<32x16xf32>, tensor<1xf32>, tensor<16x1xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<16xf32>, tensor<32x16xf32>, tensor<8xf32>, tensor<16x8xf32>, tensor<48x8xf32>, tensor<48x16xf32>, tensor<f32>
  }
  func.func private @relu(%arg0: tensor<32x32xf16>) -> tensor<32x32xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<32x32xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<32x32xf16>
    return %1 : tensor<32x32xf16>
  }
  func.func private @relu_0(%arg0: tensor<32x16xf16>) -> tensor<32x16xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<32x16xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<32x16xf16>
    return %1 : tensor<32x16xf16>
  }
  func.func private @relu_1(%arg0: tensor<32x8xf16>) -> tensor<32x8xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<32x8xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<32x8xf16>
    return %1 : tensor<32x8xf16>
  }
  func.func private @softplus(%arg0: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<32xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<32xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<32xf32>
    %7 = stablehlo.abs %3 : tensor<32xf32>
    %8 = stablehlo.negate %7 : tensor<32xf32>
    %9 = stablehlo.exponential %8 : tensor<32xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<32xf32>
    %11 = stablehlo.add %1, %10 : tensor<32xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<32xi1>, tensor<32xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %14 = stablehlo.compare EQ, %arg0, %13, FLOAT : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %16 = stablehlo.select %14, %15, %arg0 : tensor<32xi1>, tensor<32xf32>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %18 = stablehlo.compare EQ, %12, %17, FLOAT : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %20 = stablehlo.select %18, %19, %12 : tensor<32xi1>, tensor<32xf32>
    %21 = stablehlo.subtract %16, %20 : tensor<32xf32>
    %22 = stablehlo.exponential %21 : tensor<32xf32>
    return %12, %22 : tensor<32xf32>, tensor<32xf32>
  }
  func.func private @softplus_2(%arg0: tensor<32xf32>, %arg1: tensor<32xf32>) -> tensor<32xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<32xf32>
    return %0 : tensor<32xf32>
  }
  func.func private @_adam(%arg0: tensor<32x8xf32>, %arg1: tensor<32x8xf32>, %arg2: tensor<32x8xf32>, %arg3: tensor<32x8xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<32x8xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<32x8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<32x8xf32>
    %6 = stablehlo.add %3, %5 : tensor<32x8xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<32x8xf32>
    %9 = chlo.square %1 : tensor<32x8xf32> -> tensor<32x8xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<32x8xf32>
    %12 = stablehlo.add %8, %11 : tensor<32x8xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %14 = stablehlo.divide %6, %13 : tensor<32x8xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %16 = stablehlo.divide %12, %15 : tensor<32x8xf32>
    %17 = stablehlo.sqrt %16 : tensor<32x8xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %19 = stablehlo.add %17, %18 : tensor<32x8xf32>
    %20 = stablehlo.divide %14, %19 : tensor<32x8xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<32x8xf32>
    %23 = stablehlo.add %20, %22 : tensor<32x8xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<32x8xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<32x8xf32>
    return %26, %6, %12 : tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>
  }
  func.func private @_adam_3(%arg0: tensor<32x16xf32>, %arg1: tensor<32x16xf32>, %arg2: tensor<32x16xf32>, %arg3: tensor<32x16xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<32x16xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<32x16xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<32x16xf32>
    %6 = stablehlo.add %3, %5 : tensor<32x16xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<32x16xf32>
    %9 = chlo.square %1 : tensor<32x16xf32> -> tensor<32x16xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<32x16xf32>
    %12 = stablehlo.add %8, %11 : tensor<32x16xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %14 = stablehlo.divide %6, %13 : tensor<32x16xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %16 = stablehlo.divide %12, %15 : tensor<32x16xf32>
    %17 = stablehlo.sqrt %16 : tensor<32x16xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %19 = stablehlo.add %17, %18 : tensor<32x16xf32>
    %20 = stablehlo.divide %14, %19 : tensor<32x16xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<32x16xf32>
    %23 = stablehlo.add %20, %22 : tensor<32x16xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<32x16xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<32x16xf32>
    return %26, %6, %12 : tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x16xf32>
  }
  func.func private @_adam_4(%arg0: tensor<1xf32>, %arg1: tensor<1xf32>, %arg2: tensor<1xf32>, %arg3: tensor<1xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<1xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<1xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<1xf32>
    %6 = stablehlo.add %3, %5 : tensor<1xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<1xf32>
    %9 = chlo.square %1 : tensor<1xf32> -> tensor<1xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<1xf32>
    %12 = stablehlo.add %8, %11 : tensor<1xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %14 = stablehlo.divide %6, %13 : tensor<1xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %16 = stablehlo.divide %12, %15 : tensor<1xf32>
    %17 = stablehlo.sqrt %16 : tensor<1xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %19 = stablehlo.add %17, %18 : tensor<1xf32>
    %20 = stablehlo.divide %14, %19 : tensor<1xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<1xf32>
    %23 = stablehlo.add %20, %22 : tensor<1xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<1xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<1xf32>
    return %26, %6, %12 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
  }
  func.func private @_adam_5(%arg0: tensor<16x1xf32>, %arg1: tensor<16x1xf32>, %arg2: tensor<16x1xf32>, %arg3: tensor<16x1xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<16x1xf32>, tensor<16x1xf32>, tensor<16x1xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<16x1xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<16x1xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<16x1xf32>
    %6 = stablehlo.add %3, %5 : tensor<16x1xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<16x1xf32>
    %9 = chlo.square %1 : tensor<16x1xf32> -> tensor<16x1xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<16x1xf32>
    %12 = stablehlo.add %8, %11 : tensor<16x1xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %14 = stablehlo.divide %6, %13 : tensor<16x1xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %16 = stablehlo.divide %12, %15 : tensor<16x1xf32>
    %17 = stablehlo.sqrt %16 : tensor<16x1xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %19 = stablehlo.add %17, %18 : tensor<16x1xf32>
    %20 = stablehlo.divide %14, %19 : tensor<16x1xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<16x1xf32>
    %23 = stablehlo.add %20, %22 : tensor<16x1xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<16x1xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<16x1xf32>
    return %26, %6, %12 : tensor<16x1xf32>, tensor<16x1xf32>, tensor<16x1xf32>
  }
  func.func private @_adam_6(%arg0: tensor<32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<32xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<32xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<32xf32>
    %6 = stablehlo.add %3, %5 : tensor<32xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<32xf32>
    %9 = chlo.square %1 : tensor<32xf32> -> tensor<32xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<32xf32>
    %12 = stablehlo.add %8, %11 : tensor<32xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %14 = stablehlo.divide %6, %13 : tensor<32xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %16 = stablehlo.divide %12, %15 : tensor<32xf32>
    %17 = stablehlo.sqrt %16 : tensor<32xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %19 = stablehlo.add %17, %18 : tensor<32xf32>
    %20 = stablehlo.divide %14, %19 : tensor<32xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<32xf32>
    %23 = stablehlo.add %20, %22 : tensor<32xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<32xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<32xf32>
    return %26, %6, %12 : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
  }
  func.func private @_adam_7(%arg0: tensor<32x32xf32>, %arg1: tensor<32x32xf32>, %arg2: tensor<32x32xf32>, %arg3: tensor<32x32xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<32x32xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<32x32xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<32x32xf32>
    %6 = stablehlo.add %3, %5 : tensor<32x32xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<32x32xf32>
    %9 = chlo.square %1 : tensor<32x32xf32> -> tensor<32x32xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<32x32xf32>
    %12 = stablehlo.add %8, %11 : tensor<32x32xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %14 = stablehlo.divide %6, %13 : tensor<32x32xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %16 = stablehlo.divide %12, %15 : tensor<32x32xf32>
    %17 = stablehlo.sqrt %16 : tensor<32x32xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %19 = stablehlo.add %17, %18 : tensor<32x32xf32>
    %20 = stablehlo.divide %14, %19 : tensor<32x32xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<32x32xf32>
    %23 = stablehlo.add %20, %22 : tensor<32x32xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<32x32xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<32x32xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<32x32xf32>
    return %26, %6, %12 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  }
  func.func private @_adam_8(%arg0: tensor<16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<16xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<16xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<16xf32>
    %6 = stablehlo.add %3, %5 : tensor<16xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<16xf32>
    %9 = chlo.square %1 : tensor<16xf32> -> tensor<16xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<16xf32>
    %12 = stablehlo.add %8, %11 : tensor<16xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %14 = stablehlo.divide %6, %13 : tensor<16xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %16 = stablehlo.divide %12, %15 : tensor<16xf32>
    %17 = stablehlo.sqrt %16 : tensor<16xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %19 = stablehlo.add %17, %18 : tensor<16xf32>
    %20 = stablehlo.divide %14, %19 : tensor<16xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<16xf32>
    %23 = stablehlo.add %20, %22 : tensor<16xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<16xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<16xf32>
    return %26, %6, %12 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
  func.func private @_adam_9(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<8xf32>
    %6 = stablehlo.add %3, %5 : tensor<8xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<8xf32>
    %9 = chlo.square %1 : tensor<8xf32> -> tensor<8xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<8xf32>
    %12 = stablehlo.add %8, %11 : tensor<8xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %14 = stablehlo.divide %6, %13 : tensor<8xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %16 = stablehlo.divide %12, %15 : tensor<8xf32>
    %17 = stablehlo.sqrt %16 : tensor<8xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %19 = stablehlo.add %17, %18 : tensor<8xf32>
    %20 = stablehlo.divide %14, %19 : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<8xf32>
    %23 = stablehlo.add %20, %22 : tensor<8xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<8xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<8xf32>
    return %26, %6, %12 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  func.func private @_adam_10(%arg0: tensor<16x8xf32>, %arg1: tensor<16x8xf32>, %arg2: tensor<16x8xf32>, %arg3: tensor<16x8xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<16x8xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<16x8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<16x8xf32>
    %6 = stablehlo.add %3, %5 : tensor<16x8xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<16x8xf32>
    %9 = chlo.square %1 : tensor<16x8xf32> -> tensor<16x8xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<16x8xf32>
    %12 = stablehlo.add %8, %11 : tensor<16x8xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %14 = stablehlo.divide %6, %13 : tensor<16x8xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %16 = stablehlo.divide %12, %15 : tensor<16x8xf32>
    %17 = stablehlo.sqrt %16 : tensor<16x8xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %19 = stablehlo.add %17, %18 : tensor<16x8xf32>
    %20 = stablehlo.divide %14, %19 : tensor<16x8xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<16x8xf32>
    %23 = stablehlo.add %20, %22 : tensor<16x8xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<16x8xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<16x8xf32>
    return %26, %6, %12 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
  }
  func.func private @_adam_11(%arg0: tensor<48x8xf32>, %arg1: tensor<48x8xf32>, %arg2: tensor<48x8xf32>, %arg3: tensor<48x8xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<48x8xf32>, tensor<48x8xf32>, tensor<48x8xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<48x8xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<48x8xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<48x8xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<48x8xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<48x8xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<48x8xf32>
    %6 = stablehlo.add %3, %5 : tensor<48x8xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<48x8xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<48x8xf32>
    %9 = chlo.square %1 : tensor<48x8xf32> -> tensor<48x8xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<48x8xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<48x8xf32>
    %12 = stablehlo.add %8, %11 : tensor<48x8xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<48x8xf32>
    %14 = stablehlo.divide %6, %13 : tensor<48x8xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<48x8xf32>
    %16 = stablehlo.divide %12, %15 : tensor<48x8xf32>
    %17 = stablehlo.sqrt %16 : tensor<48x8xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<48x8xf32>
    %19 = stablehlo.add %17, %18 : tensor<48x8xf32>
    %20 = stablehlo.divide %14, %19 : tensor<48x8xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<48x8xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<48x8xf32>
    %23 = stablehlo.add %20, %22 : tensor<48x8xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<48x8xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<48x8xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<48x8xf32>
    return %26, %6, %12 : tensor<48x8xf32>, tensor<48x8xf32>, tensor<48x8xf32>
  }
  func.func private @_adam_12(%arg0: tensor<48x16xf32>, %arg1: tensor<48x16xf32>, %arg2: tensor<48x16xf32>, %arg3: tensor<48x16xf32>, %arg4: tensor<f32>, %arg5: tensor<f32>) -> (tensor<48x16xf32>, tensor<48x16xf32>, tensor<48x16xf32>) {
    %cst = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %1 = stablehlo.divide %arg3, %0 : tensor<48x16xf32>
    %cst_0 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<48x16xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<48x16xf32>
    %6 = stablehlo.add %3, %5 : tensor<48x16xf32>
    %cst_2 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %8 = stablehlo.multiply %7, %arg2 : tensor<48x16xf32>
    %9 = chlo.square %1 : tensor<48x16xf32> -> tensor<48x16xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<48x16xf32>
    %12 = stablehlo.add %8, %11 : tensor<48x16xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %14 = stablehlo.divide %6, %13 : tensor<48x16xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %16 = stablehlo.divide %12, %15 : tensor<48x16xf32>
    %17 = stablehlo.sqrt %16 : tensor<48x16xf32>
    %cst_4 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %19 = stablehlo.add %17, %18 : tensor<48x16xf32>
    %20 = stablehlo.divide %14, %19 : tensor<48x16xf32>
    %cst_5 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %22 = stablehlo.multiply %21, %arg0 : tensor<48x16xf32>
    %23 = stablehlo.add %20, %22 : tensor<48x16xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<48x16xf32>
    %26 = stablehlo.subtract %arg0, %25 : tensor<48x16xf32>
    return %26, %6, %12 : tensor<48x16xf32>, tensor<48x16xf32>, tensor<48x16xf32>
  }
}
