"""Front ends: MLIR text with locations, StableHLO programs, ONNX models, and traces of kernels."""
