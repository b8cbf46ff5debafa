module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x512x512xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64x512xf32>, %arg2: tensor<64x512xf32>) -> (tensor<24x512x512xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x64x512xf32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<24x64x512xi1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %2:5 = stablehlo.while(%iterArg = %arg0, %iterArg_7 = %c_0, %iterArg_8 = %arg1, %iterArg_9 = %0, %iterArg_10 = %1) : tensor<24x512x512xf32>, tensor<i32>, tensor<64x512xf32>, tensor<24x64x512xf32>, tensor<24x64x512xi1>
    cond {
      %c_11 = stablehlo.constant dense<24> : tensor<i32>
      %14 = stablehlo.compare LT, %iterArg_7, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %14 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_7) : (tensor<24x512x512xf32>, tensor<i32>) -> tensor<512x512xf32>
      %15:3 = func.call @closed_call(%iterArg_8, %14) : (tensor<64x512xf32>, tensor<512x512xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xi1>)
      %16 = func.call @dynamic_update_index_in_dim(%iterArg_9, %15#1, %iterArg_7) : (tensor<24x64x512xf32>, tensor<64x512xf32>, tensor<i32>) -> tensor<24x64x512xf32>
      %17 = func.call @dynamic_update_index_in_dim_0(%iterArg_10, %15#2, %iterArg_7) : (tensor<24x64x512xi1>, tensor<64x512xi1>, tensor<i32>) -> tensor<24x64x512xi1>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %18 = stablehlo.add %iterArg_7, %c_11 : tensor<i32>
      stablehlo.return %iterArg, %18, %15#0, %16, %17 : tensor<24x512x512xf32>, tensor<i32>, tensor<64x512xf32>, tensor<24x64x512xf32>, tensor<24x64x512xi1>
    }
    %3 = stablehlo.subtract %2#2, %arg2 : tensor<64x512xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x512xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<64x512xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<3.276800e+04> : tensor<f32>
    %6 = stablehlo.divide %cst_2, %cst_3 : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<64x512xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<64x512xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<24x512x512xf32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %10:6 = stablehlo.while(%iterArg = %arg0, %iterArg_7 = %2#3, %iterArg_8 = %2#4, %iterArg_9 = %c_5, %iterArg_10 = %8, %iterArg_11 = %9) : tensor<24x512x512xf32>, tensor<24x64x512xf32>, tensor<24x64x512xi1>, tensor<i32>, tensor<64x512xf32>, tensor<24x512x512xf32>
    cond {
      %c_12 = stablehlo.constant dense<24> : tensor<i32>
      %14 = stablehlo.compare LT, %iterArg_9, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %c_12 = stablehlo.constant dense<24> : tensor<i32>
      %14 = stablehlo.subtract %c_12, %iterArg_9 : tensor<i32>
      %c_13 = stablehlo.constant dense<1> : tensor<i32>
      %15 = stablehlo.subtract %14, %c_13 : tensor<i32>
      %16 = func.call @dynamic_index_in_dim(%iterArg, %15) : (tensor<24x512x512xf32>, tensor<i32>) -> tensor<512x512xf32>
      %17 = func.call @dynamic_index_in_dim_1(%iterArg_7, %15) : (tensor<24x64x512xf32>, tensor<i32>) -> tensor<64x512xf32>
      %18 = func.call @dynamic_index_in_dim_2(%iterArg_8, %15) : (tensor<24x64x512xi1>, tensor<i32>) -> tensor<64x512xi1>
      %19:2 = func.call @closed_call_3(%iterArg_10, %16, %17, %18) : (tensor<64x512xf32>, tensor<512x512xf32>, tensor<64x512xf32>, tensor<64x512xi1>) -> (tensor<64x512xf32>, tensor<512x512xf32>)
      %20 = func.call @dynamic_update_index_in_dim_4(%iterArg_11, %19#1, %15) : (tensor<24x512x512xf32>, tensor<512x512xf32>, tensor<i32>) -> tensor<24x512x512xf32>
      %c_14 = stablehlo.constant dense<1> : tensor<i32>
      %21 = stablehlo.add %iterArg_9, %c_14 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_7, %iterArg_8, %21, %19#0, %20 : tensor<24x512x512xf32>, tensor<24x64x512xf32>, tensor<24x64x512xi1>, tensor<i32>, tensor<64x512xf32>, tensor<24x512x512xf32>
    }
    %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<24x512x512xf32>
    %12 = stablehlo.multiply %11, %10#5 : tensor<24x512x512xf32>
    %13 = stablehlo.subtract %arg0, %12 : tensor<24x512x512xf32>
    return %13 : tensor<24x512x512xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<24x512x512xf32>, %arg1: tensor<i32>) -> tensor<512x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 512, 512] : (tensor<24x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
    return %1 : tensor<512x512xf32>
  }
  func.func private @closed_call(%arg0: tensor<64x512xf32>, %arg1: tensor<512x512xf32>) -> (tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xi1>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %1 = call @relu(%0) : (tensor<64x512xf32>) -> tensor<64x512xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x512xf32>
    %3 = stablehlo.compare GT, %0, %2, FLOAT : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<64x512xi1>
    %4 = stablehlo.add %arg0, %1 : tensor<64x512xf32>
    return %4, %arg0, %3 : tensor<64x512xf32>, tensor<64x512xf32>, tensor<64x512xi1>
  }
  func.func private @relu(%arg0: tensor<64x512xf32>) -> tensor<64x512xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x512xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<64x512xf32>
    return %1 : tensor<64x512xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<24x64x512xf32>, %arg1: tensor<64x512xf32>, %arg2: tensor<i32>) -> tensor<24x64x512xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<64x512xf32>) -> tensor<1x64x512xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<24x64x512xf32>, tensor<1x64x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<24x64x512xf32>
    return %1 : tensor<24x64x512xf32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<24x64x512xi1>, %arg1: tensor<64x512xi1>, %arg2: tensor<i32>) -> tensor<24x64x512xi1> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<64x512xi1>) -> tensor<1x64x512xi1>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<24x64x512xi1>, tensor<1x64x512xi1>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<24x64x512xi1>
    return %1 : tensor<24x64x512xi1>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<24x64x512xf32>, %arg1: tensor<i32>) -> tensor<64x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 64, 512] : (tensor<24x64x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x512xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x64x512xf32>) -> tensor<64x512xf32>
    return %1 : tensor<64x512xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<24x64x512xi1>, %arg1: tensor<i32>) -> tensor<64x512xi1> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 64, 512] : (tensor<24x64x512xi1>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x512xi1>
    %1 = stablehlo.reshape %0 : (tensor<1x64x512xi1>) -> tensor<64x512xi1>
    return %1 : tensor<64x512xi1>
  }
  func.func private @closed_call_3(%arg0: tensor<64x512xf32>, %arg1: tensor<512x512xf32>, %arg2: tensor<64x512xf32>, %arg3: tensor<64x512xi1>) -> (tensor<64x512xf32>, tensor<512x512xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x512xf32>
    %1 = stablehlo.select %arg3, %arg0, %0 : tensor<64x512xi1>, tensor<64x512xf32>
    %2 = stablehlo.dot_general %1, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x512xf32>, tensor<64x512xf32>) -> tensor<512x512xf32>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %4 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
    %5 = stablehlo.add %arg0, %4 : tensor<64x512xf32>
    return %5, %3 : tensor<64x512xf32>, tensor<512x512xf32>
  }
  func.func private @dynamic_update_index_in_dim_4(%arg0: tensor<24x512x512xf32>, %arg1: tensor<512x512xf32>, %arg2: tensor<i32>) -> tensor<24x512x512xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<512x512xf32>) -> tensor<1x512x512xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<24x512x512xf32>, tensor<1x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<24x512x512xf32>
    return %1 : tensor<24x512x512xf32>
  }
}
