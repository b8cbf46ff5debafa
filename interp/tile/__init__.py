"""Kernels of thread blocks: their values, the races in them, and their time."""
