"""NDPX's public kernels, each measured in four forms (tests/data/ndpx): as records, and as rows for the law."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from interp.kinds.ndp.fit import Rows, with_scratch_price
from interp.kinds.ndp.law import Counts, Floats, Kernels, Law

DATA = Path(__file__).resolve().parents[2] / "tests" / "data" / "ndpx"
FORMS = "none", "memory", "numbering", "both"
"""The forms: naive, without redundant loads and stores, with values numbered, and both."""


class PublicKernel(NamedTuple):
    """A public kernel: its network, its numbers of elements and outputs, and for each form its numbers of inputs and
    ops, its measured cycles and its number of lines."""

    network: str
    elements: int
    outputs: int
    forms: Mapping[str, tuple[int, int, int]]
    lines: Mapping[str, int]

    @property
    def before(self) -> tuple[int, int, int]:
        """The numbers of inputs, outputs and ops in the naive form."""
        inputs, ops, _ = self.forms["none"]
        return inputs, self.outputs, ops

    @property
    def reductions(self) -> int:
        """The number of outputs that are reduced, by the lines of the kernel's text.

        A program has three lines besides its loads, stores and ops (the filter, the call and the join). A reduction
        adds two, `MOVI r 0` and `REDUCTION`, and a constant that is loaded into a register adds one, as in the texts of
        similar kernels (JueonPark/NdpxKernelExperiment at c8d2e39, optimized_kernels/*.traceg). The number of lines
        does not tell two constants from a reduction: kernels with three or more outputs have reductions here only if
        the lines suffice for every output, since optimizer updates have constants and no reductions.
        """
        inputs, ops, _ = self.forms["both"]
        found = (self.lines["both"] - inputs - self.outputs - ops - 3) // 2
        if self.outputs > 2 and found < self.outputs:
            return 0
        return min(found, self.outputs)

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers that are equal for kernels that the law can't tell apart in any form."""
        counts = (number for form in FORMS for number in self.forms[form][:2])
        return (self.elements, self.outputs, self.reductions, *counts)

    def counts(self, form: str) -> Counts:
        """The counts of a form. Each load that form `memory` spares is, in the naive form, a load of a value that was
        just stored to a unit's own memory; form `numbering` spares only these loads, not the stores."""
        inputs, ops, _ = self.forms[form]
        own = self.forms["none"][0] - self.forms["memory"][0]
        loads, stores = (own if form == "none" else 0), (own if form in ("none", "numbering") else 0)
        outputs = max(self.outputs, 1)
        return Counts(self.elements, inputs - loads, outputs, ops, self.reductions, loads, stores)


def public_kernels() -> list[PublicKernel]:
    """Read the kernels of kernels_open.csv."""
    with (DATA / "kernels_open.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        PublicKernel(
            row["model"],
            int(row["elements"]),
            int(row["outputs"]),
            {form: (int(row[f"inputs_{form}"]), int(row[f"ops_{form}"]), int(row[f"cycles_{form}"])) for form in FORMS},
            {form: int(row[f"lines_{form}"]) for form in FORMS},
        )
        for row in rows
    ]


def published_ratios() -> dict[str, dict[str, str]]:
    """Return the published ratios of cycles of the form `none` to cycles of another form, by network and form."""
    found = defaultdict[str, dict[str, str]](dict)
    with (DATA / "kernel_opt_summary.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found[row["model"]][row["variant"]] = f"{float(row['speedup_over_none']):.2f}"
    return found


def rows_of(kernels: Sequence[PublicKernel], form: str) -> Rows:
    """Return kernels in a form, with their measured cycles."""
    cycles = np.array([float(each.forms[form][2]) for each in kernels])
    return Rows(Kernels.of([each.counts(form) for each in kernels]), cycles)


def predicted(law: Law, kernels: Sequence[PublicKernel], form: str) -> Floats:
    """Return the cycles of kernels in a form, predicted by the law."""
    return law.cycles(rows_of(kernels, form).kernels)


def errors(law: Law, kernels: Sequence[PublicKernel], form: str) -> Floats:
    """Return the error of each kernel in a form: |predicted - cycles| / cycles."""
    rows = rows_of(kernels, form)
    return np.abs(law.cycles(rows.kernels) - rows.cycles) / rows.cycles


def with_public_scratch_price(law: Law, kernels: Sequence[PublicKernel]) -> Law:
    """Return the law with the cost of accesses to a unit's own memory fitted to kernels in the two forms that have such
    accesses. All kernels of equal shapes together have the weight of one kernel."""
    having = [each for each in kernels if each.forms["none"][0] > each.forms["memory"][0]]
    alike = Counter(each.shape for each in having)
    weights = np.array([1 / alike[each.shape] for each in having])
    parts = [rows_of(having, form) for form in ("none", "numbering")]
    columns = [np.concatenate(each) for each in zip(*(part.columns for part in parts), strict=True)]
    rows = Rows(Kernels(*columns), np.concatenate([part.cycles for part in parts]))
    return with_scratch_price(law, rows, np.concatenate([weights, weights]))
