// A product that was measured to take 0.9 us, less than a launch by the sheet (1 us): its kernel takes as long, and both
// its launch and its grids are scaled.
// RUN: ndp-opt %s --profile %S/Inputs/short.json -p to-tile,pipeline-buffers | filecheck %s
// RUN: ndp-opt %s --profile %S/Inputs/short.json -p to-tile,pipeline-buffers -t summary | filecheck %s --check-prefix=TIME

// CHECK: attributes {tile.scale = [[SCALE:0[.][0-9]+]] : f64, tile.launch_scale = [[SCALE]] : f64}
// TIME: makespan   900 ns
hw.device @gpu = "a100"
func.func @main(%x: tensor<64x256xf16>) -> tensor<64x256xf16> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<256x256xf16>
  %y = graph.matmul %x, %w : tensor<64x256xf16>, tensor<256x256xf16>
  func.return %y : tensor<64x256xf16>
}
