"""The target `onnx`: the ONNX operators that a graph-level program becomes."""
