"""Spaces of schedules of products, stored as one array for each option, so that a full space is ranked at once.

The published spaces are those of ALCOP's artifact (hgyhungry/alcop-artifact, `python/tvm/topi/exp_cuda`, Apache-2.0):
instructions of 16 x 16 x 16; thread block tiles that are, along each axis, 16 times the number of warps times the
number of instruction tiles of a warp; swizzled shared memory. The extended space adds split K, stream-K, peeled loops,
other orders of blocks, and other numbers of stages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lowering.tile.schedule import Problem, Schedule

Integers: TypeAlias = NDArray[np.int64]

INSTRUCTION = 16
"""Rows, columns and K of a matrix instruction of the published spaces."""

KNOBS = (
    "block_m",
    "block_n",
    "block_k",
    "warps_m",
    "warps_n",
    "instruction",
    "stages",
    "register_stages",
    "asynchronous",
    "pad",
    "swizzled",
    "order",
    "split",
    "peeled",
    "stream",
)
"""Options of a schedule, in the order of `Schedule`'s fields; True is 1, False is 0."""


@dataclass(frozen=True)
class Space:
    """Schedules as arrays of equal length, one array for each option (see `KNOBS`)."""

    knobs: Mapping[str, Integers]

    def __len__(self) -> int:
        return len(self.knobs["stages"])

    def __getitem__(self, knob: str) -> Integers:
        return self.knobs[knob]

    def schedule(self, index: int) -> Schedule:
        """Return the schedule at an index of the space."""
        at = {name: int(values[index]) for name, values in self.knobs.items()}
        return Schedule(
            (at["block_m"], at["block_n"], at["block_k"]),
            (at["warps_m"], at["warps_n"]),
            at["instruction"],
            at["stages"],
            at["register_stages"],
            bool(at["asynchronous"]),
            at["pad"],
            bool(at["swizzled"]),
            at["order"],
            at["split"],
            bool(at["peeled"]),
            at["stream"],
        )

    def take(self, places: Sequence[int] | NDArray[np.intp] | NDArray[np.bool_]) -> Space:
        """Return the space of the schedules at some indices, or of those for which a Boolean array is True."""
        return Space({name: values[np.asarray(places)] for name, values in self.knobs.items()})

    def features(self) -> NDArray[np.float64]:
        """Return the features for learned models: a row for each schedule, with the logarithms of the options that
        differ within the space.
        """
        columns = [np.log2(values + 1.0) for values in self.knobs.values() if len(np.unique(values)) > 1]
        return np.stack(columns, -1)

    @staticmethod
    def of(schedules: Sequence[Schedule]) -> Space:
        """Return the space that consists of some schedules, in their order."""
        fields = [astuple(each) for each in schedules]
        rows = [(*block, *warps, *others) for block, warps, *others in fields]
        columns = np.array(rows, np.int64).reshape(len(rows), len(KNOBS)).T
        return Space(dict(zip(KNOBS, columns, strict=True)))


@dataclass(frozen=True)
class Tiles:
    """Options of a published space: `warps`: numbers of warps of a block along each axis; `rows`, `columns`: numbers of
    instruction tiles of a warp along rows and along columns; `chunks`: numbers of instructions along a tile's K."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    chunks: tuple[int, ...]
    warps: tuple[int, ...] = (1, 2, 4)


PUBLISHED: Mapping[str, Tiles] = {
    "dense": Tiles((1, 2, 4), (1, 2), (2, 4)),
    "batched": Tiles((1, 2, 4), (1, 2, 4), (1, 2, 4, 8)),
    "conv2d": Tiles((1, 2), (1, 2, 4), (1, 2, 4)),
    "conv3d": Tiles((1, 2, 4), (1, 2, 4), (1, 2, 4)),
}
"""Tiles of the published spaces, by the kind of operator."""
STAGES, REGISTER_STAGES = (2, 3, 4, 5, 6), (1, 2, 4)
"""Numbers of stages of shared memory and of fragments in the published spaces."""


def kind_of(problem: Problem) -> str:
    """Return the kind of a problem, as named in `PUBLISHED`. A convolution with one spatial axis uses the tiles of
    convolutions with two."""
    if problem.convolution is not None:
        return "conv3d" if len(problem.convolution.spatial) > 2 else "conv2d"
    return "batched" if problem.batch > 1 else "dense"


def published(kind: str) -> Space:
    """Return the published space of a kind of operator: 1,620 schedules of dense products, 4,860 of batched products,
    2,430 of 2d convolutions and 3,645 of 3d convolutions."""
    return _space(PUBLISHED[kind], stages=STAGES, register_stages=REGISTER_STAGES)


def unpipelined(kind: str, asynchronous: bool) -> Space:
    """Return the schedules with the tiles of a published space and one stage for all buffers."""
    return _space(PUBLISHED[kind], asynchronous=(int(asynchronous),))


def extended(kind: str, stages: Sequence[int] = range(1, 9)) -> Space:
    """Return the extended space: the published tiles with up to eight stages, split K or stream-K, peeled loops (for
    pipelined loops), and thread blocks in groups of columns."""
    tiles = PUBLISHED[kind]
    register_stages, orders = (1, 2, 4), (1, 8)
    parts = _space(
        tiles, stages=stages, register_stages=register_stages, order=orders, split=(1, 2, 4, 8, 16), peeled=(0, 1)
    )
    even = _space(tiles, stages=stages, register_stages=register_stages, order=orders, peeled=(0, 1), stream=(1,))
    both = Space({name: np.concatenate([parts[name], even[name]]) for name in KNOBS})
    return both.take(~((both["peeled"] == 1) & (both["stages"] == 1) & (both["register_stages"] == 1)))


def _space(
    tiles: Tiles,
    stages: Sequence[int] = (1,),
    register_stages: Sequence[int] = (1,),
    asynchronous: Sequence[int] = (1,),
    order: Sequence[int] = (1,),
    split: Sequence[int] = (1,),
    peeled: Sequence[int] = (0,),
    stream: Sequence[int] = (0,),
) -> Space:
    choices = (tiles.warps, tiles.warps, tiles.rows, tiles.columns, tiles.chunks, stages, register_stages)
    rows = list(product(*choices, asynchronous, order, split, peeled, stream))
    columns = np.array(rows, np.int64).T
    warps_m, warps_n, tiles_m, tiles_n, chunks = columns[:5]
    ones = np.ones(len(rows), np.int64)
    return Space(
        {
            "block_m": INSTRUCTION * warps_m * tiles_m,
            "block_n": INSTRUCTION * warps_n * tiles_n,
            "block_k": INSTRUCTION * chunks,
            "warps_m": warps_m,
            "warps_n": warps_n,
            "instruction": INSTRUCTION * ones,
            "stages": columns[5],
            "register_stages": columns[6],
            "asynchronous": columns[7],
            "pad": 0 * ones,
            "swizzled": ones,
            "order": columns[8],
            "split": columns[9],
            "peeled": columns[10],
            "stream": columns[11],
        }
    )
