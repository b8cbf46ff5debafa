// Optimizers keep their types in loops, too: of carried values (one step per iteration), of a slice of a stack that an iteration
// reads and writes back (one layer per iteration), and as kernels made by `fuse`. Contractions in an iteration are converted.
// RUN: ndp-opt %s -p 'reduce-precision{to=f16}' --check 2>&1 | filecheck %s
// RUN: ndp-opt %s -p 'fuse,reduce-precision{to=f16}' --check 2>&1 | filecheck %s --check-prefix FUSED

// CHECK: check: reduce-precision: 6 results equal within
// CHECK: func.func @main
// CHECK: graph.repeat %i = 0 to 3 (%p = %p0, %m = %m0, %v = %v0, %k =
// CHECK: graph.matmul {{.*}} : tensor<4x8xf16>, tensor<8x4xf16>
// CHECK: %m1 = graph.add {{.*}} : tensor<8x4xf32>
// CHECK: %v1 = graph.add {{.*}} : tensor<8x4xf32>
// CHECK: %p1 = graph.sub %p, {{.*}} : tensor<8x4xf32>
// CHECK: graph.yield %p1, %m1, %v1
// CHECK: graph.repeat %i = 0 to 2 (%ps = %sp, %ms = %sm, %vs = %sv
// CHECK: graph.dynamic_slice %ms{{.*}} : tensor<2x8x4xf32>
// CHECK: graph.matmul {{.*}} : tensor<4x8xf16>, tensor<8x4xf16>
// CHECK: graph.dynamic_update_slice %ms{{.*}} : tensor<2x8x4xf32>, tensor<1x8x4xf32>
// CHECK: func.return

// FUSED: check: reduce-precision: 6 results equal within
// FUSED: graph.matmul {{.*}} : tensor<4x8xf16>, tensor<8x4xf16>
// FUSED: graph.fused adam ({{.*}} = %m, {{.*}} = %v
// FUSED: graph.sub {{.*}} : tensor<8x4xf32>
// FUSED: graph.matmul {{.*}} : tensor<4x8xf16>, tensor<8x4xf16>
// FUSED: graph.fused adam
// FUSED: graph.sqrt {{.*}} : tensor<1x8x4xf32>
func.func @main(%x: tensor<4x8xf32> {graph.fill = array<f64: 0.0, 1.0e-2>}, %p0: tensor<8x4xf32>,
    %m0: tensor<8x4xf32> {graph.fill = array<f64: 0.0, 1.0e-5>}, %v0: tensor<8x4xf32> {graph.fill = array<f64: 0.0, 1.0e-9>},
    %sp: tensor<2x8x4xf32>, %sm: tensor<2x8x4xf32> {graph.fill = array<f64: 0.0, 1.0e-5>},
    %sv: tensor<2x8x4xf32> {graph.fill = array<f64: 0.0, 1.0e-9>}, %xt: tensor<8x4xf32> {graph.fill = array<f64: 0.0, 1.0e-4>})
    -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) {
  %a, %b, %c = graph.repeat %i = 0 to 3 (%p = %p0, %m = %m0, %v = %v0, %k = %x, %t = %xt) {
    %y = graph.matmul %k, %p : tensor<4x8xf32>, tensor<8x4xf32>
    %g = graph.matmul %t, %y : tensor<8x4xf32>, tensor<4x4xf32>
    %b1 = graph.constant 0.9 : tensor<f32>
    %b2 = graph.constant 0.999 : tensor<f32>
    %a1 = graph.constant 0.1 : tensor<f32>
    %a2 = graph.constant 0.001 : tensor<f32>
    %small = graph.constant 1.0e-8 : tensor<f32>
    %mb = graph.mul %m, %b1 : tensor<8x4xf32>, tensor<f32>
    %ga = graph.mul %g, %a1 : tensor<8x4xf32>, tensor<f32>
    %m1 = graph.add %mb, %ga : tensor<8x4xf32>
    %vb = graph.mul %v, %b2 : tensor<8x4xf32>, tensor<f32>
    %g2 = graph.mul %g, %g : tensor<8x4xf32>
    %gb = graph.mul %g2, %a2 : tensor<8x4xf32>, tensor<f32>
    %v1 = graph.add %vb, %gb : tensor<8x4xf32>
    %root = graph.sqrt %v1 : tensor<8x4xf32>
    %under = graph.add %root, %small : tensor<8x4xf32>, tensor<f32>
    %step = graph.div %m1, %under : tensor<8x4xf32>
    %d = graph.mul %step, %a2 : tensor<8x4xf32>, tensor<f32>
    %p1 = graph.sub %p, %d : tensor<8x4xf32>
    graph.yield %p1, %m1, %v1
  }
  %0 = graph.constant 0 : tensor<i32>
  %d, %e, %f = graph.repeat %i = 0 to 2 (%ps = %sp, %ms = %sm, %vs = %sv, %k = %x, %t = %xt, %z = %0) {
    %pk = graph.dynamic_slice %ps, %i, %z, %z sizes = [1, 8, 4] : tensor<2x8x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    %m = graph.dynamic_slice %ms, %i, %z, %z sizes = [1, 8, 4] : tensor<2x8x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    %v = graph.dynamic_slice %vs, %i, %z, %z sizes = [1, 8, 4] : tensor<2x8x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    %p = graph.reshape %pk : tensor<1x8x4xf32> -> tensor<8x4xf32>
    %y = graph.matmul %k, %p : tensor<4x8xf32>, tensor<8x4xf32>
    %gk = graph.matmul %t, %y : tensor<8x4xf32>, tensor<4x4xf32>
    %g = graph.reshape %gk : tensor<8x4xf32> -> tensor<1x8x4xf32>
    %b1 = graph.constant 0.9 : tensor<f32>
    %b2 = graph.constant 0.999 : tensor<f32>
    %a1 = graph.constant 0.1 : tensor<f32>
    %a2 = graph.constant 0.001 : tensor<f32>
    %small = graph.constant 1.0e-8 : tensor<f32>
    %mb = graph.mul %m, %b1 : tensor<1x8x4xf32>, tensor<f32>
    %ga = graph.mul %g, %a1 : tensor<1x8x4xf32>, tensor<f32>
    %m1 = graph.add %mb, %ga : tensor<1x8x4xf32>
    %vb = graph.mul %v, %b2 : tensor<1x8x4xf32>, tensor<f32>
    %g2 = graph.mul %g, %g : tensor<1x8x4xf32>
    %gb = graph.mul %g2, %a2 : tensor<1x8x4xf32>, tensor<f32>
    %v1 = graph.add %vb, %gb : tensor<1x8x4xf32>
    %root = graph.sqrt %v1 : tensor<1x8x4xf32>
    %under = graph.add %root, %small : tensor<1x8x4xf32>, tensor<f32>
    %step = graph.div %m1, %under : tensor<1x8x4xf32>
    %d = graph.mul %step, %a2 : tensor<1x8x4xf32>, tensor<f32>
    %p1 = graph.sub %pk, %d : tensor<1x8x4xf32>
    %pn = graph.dynamic_update_slice %ps, %p1, %i, %z, %z
      : tensor<2x8x4xf32>, tensor<1x8x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    %mn = graph.dynamic_update_slice %ms, %m1, %i, %z, %z
      : tensor<2x8x4xf32>, tensor<1x8x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    %vn = graph.dynamic_update_slice %vs, %v1, %i, %z, %z
      : tensor<2x8x4xf32>, tensor<1x8x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    graph.yield %pn, %mn, %vn
  }
  func.return %a, %b, %c, %d, %e, %f
    : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>
}
