"""Costs of kernels on near-data units: the law of cycles, its constants, and the model that the clock asks."""
