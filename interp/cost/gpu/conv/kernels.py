"""The common part of the algorithms of a convolution: its sizes, and the times of kernels that tile a product of
matrices over streaming multiprocessors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from interp.cost.gpu.chip import Chip, Floats
from interp.cost.gpu.kernel_class import Columns, Constants, resident, soft_max

FORWARD, BACKWARD_DATA, BACKWARD_WEIGHT = "forward", "backward_data", "backward_weight"


@dataclass(frozen=True, slots=True)
class Sizes:
    """A convolution's sizes; every array has shape (kernels, 1), to stand beside ways."""

    direction: str
    batch: Floats
    c: Floats
    """Input channels a group."""
    k: Floats
    """Output channels a group."""
    h: Floats
    w: Floats
    r: Floats
    s: Floats
    p: Floats
    q: Floats
    down: Floats
    """Stride in rows."""
    across: Floats
    """Stride in columns."""
    groups: Floats
    dense: Floats
    """1 where a filter's taps are neighbours, 0 where it is dilated."""
    width: Floats
    """Bytes of an element."""
    warm: Floats
    planar: Floats
    """1 where channels are outermost (NCHW)."""
    searched: Floats
    """1 where the library tried its algorithms, 0 where its rule chose."""

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
        """Of the sums as they are written, whatever an algorithm executes."""
        return 2 * self.groups * self.batch * self.p * self.q * self.k * self.c * self.r * self.s

    @property
    def input_bytes(self) -> Floats:
        """Of the input (or its gradient): the elements that filters touch."""
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
    """Some ways to compute, (kernels, ways) or (kernels, 1) each. Times in s; inf in `total` where a way can't."""

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
    """Blocks over the places for them: how often all streaming multiprocessors are filled, the last time in part."""


@dataclass(frozen=True, slots=True)
class Tiling:
    """Tiles of a result and splits of its sums, one entry a way, and how well blocks run."""

    m: Floats
    n: Floats
    split: Floats
    issue: float
    """Sustained share of the peak rate of large tiles."""
    overhead: float
    """Elements: small tiles reach AI / (AI + this) of it."""
    prologue: float
    """Steps of a sum that filling, draining and storing a block are worth."""
    lag: float
    """Rounds by which the last one is longer: blocks that have few beside them hide no latency."""


def tiled(
    tiling: Tiling, products: Floats, m: Floats, n: Floats, depth: Floats, chip: Chip
) -> tuple[Floats, Floats, Floats]:
    """Seconds of arithmetic, blocks, and waves of them, of `products` products m x n x depth."""
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
    """DRAM bytes of operands that are touched once."""
    return touched * (1 - warm * resident(touched, chip))


def meet(constants: Constants, compute: Floats, dram: Floats, l2: Floats) -> Floats:
    """Times that overlap."""
    return soft_max(constants["overlap"], compute, dram, l2)


def per_kernel(chip: Chip) -> Chip:
    """A chip's numbers as columns, to stand beside ways."""
    return Chip(*(np.reshape(getattr(chip, name), (-1, 1)) for name in Chip.__slots__))  # pyright: ignore
