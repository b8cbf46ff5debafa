"""The target `pim-trace`: kernels as command traces in vendors' formats."""
