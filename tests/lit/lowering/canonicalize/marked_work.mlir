// An op that is marked for a device stays, where simpler code would do its work elsewhere.
// RUN: ndp-opt %s -p canonicalize | filecheck %s

hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"

// CHECK-LABEL: func.func @main
// CHECK-NEXT: %a = graph.clip %x min = 0.0, max = 1.0 {task.on = @pim}
// CHECK-NEXT: %b = graph.clip %a min = 0.5, max = 2.0
// CHECK-NEXT: func.return %b
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = graph.clip %x min = 0.0, max = 1.0 {task.on = @pim} : tensor<4x8xf32>
  %b = graph.clip %a min = 0.5, max = 2.0 : tensor<4x8xf32>
  func.return %b : tensor<4x8xf32>
}

// Without a mark, both become one op.
// CHECK-LABEL: func.func @unmarked
// CHECK-NEXT: graph.clip %x min = 0.5, max = 1.0
// CHECK-NEXT: func.return
func.func @unmarked(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %a = graph.clip %x min = 0.0, max = 1.0 : tensor<4x8xf32>
  %b = graph.clip %a min = 0.5, max = 2.0 : tensor<4x8xf32>
  func.return %b : tensor<4x8xf32>
}
