"""Lowering of tensor ops to kernels of thread blocks, and pipelining of the copies that fill their buffers."""
