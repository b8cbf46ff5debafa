// Ops that move elements: reshape, transpose, broadcast, concat, slice, pad, gathers and scatters.
// RUN: ndp-opt %s | ndp-opt | filecheck %s
// RUN: ndp-opt %s --print-op-generic | ndp-opt | filecheck %s

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<2x3x4xf32>, %y: tensor<1x3x4xf32>, %s: tensor<f32>, %e: tensor<0x3xf32>, %row: tensor<1x4xf32>,
    %ids: tensor<2x5xi64>, %zero: tensor<i32>, %at: tensor<1x2xi64>, %one_each: tensor<2x1xi64>,
    %new: tensor<1x2xf32>, %slabs: tensor<2x3x4xf32>) {
  // CHECK-NEXT: %flat = graph.reshape %x : tensor<2x3x4xf32> -> tensor<24xf32>
  %flat = graph.reshape %x : tensor<2x3x4xf32> -> tensor<24xf32>
  // CHECK-NEXT: %same = graph.reshape %s : tensor<f32> -> tensor<1x1xf32>
  %same = graph.reshape %s : tensor<f32> -> tensor<1x1xf32>
  // CHECK-NEXT: %none = graph.reshape %e : tensor<0x3xf32> -> tensor<5x0xf32>
  %none = graph.reshape %e : tensor<0x3xf32> -> tensor<5x0xf32>
  // CHECK-NEXT: %bits = graph.bitcast %x : tensor<2x3x4xf32> -> tensor<2x3x4xi32>
  %bits = graph.bitcast %x : tensor<2x3x4xf32> -> tensor<2x3x4xi32>
  // CHECK-NEXT: %halves = graph.bitcast %row : tensor<1x4xf32> -> tensor<1x4x2xi16>
  %halves = graph.bitcast %row : tensor<1x4xf32> -> tensor<1x4x2xi16>
  // CHECK-NEXT: %turned = graph.transpose %x permutation = [0, 2, 1] : tensor<2x3x4xf32>
  %turned = graph.transpose %x permutation = [0, 2, 1] : tensor<2x3x4xf32>
  // CHECK-NEXT: %point = graph.transpose %s permutation = [] : tensor<f32>
  %point = graph.transpose %s permutation = [] : tensor<f32>
  // CHECK-NEXT: %wide = graph.broadcast %row : tensor<1x4xf32> -> tensor<2x3x4xf32>
  %wide = graph.broadcast %row : tensor<1x4xf32> -> tensor<2x3x4xf32>
  // CHECK-NEXT: %filled = graph.broadcast %s : tensor<f32> -> tensor<0x3xf32>
  %filled = graph.broadcast %s : tensor<f32> -> tensor<0x3xf32>
  // CHECK-NEXT: %joined = graph.concat %x, %y axis = 0 : tensor<2x3x4xf32>, tensor<1x3x4xf32>
  %joined = graph.concat %x, %y axis = 0 : tensor<2x3x4xf32>, tensor<1x3x4xf32>
  // CHECK-NEXT: %one = graph.concat %x axis = -1 : tensor<2x3x4xf32>
  %one = graph.concat %x axis = -1 : tensor<2x3x4xf32>
  // CHECK-NEXT: %thrice = graph.concat %row, %row, %row axis = 1 : tensor<1x4xf32>
  %thrice = graph.concat %row, %row, %row axis = 1 : tensor<1x4xf32>
  // CHECK-NEXT: %part = graph.slice %x starts = [0, 1, 0], ends = [2, 3, 4], steps = [1, 1, 2] : tensor<2x3x4xf32>
  %part = graph.slice %x starts = [0, 1, 0], ends = [2, 3, 4], steps = [1, 1, 2] : tensor<2x3x4xf32>
  // CHECK-NEXT: %reversed = graph.slice %row starts = [0, 3], ends = [1, -1], steps = [1, -1] : tensor<1x4xf32>
  %reversed = graph.slice %row starts = [0, 3], ends = [1, -1], steps = [1, -1] : tensor<1x4xf32>
  // CHECK-NEXT: %nothing = graph.slice %row starts = [1, 2], ends = [1, 2] : tensor<1x4xf32>
  %nothing = graph.slice %row starts = [1, 2], ends = [1, 2] : tensor<1x4xf32>
  // CHECK-NEXT: %padded = graph.pad %x low = [0, 1, 0], high = [0, 2, 1] : tensor<2x3x4xf32>
  %padded = graph.pad %x low = [0, 1, 0], high = [0, 2, 1] : tensor<2x3x4xf32>
  // CHECK-NEXT: %framed = graph.pad %row low = [1, 1], high = [1, 1], value = -inf : tensor<1x4xf32>
  %framed = graph.pad %row low = [1, 1], high = [1, 1], value = -inf : tensor<1x4xf32>
  // CHECK-NEXT: %embedded = graph.gather %x, %ids axis = 1 : tensor<2x3x4xf32>, tensor<2x5xi64>
  %embedded = graph.gather %x, %ids axis = 1 : tensor<2x3x4xf32>, tensor<2x5xi64>
  // CHECK-NEXT: %row0 = graph.gather %x, %zero : tensor<2x3x4xf32>, tensor<i32>
  %row0 = graph.gather %x, %zero : tensor<2x3x4xf32>, tensor<i32>
  // CHECK-NEXT: %elements = graph.gather_elements %row, %at axis = 1 : tensor<1x4xf32>, tensor<1x2xi64>
  %elements = graph.gather_elements %row, %at axis = 1 : tensor<1x4xf32>, tensor<1x2xi64>
  // CHECK-NEXT: %picked = graph.gather_nd %x, %one_each batch_dims = 1 : tensor<2x3x4xf32>, tensor<2x1xi64>
  %picked = graph.gather_nd %x, %one_each batch_dims = 1 : tensor<2x3x4xf32>, tensor<2x1xi64>
  // CHECK-NEXT: %set = graph.scatter_elements set %row, %at, %new axis = 1 : tensor<1x4xf32>, tensor<1x2xi64>, tensor<1x2xf32>
  %set = graph.scatter_elements set %row, %at, %new axis = 1 : tensor<1x4xf32>, tensor<1x2xi64>, tensor<1x2xf32>
  // CHECK-NEXT: %order = graph.argsort %x axis = 1, descending : tensor<2x3x4xf32>
  %order = graph.argsort %x axis = 1, descending : tensor<2x3x4xf32>
  // CHECK-NEXT: %window = graph.dynamic_slice %x, %zero, %zero, %zero sizes = [1, 3, 2] : tensor<2x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>
  %window = graph.dynamic_slice %x, %zero, %zero, %zero sizes = [1, 3, 2] : tensor<2x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>
  // CHECK-NEXT: %changed = graph.dynamic_update_slice %x, %y, %zero, %zero, %zero : tensor<2x3x4xf32>, tensor<1x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>
  %changed = graph.dynamic_update_slice %x, %y, %zero, %zero, %zero : tensor<2x3x4xf32>, tensor<1x3x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>
  // CHECK-NEXT: %sets = graph.scatter_nd set %x, %one_each, %slabs : tensor<2x3x4xf32>, tensor<2x1xi64>, tensor<2x3x4xf32>
  %sets = graph.scatter_nd set %x, %one_each, %slabs : tensor<2x3x4xf32>, tensor<2x1xi64>, tensor<2x3x4xf32>
  // CHECK-NEXT: %drops = graph.scatter_nd set %x, %one_each, %slabs outside = drop : tensor<2x3x4xf32>, tensor<2x1xi64>, tensor<2x3x4xf32>
  %drops = graph.scatter_nd set %x, %one_each, %slabs outside = drop : tensor<2x3x4xf32>, tensor<2x1xi64>, tensor<2x3x4xf32>
  // CHECK-NEXT: %adds = graph.scatter_nd add %x, %one_each, %slabs : tensor<2x3x4xf32>, tensor<2x1xi64>, tensor<2x3x4xf32>
  %adds = graph.scatter_nd add %x, %one_each, %slabs : tensor<2x3x4xf32>, tensor<2x1xi64>, tensor<2x3x4xf32>
  // CHECK-NEXT: %muls = graph.scatter_nd mul %x, %one_each, %slabs : tensor<2x3x4xf32>, tensor<2x1xi64>, tensor<2x3x4xf32>
  %muls = graph.scatter_nd mul %x, %one_each, %slabs : tensor<2x3x4xf32>, tensor<2x1xi64>, tensor<2x3x4xf32>
  // CHECK-NEXT: %mins = graph.scatter_nd min %x, %one_each, %slabs : tensor<2x3x4xf32>, tensor<2x1xi64>, tensor<2x3x4xf32>
  %mins = graph.scatter_nd min %x, %one_each, %slabs : tensor<2x3x4xf32>, tensor<2x1xi64>, tensor<2x3x4xf32>
  // CHECK: %xors = graph.scatter_elements xor %pair, %places, %pair : tensor<2xi8>, tensor<2xi64>, tensor<2xi8>
  %pair = graph.constant [1, 2] : tensor<2xi8>
  %places = graph.constant [1, 1] : tensor<2xi64>
  %xors = graph.scatter_elements xor %pair, %places, %pair : tensor<2xi8>, tensor<2xi64>, tensor<2xi8>
  // CHECK-NEXT: %maxs = graph.scatter_nd max %x, %one_each, %slabs : tensor<2x3x4xf32>, tensor<2x1xi64>, tensor<2x3x4xf32>
  %maxs = graph.scatter_nd max %x, %one_each, %slabs : tensor<2x3x4xf32>, tensor<2x1xi64>, tensor<2x3x4xf32>
  func.return
}
