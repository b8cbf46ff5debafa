"""The target `onnx`."""
