// Every error is one sentence with a place, and nothing else is printed.
// RUN: ndp-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{unknown op `graph.rel`; did you mean `graph.relu`?}}
graph.rel

// -----
// expected-error @+1 {{unknown op `graf.relu`; there is no dialect `graf`, did you mean `graph.relu`?}}
graf.relu

// -----
// expected-error @+1 {{unknown op `foo`; an op is written DIALECT.NAME}}
foo

// -----
// expected-error @+1 {{unknown type `task.om`; did you mean `task.on`?}}
"test.op"() {a = !task.om<@a>} : () -> ()

// -----
func.func @f(%value: tensor<4xf32>) {
  // expected-error @below {{%valeu is used but never defined; did you mean %value?}}
  "test.op"(%valeu) : (tensor<4xf32>) -> ()
  func.return
}

// -----
func.func @f() {
  // expected-error @+1 {{test.op: %y is used before the op that defines it}}
  "test.op"(%y) : (tensor<4xf32>) -> ()
  %y = "test.op"() : () -> tensor<4xf32>
  func.return
}

// -----
func.func @f() {
  // expected-error @+1 {{test.op: %y is defined in another body; pass it as an operand or argument}}
  "test.op"(%y) : (tensor<4xf32>) -> ()
  func.return
}
func.func @g() {
  %y = "test.op"() : () -> tensor<4xf32>
  func.return
}

// -----
func.func @f() {
  func.return
}
// expected-error @+1 {{there are two definitions of @f; give one of the two another name}}
func.func @f() {
  func.return
}

// -----
// Both of two errors in a program are reported.
func.func @f() -> tensor<4xf32> {
  // expected-error @+1 {{func.return: @f declares 1 result, but 0 are returned; correct one of the two}}
  func.return
}
func.func @g() {
  // expected-error @+1 {{func.call: there is no function @h; the program has @f, @g}}
  func.call @h() : () -> ()
  func.return
}

// -----
// expected-error @+1 {{the text is not closed; end it with `"`}}
"test.op

// -----
// expected-error @+1 {{a hexadecimal f32 must be the 32 bits of the number (at most 8 digits, no sign), but is 0x1FF800000}}
"test.op"() {a = dense<0x1FF800000> : tensor<f32>} : () -> ()

// -----
// expected-error @+1 {{the alias #a is defined twice; keep one of the two}}
#a = 1 : i32 #a = 2 : i32

// -----
// expected-error-re @+1 {{an op is expected here, but {{`.`}} is met}}
}

// -----
// expected-error @+2 {{the text ends inside of a body; close it with `}`}}
func.func @f() {
  func.return

// -----
func.func @f() {
  // expected-error @+1 {{an op or `}` is expected here, but `)` is met}}
  )
}

// -----
hw.device @gpu = "toy_gpu"
func.func @f(%x: !task.on<@gpu, tensor<2xf32>>) {
  // expected-error @+1 {{task.run: `queue` stands before the operands: task.run @DEVICE queue 1 after %t (%a = %x) { … }}}
  %y = task.run @gpu (%a = %x) queue 0 {
    task.yield %a
  }
  func.return
}

// -----
hw.device @gpu = "toy_gpu"
func.func @f(%x: !task.on<@gpu, tensor<2xf32>>) {
  // expected-error @+1 {{a body `{ … }` is expected here, but `)` is met}}
  %y = task.run @gpu (%a = %x) )
  func.return
}

// -----
func.func @f() -> tensor<2xf32> {
  // expected-error @+1 {{a number with an exponent has a point in MLIR: write 1.0e400}}
  %y = graph.constant 1e400 : tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// -----
// expected-error @+1 {{a name is expected right after `#`, as in #loc1; is this a program in MLIR's text?}}
# A heading of Markdown
