"""ONNX operators that are compositions of several graph ops, one file per subject; `HANDLERS` fills the table."""

from ndpir.frontends.onnx.compositions import (
    activations,
    einsum,
    filters,
    fourier,
    normalizations,
    ordering,
    positions,
    reductions,
    resizing,
    sampling,
)

HANDLERS = (
    activations,
    einsum,
    filters,
    fourier,
    normalizations,
    ordering,
    positions,
    reductions,
    resizing,
    sampling,
)
"""The modules that fill the table of operators when imported."""
