"""Hill climbing over any states: moves that improve the state are kept, until no move does or the budget is spent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from lowering.solve.stopping import is_over

State = TypeVar("State")
Move = TypeVar("Move")
Rule: TypeAlias = Literal["sweep", "first", "steepest"]
"""The moves that are kept in a pass over all moves: `sweep`: each move that improves the state, from which the
following moves start; `first`: the first one, after which a new pass begins; `steepest`: of those that improve the
state, the one that leads to the least cost."""


@dataclass
class Budget:
    """The work that a search may still do, in any unit but time, so that results are the same on every computer.
    `until`: an additional limit, in seconds of `monotonic`."""

    left: float = math.inf
    until: float = math.inf

    @property
    def spent(self) -> bool:
        """True if the search must end."""
        return self.left <= 0 or is_over(self.until)

    def spend(self, work: float = 1.0) -> None:
        """Subtract work that is done."""
        self.left -= work


def improve(
    start: State,
    moves: Callable[[State], Iterable[Move]],
    better: Callable[[State, Move], State | None],
    budget: Budget,
    rule: Rule = "sweep",
    passes: float = math.inf,
    cost: Callable[[State], float] | None = None,
) -> State:
    """The state that is reached from `start` by at most `passes` passes over moves.

    `moves`: the moves of a pass, given the state at its start, in the order in which they are tried; `better`: the
    state after a move, None if it is no better than the given one. It spends the work of each trial from the budget,
    which is checked before each move; unless the rule is `steepest`, it may change the given state and return it.
    `cost`: needed for `steepest`; the first of equal states is taken.
    """
    assert rule != "steepest" or cost is not None
    best, improved = start, True
    while improved and passes > 0 and not budget.spent:
        improved, passes = False, passes - 1
        found: list[State] = []
        for move in moves(best):
            if budget.spent:
                break
            if (state := better(best, move)) is not None:
                improved = True
                if rule == "steepest":
                    found.append(state)
                    continue
                best = state
                if rule == "first":
                    break
        if cost is not None:
            best = min(found, key=cost, default=best)
    return best
