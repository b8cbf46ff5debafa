"""Writers of programs in the formats of other systems: models in ONNX, StableHLO, kernels for Triton."""
