"""Kernels of thread blocks for tensor ops: templates, the choice of tile sizes and stages, and the pass `to-tile`."""
