"""Interpreter of kernels of thread blocks: their values, races and time."""
