"""ONNX models and node tests: which ndpir reads, and whether their numbers are right."""
