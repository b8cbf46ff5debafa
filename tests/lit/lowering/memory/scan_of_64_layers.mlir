// SLOW
// A scan over 64 layers of 33.5 MB on a card of 1 GB: half of the weights stay, half of each slice is moved in and out.
// RUN: ndp-opt %s --machine a100-uvm --set gpu.memory=1GB -p swap | filecheck %s
// RUN: ndp-opt %s --machine a100-uvm --set gpu.memory=1GB -p swap -t summary | filecheck %s --check-prefix=PLAN
// RUN: ndp-opt %s --machine a100-uvm --set gpu.memory=1GB -p inline,canonicalize,place{policy=gpu} -t summary | filecheck %s --check-prefix=FAULTS

// CHECK:     task.repeat @gpu %i = 0 to 64
// CHECK:       task.evict %layers slice %i - 1 of 64 {{.*}} to @host in 1 to 64
// CHECK:       task.prefetch %layers slice %i + 1 of 64 {{.*}} in 1 to 63
// PLAN:      memory     @gpu has 1 GB and holds up to {{.*}} (2.15x)
// PLAN:      at least {{.*}}; this one {{[01]\..}} % above
// FAULTS:    moved      2.147 GB faulted
func.func @main(%x: tensor<256x2896xf32>, %w: tensor<64x2896x2896xf32> {task.state = "read"}) -> tensor<256x2896xf32> {
  %y = graph.repeat %i = 0 to 64 (%a = %x, %layers = %w) {
    %0 = graph.constant 0 : tensor<i32>
    %slice = graph.dynamic_slice %layers, %i, %0, %0 sizes = [1, 2896, 2896] : tensor<64x2896x2896xf32>, tensor<i32>, tensor<i32>, tensor<i32>
    %layer = graph.reshape %slice : tensor<1x2896x2896xf32> -> tensor<2896x2896xf32>
    %product = graph.matmul %a, %layer : tensor<256x2896xf32>, tensor<2896x2896xf32>
    %b = graph.relu %product : tensor<256x2896xf32>
    graph.yield %b
  }
  func.return %y : tensor<256x2896xf32>
}
