"""The schedule of a product that the clock of thread blocks finds the fastest: closed formulas rank a space of
schedules, and the best of them are simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from math import inf

import numpy as np

from dialects.graph import AttentionOp
from interp.machine.multiprocessor import Multiprocessor
from interp.tile.clock import Constants, constants_of, slowed, time_of
from interp.tile.outline import outline_of
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.search.ranking import analytical_ns
from lowering.tile.search.spaces import Space, extended, kind_of, published, unpipelined
from lowering.tile.search.trials import simulated_ns
from lowering.tile.templates import kernel_of_op, pipelined

TRIED = 24
"""Schedules that are simulated: the best of that many ranked first are nearly the best of a space."""


@dataclass(frozen=True)
class Choice:
    """The schedule that was chosen for a product, and the time of its kernel without launch."""

    schedule: Schedule
    ns: float
    lost: tuple[tuple[Schedule, float], ...] = ()
    """Others with their times, the fastest first."""


def choice_of(
    problem: Problem,
    unit: Multiprocessor,
    spaces: Iterable[Space],
    tried: int = TRIED,
    constants: Constants | None = None,
) -> Choice | None:
    """The fastest schedule of some spaces for a product on a GPU, of so many of each that are tried; None if its
    multiprocessors hold a block of none."""
    schedules: dict[Schedule, None] = {}
    for space in spaces:
        ranked = np.asarray(analytical_ns(problem, space, unit, constants))
        places = [int(place) for place in np.argsort(ranked, kind="stable")[:tried] if ranked[place] < inf]
        schedules |= dict.fromkeys(space.schedule(place) for place in places)
    timed = [(each, simulated_ns(problem, each, unit, constants)) for each in schedules]
    held = sorted(((schedule, ns) for schedule, ns in timed if ns < inf), key=lambda each: each[1])
    return Choice(*held[0], tuple(held[1:])) if held else None


def attention_schedule(op: AttentionOp, unit: Multiprocessor, stages: Iterable[int] = (1, 2, 3)) -> Schedule | None:
    """The fastest schedule of some for an attention on a GPU: rows of queries, keys a tile, warps, and stages; None if
    its multiprocessors hold a block of none. Raises Unfit, saying why, if there is no template for it."""
    found: list[tuple[float, Schedule]] = []
    constants = constants_of(unit)
    rated = slowed(unit, constants)
    for rows, keys, warps, count in product(QUERIES, KEYS, (4, 8), stages):
        if warps * 16 > rows:
            continue
        schedule = Schedule((rows, keys, 16), (warps, 1), stages=count, swizzled=True)
        kernel = pipelined(kernel_of_op(op, schedule), schedule)
        times = [time_of(outline_of(grid, rated), unit, constants) for grid in kernel.grids]
        if None not in times:
            found.append((sum(each.ns for each in times if each is not None), schedule))
    return min(found, key=lambda each: each[0])[1] if found else None


QUERIES, KEYS = (64, 128), (32, 64, 128)
"""Rows of queries of a block and keys of a tile that are tried for attention."""


def spaces_of(name: str, problem: Problem) -> list[Space]:
    """Spaces of schedules for a problem, by their name (see `SPACES`)."""
    return [space(kind_of(problem)) for space in SPACES[name]]


@cache
def _ours(kind: str) -> Space:
    """Our space without what the published one has."""
    found = extended(kind, stages=(2, 3, 4))
    more = (found["split"] > 1) | (found["order"] > 1) | (found["peeled"] == 1)
    return found.take(more & (found["stream"] == 0) & (found["register_stages"] < 4))


SPACES: Mapping[str, tuple[Callable[[str], Space], ...]] = {
    "ours": (cache(published), _ours),
    "published": (cache(published),),
    "unpipelined": tuple(cache(partial(unpipelined, asynchronous=each)) for each in (True, False)),
}
"""Spaces by name, each of a kind of product: the tiles that ALCOP searches with its stages (`published`), without
stages, copies asynchronous or not (`unpipelined`), or with parts of K, peeled loops and orders of blocks too
(`ours`)."""
