"""Errors of the shipped calibrations on measurements that no fit used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.gpu.bars import Score
from benchmarks.gpu.baselines import roofline, two_constants
from benchmarks.gpu.fitted import Fitted as FittedRows
from benchmarks.gpu.fitted import meter_key
from benchmarks.gpu.refit import chip_of, sheet
from benchmarks.gpu_energy import Board, board_energies, board_scores, metered_groups
from benchmarks.gpu_networks import scores_of
from benchmarks.networks import timm as network_timm
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.families import submission_like
from interp.kinds.gpu.constants.fit import HIDDEN_WAYS, Fitted
from interp.kinds.gpu.constants.known import constants_for
from interp.kinds.gpu.constants.measurement import FitErrors, MeasuredGroup, Submission
from interp.kinds.gpu.constants.power_fit import FittedBoard
from interp.kinds.gpu.power import BOARD

_LEAST = 2
"""The least number of a group's rows for which an error is reported."""


def kernel_scores(groups: Sequence[MeasuredGroup], fitted_rows: FittedRows) -> list[Score]:
    """Return the errors of each group on rows that no fit used, with the shipped constants of its GPU.

    The host time per kernel and the baseline of two constants are those that were fitted to the group's fitted rows and
    recorded; a group without a recorded baseline gets one fitted to those of its rows here that the shipped fits used,
    if there are any.
    """
    scores: list[Score] = []
    for group in groups:
        fitted_on = fitted_rows.was_fitted(group)
        evaluated, left_out = group.part(np.flatnonzero(~fitted_on)), group.part(np.flatnonzero(fitted_on))
        if len(evaluated.ns) < _LEAST:
            continue
        known = constants_for(sheet(group.gpu), group.kernel_class, group.element, group.library)
        chip = chip_of(group)
        model = Fitted(
            CLASSES[group.kernel_class], known.constants, {group.key: submission_of(group, fitted_rows)}, 0.0
        )
        with np.errstate(all="ignore"):
            predicted = {"roofline": roofline(evaluated, chip), "model": model.predict(evaluated, chip)}
        if group.key in fitted_rows.baselines:
            launch, efficiency = fitted_rows.baselines[group.key]
            predicted["two constants"] = launch * evaluated.calls + predicted["roofline"] / efficiency
        elif len(left_out.ns) >= _LEAST:
            predicted["two constants"] = two_constants([(left_out, chip)], evaluated, chip)
        errors = {name: FitErrors.of(values, evaluated.ns) for name, values in predicted.items()}
        key = (group.source, group.gpu, group.element, group.label, group.kernel_class)
        scores.append(Score(*key, errors, known.origin, known.constants, group.library, len(left_out.ns)))
    return scores


def submission_of(group: MeasuredGroup, fitted_rows: FittedRows) -> Submission:
    """Return the recorded submission of a group's kernels; if no fit used the group, the submission that is stated for
    its data set."""
    if group.way in HIDDEN_WAYS or group.key in fitted_rows.submissions:
        return fitted_rows.submissions.get(group.key, Submission())
    keys = [key for key in fitted_rows.submissions if key[0] == group.source]
    similar = [
        replace(group, gpu=gpu, element=element, label=label, library=library)
        for _, gpu, element, label, library in keys
    ]
    return submission_like(group, fitted_rows.submissions, similar)


def energy_scores(folder: Path, fitted_rows: FittedRows) -> list[Score]:
    """Return errors of board energy on power measurements that no fit used."""
    groups = metered_groups(folder)
    scores: list[Score] = []
    for gpu in dict.fromkeys(group.gpu for group in groups):
        own = [group for group in groups if group.gpu == gpu and meter_key(group) in fitted_rows.meters]
        times = {
            group.label: Fitted(
                CLASSES[group.kernel_class],
                constants_for(sheet(gpu), group.kernel_class, group.element, group.library).constants,
                {},
                0.0,
            )
            for group in own
        }
        power = constants_for(sheet(gpu), BOARD.name, BOARD.element).constants
        meters = [fitted_rows.meters[meter_key(group)] for group in own]
        board = Board(times, FittedBoard(power, meters), [group.label for group in own])
        for group in own:
            fitted_on = fitted_rows.was_fitted(group)
            evaluated, left_out = group.part(np.flatnonzero(~fitted_on)), group.part(np.flatnonzero(fitted_on))
            if len(evaluated.ns) >= _LEAST:
                base = left_out if len(left_out.ns) >= _LEAST else None
                energies = board_energies(evaluated, base, board)
                found = board_scores(evaluated, energies, "its own power measurements", board)
                scores += [replace(score, left_out=len(left_out.ns)) for score in found]
    return scores


def network_scores(folder: Path, fitted_rows: FittedRows) -> list[Score]:
    """Return errors of complete image networks with tensors in layout channels last, for which constants are
    shipped."""
    on = [each for each in network_timm.read(folder) if each.layout == network_timm.SHIPPED_LAYOUT]
    numbers = fitted_rows.rows.get("timm_e2e", frozenset())
    found = scores_of(network_timm.shipped_rows([each for each in on if each.number not in numbers]))
    return [replace(score, left_out=_fitted_graphs(on, numbers, score)) for score in found]


def _fitted_graphs(on: Sequence[network_timm.Measured], numbers: frozenset[int], score: Score) -> int:
    """Return the number of networks of a score's GPU and group that a fit used."""
    cnn = score.kernel_class == "network"
    selected = [each for each in on if each.number in numbers and each.gpu == score.gpu]
    return sum(network_timm.is_cnn(each.model) == cnn and each.graph is not None for each in selected)
