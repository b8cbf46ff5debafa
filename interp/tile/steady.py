"""Cycles of thread blocks from a few turns of their outermost loop, for judging tens of thousands of kernels.

A multiprocessor's places begin together, and all turns from some of the first ones on are taken to last as long as
those that are simulated. Blocks that drift apart, and what overlaps between the end of one and the begin of the next,
are left out; `BlocksOnUnit` simulates both.
"""

from __future__ import annotations

from dataclasses import replace

from interp.tile.events import BlocksOnUnit, Rates
from interp.tile.work import Loop, Steps

TURNS = 3
"""Turns after which a loop's turns are taken to be alike, and turns that are then simulated."""


def steady_cycles(steps: Steps, warps: int, blocks: int, places: int, rates: Rates) -> float:
    """Cycles until so many blocks, one after another in so many places, have ended."""
    rounds, rest = divmod(blocks, places)
    found = rounds * _round(steps, warps, places, rates) if rounds else 0.0
    return found + (_round(steps, warps, rest, rates) if rest else 0.0)


def _round(steps: Steps, warps: int, blocks: int, rates: Rates) -> float:
    """Cycles of so many blocks at a time."""
    loops = [number for number, each in enumerate(steps) if isinstance(each, Loop)]
    loop = steps[loops[0]] if len(loops) == 1 else None
    if not isinstance(loop, Loop) or loop.turns <= 2 * TURNS:
        return BlocksOnUnit(steps, warps, blocks, blocks, rates, leaps=False).run()
    few, more = (
        BlocksOnUnit(
            (*steps[: loops[0]], replace(loop, turns=turns), *steps[loops[0] + 1 :]),
            warps,
            blocks,
            blocks,
            rates,
            False,
        ).run()
        for turns in (TURNS, 2 * TURNS)
    )
    return few + (loop.turns - TURNS) * (more - few) / TURNS
