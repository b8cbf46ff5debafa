// Half of the memory channels belong to the PIM, and the program does not fit into the other half: it runs on the GPU
// with all channels, and no pipeline fails.
// RUN: ndp-opt %s --machine rtx4090-newton --set 'rtx4090.memory=4 MB' -p gpu-only -t summary | filecheck %s
// RUN: ndp-opt %s --machine rtx4090-newton --set 'rtx4090.memory=4 MB' -p offload -t summary | filecheck %s
// RUN: ndp-opt %s --machine rtx4090-newton --set 'rtx4090.memory=4 MB' -p optimal -t summary | filecheck %s
// RUN: not ndp-opt %s --machine rtx4090-newton --set 'rtx4090.memory=2 MB' -p offload 2>&1 | filecheck %s --check-prefix=MORE

// CHECK: speed-up 1.00x over @gpu
// MORE: error: @main needs {{.*}} on @gpu

func.func @main(%x: tensor<800x1024xf16>) -> tensor<800x1024xf16> {
  %y = graph.relu %x : tensor<800x1024xf16>
  func.return %y : tensor<800x1024xf16>
}
