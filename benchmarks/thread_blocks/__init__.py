"""Kernels of thread blocks, held against measurements."""
