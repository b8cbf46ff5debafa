// Near-data programs on a device without near-data units are errors.
// RUN: not ndp-opt %s -t timeline 2>&1 | filecheck %s
// RUN: not ndp-opt %s -t values 2>&1 | filecheck %s
// RUN: not ndp-opt %s -t ndp 2>&1 | filecheck %s

hw.device @ndp = "toy_gpu"

// CHECK: invalid.mlir:9:1: error: @ndp (toy_gpu) has no near-data units to run an ndp.program; name a device of kind ndp
ndp.program @copy on @ndp (%a: memref<8xf32>) -> (%r: memref<8xf32>) {
  ndp.filter %a
  %x = ndp.load %a
  ndp.store %x to %r
  ndp.join
}
