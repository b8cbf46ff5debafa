"""Lowering of tensors to kernels of thread blocks, and pipelining of the copies that fill their buffers."""
