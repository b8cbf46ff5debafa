"""Ways in: MLIR text with locations, ONNX models."""
