"""How tensors become kernels of thread blocks, and how what fills their buffers is pipelined."""
