// States have places of their own: a concat of two states, and a state that is appended to another, are copies.
// RUN: ndp-opt %s -p state,layout -t timeline{entry=joined} 2>/dev/null | filecheck %s
// RUN: ndp-opt %s -p state,layout -t timeline{entry=nested} 2>/dev/null | filecheck %s --check-prefix=NESTED

hw.device @gpu = "toy_gpu"
// CHECK: concat {{.*}} 16 kB
func.func @joined(%k: tensor<3x250xf32>, %v: tensor<3x250xf32>, %x: tensor<1x250xf32>) -> (tensor<4x250xf32>, tensor<4x250xf32>, tensor<8x250xf32>) {
  %n = graph.exp %x : tensor<1x250xf32>
  %m = graph.neg %x : tensor<1x250xf32>
  %kk = graph.concat %k, %n axis = 0 : tensor<3x250xf32>, tensor<1x250xf32>
  %vv = graph.concat %v, %m axis = 0 : tensor<3x250xf32>, tensor<1x250xf32>
  %all = graph.concat %kk, %vv axis = 0 : tensor<4x250xf32>, tensor<4x250xf32>
  %e = graph.exp %all : tensor<8x250xf32>
  func.return %kk, %vv, %e : tensor<4x250xf32>, tensor<4x250xf32>, tensor<8x250xf32>
}

// NESTED: dynamic_update_slice {{.*}} 8 kB
func.func @nested(%a: tensor<3x250xf32>, %b: tensor<8x250xf32>, %x: tensor<1x250xf32>, %p: tensor<i32>) -> (tensor<1x250xf32>, tensor<8x250xf32>) {
  %z = graph.constant 0 : tensor<i32>
  %n = graph.exp %x : tensor<1x250xf32>
  %aa = graph.concat %a, %n axis = 0 : tensor<3x250xf32>, tensor<1x250xf32>
  %bb = graph.dynamic_update_slice %b, %aa, %p, %z : tensor<8x250xf32>, tensor<4x250xf32>, tensor<i32>, tensor<i32>
  func.return %n, %bb : tensor<1x250xf32>, tensor<8x250xf32>
}
