// RUN: ndp-opt %s -p to-pim | filecheck %s
// RUN: ndp-opt %s -p to-pim --check -t values | filecheck %s --check-prefix=VALUES

// The controller opens and closes rows, and a drain keeps the sums. So the program only names rows, has no
// precharges, and sets each sum first: to the bias or to zeros.

hw.device @pim = "aim" {channels = 2}

// CHECK:      pim.kernel @matmul_1x40x1100_bf16_bias on @pim (%x: memref<1x{{.*}}>, %start: memref<{{.*}}xbf16>,
// CHECK:        pim.bias all from %start
// CHECK-NEXT:   pim.mac all
// CHECK-NEXT:   pim.drain all add to %y
// CHECK-NOT:  pim.pre
// CHECK:      pim.kernel @matmul_1x40x90_bf16_gelu
// CHECK:        pim.bias all from %start
// CHECK-NEXT:   pim.mac all
// CHECK-NEXT:   pim.activate all "gelu"
// CHECK-NEXT:   pim.activated all to %y
// CHECK:      pim.kernel @groups_mul_300_bf16
// CHECK:        pim.ewmul all columns 0 to
// VALUES:     result 2
func.func @main(%x: !task.on<@pim, tensor<1x1100xbf16>>, %z: !task.on<@pim, tensor<1x90xbf16>>, %a: !task.on<@pim, tensor<300xbf16>>)
    -> (!task.on<@pim, tensor<1x40xbf16>>, !task.on<@pim, tensor<1x40xbf16>>, !task.on<@pim, tensor<300xbf16>>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<1100x40xbf16>
  %b = graph.weight "b" = uniform(-1.0, 1.0, 2) : tensor<40xbf16>
  %v = graph.weight "v" = uniform(-1.0, 1.0, 3) : tensor<90x40xbf16>
  %wp = task.resident %w on @pim
  %bp = task.resident %b on @pim
  %vp = task.resident %v on @pim
  %y = task.run @pim (%0 = %x, %1 = %wp, %2 = %bp) {
    %3 = graph.matmul %0, %1, %2 : tensor<1x1100xbf16>, tensor<1100x40xbf16>, tensor<40xbf16>
    task.yield %3
  }
  %u = task.run @pim (%0 = %z, %1 = %vp) {
    %2 = graph.fused (%3 = %0, %4 = %1) {
      %5 = graph.matmul %3, %4 : tensor<1x90xbf16>, tensor<90x40xbf16>
      %6 = graph.gelu %5 : tensor<1x40xbf16>
      graph.yield %6
    }
    task.yield %2
  }
  %m = task.run @pim (%0 = %a) {
    %1 = graph.mul %0, %0 : tensor<300xbf16>
    task.yield %1
  }
  func.return %y, %u, %m : !task.on<@pim, tensor<1x40xbf16>>, !task.on<@pim, tensor<1x40xbf16>>, !task.on<@pim, tensor<300xbf16>>
}
