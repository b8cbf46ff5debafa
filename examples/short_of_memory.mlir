// A training step of six products in f16 with two optimizers: weights w0 and w1, moments m0, m1 and s0.
func.func @main(%x: tensor<512x1024xf16>, %w1: tensor<1024x1024xf16> {task.state = "overwritten, result 0"}, %m1: tensor<1024x1024xf16> {task.state = "overwritten, result 1"}, %w0: tensor<1024x1024xf16> {task.state = "overwritten, result 2"}, %m0: tensor<1024x1024xf16> {task.state = "overwritten, result 3"}, %s0: tensor<1024x1024xf16> {task.state = "overwritten, result 4"}) -> (tensor<1024x1024xf16>, tensor<1024x1024xf16>, tensor<1024x1024xf16>, tensor<1024x1024xf16>, tensor<1024x1024xf16>, tensor<512x1024xf16>) {
  %v1 = graph.matmul %x, %w0 : tensor<512x1024xf16>, tensor<1024x1024xf16>
  %v2 = graph.relu %v1 : tensor<512x1024xf16>
  %v3 = graph.matmul %v2, %w1 : tensor<512x1024xf16>, tensor<1024x1024xf16>
  %v4 = graph.softmax %v3 axis = 1 : tensor<512x1024xf16>
  %v5 = graph.mul %v4, %x : tensor<512x1024xf16>
  %v6 = graph.mul %v5, %v3 : tensor<512x1024xf16>
  %v7 = graph.transpose %v2 permutation = [1, 0] : tensor<512x1024xf16>
  %v8 = graph.matmul %v7, %v6 : tensor<1024x512xf16>, tensor<512x1024xf16>
  %v9 = graph.matmul %v6, %w1 : tensor<512x1024xf16>, tensor<1024x1024xf16>
  %w21, %m21 = graph.fused (%p = %w1, %g = %v8, %m = %m1) {
    %a1 = graph.add %m, %g : tensor<1024x1024xf16>
    %a2 = graph.sub %p, %a1 : tensor<1024x1024xf16>
    graph.yield %a2, %a1
  }
  %v10 = graph.mul %v9, %v1 : tensor<512x1024xf16>
  %v11 = graph.transpose %x permutation = [1, 0] : tensor<512x1024xf16>
  %v12 = graph.matmul %v11, %v10 : tensor<1024x512xf16>, tensor<512x1024xf16>
  %v13 = graph.matmul %v10, %w0 : tensor<512x1024xf16>, tensor<1024x1024xf16>
  %w20, %m20, %s20 = graph.fused (%p = %w0, %g = %v12, %m = %m0, %s = %s0) {
    %a1 = graph.add %m, %g : tensor<1024x1024xf16>
    %a2 = graph.mul %g, %g : tensor<1024x1024xf16>
    %a3 = graph.add %s, %a2 : tensor<1024x1024xf16>
    %a4 = graph.sqrt %a3 : tensor<1024x1024xf16>
    %a5 = graph.div %a1, %a4 : tensor<1024x1024xf16>
    %a6 = graph.sub %p, %a5 : tensor<1024x1024xf16>
    graph.yield %a6, %a1, %a3
  }
  func.return %w21, %m21, %w20, %m20, %s20, %v13 : tensor<1024x1024xf16>, tensor<1024x1024xf16>, tensor<1024x1024xf16>, tensor<1024x1024xf16>, tensor<1024x1024xf16>, tensor<512x1024xf16>
}
