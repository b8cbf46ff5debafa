"""Convolutions, forward and backward: implicit GEMM, Winograd, FFT and direct kernels."""

from __future__ import annotations

from interp.gpu.chip import Chip
from interp.gpu.gemm import GEMM
from interp.gpu.kernel_class import WARM, Column, Columns, Constants, Estimate, KernelClass


def _model(columns: Columns, chip: Chip, constants: Constants) -> Estimate:
    pixels = columns["batch"] * columns["p"] * columns["q"]
    depth = columns["c"] / columns["groups"] * columns["r"] * columns["s"]
    return GEMM.model(
        {
            "batch": columns["groups"],
            "m": pixels,
            "n": columns["k"] / columns["groups"],
            "k": depth,
            "bytes": columns["bytes"],
            "warm": columns["warm"],
        },
        chip,
        constants,
    )


_COLUMNS = (
    Column("batch", "images"),
    Column("c", "input channels, of all groups"),
    Column("h", "input rows, without padding"),
    Column("w", "input columns, without padding"),
    Column("k", "output channels, of all groups"),
    Column("r", "filter rows"),
    Column("s", "filter columns"),
    Column("p", "output rows"),
    Column("q", "output columns"),
    Column("stride", "step of the filter, in rows (the product of both steps is h*w / p*q)", 1),
    Column("groups", "groups; depthwise where c = k = groups", 1),
    WARM,
)
CONV_CLASSES = tuple(
    KernelClass(name, meaning, _COLUMNS, GEMM.constants, _model)
    for name, meaning in (
        ("conv_forward", "convolution"),
        ("conv_backward_data", "gradient of a convolution with respect to its input (all sizes those of the forward)"),
        ("conv_backward_weight", "gradient of a convolution with respect to its filter"),
    )
)
