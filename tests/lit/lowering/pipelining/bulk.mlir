// One thread issues a bulk copy for a box whose rows have no padding, on GPUs whose sheets allow it.
// RUN: ndp-opt %s -p copy-in-bulk | filecheck %s --check-prefix BULK
// RUN: ndp-opt %s -p pipeline-buffers,copy-in-bulk | filecheck %s --check-prefix AHEAD
// RUN: ndp-opt %s -p copy-in-bulk -t timeline | filecheck %s --check-prefix TIME
// RUN: sed 's/h100_sxm/a100/' %s | not ndp-opt - -p copy-in-bulk -t timeline 2>&1 | filecheck %s --check-prefix NONE
// RUN: sed 's/async %x/async bulk %x/' %s | not ndp-opt - -t timeline 2>&1 | filecheck %s --check-prefix PADDED

// BULK:      tile.copy async bulk %a[%k * 16 : 16] to %as
// BULK-NEXT: tile.copy async %x[%k * 16 : 16] to %xs
// BULK-NEXT: tile.copy async %o[%k * 16 : 16] to %os

// AHEAD: tile.copy async bulk %a[((%k + 1) mod 4) * 16 : 16] to %as[(%k + 1) mod 2]

// TIME: @copy

// NONE: error: tile.copy: a100 has no unit for bulk copies (`bulk_copies` in its sheet); remove `bulk`

// PADDED: error: tile.copy: this copy can't be `bulk`: its shared buffer is padded, but the unit writes rows without gaps; swizzle the buffer instead; or remove `bulk`
hw.device @gpu = "h100_sxm"
tile.kernel @copy on @gpu (%a: memref<64x64xf16>, %x: memref<64x64xf16>, %o: memref<64x12xf16>) -> (%y: memref<64x64xf16>, %z: memref<64x64xf16>, %w: memref<64x12xf16>) {
  tile.blocks %i = 0 to 1 warps 4, 1 {
    %as = tile.buffer shared stages 2 swizzled : memref<16x64xf16>
    %xs = tile.buffer shared pad 8 : memref<16x64xf16>
    %os = tile.buffer shared : memref<16x12xf16>
    tile.for %k = 0 to 4 {
      tile.copy async %a[%k * 16 : 16] to %as
      tile.copy async %x[%k * 16 : 16] to %xs
      tile.copy async %o[%k * 16 : 16] to %os
      tile.commit
      tile.wait 0
      tile.barrier
      tile.copy %as to %y[%k * 16 : 16]
      tile.copy %xs to %z[%k * 16 : 16]
      tile.copy %os to %w[%k * 16 : 16]
      tile.barrier
    }
  }
}
func.func @main(%a: tensor<64x64xf16>, %x: tensor<64x64xf16>, %o: tensor<64x12xf16>) -> tensor<64x64xf16> {
  %y, %z, %w = tile.launch @copy (%a, %x, %o) : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x12xf16>) -> (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x12xf16>)
  func.return %y : tensor<64x64xf16>
}
