// Attention as a program of thread blocks: two chained products with an online softmax between them. Each thread block
// keeps 64 queries of a head in registers and iterates over all keys and values, 64 at a time; for each query it keeps
// the largest score so far, the sum of weights relative to it, and the weighted sum of values.
// Run it:      ndp-opt examples/attention.tile.mlir -t values
// Pipeline it: ndp-opt examples/attention.tile.mlir -p pipeline-buffers -t timeline
hw.device @gpu = "a100"
tile.kernel @attention on @gpu (%q: memref<12x512x64xf16>, %k: memref<12x512x64xf16>, %v: memref<12x512x64xf16>) -> (%y: memref<12x512x64xf16>) {
  tile.blocks %h = 0 to 12, %i = 0 to 8 warps 4, 1 {
    %qs = tile.buffer shared swizzled : memref<64x64xf16>
    %ks = tile.buffer shared swizzled stages 2 : memref<64x64xf16>
    %vs = tile.buffer shared swizzled stages 2 : memref<64x64xf16>
    %qf = tile.buffer register : memref<64x64xf16>
    %kf = tile.buffer register : memref<64x16xf16>
    %vf = tile.buffer register : memref<16x64xf16>
    %s = tile.buffer register : memref<64x64xf32>
    %p = tile.buffer register : memref<64x64xf16>
    %o = tile.buffer register : memref<64x64xf32>
    %max = tile.buffer register : memref<64x1xf32>
    %sum = tile.buffer register : memref<64x1xf32>
    tile.copy %q[%h, %i * 64 : 64] to %qs
    tile.barrier
    tile.copy %qs to %qf
    tile.fill %o with 0.0
    tile.fill %sum with 0.0
    %lowest = graph.constant -inf : tensor<64x1xf32>
    tile.write %lowest to %max
    tile.for %t = 0 to 8 {
      tile.copy async %k[%h, %t * 64 : 64] to %ks
      tile.copy async %v[%h, %t * 64 : 64] to %vs
      tile.commit
      tile.wait 0
      tile.barrier
      tile.fill %s with 0.0
      tile.for %d = 0 to 4 {
        tile.copy %ks[0 : 64, %d * 16 : 16] to %kf
        tile.mma %qf[0 : 64, %d * 16 : 16], across %kf into %s
      }
      %products = tile.read %s
      %scale = graph.constant 0.125 : tensor<f32>
      %scores = graph.mul %products, %scale : tensor<64x64xf32>, tensor<f32>
      %before = tile.read %max
      %here = graph.reduce max %scores axes = [1], keep_dims : tensor<64x64xf32>
      %now = graph.max %before, %here : tensor<64x1xf32>
      tile.write %now to %max
      %less = graph.sub %scores, %now : tensor<64x64xf32>, tensor<64x1xf32>
      %weights = graph.exp %less : tensor<64x64xf32>
      tile.write %weights to %p
      %change = graph.sub %before, %now : tensor<64x1xf32>
      %factor = graph.exp %change : tensor<64x1xf32>
      %old = tile.read %sum
      %kept = graph.mul %old, %factor : tensor<64x1xf32>
      %added = graph.reduce sum %weights axes = [1], keep_dims : tensor<64x64xf32>
      %new = graph.add %kept, %added : tensor<64x1xf32>
      tile.write %new to %sum
      %values = tile.read %o
      %scaled = graph.mul %values, %factor : tensor<64x64xf32>, tensor<64x1xf32>
      tile.write %scaled to %o
      tile.for %d = 0 to 4 {
        tile.copy %vs[%d * 16 : 16] to %vf
        tile.mma %p[0 : 64, %d * 16 : 16], %vf into %o
      }
      tile.barrier
    }
    %total = tile.read %o
    %norm = tile.read %sum
    %result = graph.div %total, %norm : tensor<64x64xf32>, tensor<64x1xf32>
    tile.write %result to %o
    tile.copy %o to %y[%h, %i * 64 : 64]
  }
}
func.func @main(%q: tensor<12x512x64xf16>, %k: tensor<12x512x64xf16>, %v: tensor<12x512x64xf16>) -> tensor<12x512x64xf16> {
  %y = tile.launch @attention (%q, %k, %v) : (tensor<12x512x64xf16>, tensor<12x512x64xf16>, tensor<12x512x64xf16>) -> tensor<12x512x64xf16>
  func.return %y : tensor<12x512x64xf16>
}
