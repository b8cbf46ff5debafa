module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<40x8xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<7x8xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<3x8xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<16xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<13x16xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<8xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<16x8xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<1xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<8x1xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<16xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<14x16xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<8xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<16x8xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<32x13xf16>, %arg14: tensor<32xf32>, %arg15: tensor<32xi32>, %arg16: tensor<32xi32>, %arg17: tensor<32xi32>) -> (tensor<40x8xf32> {jax.result_info = "result[0]['tables'][0]"}, tensor<7x8xf32> {jax.result_info = "result[0]['tables'][1]"}, tensor<3x8xf32> {jax.result_info = "result[0]['tables'][2]"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['bottom'][0]['bias']"}, tensor<13x16xf32> {jax.result_info = "result[0]['weights']['bottom'][0]['weight']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['bottom'][1]['bias']"}, tensor<16x8xf32> {jax.result_info = "result[0]['weights']['bottom'][1]['weight']"}, tensor<1xf32> {jax.result_info = "result[0]['weights']['last']['bias']"}, tensor<8x1xf32> {jax.result_info = "result[0]['weights']['last']['weight']"}, tensor<16xf32> {jax.result_info = "result[0]['weights']['top'][0]['bias']"}, tensor<14x16xf32> {jax.result_info = "result[0]['weights']['top'][0]['weight']"}, tensor<8xf32> {jax.result_info = "result[0]['weights']['top'][1]['bias']"}, tensor<16x8xf32> {jax.result_info = "result[0]['weights']['top'][1]['weight']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %1 = stablehlo.compare LT, %arg15, %0, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_0 = stablehlo.constant dense<40> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %3 = stablehlo.add %arg15, %2 : tensor<32xi32>
    %4 = stablehlo.select %1, %3, %arg15 : tensor<32xi1>, tensor<32xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<40x8xf32>, tensor<32x1xi32>) -> tensor<32x8xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %8 = stablehlo.compare LT, %arg16, %7, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_2 = stablehlo.constant dense<7> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %10 = stablehlo.add %arg16, %9 : tensor<32xi32>
    %11 = stablehlo.select %8, %10, %arg16 : tensor<32xi1>, tensor<32xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %13 = "stablehlo.gather"(%arg1, %12) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<7x8xf32>, tensor<32x1xi32>) -> tensor<32x8xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %15 = stablehlo.compare LT, %arg17, %14, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_4 = stablehlo.constant dense<3> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %17 = stablehlo.add %arg17, %16 : tensor<32xi32>
    %18 = stablehlo.select %15, %17, %arg17 : tensor<32xi1>, tensor<32xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %20 = "stablehlo.gather"(%arg2, %19) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<3x8xf32>, tensor<32x1xi32>) -> tensor<32x8xf32>
    %21 = stablehlo.convert %arg4 : (tensor<13x16xf32>) -> tensor<13x16xf16>
    %22 = stablehlo.dot_general %arg13, %21, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x13xf16>, tensor<13x16xf16>) -> tensor<32x16xf16>
    %23 = stablehlo.convert %arg3 : (tensor<16xf32>) -> tensor<16xf16>
    %24 = stablehlo.broadcast_in_dim %23, dims = [1] : (tensor<16xf16>) -> tensor<1x16xf16>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<1x16xf16>) -> tensor<32x16xf16>
    %26 = stablehlo.add %22, %25 : tensor<32x16xf16>
    %27 = call @relu(%26) : (tensor<32x16xf16>) -> tensor<32x16xf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %28 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<32x16xf16>
    %29 = stablehlo.compare GT, %26, %28, FLOAT : (tensor<32x16xf16>, tensor<32x16xf16>) -> tensor<32x16xi1>
    %30 = stablehlo.convert %arg6 : (tensor<16x8xf32>) -> tensor<16x8xf16>
    %31 = stablehlo.dot_general %27, %30, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf16>, tensor<16x8xf16>) -> tensor<32x8xf16>
    %32 = stablehlo.convert %arg5 : (tensor<8xf32>) -> tensor<8xf16>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<8xf16>) -> tensor<1x8xf16>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<1x8xf16>) -> tensor<32x8xf16>
    %35 = stablehlo.add %31, %34 : tensor<32x8xf16>
    %36 = call @relu_0(%35) : (tensor<32x8xf16>) -> tensor<32x8xf16>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %37 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f16>) -> tensor<32x8xf16>
    %38 = stablehlo.compare GT, %35, %37, FLOAT : (tensor<32x8xf16>, tensor<32x8xf16>) -> tensor<32x8xi1>
    %39 = stablehlo.convert %6 : (tensor<32x8xf32>) -> tensor<32x8xf16>
    %40 = stablehlo.convert %13 : (tensor<32x8xf32>) -> tensor<32x8xf16>
    %41 = stablehlo.convert %20 : (tensor<32x8xf32>) -> tensor<32x8xf16>
    %42 = stablehlo.broadcast_in_dim %36, dims = [0, 2] : (tensor<32x8xf16>) -> tensor<32x1x8xf16>
    %43 = stablehlo.broadcast_in_dim %39, dims = [0, 2] : (tensor<32x8xf16>) -> tensor<32x1x8xf16>
    %44 = stablehlo.broadcast_in_dim %40, dims = [0, 2] : (tensor<32x8xf16>) -> tensor<32x1x8xf16>
    %45 = stablehlo.broadcast_in_dim %41, dims = [0, 2] : (tensor<32x8xf16>) -> tensor<32x1x8xf16>
    %46 = stablehlo.concatenate %42, %43, %44, %45, dim = 1 : (tensor<32x1x8xf16>, tensor<32x1x8xf16>, tensor<32x1x8xf16>, tensor<32x1x8xf16>) -> tensor<32x4x8xf16>
    %47 = stablehlo.dot_general %46, %46, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<32x4x8xf16>, tensor<32x4x8xf16>) -> tensor<32x4x4xf16>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %49 = call @tril(%48) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %51 = stablehlo.compare NE, %49, %50, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %52 = call @cumsum(%51) : (tensor<4x4xi1>) -> tensor<16xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %53 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %54 = call @clip(%52, %c_9) : (tensor<16xi32>, tensor<i32>) -> tensor<16xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %55 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %56 = stablehlo.compare LT, %54, %55, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_11 = stablehlo.constant dense<6> : tensor<i32>
    %57 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %58 = stablehlo.add %54, %57 : tensor<16xi32>
    %59 = stablehlo.select %56, %58, %54 : tensor<16xi1>, tensor<16xi32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %c_12 = stablehlo.constant dense<1> : tensor<i32>
    %61 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %62 = "stablehlo.scatter"(%53, %60, %61) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg18: tensor<i32>, %arg19: tensor<i32>):
      %249 = stablehlo.add %arg18, %arg19 : tensor<i32>
      stablehlo.return %249 : tensor<i32>
    }) : (tensor<6xi32>, tensor<16x1xi32>, tensor<16xi32>) -> tensor<6xi32>
    %63 = call @cumsum_2(%62) : (tensor<6xi32>) -> tensor<6xi32>
    %c_13 = stablehlo.constant dense<4> : tensor<i32>
    %64 = call @floor_divide(%63, %c_13) : (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>
    %c_14 = stablehlo.constant dense<4> : tensor<i32>
    %65 = call @remainder(%64, %c_14) : (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>
    %c_15 = stablehlo.constant dense<1> : tensor<i32>
    %66 = call @floor_divide(%63, %c_15) : (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>
    %c_16 = stablehlo.constant dense<4> : tensor<i32>
    %67 = call @remainder(%66, %c_16) : (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %68 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %69 = stablehlo.compare LT, %65, %68, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_18 = stablehlo.constant dense<4> : tensor<i32>
    %70 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %71 = stablehlo.add %65, %70 : tensor<6xi32>
    %72 = stablehlo.select %69, %71, %65 : tensor<6xi1>, tensor<6xi32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %73 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %74 = stablehlo.compare LT, %67, %73, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_20 = stablehlo.constant dense<4> : tensor<i32>
    %75 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %76 = stablehlo.add %67, %75 : tensor<6xi32>
    %77 = stablehlo.select %74, %76, %67 : tensor<6xi1>, tensor<6xi32>
    %78 = stablehlo.broadcast_in_dim %72, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %79 = stablehlo.broadcast_in_dim %77, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %80 = stablehlo.concatenate %78, %79, dim = 1 : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x2xi32>
    %81 = "stablehlo.gather"(%47, %80) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 32, 1, 1>}> : (tensor<32x4x4xf16>, tensor<6x2xi32>) -> tensor<32x6xf16>
    %82 = stablehlo.concatenate %36, %81, dim = 1 : (tensor<32x8xf16>, tensor<32x6xf16>) -> tensor<32x14xf16>
    %83 = stablehlo.convert %arg10 : (tensor<14x16xf32>) -> tensor<14x16xf16>
    %84 = stablehlo.dot_general %82, %83, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x14xf16>, tensor<14x16xf16>) -> tensor<32x16xf16>
    %85 = stablehlo.convert %arg9 : (tensor<16xf32>) -> tensor<16xf16>
    %86 = stablehlo.broadcast_in_dim %85, dims = [1] : (tensor<16xf16>) -> tensor<1x16xf16>
    %87 = stablehlo.broadcast_in_dim %86, dims = [0, 1] : (tensor<1x16xf16>) -> tensor<32x16xf16>
    %88 = stablehlo.add %84, %87 : tensor<32x16xf16>
    %89 = call @relu(%88) : (tensor<32x16xf16>) -> tensor<32x16xf16>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %90 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f16>) -> tensor<32x16xf16>
    %91 = stablehlo.compare GT, %88, %90, FLOAT : (tensor<32x16xf16>, tensor<32x16xf16>) -> tensor<32x16xi1>
    %92 = stablehlo.convert %arg12 : (tensor<16x8xf32>) -> tensor<16x8xf16>
    %93 = stablehlo.dot_general %89, %92, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf16>, tensor<16x8xf16>) -> tensor<32x8xf16>
    %94 = stablehlo.convert %arg11 : (tensor<8xf32>) -> tensor<8xf16>
    %95 = stablehlo.broadcast_in_dim %94, dims = [1] : (tensor<8xf16>) -> tensor<1x8xf16>
    %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1] : (tensor<1x8xf16>) -> tensor<32x8xf16>
    %97 = stablehlo.add %93, %96 : tensor<32x8xf16>
    %98 = call @relu_0(%97) : (tensor<32x8xf16>) -> tensor<32x8xf16>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %99 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f16>) -> tensor<32x8xf16>
    %100 = stablehlo.compare GT, %97, %99, FLOAT : (tensor<32x8xf16>, tensor<32x8xf16>) -> tensor<32x8xi1>
    %101 = stablehlo.convert %arg8 : (tensor<8x1xf32>) -> tensor<8x1xf16>
    %102 = stablehlo.dot_general %98, %101, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x8xf16>, tensor<8x1xf16>) -> tensor<32x1xf16>
    %103 = stablehlo.convert %arg7 : (tensor<1xf32>) -> tensor<1xf16>
    %104 = stablehlo.broadcast_in_dim %103, dims = [1] : (tensor<1xf16>) -> tensor<1x1xf16>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1] : (tensor<1x1xf16>) -> tensor<32x1xf16>
    %106 = stablehlo.add %102, %105 : tensor<32x1xf16>
    %107 = stablehlo.reshape %106 : (tensor<32x1xf16>) -> tensor<32xf16>
    %108 = stablehlo.convert %107 : (tensor<32xf16>) -> tensor<32xf32>
    %109:2 = call @softplus(%108) : (tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>)
    %110 = stablehlo.multiply %arg14, %108 : tensor<32xf32>
    %111 = stablehlo.subtract %109#0, %110 : tensor<32xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %112 = stablehlo.reduce(%111 init: %cst_23) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %cst_24 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %113 = stablehlo.divide %112, %cst_24 : tensor<f32>
    %cst_25 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %114 = stablehlo.multiply %113, %cst_25 : tensor<f32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_27 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %115 = stablehlo.multiply %cst_26, %cst_27 : tensor<f32>
    %cst_28 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %116 = stablehlo.divide %115, %cst_28 : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %118 = stablehlo.negate %117 : tensor<32xf32>
    %119 = stablehlo.multiply %arg14, %118 : tensor<32xf32>
    %120 = call @softplus_5(%109#1, %117) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    %121 = stablehlo.add %119, %120 : tensor<32xf32>
    %122 = stablehlo.convert %121 : (tensor<32xf32>) -> tensor<32xf16>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0] : (tensor<32xf16>) -> tensor<32x1xf16>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %124 = stablehlo.reduce(%123 init: %cst_29) applies stablehlo.add across dimensions = [0] : (tensor<32x1xf16>, tensor<f16>) -> tensor<1xf16>
    %125 = stablehlo.reshape %124 : (tensor<1xf16>) -> tensor<1x1xf16>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %126 = stablehlo.reduce(%125 init: %cst_30) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1xf16>, tensor<f16>) -> tensor<f16>
    %127 = stablehlo.broadcast_in_dim %126, dims = [] : (tensor<f16>) -> tensor<1xf16>
    %128 = stablehlo.convert %127 : (tensor<1xf16>) -> tensor<1xf32>
    %129 = stablehlo.dot_general %123, %98, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x1xf16>, tensor<32x8xf16>) -> tensor<1x8xf16>
    %130 = stablehlo.transpose %129, dims = [1, 0] : (tensor<1x8xf16>) -> tensor<8x1xf16>
    %131 = stablehlo.dot_general %123, %101, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x1xf16>, tensor<8x1xf16>) -> tensor<32x8xf16>
    %132 = stablehlo.convert %130 : (tensor<8x1xf16>) -> tensor<8x1xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %133 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f16>) -> tensor<32x8xf16>
    %134 = stablehlo.select %100, %131, %133 : tensor<32x8xi1>, tensor<32x8xf16>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %135 = stablehlo.reduce(%134 init: %cst_32) applies stablehlo.add across dimensions = [0] : (tensor<32x8xf16>, tensor<f16>) -> tensor<8xf16>
    %136 = stablehlo.reshape %135 : (tensor<8xf16>) -> tensor<1x8xf16>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %137 = stablehlo.reduce(%136 init: %cst_33) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf16>, tensor<f16>) -> tensor<8xf16>
    %138 = stablehlo.convert %137 : (tensor<8xf16>) -> tensor<8xf32>
    %139 = stablehlo.dot_general %134, %89, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x8xf16>, tensor<32x16xf16>) -> tensor<8x16xf16>
    %140 = stablehlo.transpose %139, dims = [1, 0] : (tensor<8x16xf16>) -> tensor<16x8xf16>
    %141 = stablehlo.dot_general %134, %92, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x8xf16>, tensor<16x8xf16>) -> tensor<32x16xf16>
    %142 = stablehlo.convert %140 : (tensor<16x8xf16>) -> tensor<16x8xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %143 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f16>) -> tensor<32x16xf16>
    %144 = stablehlo.select %91, %141, %143 : tensor<32x16xi1>, tensor<32x16xf16>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %145 = stablehlo.reduce(%144 init: %cst_35) applies stablehlo.add across dimensions = [0] : (tensor<32x16xf16>, tensor<f16>) -> tensor<16xf16>
    %146 = stablehlo.reshape %145 : (tensor<16xf16>) -> tensor<1x16xf16>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %147 = stablehlo.reduce(%146 init: %cst_36) applies stablehlo.add across dimensions = [0] : (tensor<1x16xf16>, tensor<f16>) -> tensor<16xf16>
    %148 = stablehlo.convert %147 : (tensor<16xf16>) -> tensor<16xf32>
    %149 = stablehlo.dot_general %144, %82, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf16>, tensor<32x14xf16>) -> tensor<16x14xf16>
    %150 = stablehlo.transpose %149, dims = [1, 0] : (tensor<16x14xf16>) -> tensor<14x16xf16>
    %151 = stablehlo.dot_general %144, %83, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf16>, tensor<14x16xf16>) -> tensor<32x14xf16>
    %152 = stablehlo.convert %150 : (tensor<14x16xf16>) -> tensor<14x16xf32>
    %153 = stablehlo.slice %151 [0:32, 0:8] : (tensor<32x14xf16>) -> tensor<32x8xf16>
    %154 = stablehlo.slice %151 [0:32, 8:14] : (tensor<32x14xf16>) -> tensor<32x6xf16>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %155 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f16>) -> tensor<32x4x4xf16>
    %156 = "stablehlo.scatter"(%155, %80, %154) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1, 2], scatter_dims_to_operand_dims = [1, 2], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg18: tensor<f16>, %arg19: tensor<f16>):
      %249 = stablehlo.add %arg18, %arg19 : tensor<f16>
      stablehlo.return %249 : tensor<f16>
    }) : (tensor<32x4x4xf16>, tensor<6x2xi32>, tensor<32x6xf16>) -> tensor<32x4x4xf16>
    %157 = stablehlo.dot_general %156, %46, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x4x4xf16>, tensor<32x4x8xf16>) -> tensor<32x4x8xf16>
    %158 = stablehlo.dot_general %156, %46, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x4x4xf16>, tensor<32x4x8xf16>) -> tensor<32x4x8xf16>
    %159 = stablehlo.add %157, %158 : tensor<32x4x8xf16>
    %160 = stablehlo.slice %159 [0:32, 0:1, 0:8] : (tensor<32x4x8xf16>) -> tensor<32x1x8xf16>
    %161 = stablehlo.reshape %160 : (tensor<32x1x8xf16>) -> tensor<32x8xf16>
    %162 = stablehlo.slice %159 [0:32, 1:2, 0:8] : (tensor<32x4x8xf16>) -> tensor<32x1x8xf16>
    %163 = stablehlo.reshape %162 : (tensor<32x1x8xf16>) -> tensor<32x8xf16>
    %164 = stablehlo.slice %159 [0:32, 2:3, 0:8] : (tensor<32x4x8xf16>) -> tensor<32x1x8xf16>
    %165 = stablehlo.reshape %164 : (tensor<32x1x8xf16>) -> tensor<32x8xf16>
    %166 = stablehlo.slice %159 [0:32, 3:4, 0:8] : (tensor<32x4x8xf16>) -> tensor<32x1x8xf16>
    %167 = stablehlo.reshape %166 : (tensor<32x1x8xf16>) -> tensor<32x8xf16>
    %168 = stablehlo.add %153, %161 : tensor<32x8xf16>
    %169 = stablehlo.convert %167 : (tensor<32x8xf16>) -> tensor<32x8xf32>
    %170 = stablehlo.convert %165 : (tensor<32x8xf16>) -> tensor<32x8xf32>
    %171 = stablehlo.convert %163 : (tensor<32x8xf16>) -> tensor<32x8xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %172 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f16>) -> tensor<32x8xf16>
    %173 = stablehlo.select %38, %168, %172 : tensor<32x8xi1>, tensor<32x8xf16>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %174 = stablehlo.reduce(%173 init: %cst_39) applies stablehlo.add across dimensions = [0] : (tensor<32x8xf16>, tensor<f16>) -> tensor<8xf16>
    %175 = stablehlo.reshape %174 : (tensor<8xf16>) -> tensor<1x8xf16>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %176 = stablehlo.reduce(%175 init: %cst_40) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf16>, tensor<f16>) -> tensor<8xf16>
    %177 = stablehlo.convert %176 : (tensor<8xf16>) -> tensor<8xf32>
    %178 = stablehlo.dot_general %173, %27, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x8xf16>, tensor<32x16xf16>) -> tensor<8x16xf16>
    %179 = stablehlo.transpose %178, dims = [1, 0] : (tensor<8x16xf16>) -> tensor<16x8xf16>
    %180 = stablehlo.dot_general %173, %30, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x8xf16>, tensor<16x8xf16>) -> tensor<32x16xf16>
    %181 = stablehlo.convert %179 : (tensor<16x8xf16>) -> tensor<16x8xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %182 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f16>) -> tensor<32x16xf16>
    %183 = stablehlo.select %29, %180, %182 : tensor<32x16xi1>, tensor<32x16xf16>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %184 = stablehlo.reduce(%183 init: %cst_42) applies stablehlo.add across dimensions = [0] : (tensor<32x16xf16>, tensor<f16>) -> tensor<16xf16>
    %185 = stablehlo.reshape %184 : (tensor<16xf16>) -> tensor<1x16xf16>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %186 = stablehlo.reduce(%185 init: %cst_43) applies stablehlo.add across dimensions = [0] : (tensor<1x16xf16>, tensor<f16>) -> tensor<16xf16>
    %187 = stablehlo.convert %186 : (tensor<16xf16>) -> tensor<16xf32>
    %188 = stablehlo.dot_general %183, %arg13, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf16>, tensor<32x13xf16>) -> tensor<16x13xf16>
    %189 = stablehlo.transpose %188, dims = [1, 0] : (tensor<16x13xf16>) -> tensor<13x16xf16>
    %190 = stablehlo.convert %189 : (tensor<13x16xf16>) -> tensor<13x16xf32>
    %cst_44 = stablehlo.constant dense<-9.76562514E-5> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %192 = stablehlo.multiply %191, %171 : tensor<32x8xf32>
    %c_45 = stablehlo.constant dense<0> : tensor<i32>
    %193 = stablehlo.broadcast_in_dim %c_45, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %194 = stablehlo.compare LT, %arg15, %193, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_46 = stablehlo.constant dense<40> : tensor<i32>
    %195 = stablehlo.broadcast_in_dim %c_46, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %196 = stablehlo.add %arg15, %195 : tensor<32xi32>
    %197 = stablehlo.select %194, %196, %arg15 : tensor<32xi1>, tensor<32xi32>
    %198 = stablehlo.broadcast_in_dim %197, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %199 = "stablehlo.scatter"(%arg0, %198, %192) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %249 = stablehlo.add %arg18, %arg19 : tensor<f32>
      stablehlo.return %249 : tensor<f32>
    }) : (tensor<40x8xf32>, tensor<32x1xi32>, tensor<32x8xf32>) -> tensor<40x8xf32>
    %cst_47 = stablehlo.constant dense<-9.76562514E-5> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %201 = stablehlo.multiply %200, %170 : tensor<32x8xf32>
    %c_48 = stablehlo.constant dense<0> : tensor<i32>
    %202 = stablehlo.broadcast_in_dim %c_48, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %203 = stablehlo.compare LT, %arg16, %202, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_49 = stablehlo.constant dense<7> : tensor<i32>
    %204 = stablehlo.broadcast_in_dim %c_49, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %205 = stablehlo.add %arg16, %204 : tensor<32xi32>
    %206 = stablehlo.select %203, %205, %arg16 : tensor<32xi1>, tensor<32xi32>
    %207 = stablehlo.broadcast_in_dim %206, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %208 = "stablehlo.scatter"(%arg1, %207, %201) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %249 = stablehlo.add %arg18, %arg19 : tensor<f32>
      stablehlo.return %249 : tensor<f32>
    }) : (tensor<7x8xf32>, tensor<32x1xi32>, tensor<32x8xf32>) -> tensor<7x8xf32>
    %cst_50 = stablehlo.constant dense<-9.76562514E-5> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %210 = stablehlo.multiply %209, %169 : tensor<32x8xf32>
    %c_51 = stablehlo.constant dense<0> : tensor<i32>
    %211 = stablehlo.broadcast_in_dim %c_51, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %212 = stablehlo.compare LT, %arg17, %211, SIGNED : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi1>
    %c_52 = stablehlo.constant dense<3> : tensor<i32>
    %213 = stablehlo.broadcast_in_dim %c_52, dims = [] : (tensor<i32>) -> tensor<32xi32>
    %214 = stablehlo.add %arg17, %213 : tensor<32xi32>
    %215 = stablehlo.select %212, %214, %arg17 : tensor<32xi1>, tensor<32xi32>
    %216 = stablehlo.broadcast_in_dim %215, dims = [0] : (tensor<32xi32>) -> tensor<32x1xi32>
    %217 = "stablehlo.scatter"(%arg2, %216, %210) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %249 = stablehlo.add %arg18, %arg19 : tensor<f32>
      stablehlo.return %249 : tensor<f32>
    }) : (tensor<3x8xf32>, tensor<32x1xi32>, tensor<32x8xf32>) -> tensor<3x8xf32>
    %cst_53 = stablehlo.constant dense<9.76562514E-5> : tensor<f32>
    %218 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %219 = stablehlo.multiply %218, %187 : tensor<16xf32>
    %220 = stablehlo.subtract %arg3, %219 : tensor<16xf32>
    %cst_54 = stablehlo.constant dense<9.76562514E-5> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<13x16xf32>
    %222 = stablehlo.multiply %221, %190 : tensor<13x16xf32>
    %223 = stablehlo.subtract %arg4, %222 : tensor<13x16xf32>
    %cst_55 = stablehlo.constant dense<9.76562514E-5> : tensor<f32>
    %224 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %225 = stablehlo.multiply %224, %177 : tensor<8xf32>
    %226 = stablehlo.subtract %arg5, %225 : tensor<8xf32>
    %cst_56 = stablehlo.constant dense<9.76562514E-5> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %228 = stablehlo.multiply %227, %181 : tensor<16x8xf32>
    %229 = stablehlo.subtract %arg6, %228 : tensor<16x8xf32>
    %cst_57 = stablehlo.constant dense<9.76562514E-5> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %231 = stablehlo.multiply %230, %128 : tensor<1xf32>
    %232 = stablehlo.subtract %arg7, %231 : tensor<1xf32>
    %cst_58 = stablehlo.constant dense<9.76562514E-5> : tensor<f32>
    %233 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %234 = stablehlo.multiply %233, %132 : tensor<8x1xf32>
    %235 = stablehlo.subtract %arg8, %234 : tensor<8x1xf32>
    %cst_59 = stablehlo.constant dense<9.76562514E-5> : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %237 = stablehlo.multiply %236, %148 : tensor<16xf32>
    %238 = stablehlo.subtract %arg9, %237 : tensor<16xf32>
    %cst_60 = stablehlo.constant dense<9.76562514E-5> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<14x16xf32>
    %240 = stablehlo.multiply %239, %152 : tensor<14x16xf32>
    %241 = stablehlo.subtract %arg10, %240 : tensor<14x16xf32>
    %cst_61 = stablehlo.constant dense<9.76562514E-5> : tensor<f32>
    %242 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %243 = stablehlo.multiply %242, %138 : tensor<8xf32>
    %244 = stablehlo.subtract %arg11, %243 : tensor<8xf32>
    %cst_62 = stablehlo.constant dense<9.76562514E-5> : tensor<f32>
    %245 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %246 = stablehlo.multiply %245, %142 : tensor<16x8xf32>
    %247 = stablehlo.subtract %arg12, %246 : tensor<16x8xf32>
    %cst_63 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %248 = stablehlo.divide %114, %cst_63 : tensor<f32>
    return %199, %208, %217, %220, %223, %226, %229, %232, %235, %238, %241, %244, %247, %248 : tensor<40x8xf32>, tensor<7x8xf32>, tensor<3x8xf32>, tensor<16xf32>, tensor<13x16xf32>, tensor<8xf32>, tensor<16x8xf32>, tensor<1xf32>, tensor<8x1xf32>, tensor<16xf32>, tensor<14x16xf32>, tensor<8xf32>, tensor<16x8xf32>, tensor<f32>
  }
  func.func private @relu(%arg0: tensor<32x16xf16>) -> tensor<32x16xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<32x16xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<32x16xf16>
    return %1 : tensor<32x16xf16>
  }
  func.func private @relu_0(%arg0: tensor<32x8xf16>) -> tensor<32x8xf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<32x8xf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<32x8xf16>
    return %1 : tensor<32x8xf16>
  }
  func.func private @tril(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x4xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<4x4xi1>, tensor<4x4xf32>
    return %6 : tensor<4x4xf32>
  }
  func.func private @cumsum(%arg0: tensor<4x4xi1>) -> tensor<16xi32> {
    %0 = stablehlo.reshape %arg0 : (tensor<4x4xi1>) -> tensor<16xi1>
    %1 = stablehlo.convert %0 : (tensor<16xi1>) -> tensor<16xi32>
    %2 = call @cumsum_1(%1) : (tensor<16xi32>) -> tensor<16xi32>
    return %2 : tensor<16xi32>
  }
  func.func private @cumsum_1(%arg0: tensor<16xi32>) -> tensor<16xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[15, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 16>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<16xi32>, tensor<i32>) -> tensor<16xi32>
    return %1 : tensor<16xi32>
  }
  func.func private @clip(%arg0: tensor<16xi32>, %arg1: tensor<i32>) -> tensor<16xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<16xi32>
    return %2 : tensor<16xi32>
  }
  func.func private @cumsum_2(%arg0: tensor<6xi32>) -> tensor<6xi32> {
    %0 = call @cumsum_3(%arg0) : (tensor<6xi32>) -> tensor<6xi32>
    return %0 : tensor<6xi32>
  }
  func.func private @cumsum_3(%arg0: tensor<6xi32>) -> tensor<6xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[5, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 6>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<6xi32>, tensor<i32>) -> tensor<6xi32>
    return %1 : tensor<6xi32>
  }
  func.func private @floor_divide(%arg0: tensor<6xi32>, %arg1: tensor<i32>) -> tensor<6xi32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %1 = stablehlo.divide %arg0, %0 : tensor<6xi32>
    %2 = stablehlo.sign %arg0 : tensor<6xi32>
    %3 = stablehlo.sign %arg1 : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %5 = stablehlo.compare NE, %2, %4, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %6 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %7 = stablehlo.remainder %arg0, %6 : tensor<6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %9 = stablehlo.compare NE, %7, %8, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %10 = stablehlo.and %5, %9 : tensor<6xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %12 = stablehlo.subtract %1, %11 : tensor<6xi32>
    %13 = call @_where(%10, %12, %1) : (tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    return %13 : tensor<6xi32>
  }
  func.func private @_where(%arg0: tensor<6xi1>, %arg1: tensor<6xi32>, %arg2: tensor<6xi32>) -> tensor<6xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xi32>
    return %0 : tensor<6xi32>
  }
  func.func private @remainder(%arg0: tensor<6xi32>, %arg1: tensor<i32>) -> tensor<6xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_4(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<6xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
    %12 = stablehlo.and %11, %6 : tensor<6xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %14 = stablehlo.add %4, %13 : tensor<6xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<6xi1>, tensor<6xi32>
    return %15 : tensor<6xi32>
  }
  func.func private @_where_4(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
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
  func.func private @softplus_5(%arg0: tensor<32xf32>, %arg1: tensor<32xf32>) -> tensor<32xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<32xf32>
    return %0 : tensor<32xf32>
  }
}
