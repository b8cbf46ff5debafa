"""Comparisons of the model of thread-block kernels with measurements."""
