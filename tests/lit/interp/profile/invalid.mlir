// RUN: ndp-opt %s -t timeline --split-input-file --verify-diagnostics | filecheck %s --allow-empty
// RUN: not ndp-opt %s --split-input-file --machine toy --profile %S/Inputs/none.json 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not ndp-opt %s --split-input-file --machine toy --profile %S/Inputs/broken.json 2>&1 | filecheck %s --check-prefix=BROKEN
// RUN: not ndp-opt %s --split-input-file --machine toy --profile %S/Inputs/keyless.json 2>&1 | filecheck %s --check-prefix=KEYLESS
// RUN: not ndp-opt %s --split-input-file --machine toy --profile %S/Inputs/relu.json --profile %S/Inputs/products.json 2>&1 | filecheck %s --check-prefix=TWICE

// NONE: none.json: error: the profile can't be read: no such file or directory; ndp-profile writes one
// BROKEN: broken.json:2:11: error: the profile is not valid JSON: expecting value
// KEYLESS: keyless.json: error: rows[0] has no `key`, which each row must state
// TWICE: error: --profile: {{.*}}relu.json and {{.*}}products.json both have entries for @gpu; keep one of them, or merge their rows into one file
// CHECK-NOT: makespan

// expected-error @+1 {{there is no file `Inputs/none.json` for `profile`; ndp-profile writes one}}
hw.device @gpu = "toy_gpu" {profile = "Inputs/none.json"}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{`profile` must be the name of a file (profile = "bert.json"), not 3}}
hw.device @gpu = "toy_gpu" {profile = 3}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{has rows only for gpu, toy_gpu, npu, not for @cpu (cpu_serial); name another profile, or none}}
hw.device @cpu = "cpu_serial" {profile = "Inputs/relu.json"}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// -----

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
// expected-error @+1 {{has copies only from gpu to npu, not between @gpu and @pim; name another profile, or none}}
hw.link @gpu to @pim = "toy_link" {profile = "Inputs/relu.json"}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
