"""Choice of the fastest schedule of a product: analytical formulas rank a space of schedules, and the event simulation
times the schedules of the best ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from math import inf

import numpy as np

from dialects.graph import AttentionOp
from interp.kinds.gpu.multiprocessor import Multiprocessor
from interp.tile.clock import time_of
from interp.tile.outline import outline_of
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.search.ranking import analytical_ns
from lowering.tile.search.spaces import Space, extended, kind_of, published, unpipelined
from lowering.tile.search.trials import simulated_ns
from lowering.tile.templates import kernel_of_op, pipelined

TRIED = 24
"""Number of schedules of each space that are simulated: those with the highest ranks. The fastest of these is nearly
the fastest of the space."""


@dataclass(frozen=True)
class Choice:
    """The schedule chosen for a product, and its kernel's time in ns, without the launch."""

    schedule: Schedule
    ns: float


def choice_of(
    problem: Problem,
    unit: Multiprocessor,
    spaces: Iterable[Space],
    tried: int = TRIED,
) -> Choice | None:
    """Return the fastest schedule of some spaces for a product on a GPU; None if its multiprocessors can't hold a
    thread block of any schedule. `tried`: number of schedules of each space that are simulated."""
    schedules: dict[Schedule, None] = {}
    for space in spaces:
        ranked = np.asarray(analytical_ns(problem, space, unit))
        places = [int(place) for place in np.argsort(ranked, kind="stable")[:tried] if ranked[place] < inf]
        schedules |= dict.fromkeys(space.schedule(place) for place in places)
    timed = [(each, simulated_ns(problem, each, unit)) for each in schedules]
    held = [Choice(schedule, ns) for schedule, ns in timed if ns < inf]
    return min(held, key=lambda choice: choice.ns, default=None)


def attention_schedule(op: AttentionOp, unit: Multiprocessor, stages: Iterable[int] = (1, 2, 3)) -> Schedule | None:
    """Return the fastest schedule for an attention op on a GPU, over rows of queries, keys per tile, warps and stages;
    None if its multiprocessors can't hold a thread block of any schedule. Raises Unfit with the reason if no
    template fits the op."""
    found: list[tuple[float, Schedule]] = []
    rated = unit.slowed()
    for rows, keys, warps, count in product(QUERIES, KEYS, (4, 8), stages):
        if warps * 16 > rows:
            continue
        schedule = Schedule((rows, keys, 16), (warps, 1), stages=count, swizzled=True)
        kernel = pipelined(kernel_of_op(op, schedule), schedule)
        times = [time_of(outline_of(grid, rated), unit) for grid in kernel.grids]
        if None not in times:
            found.append((sum(each.ns for each in times if each is not None), schedule))
    return min(found, key=lambda each: each[0])[1] if found else None


QUERIES, KEYS = (64, 128), (32, 64, 128)
"""Numbers of query rows per thread block, and of keys per tile, that are tried for attention."""


def spaces_of(name: str, problem: Problem) -> list[Space]:
    """Return the spaces of schedules for a problem, by their name (see `SPACES`)."""
    return [space(kind_of(problem)) for space in SPACES[name]]


@cache
def _ours(kind: str) -> Space:
    """Return the schedules of the extended space that the published space does not contain."""
    found = extended(kind, stages=(2, 3, 4))
    more = (found["split"] > 1) | (found["order"] > 1) | (found["peeled"] == 1)
    return found.take(more & (found["stream"] == 0) & (found["register_stages"] < 4))


SPACES: Mapping[str, tuple[Callable[[str], Space], ...]] = {
    "ours": (cache(published), _ours),
    "published": (cache(published),),
    "unpipelined": tuple(cache(partial(unpipelined, asynchronous=each)) for each in (True, False)),
}
"""Spaces of schedules by name, for each kind of product. `published`: the tiles and stages that ALCOP searches.
`unpipelined`: the same tiles without stages, with asynchronous or synchronous copies. `ours`: `published`, and
schedules with split K, peeled loops and orders of blocks.
"""
