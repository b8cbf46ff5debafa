"""The level `tile`, kernels of GPU thread blocks: their values, races and time."""
