"""The kernels of a GEMM library: tiles of the result, one per thread block, and splits of the sum over blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from interp.kinds.gpu.chip import Floats

SHARES = ("tile_256x128", "tile_128x128", "tile_128x64", "tile_64x64", "tile_128x32", "tile_64x32", "tile_32x32")
"""Names of the constants for the share of the peak rate that kernels of each tile sustain; a tile and its transpose
have the same constant."""

_TILES = (
    (256, 128, 0),
    (128, 256, 0),
    (128, 128, 1),
    (128, 64, 2),
    (64, 128, 2),
    (64, 64, 3),
    (128, 32, 4),
    (32, 128, 4),
    (64, 32, 5),
    (32, 64, 5),
    (32, 32, 6),
)
_SPLITS = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class Library:
    """The ways to compute a product, each a tile and a split of the sum: arrays with one entry per way, or, where each
    product has its own subset of the ways, with one row per product and one column per way."""

    tile_m: Floats
    tile_n: Floats
    split: Floats
    share: NDArray[np.intp]
    """The index of the tile's entry in `SHARES`."""
    names: tuple[str, ...]

    def of(self, which: NDArray[np.intp]) -> Library:
        """A subset of the ways for each product; `which` [products, ways]."""
        return Library(self.tile_m[which], self.tile_n[which], self.split[which], self.share[which], self.names)

    def rows(self, part: slice) -> Library:
        """The ways of the products in a range (`part`); the same object if all products have the same ways."""
        if self.split.ndim == 1:
            return self
        return Library(self.tile_m[part], self.tile_n[part], self.split[part], self.share[part], self.names)


def _library() -> Library:
    ways = [(*tile, split) for tile in _TILES for split in _SPLITS]
    m, n, share, split = zip(*ways, strict=True)
    # Tiles have no names here: a fit can't determine which tile a library uses; reports get tiles from the thread-block
    # clock.
    names = tuple("one sum over K" if split == 1 else f"split-K {split}" for *_, split in ways)
    return Library(np.array(m, float), np.array(n, float), np.array(split, float), np.array(share, np.intp), names)


LIBRARY = _library()
