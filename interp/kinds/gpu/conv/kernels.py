"""The common part of all convolution algorithms: sizes, and times of kernels that tile a matrix product over streaming
multiprocessors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interp.kinds.gpu.chip import Chip, Floats
from interp.kinds.gpu.kernel_class import Columns, Constants, resident, soft_max

FORWARD, BACKWARD_DATA, BACKWARD_WEIGHT = "forward", "backward_data", "backward_weight"


@dataclass(frozen=True, slots=True)
class Sizes:
    """A convolution's sizes; every array has shape (kernels, 1), to broadcast over algorithms."""

    direction: str
    batch: Floats
    c: Floats
    """Number of input channels per group."""
    k: Floats
    """Number of output channels per group."""
    h: Floats
    w: Floats
    r: Floats
    s: Floats
    p: Floats
    q: Floats
    down: Floats
    """Stride of the convolution in rows."""
    across: Floats
    """Stride of the convolution in columns."""
    groups: Floats
    dense: Floats
    """1 if the taps of a filter are adjacent, 0 if it is dilated."""
    width: Floats
    """Bytes per element."""
    warm: Floats
    planar: Floats
    """1 if channels are the outermost axis (NCHW)."""
    searched: Floats
    """1 if the library benchmarks its algorithms, 0 if it chooses by a fixed rule."""

    @staticmethod
    def of(direction: str, columns: Columns) -> Sizes:
        number = {name: values[:, None] for name, values in columns.items()}
        groups, down = number["groups"], number["stride"]
        across = number.get("stride_w", np.zeros_like(down))
        none = np.zeros_like(down)
        plain = {name: number[name] for name in ("batch", "h", "w", "r", "s", "p", "q", "warm")}
        return Sizes(
            direction,
            c=number["c"] / groups,
            k=number["k"] / groups,
            down=down,
            across=np.where(across > 0, across, down),
            groups=groups,
            dense=np.where(number.get("dilation", none + 1) > 1, 0.0, 1.0),
            width=number["bytes"],
            planar=number.get("planar", none),
            searched=number.get("searched", none + 1),
            **plain,
        )

    @property
    def flops(self) -> Floats:
        """Operations of the convolution as defined, two per multiply-accumulate, independent of the algorithm."""
        return 2 * self.groups * self.batch * self.p * self.q * self.k * self.c * self.r * self.s

    @property
    def input_bytes(self) -> Floats:
        """Bytes of the input (or its gradient): only elements that a filter reads."""
        touched = np.minimum(self.h * self.w, self.p * self.q * self.r * self.s)
        return self.width * self.groups * self.batch * self.c * touched

    @property
    def output_bytes(self) -> Floats:
        return self.width * self.groups * self.batch * self.k * self.p * self.q

    @property
    def filter_bytes(self) -> Floats:
        return self.width * self.groups * self.k * self.c * self.r * self.s


@dataclass(frozen=True, slots=True)
class ConvVariants:
    """Estimates of some ways (tiles and splits) to compute convolutions; arrays have shape (kernels, ways) or (kernels,
    1). Times in s; inf in `total` if a way is impossible."""

    names: tuple[str, ...]
    total: Floats
    compute: Floats
    dram: Floats
    l2: Floats
    flops: Floats
    dram_bytes: Floats
    l2_bytes: Floats
    blocks: Floats
    waves: Floats
    """Blocks divided by available slots: the number of times that all streaming multiprocessors are filled, with a
    fraction for the last time."""


@dataclass(frozen=True, slots=True)
class Tiling:
    """The tiles of a result and the numbers of parts of its sums, with one entry per way, and the constants that
    determine the efficiency of thread blocks."""

    m: Floats
    n: Floats
    split: Floats
    issue: float
    """The fraction of the peak rate that large tiles sustain."""
    overhead: float
    """A constant in elements: a tile with arithmetic intensity AI (in elements, too) reaches the fraction AI / (AI +
    overhead) of the rate that large tiles sustain."""
    prologue: float
    """The time in which a block fills its pipeline, drains it and stores its tile, as a number of steps of the sum."""
    lag: float
    """The additional time of the last wave of blocks, as a fraction of a wave: it has few blocks, which hide less of
    each other's latency."""


def tiled(
    tiling: Tiling, products: Floats, m: Floats, n: Floats, depth: Floats, chip: Chip
) -> tuple[Floats, Floats, Floats]:
    """Seconds of arithmetic, number of blocks and waves, for `products` products m x n x depth."""
    blocks = products * np.ceil(m / tiling.m) * np.ceil(n / tiling.n) * tiling.split
    waves = blocks / chip.sms
    intensity = tiling.m * tiling.n / (tiling.m + tiling.n)
    rate = chip.matrix_rate / chip.sms * tiling.issue * intensity / (intensity + tiling.overhead)
    work = 2 * tiling.m * tiling.n / rate
    return (np.ceil(waves) + tiling.lag) * (depth / tiling.split + tiling.prologue) * work, blocks, waves


def fetched(tiling: Tiling, products: Floats, m: Floats, n: Floats, depth: Floats, width: Floats) -> Floats:
    """Bytes that blocks fetch from L2."""
    return products * depth * width * (m * np.ceil(n / tiling.n) + n * np.ceil(m / tiling.m))


def cold(touched: Floats, warm: Floats, chip: Chip) -> Floats:
    """DRAM bytes of operands of `touched` bytes that are read or written once, less the share that is still in L2 from
    the previous call if `warm` is 1."""
    return touched * (1 - warm * resident(touched, chip))


def meet(constants: Constants, compute: Floats, dram: Floats, l2: Floats) -> Floats:
    """Combined time of arithmetic, DRAM and L2, which overlap."""
    return soft_max(constants["overlap"], compute, dram, l2)


def per_kernel(chip: Chip) -> Chip:
    """A chip's numbers with shape (kernels, 1), so that they broadcast over ways."""
    return Chip(*(np.reshape(getattr(chip, name), (-1, 1)) for name in Chip.__slots__))  # pyright: ignore
