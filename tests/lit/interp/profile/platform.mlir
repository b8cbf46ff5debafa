// SLOW
// RUN: ndp-opt %s --machine cpu-pim -p reduce-precision,place{effort=1} -t timeline --summary 2>&1 | filecheck %s
// RUN: ndp-opt %s --machine cpu-pim --set serial.executor=parallel -p place{policy=priority\ devices=parallel} -t timeline 2>&1 | filecheck %s --check-prefix=CORES

// The platform of Kim et al. (TODAES 2024). All cores multiply a large matrix, one core runs small ops, and a
// product of one row runs on the PIM. Copies between one core and all cores take no time; nothing runs in parallel.

// CHECK-DAG: 0 ns  serial->parallel  copy %x
// CHECK-DAG: parallel          matmul    compute
// CHECK-DAG: pim<->serial      copy %b
// CHECK-DAG: pim               matmul    mac cadence
// CHECK-DAG: 0 ns  parallel->serial  copy %a
// CHECK:     bound     {{.*}} (load of all devices and links, serialized)
// CHECK:     gap       0.0 %

// CORES: 0 ns  serial->parallel  copy %x
// CORES: parallel  matmul
func.func @main(%x: tensor<512x512xf32>, %v: tensor<1x4096xf32>) -> (tensor<512x512xf32>, tensor<1x4096xf32>) {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<512x512xf32>
  %u = graph.weight "u" = uniform(-1.0, 1.0, 2) : tensor<4096x4096xf32>
  %a = graph.matmul %x, %w : tensor<512x512xf32>, tensor<512x512xf32>
  %b = graph.relu %v : tensor<1x4096xf32>
  %c = graph.matmul %b, %u : tensor<1x4096xf32>, tensor<4096x4096xf32>
  func.return %a, %c : tensor<512x512xf32>, tensor<1x4096xf32>
}
