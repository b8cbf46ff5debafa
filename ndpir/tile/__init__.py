"""Kernels of thread blocks, as other compilers read them."""
