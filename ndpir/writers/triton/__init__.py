"""The target `triton`: kernels of thread blocks in the language of Triton, and their compilation by Triton."""
