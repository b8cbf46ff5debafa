// RUN: ndp-opt %s -p to-pim --check -t timeline | filecheck %s
// RUN: ndp-opt %s -p to-pim | filecheck %s --check-prefix=PIM
// RUN: ndp-opt %s -p to-pim -t values --set toy_simd.buffer=3 --check | filecheck %s --check-prefix=VALUES

// Keys and values of earlier tokens stay in the banks: arguments on @pim. Only new ones are written, into reserved
// places: a key as columns of one bank, a value as one element of every output, which rewrites complete columns.

hw.device @pim = "toy_simd"

// CHECK: pim  @matmul_2x1x12x6_f32_appended
// CHECK: pim  @matmul_2x1x6x12_f32_appended
// VALUES: result 1
// PIM:      pim.kernel @matmul_2x1x12x6_f32_appended on @pim (%x: memref<2x1x6xf32>, %new: memref<2x1x1x8xf32>, %w: memref<{{.*}}> at row 0)
// PIM:        pim.write bank 1 columns {{.*}} from %new[%b, 0, 0, 0 to 8] {append}
func.func @main(%q: !task.on<@pim, tensor<1x2x1x6xf32>>, %keys: !task.on<@pim, tensor<1x2x11x6xf32>>,
                %values: !task.on<@pim, tensor<1x2x11x6xf32>>, %k: !task.on<@pim, tensor<1x2x1x6xf32>>,
                %v: !task.on<@pim, tensor<1x2x1x6xf32>>, %p: !task.on<@pim, tensor<1x2x1x12xf32>>)
    -> (!task.on<@pim, tensor<1x2x1x12xf32>>, !task.on<@pim, tensor<1x2x1x6xf32>>) {
  %s = task.run @pim (%a = %q, %past = %keys, %new = %k) {
    %0 = graph.concat %past, %new axis = 2 : tensor<1x2x11x6xf32>, tensor<1x2x1x6xf32>
    %1 = graph.transpose %0 permutation = [0, 1, 3, 2] : tensor<1x2x12x6xf32>
    %2 = graph.matmul %a, %1 : tensor<1x2x1x6xf32>, tensor<1x2x6x12xf32>
    task.yield %2
  }
  %o = task.run @pim (%a = %p, %past = %values, %new = %v) {
    %0 = graph.concat %past, %new axis = 2 : tensor<1x2x11x6xf32>, tensor<1x2x1x6xf32>
    %1 = graph.matmul %a, %0 : tensor<1x2x1x12xf32>, tensor<1x2x12x6xf32>
    task.yield %1
  }
  func.return %s, %o : !task.on<@pim, tensor<1x2x1x12xf32>>, !task.on<@pim, tensor<1x2x1x6xf32>>
}
