"""Front ends: MLIR text with locations, ONNX models."""
