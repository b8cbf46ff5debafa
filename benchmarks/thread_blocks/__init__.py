"""Comparisons of the clock of thread blocks, ndpir's model of kernels of thread blocks, with measurements."""
