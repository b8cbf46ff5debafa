"""All converters: importing this module fills their table."""

from __future__ import annotations

from ndpir.frontends.torch.aten import (
    activations,
    attention,
    complexes,
    contraction,
    control,
    creation,
    elementwise,
    gradients,
    indexing,
    movement,
    normalisation,
    quantized,
    random,
    recurrent,
    reduction,
    windows,
)

MODULES = (
    activations,
    attention,
    complexes,
    contraction,
    control,
    creation,
    elementwise,
    gradients,
    indexing,
    movement,
    normalisation,
    quantized,
    random,
    recurrent,
    reduction,
    windows,
)
"""The modules that fill the table of converters when imported."""
