"""Targets that print kernels of thread blocks in the languages of other compilers."""
