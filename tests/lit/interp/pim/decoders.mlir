// Errors about the decoder: a barrier has no time if channels can't wait for each other, and a vendor's own instruction can't be interpreted.
// RUN: not ndp-opt %s -t timeline 2>&1 | filecheck %s --check-prefix=TIME
// TIME: decoders.mlir:15:3: error: pim.barrier: the channels of toy_pim do not wait for each other, and their programs differ here; remove the barrier, or give all channels one program (one pim.channels)
// RUN: not ndp-opt %s -t values 2>&1 | filecheck %s --check-prefix=VALUES
// VALUES: decoders.mlir:20:3: error: pim.step "EWADD 1 0 0": the effect of a vendor's own instruction on values is unknown; write commands of the pim dialect instead, or request timing only (-t timeline)
hw.device @pim = "toy_pim" {channels = 2}
pim.kernel @apart on @pim (%x: memref<4xf32>, %w: memref<2x1x2x1x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
  pim.channels %c = 0 to 2 {
    pim.load %x
    pim.act all row 0
  }
  pim.channels %c = 1 to 2 {
    pim.load %x at 1
  }
  pim.barrier
  pim.channels %c = 0 to 2 {
    pim.mac all columns 0 to 1
    pim.drain all to %y[%c]
  }
  pim.step "EWADD 1 0 0"
}
