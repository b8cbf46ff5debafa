"""Front ends: MLIR text with locations, StableHLO programs and ONNX models; the machines and sizes of programs."""
