// Wrong ops of the task level are errors with a location.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.run @pim: %x is on @gpu; copy it first (task.copy %x to @pim)}}
  %y = task.run @pim (%a = %x) {
    task.yield %a
  }
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{task.run @pim needs operands on @pim, not a tensor<4xf32>}}
  %y = task.run @pim (%a = %x) {
    task.yield %a
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  %y = task.run @gpu (%a = %x) {
    // expected-error @+1 {{%x is not defined above; define a value before its first use}}
    %0 = graph.relu %x : tensor<4xf32>
    task.yield %0
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.run @gpu: the body must end in task.yield}}
  %y = task.run @gpu (%a = %x) {
    %0 = graph.relu %a : tensor<4xf32>
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{the body must have one block, but has 2}}
  %y = task.run @gpu (%a = %x) {
    task.yield %a
  ^bb1:
    task.yield %a
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>, %z: !task.on<@pim, tensor<4xf32>>) {
  // expected-error @+1 {{task.run @gpu: a task's body holds graph ops or pim.launch, not task.run}}
  %y = task.run @gpu (%a = %x) {
    %b = task.run @gpu () {
      %c = graph.constant 1.0 : tensor<4xf32>
      task.yield %c
    }
    task.yield %a
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{queues are numbered from 0 to 2147483647, not -1}}
  %y = task.run @gpu queue -1 (%a = %x) {
    task.yield %a
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>, %z: tensor<4xf32>) {
  // expected-error @+1 {{task.run: an op can wait for a placed value or a token, not for tensor<4xf32>}}
  %y = task.run @gpu after %z (%a = %x) {
    task.yield %a
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.run @gpu: the body's arguments have types (tensor<5xf32>), but the operands hold (tensor<4xf32>); they must be equal}}
  %y = "task.run"(%x) <{device = @gpu, queue = 0 : i64, operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<5xf32>):
    "task.yield"(%a) : (tensor<5xf32>) -> ()
  }) : (!task.on<@gpu, tensor<4xf32>>) -> !task.on<@gpu, tensor<5xf32>>
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.run @gpu: all results must be on @gpu, not on @pim}}
  %y = "task.run"(%x) <{device = @gpu, queue = 0 : i64, operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<4xf32>):
    "task.yield"(%a) : (tensor<4xf32>) -> ()
  }) : (!task.on<@gpu, tensor<4xf32>>) -> !task.on<@pim, tensor<4xf32>>
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.run @gpu: the results hold (tensor<5xf32>), but the body yields (tensor<4xf32>); they must be equal}}
  %y = "task.run"(%x) <{device = @gpu, queue = 0 : i64, operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<4xf32>):
    "task.yield"(%a) : (tensor<4xf32>) -> ()
  }) : (!task.on<@gpu, tensor<4xf32>>) -> !task.on<@gpu, tensor<5xf32>>
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.run: the device must be one name (@gpu), not @gpu::@sm}}
  %y = "task.run"(%x) <{device = @gpu::@sm, queue = 0 : i64, operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<4xf32>):
    "task.yield"(%a) : (tensor<4xf32>) -> ()
  }) : (!task.on<@gpu, tensor<4xf32>>) -> !task.on<@gpu, tensor<4xf32>>
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.copy: the value is on @gpu already; name another device as target}}
  %y = task.copy %x to @gpu
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{task.copy: %x is a tensor<4xf32> and is not on a device; place it first (task.resident %x on @DEVICE)}}
  %y = task.copy %x to @gpu
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{%z is not defined above; define a value before its first use}}
  %y = task.copy %z to @pim
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{queues are numbered from 0 to 2147483647, not 99999999999999}}
  %y = task.copy %x to @pim queue 99999999999999
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.copy: the queue must be a number of at least 0, not -1}}
  %y = "task.copy"(%x) <{queue = -1 : i64}> : (!task.on<@gpu, tensor<4xf32>>) -> !task.on<@pim, tensor<4xf32>>
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.copy keeps the tensor: !task.on<@gpu, tensor<4xf32>> does not become !task.on<@pim, tensor<5xf32>>}}
  %y = "task.copy"(%x) <{queue = 0 : i64}> : (!task.on<@gpu, tensor<4xf32>>) -> !task.on<@pim, tensor<5xf32>>
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.resident takes a weight or constant (a tensor), not !task.on<@gpu, tensor<4xf32>>}}
  %y = task.resident %x on @pim
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{task.resident keeps the tensor: tensor<4xf32> does not become !task.on<@pim, tensor<5xf32>>}}
  %y = "task.resident"(%x) : (tensor<4xf32>) -> !task.on<@pim, tensor<5xf32>>
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{task.join waits for placed values and tokens, not tensor<4xf32>}}
  %t = task.join %x
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{task.join must wait for at least one value, but has no operands}}
  %t = "task.join"() : () -> !task.token
  func.return
}

// -----

// expected-error @+1 {{a placed value is a tensor: graph ops work on tensors, not f32}}
func.func @f(%x: !task.on<@gpu, f32>) {
  func.return
}

// -----

// expected-error @+1 {{a placed value is a tensor: tensor<?xf32> has an unknown extent; every extent is a number here (--dim NAME=N binds one)}}
func.func @f(%x: !task.on<@gpu, tensor<?xf32>>) {
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.yield is allowed only in the body of a task.run or a task.repeat}}
  task.yield %x
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.run: only the result of a task.run or task.copy can be a stream, but %x is not such a result; remove `stream`}}
  %y = task.run @gpu (%a = stream %x) {
    task.yield %a
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.copy: only the result of a task.run or task.copy can be a stream, but %x is not such a result; remove `stream`}}
  %y = task.copy stream %x to @pim
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.run @gpu: `streams` must be ascending numbers of operands, each from 0 to 0, not [1]}}
  %y = task.run @gpu (%a = %x) {
    task.yield %a
  } attributes {streams = array<i64: 1>}
  func.return
}

// -----

// expected-error @+1 {{task.decision: a decision must be one of parallel, fly-write, fly-read, sequential, gpu, not beside}}
func.func @f() attributes {d = #task.decision<"beside", primary = 1.0, away = 1.0, "why">} { func.return }

// -----

// expected-error @+1 {{task.decision: a kernel with the decision `gpu` runs without overlap, but `beside` names kernels that overlap with it; remove `beside`}}
func.func @f() attributes {d = #task.decision<"gpu", primary = 1.0, away = 1.0, beside = {"relu" = 1.0}, "why">} { func.return }

// -----

// expected-error @+1 {{task.decision: a kernel with the decision `parallel` overlaps with kernels on the primary device, but none is named; add `beside` with their names and times of overlap}}
func.func @f() attributes {d = #task.decision<"parallel", primary = 1.0, away = 1.0, "why">} { func.return }

// -----

// expected-error @+1 {{task.decision: times must be at least 0 ns, but one is -1 ns}}
func.func @f() attributes {d = #task.decision<"gpu", primary = -1.0, away = 1.0, "why">} { func.return }

// -----

// expected-error @+1 {{task.decision: kernels overlap for 2 ns, but the op takes only 1 ns on the other device; the overlap can't be longer}}
func.func @f() attributes {d = #task.decision<"parallel", primary = 1.0, away = 1.0, beside = {"relu" = 2.0}, "why">} { func.return }

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.run: `task.decision` can't have the value "gpu"; write it as in `task.decision = #task.decision<"parallel", …>`}}
  %y = task.run @gpu (%a = %x) {
    task.yield %a
  } attributes {task.decision = "gpu"}
  func.return
}
