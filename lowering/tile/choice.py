"""The schedule of a product that the clock of thread blocks finds the fastest: closed formulas rank a space of
schedules, and the best of them are simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from math import inf

import numpy as np

from interp.machine.multiprocessor import Multiprocessor
from interp.tile.clock import Constants
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.search.ranking import analytical_ns
from lowering.tile.search.spaces import Space, extended, kind_of, published, unpipelined
from lowering.tile.search.trials import simulated_ns

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


def spaces_of(name: str, problem: Problem) -> list[Space]:
    """Spaces of schedules for a problem, by their name (see `SPACES`)."""
    return [space(kind_of(problem)) for space in SPACES[name]]


@cache
def _ours(kind: str) -> Space:
    found = extended(kind, stages=range(1, 7))
    return found.take((found["stream"] == 0) & (found["peeled"] == 0))


SPACES: Mapping[str, tuple[Callable[[str], Space], ...]] = {
    "ours": (cache(published), _ours),
    "published": (cache(published),),
    "unpipelined": tuple(cache(partial(unpipelined, asynchronous=each)) for each in (True, False)),
}
"""Spaces by name, each of a kind of product: the tiles that ALCOP searches with its stages (`published`), without
stages, copies asynchronous or not (`unpipelined`), or with more stages, parts of K and orders of blocks too (`ours`).
The loops of ours are not peeled: the passes that the pipeline `pipeline-buffers` names wrap them."""
