"""Front ends: MLIR text with locations, StableHLO programs and ONNX models, and the machines and sizes of programs."""
