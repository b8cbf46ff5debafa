// The tensor ops of ops.py: one fuses into the product before it, the other is split by rows.
// RUN: ndp-opt --plugin %S/../ops.py %S/../mobile.mlir -p 'split{op=log_softmax at=0.5},fuse' --check | filecheck %s
// CHECK:      graph.fused
// CHECK:        graph.matmul
// CHECK-NEXT:   mobile.hard_swish
// CHECK:      mobile.log_softmax %{{.*}} : tensor<32x4096xf16>
// CHECK:      mobile.log_softmax %{{.*}} : tensor<32x4096xf16>
// CHECK:      graph.concat

// Without the plugin, its ops are unknown.
// RUN: not ndp-opt %S/../mobile.mlir 2>&1 | filecheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: {{.*}}mobile.hard_swish
