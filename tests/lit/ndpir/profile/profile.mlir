// SLOW
// On a machine of simulated devices, a profile holds the clock's times, which can be calculated by hand.
// RUN: ndp-profile %s --machine toy | filecheck %s
// RUN: ndp-profile %s --machine toy -o %t 2>&1 | filecheck %s --check-prefix=TABLE
// RUN: ndp-profile %s --machine toy -o %t.json && ndp-opt %s --machine toy --profile %t.json -p 'place{policy=path}' -t summary | filecheck %s --check-prefix=TAKEN
// RUN: not ndp-profile %s --plan %s 2>&1 | filecheck %s --check-prefix=PLAN
// RUN: not ndp-profile %s --machine tpy 2>&1 | filecheck %s --check-prefix=MACHINE

// CHECK: "format": "ndpir-profile-1"
// CHECK: "runs": {"nodes": 2}
// CHECK: "device": "gpu", "key": "%0 : 1x8xf32, %1 : weight 8x8xf32; %2 = graph.matmul %0, %1 : 1x8xf32; yield %2"
// CHECK-SAME: "kind": "simulated", "times_ns": [1003.2]
// CHECK: "device": "pim", "key": "%0 : 1x8xf32, %1 : weight 8x8xf32; %2 = graph.matmul %0, %1 : 1x8xf32; yield %2"
// CHECK-SAME: "times_ns": [201.0]
// CHECK: "source": "gpu", "target": "pim", "bytes": 32, "kind": "simulated", "times_ns": [1003.2]

// TABLE: profile.mlir:{{[0-9]+}}:1: note: no device of the machine has `measures onnxruntime` in its sheet, so all times are simulated
// TABLE: 2 runs in {{.*}} s, 2 copies simulated
// TABLE-NEXT: device sheet
// TABLE-NEXT: @gpu toy_gpu simulated 1 1
// TABLE-NEXT: @pim toy_pim simulated 1 1

// TAKEN: costs {{.*}} simulated in a profile

// PLAN: profile.mlir:1:1: error: the plan is not valid JSON: expecting value
// MACHINE: error: there is no machine or device `tpy`; did you mean

func.func @main(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<8x8xf32>
  %y = graph.matmul %x, %w : tensor<1x8xf32>, tensor<8x8xf32>
  func.return %y : tensor<1x8xf32>
}
