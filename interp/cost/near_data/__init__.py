"""Costs of kernels on near-data units: the law of cycles, its constants, and the cost model used by the clock."""
