"""Products that thread blocks compute, and schedules for them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod


@dataclass(frozen=True)
class Convolution:
    """Geometry of a convolution of `batch` images, with one entry for each spatial axis, channels last.

    `pads`: numbers of zeros before and after each axis.
    """

    batch: int
    spatial: tuple[int, ...]
    channels_in: int
    channels_out: int
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]

    @property
    def outputs(self) -> tuple[int, ...]:
        """Extents of the output's spatial axes."""
        axes = zip(self.spatial, self.kernel, self.strides, self.pads, strict=True)
        return tuple((size + sum(pad) - window) // stride + 1 for size, window, stride, pad in axes)


@dataclass(frozen=True)
class Problem:
    """A product of `batch` matrices of M x K by K x N, or a convolution that is computed as one.

    `element`, `accumulator`, `result`: types of factors, sums and results; `across`: the second factor is stored as N x
    K; `convolution`: geometry whose windows are the rows of the first factor; `epilogue`: names of graph ops that are
    applied to sums before they are stored.
    """

    m: int
    n: int
    k: int
    batch: int = 1
    element: str = "f16"
    accumulator: str = "f32"
    result: str = "f16"
    across: bool = False
    convolution: Convolution | None = None
    epilogue: tuple[str, ...] = ()

    @property
    def flops(self) -> int:
        """Number of multiplications and additions of the products."""
        return 2 * self.batch * self.m * self.n * self.k

    @staticmethod
    def of_convolution(convolution: Convolution) -> Problem:
        """Return the matrix product as which a convolution is computed: rows are output pixels, columns are output
        channels."""
        rows = convolution.batch * prod(convolution.outputs)
        inner = prod(convolution.kernel) * convolution.channels_in
        return Problem(rows, convolution.channels_out, inner, convolution=convolution)


@dataclass(frozen=True)
class Schedule:
    """Tiling and pipelining of a product.

    `block`: rows, columns and K of a thread block's tiles; `warps`: rows and columns of warps among which a tile is
    divided; `instruction`: K of the fragments that are in registers at a time; `stages`: stages of shared memory;
    `register_stages`: stages of fragments; `asynchronous`: True if copies to shared memory are asynchronous; `pad`:
    elements after each row of shared memory; `swizzled`: rows of shared memory are permuted instead; `order`: order of
    thread blocks (see tile.blocks); `split`: number of parts of K that different thread blocks sum; `peeled`: the last
    iterations of a pipelined loop are peeled, instead of executing copies that nothing reads; `stream`: if not 0, this
    many thread blocks share the iterations of all tiles evenly (stream-K, Osama et al., PPoPP 2023); in trials, 1 means
    as many as the GPU runs at once.
    """

    block: tuple[int, int, int]
    warps: tuple[int, int]
    instruction: int = 16
    stages: int = 1
    register_stages: int = 1
    asynchronous: bool = True
    pad: int = 0
    swizzled: bool = False
    order: int = 1
    split: int = 1
    peeled: bool = False
    stream: int = 0

    @property
    def warp_count(self) -> int:
        """Number of warps of a thread block."""
        return prod(self.warps)
