// RUN: ndp-opt %s -p to-pim --check -t timeline | filecheck %s
// RUN: ndp-opt %s -p to-pim | filecheck %s --check-prefix=PIM
// RUN: ndp-opt %s -p to-pim --check -t values | filecheck %s --check-prefix=VALUES
// RUN: ndp-opt %s -p to-pim -t pim-trace | filecheck %s --check-prefix=TRACE

// Attention on a device with a softmax buffer is one program. Keys and values of earlier tokens stay in the banks; those of this
// step are written. Two caches share a channel: the softmax of the first overlaps with the scores of the second.

hw.device @pim = "attacc" {channels = 1}

// CHECK: pim  @attention_2x2x40x32x64_f16_appended_1
// VALUES: result 0
// PIM:      pim.kernel @attention_2x2x40x32x64_f16_appended_1
// PIM:        pim.write bank 39 columns 0 to 2 from %new_k[%h + %c, 0] {append}
// PIM:        pim.barrier
// PIM:        pim.load %q[%c, 0
// PIM-NEXT:   pim.mac all columns
// PIM:        pim.collect all
// PIM:        pim.barrier
// PIM-NEXT:   pim.pre all
// PIM-NEXT:   pim.softmax entries 0 to 40 {scale = 0.17
// PIM-NEXT:   pim.softmax entries 64 to 104
// PIM:        pim.load %q[%c + 1, 0
// PIM:        pim.collect all at 128
// PIM:        pim.barrier
// PIM:        pim.spread all entries
// PIM:        pim.spread all entries 32 to 40 at 2
// PIM:        pim.drain all to %y[%c, 0, 0]
// PIM:        pim.softmax entries 128 to 168
// TRACE:     ST 0x
// TRACE:     PIM_WR_GB 0x
// TRACE:     PIM_MAC_AB 0x
// TRACE:     PIM_SFM 0x
// TRACE:     PIM_MV_GB 0x
func.func @main(%q: !task.on<@pim, tensor<1x4x1x32xf16>>, %keys: !task.on<@pim, tensor<1x2x39x32xf16>>,
                %values: !task.on<@pim, tensor<1x2x39x64xf16>>, %k: !task.on<@pim, tensor<1x2x1x32xf16>>,
                %v: !task.on<@pim, tensor<1x2x1x64xf16>>) -> !task.on<@pim, tensor<1x4x1x64xf16>> {
  %y = task.run @pim (%a = %q, %0 = %keys, %1 = %values, %2 = %k, %3 = %v) {
    %4 = graph.concat %0, %2 axis = 2 : tensor<1x2x39x32xf16>, tensor<1x2x1x32xf16>
    %5 = graph.concat %1, %3 axis = 2 : tensor<1x2x39x64xf16>, tensor<1x2x1x64xf16>
    %6 = graph.attention %a, %4, %5 : tensor<1x4x1x32xf16>, tensor<1x2x40x32xf16>, tensor<1x2x40x64xf16>
    task.yield %6
  }
  func.return %y : !task.on<@pim, tensor<1x4x1x64xf16>>
}
