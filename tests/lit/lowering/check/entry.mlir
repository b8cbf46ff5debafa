// RUN: ndp-opt %s -p offload --check -t values 2>&1 | filecheck %s
// RUN: ndp-opt %s -p offload --check -t 'values{entry=scalar}' 2>&1 | filecheck %s --check-prefix=NAMED

// The entry of a program is its first function that is not private; `--check` compares the function that the target prints.
// CHECK: check: place: 1 result equal
// CHECK: result 0: tensor<4xf32>
// NAMED: check: place: 1 result equal
// NAMED: result 0: tensor<f32>
hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
func.func private @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.mul %x, %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @shown(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @square(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %n = graph.neg %0 : tensor<4xf32>
  func.return %n : tensor<4xf32>
}
func.func @scalar(%s: tensor<f32>) -> tensor<f32> {
  %y = graph.relu %s : tensor<f32>
  func.return %y : tensor<f32>
}
