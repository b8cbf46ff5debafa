// Wrong moves between memories, and wrong notes on a plan of moves, are errors with a location.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{task.prefetch: %x is a tensor<4xf32> and is not on a device; place it first (task.resident %x on @DEVICE)}}
  task.prefetch %x
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{task.discard: %x is a tensor<4xf32> and is not on a device; place it first (task.resident %x on @DEVICE)}}
  task.discard %x
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.prefetch: the range [8 to 20] must be a non-empty part of the 16 bytes of %x}}
  task.prefetch %x [8 to 20]
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.evict: the range [8 to 8] must be a non-empty part of the 16 bytes of %x}}
  task.evict %x [8 to 8] to @host
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.evict: the range [-4 to 8] must be a non-empty part of the 16 bytes of %x}}
  %t = "task.evict"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>, first = -4 : i64, last = 8 : i64, tier = @host}> : (!task.on<@gpu, tensor<4xf32>>) -> !task.token
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.evict: %x belongs to @gpu, which can't be its own tier; name a memory behind this device (@host)}}
  task.evict %x to @gpu
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.evict: the tier must be one name (@host), not @host::@numa}}
  %t = "task.evict"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>, first = 0 : i64, tier = @host::@numa}> : (!task.on<@gpu, tensor<4xf32>>) -> !task.token
  func.return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{task.resident: %y belongs to @gpu, which can't be its own tier; name a memory behind this device (@host)}}
  %y = task.resident %x on @gpu at @gpu
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>, %w: tensor<4xf32>) {
  // expected-error @+1 {{task.prefetch: an op can wait for a placed value or a token, not for tensor<4xf32>}}
  task.prefetch %x after %w
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.prefetch: `in` names iterations of the loop around this op, but it is in no loop; remove it}}
  task.prefetch %x in 0 to 2
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  %y = task.repeat @gpu %i = 0 to 4 (%a = %x) {
    // expected-error @+1 {{task.evict: iterations are ascending ranges that do not touch (in 0 to 5, 8), not [0, 2, 2, 3]}}
    task.evict %a to @host in 0 to 2, 2
    task.yield %a
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<6xf32>>) {
  // expected-error @+1 {{task.discard: the 24 bytes of %x can't be divided into 5 slices of equal size}}
  task.discard %x slice 0 of 5
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<6xf32>>) {
  // expected-error @+1 {{task.prefetch: %x has slices 0 to 5, but slice 6 is moved; restrict the op to the iterations in which its slice exists (in 0 to 5)}}
  task.prefetch %x slice 6 of 6
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<6xf32>>) {
  %y = task.repeat @gpu %i = 2 to 6 (%a = %x) {
    task.prefetch %a slice %i + 1 of 6 in 0 to 3
    // expected-error @+1 {{task.prefetch: %a has slices 0 to 5, but slice 6 is moved; restrict the op to the iterations in which its slice exists (in 0 to 5)}}
    task.prefetch %a slice %i + 1 of 6
    task.yield %a
  }
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<6xf32>>, %n: !task.on<@gpu, tensor<i32>>) {
  // expected-error @+1 {{task.prefetch: %n is not the counter of the loop around this op; a slice is chosen by this counter alone, or by a number}}
  task.prefetch %x slice %n of 6
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<6xf32>>) {
  // expected-error @+1 {{task.prefetch: the range [0 to 24] must be a non-empty part of the 4 bytes of a slice of %x}}
  task.prefetch %x slice 1 of 6 [0 to 24]
  func.return
}

// -----

// expected-error @+1 {{task.memory: the mode must be move or copy, not swap}}
func.func @f() attributes {task.memory = #task.memory<"plan", mode = "swap">} { func.return }

// -----

// expected-error @+1 {{task.memory: `runahead` must be a number of tasks of at least 0, not -1}}
func.func @f() attributes {task.memory = #task.memory<"pump", runahead = -1>} { func.return }

// -----

// expected-error @+1 {{task.memory: `bound` must be a time of at least 0 ns, not -1.0}}
func.func @f() attributes {task.memory = #task.memory<"plan", bound = -1.0>} { func.return }

// -----

// expected-error @+1 {{task.memory: `window` is unknown here; expected is one of mode, faults, reuse, runahead, bound, ideal, machine}}
func.func @f() attributes {task.memory = #task.memory<"pump", window = 3>} { func.return }

// -----

// expected-error @+1 {{task.memory: `mode` is given twice}}
func.func @f() attributes {task.memory = #task.memory<"pump", mode = "move", mode = "copy">} { func.return }

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.discard: the range [0 to 17] must be a non-empty part of the 16 bytes of %x}}
  task.discard %x [0 to 17]
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.discard: %x belongs to @gpu, which can't be its own tier; name a memory behind this device (@host)}}
  task.discard %x at @gpu
  func.return
}

// -----

func.func @f(%x: !task.on<@gpu, tensor<4xf32>>) {
  // expected-error @+1 {{task.write_back: %x belongs to @gpu, which can't be its own tier; name a memory behind this device (@host)}}
  task.write_back %x to @gpu
  func.return
}
