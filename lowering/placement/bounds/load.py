"""How long devices are busy at least, whichever way each node runs: the dual of sharing out work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

STEPS = 120
"""Of the multipliers; each gives a bound, so that fewer only make it looser."""
PATIENCE = 5
CLOSE = 1e-3
"""A bound this close to what a sharing out in fractions reaches is left as it is."""

Busy = Mapping[str, float]
"""What a way of running a node keeps busy, and for how many ns."""


def least_load(rows: Sequence[Sequence[Busy]], floor: float = 0.0) -> tuple[float, tuple[str, ...]]:
    """No choice of one of its ways for each node leaves the busiest resource with less than this, in ns; and the
    resources that this is about. Not looked for any longer once it can't exceed `floor`.

    For any weights w >= 0 of the resources whose sum is 1, the largest load is at least the weighted mean of all loads,
    which is least where each node takes its way of the least weighted time:

    max over r of load(r) >= sum over nodes of min over ways of sum over r of w(r) busy(way, r)

    The best weights are found by steps along the loads of these ways (Held, Wolfe and Crowder 1974), each step as long
    as the best known sharing out in fractions says (Polyak 1969), and half as long from the best weights so far where
    PATIENCE steps have led nowhere.
    """
    names = tuple(dict.fromkeys(name for row in rows for busy in row for name in busy))
    if not names:
        return 0.0, ()
    at = {name: place for place, name in enumerate(names)}
    most = max(map(len, rows))
    table = np.full((len(rows), most, len(names)), np.inf)
    for place, row in enumerate(rows):
        for number, busy in enumerate(row):
            table[place, number] = 0.0
            for name, ns in busy.items():
                table[place, number, at[name]] = ns
        table[place, len(row) :] = table[place, 0]
    ns, weights = _ascend(table, floor)
    return ns, tuple(name for name, weight in zip(names, weights, strict=True) if weight > 0.05)


def _ascend(table: NDArray[np.float64], floor: float) -> tuple[float, NDArray[np.float64]]:
    """The best bound over the weights of resources, and these; `table` is in ns, nodes x ways x resources."""
    resources = table.shape[2]
    weights = np.full(resources, 1.0 / resources)
    best, best_weights = 0.0, weights
    mean = np.zeros(resources)
    reached = np.inf
    length, failed = 1.0, 0
    for step in range(STEPS):
        weighted = (table * weights).sum(axis=2)  # without BLAS: the same plan on every processor
        bound = float(weighted.min(axis=1).sum())
        taken = weighted.argmin(axis=1)
        loads = np.take_along_axis(table, taken[:, None, None], axis=1).sum(axis=(0, 1))
        if bound > best * (1 + 1e-6):
            best, best_weights, failed = bound, weights, 0
        elif (failed := failed + 1) == PATIENCE:
            weights, length, failed = best_weights, length / 2, 0
            continue
        mean += (loads - mean) * (2.0 / (step + 2))
        reached = min(reached, float(loads.max()), float(mean.max()))
        slope = loads - bound
        norm = float((slope * slope).sum())
        if reached <= max(floor, best * (1 + CLOSE)) or not norm:
            break
        weights = _on_simplex(weights + slope * (length * (reached - bound) / norm))
    return best, best_weights


def _on_simplex(point: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest weights >= 0 whose sum is 1 (Duchi et al. 2008)."""
    falling = np.sort(point)[::-1]
    sums = np.cumsum(falling) - 1.0
    ranks = np.arange(1, len(point) + 1)
    last = int(np.nonzero(falling - sums / ranks > 0)[0][-1])
    return np.maximum(point - sums[last] / (last + 1), 0.0)
