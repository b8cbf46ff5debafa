"""Search by trials that a learned model chooses, from nothing or from the predictions of a closed model.

Boosted trees of scikit-learn (the extra `search`) learn the logarithm of times. Without predictions the first trials
are drawn; with them, the schedules that are predicted best are tried first, and the trees learn by how much predictions
are off, so that few trials correct a whole space (as ALCOP lets its analytical model train XGBoost first).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sklearn.ensemble import GradientBoostingRegressor

Floats: TypeAlias = NDArray[np.float64]
Trial: TypeAlias = Callable[[int], float]
"""The time of the schedule at a place of the space; infinite if it can't run."""

BATCH = 5
"""Trials between two trainings."""
TREES, DEPTH, RATE = 60, 3, 0.1


def drawn(size: int, trials: int, seed: int) -> list[int]:
    """Places of a space in random order."""
    return np.random.default_rng(seed).permutation(size)[:trials].tolist()


def learned(
    features: Floats, trial: Trial, trials: int, seed: int, predicted: Floats | None = None, batch: int = BATCH
) -> list[int]:
    """Places of a space in the order in which they are tried.

    `features`: a row a schedule; `predicted`: times by a closed model, infinite for schedules that can't run, which are
    never tried. The first `n` trials are the same for all numbers of trials.
    """
    size = len(features)
    likely = np.zeros(size) if predicted is None else np.log(predicted)
    runs = np.isfinite(likely)
    rest = int(runs.sum())
    first = drawn(size, size, seed) if predicted is None else np.argsort(likely, kind="stable").tolist()
    tried = first[: min(batch, trials, rest)]
    times = [trial(place) for place in tried]
    while len(tried) < min(trials, rest):
        score = likely + _residual(features, likely, tried, times, seed)
        score[tried] = np.inf
        best = np.argsort(score, kind="stable")[: min(batch, trials - len(tried), rest - len(tried))].tolist()
        tried += best
        times += [trial(place) for place in best]
    return tried


def _residual(features: Floats, likely: Floats, tried: list[int], times: list[float], seed: int) -> Floats:
    """Prediction of trees for the logarithm of all times beyond what is `likely`. What can't run counts as slow as
    twice the slowest."""
    known = [each for each in times if np.isfinite(each)]
    slowest = 2 * max(known, default=1.0)
    off = np.log(np.minimum(times, slowest)) - likely[tried]
    return _trees(seed).fit(features[tried], off - off.mean()).predict(features)


def _trees(seed: int) -> GradientBoostingRegressor:
    from sklearn.ensemble import GradientBoostingRegressor  # an extra, and a second to import

    return GradientBoostingRegressor(n_estimators=TREES, max_depth=DEPTH, learning_rate=RATE, random_state=seed)
