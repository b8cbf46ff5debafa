"""Search by trials that a learned model chooses, with or without the predictions of an analytical model.

Boosted trees of scikit-learn (the extra `search`) learn the logarithm of times. Without predictions, the first trials
are random. With predictions, the schedules that are predicted to be fastest are tried first, and the trees learn the
error of the predictions, so that few trials correct the predictions of a full space (ALCOP similarly trains XGBoost
first on its analytical model).
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
"""Function from a schedule's index in the space to its time; infinite if the schedule can't run."""

BATCH = 5
"""Number of trials between two trainings."""
TREES, DEPTH, RATE = 60, 3, 0.1


def drawn(size: int, trials: int, seed: int) -> list[int]:
    """Return up to `trials` indices of a space of `size` schedules, in random order."""
    return np.random.default_rng(seed).permutation(size)[:trials].tolist()


def learned(
    features: Floats, trial: Trial, trials: int, seed: int, predicted: Floats | None = None, batch: int = BATCH
) -> list[int]:
    """Return the indices of the tried schedules of a space, in the order of their trials.

    `features`: a row for each schedule; `trial`: function that times a schedule; `predicted`: the schedules' times by
    an analytical model; schedules with infinite times can't run, and are never tried. The search with fewer `trials`
    tries the first schedules of the search with more.
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
    """Return the logarithm of all times relative to `likely`, as predicted by trees that are trained on the tried
    schedules. A trial that can't run counts as twice the slowest time."""
    known = [each for each in times if np.isfinite(each)]
    slowest = 2 * max(known, default=1.0)
    error = np.log(np.minimum(times, slowest)) - likely[tried]
    return _trees(seed).fit(features[tried], error - error.mean()).predict(features)


def _trees(seed: int) -> GradientBoostingRegressor:
    from sklearn.ensemble import GradientBoostingRegressor  # an optional package that takes a second to import

    return GradientBoostingRegressor(n_estimators=TREES, max_depth=DEPTH, learning_rate=RATE, random_state=seed)
