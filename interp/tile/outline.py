"""Outlines of grids of thread blocks: the properties of a grid that determine its time."""

from __future__ import annotations

from dataclasses import dataclass

from dialects.graph.op import GraphOp
from dialects.tile import BlocksOp, MmaOp
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.tile.traffic import Stream, iterations_of, streams_of, written_by
from interp.tile.work import Steps, registers_of, shared_bytes_of, steps_of, warps_of


@dataclass(frozen=True)
class Outline:
    """A grid of `count` thread blocks of `warps` warps each.

    `steps`: steps of each warp on one multiprocessor; `shared_bytes`: shared memory of a block; `registers`: registers
    of a thread; `flops`: operations of all blocks; `streams`: reads from global memory; `written`: bytes that all
    blocks write to memory.
    """

    steps: Steps
    warps: int
    count: int
    shared_bytes: int
    registers: float
    flops: int
    streams: tuple[Stream, ...]
    written: float


def outline_of(grid: BlocksOp, unit: Multiprocessor) -> Outline:
    """Return the outline of a grid on a multiprocessor."""
    return Outline(
        steps_of(grid, unit),
        warps_of(grid),
        grid.count,
        shared_bytes_of(grid),
        registers_of(grid),
        flops_of(grid),
        streams_of(grid),
        written_by(grid),
    )


def flops_of(grid: BlocksOp) -> int:
    """Return the number of operations of all blocks of a grid."""
    found = 0.0
    for op in grid.body.walk():
        if isinstance(op, MmaOp):
            found += op.flops * iterations_of(op, grid) * grid.count
        elif isinstance(op, GraphOp):
            found += op.work().flops * iterations_of(op, grid) * grid.count
    return round(found)
