// Wrong reductions, normalisations and pooling are errors with a location.
// RUN: ndp-opt %s --verify-diagnostics --split-input-file

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.reduce: there is no axis 2 in a tensor of rank 2}}
  %y = graph.reduce sum %x axes = [2] : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.reduce: an axis appears twice in [1, -1]}}
  %y = graph.reduce sum %x axes = [1, -1] : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{graph.reduce works on numbers, not truth values; cast (graph.cast)}}
  %y = graph.reduce max %x : tensor<2x3xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.cumsum: there is no axis 2 in a tensor of rank 2}}
  %y = graph.cumsum %x axis = 2 : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{graph.cumsum works on numbers, not truth values; cast (graph.cast)}}
  %y = graph.cumsum %x axis = 0 : tensor<2x3xi1>
  func.return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error @+1 {{graph.softmax: there is no axis -1 in a tensor of rank 0}}
  %y = graph.softmax %x : tensor<f32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xi64>) {
  // expected-error @+1 {{graph.softmax works on floating-point elements, not i64}}
  %y = graph.softmax %x : tensor<2x3xi64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{graph.layer_norm: a scale or bias must broadcast to tensor<2x3xf32> and have its element type, but is tensor<2xf32>}}
  %y = graph.layer_norm %x, %s : tensor<2x3xf32>, tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{graph.layer_norm: there is no axis 2 in a tensor of rank 2}}
  %y = graph.layer_norm %x, %s axis = 2 : tensor<2x3xf32>, tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %s: tensor<3xf16>) {
  // expected-error @+1 {{graph.rms_norm: a scale or bias must broadcast to tensor<2x3xf32> and have its element type, but is tensor<3xf16>}}
  %y = graph.rms_norm %x, %s : tensor<2x3xf32>, tensor<3xf16>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{graph.batch_norm takes [N, C, …], not tensor<3xf32>}}
  %y = graph.batch_norm %x, %x, %x, %x, %x : tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{graph.batch_norm: scale, bias, mean and variance must be floating-point tensors of shape 3, one number for each channel, not tensor<2xf32>}}
  %y = graph.batch_norm %x, %s, %s, %s, %s : tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @+1 {{graph.lrn takes [N, C, …], not tensor<3xf32>}}
  %y = graph.lrn %x size = 3 : tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.lrn sums over at least 1 channel, not 0}}
  %y = graph.lrn %x size = 0 : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.pool takes an image [N, C, spatial…] of numbers, not tensor<2x3xf32>}}
  %y = graph.pool max %x kernel = [] : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x3x7x7xf32>) {
  // expected-error @+1 {{graph.pool: pads must be smaller than the window [2, 2], not [(2, 2), (2, 2)]}}
  %y = graph.pool max %x kernel = [2, 2], pads = [2, 2, 2, 2] : tensor<1x3x7x7xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x3x7x1xf32>) {
  // expected-error @+1 {{graph.pool: with dilation 3 and pads 2, a window of [1, 2] can read only padding and none of the 1 element of spatial axis 1; make pads or dilation smaller}}
  %y = graph.pool max %x kernel = [1, 2], pads = [0, 2, 0, 2], dilations = [1, 3] : tensor<1x3x7x1xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4xi64>) {
  // expected-error @+1 {{graph.clip: `max`: f64 can't represent 9007199254740993 exactly; the nearest number is 9007199254740992}}
  %y = graph.clip %x max = 9007199254740993 : tensor<4xi64>
  func.return
}

// -----

func.func @f(%x: tensor<1x3x7x7xf32>) {
  // expected-error @+1 {{graph.pool: the window has 1 axes, but the image has 2}}
  %y = graph.pool mean %x kernel = [2] : tensor<1x3x7x7xf32>
  func.return
}
