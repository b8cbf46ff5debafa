// SLOW
// RUN: ndp-opt %s --machine a100-newton -p to-pim --check -t timeline | filecheck %s
// RUN: ndp-opt %s --machine a100-hbm_pim -p to-pim --check -t timeline | filecheck %s
// RUN: ndp-opt %s --machine h100-attacc -p to-pim --check -t timeline | filecheck %s

// A cache to which the task appends nothing needs no command that writes into banks: the program reads it where it stays. Four heads
// share each of the caches, as keys in one product and as values in another.

// CHECK: pim  @matmul_8x4x300x128_f16 {{.*}}
// CHECK: pim  @matmul_8x4x128x300_f16 {{.*}}
func.func @main(%q: !task.on<@pim, tensor<2x4x4x128xf16>>, %k: !task.on<@pim, tensor<2x4x300x128xf16>>, %p: !task.on<@pim, tensor<2x4x4x300xf16>>)
    -> (!task.on<@pim, tensor<2x4x4x300xf16>>, !task.on<@pim, tensor<2x4x4x128xf16>>) {
  %s = task.run @pim (%a = %q, %b = %k) {
    %m = graph.matmul %a, %b transpose_b : tensor<2x4x4x128xf16>, tensor<2x4x300x128xf16>
    task.yield %m
  }
  %c = task.run @pim (%a = %p, %b = %k) {
    %m = graph.matmul %a, %b : tensor<2x4x4x300xf16>, tensor<2x4x300x128xf16>
    task.yield %m
  }
  func.return %s, %c : !task.on<@pim, tensor<2x4x4x300xf16>>, !task.on<@pim, tensor<2x4x4x128xf16>>
}
