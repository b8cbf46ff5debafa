"""The target `onnx`, which writes ONNX models."""
