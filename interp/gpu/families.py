"""Which measurements tell of a GPU that has none: those of its architecture's other GPUs first, then of architectures
of near years; element types that one kind of unit computes at one rate stand for each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from interp.gpu.chip import Chip
from interp.gpu.fit import Fitted, fit
from interp.gpu.kernel_class import KernelClass
from interp.gpu.measurement import Group, Submission
from interp.sheet import ARCHITECTURES

KIN = (("f16", "bf16"), ("f8", "i8"))
"""Element types whose kernels are alike: same width, same units."""

YEARS = 2.0
"""Years between two architectures after which a measurement of one says half as much about the other."""
STRANGER = 0.5
"""What measurements of another architecture of the same year say, to those of the same one."""


def kin(element: str) -> tuple[str, ...]:
    """The element type and those alike, nearest first."""
    for group in KIN:
        if element in group:
            return (element, *(other for other in group if other != element))
    return (element,)


def near_architectures(architecture: str) -> list[str]:
    """All other architectures, nearest in year first, earlier before later ones."""
    own = ARCHITECTURES.get(architecture, max(ARCHITECTURES.values()))
    others = [name for name in ARCHITECTURES if name != architecture]
    return sorted(others, key=lambda name: (abs(ARCHITECTURES[name] - own), ARCHITECTURES[name]))


@dataclass(frozen=True)
class Source:
    """Measurements of one GPU, with its architecture and datasheet numbers."""

    group: Group
    architecture: str
    chip: Chip


def likeness(architecture: str, other: str) -> float:
    """How much a measurement on one architecture says about another one: 1 for the same."""
    if architecture == other:
        return 1.0
    newest = max(ARCHITECTURES.values())
    years = abs(ARCHITECTURES.get(architecture, newest) - ARCHITECTURES.get(other, newest))
    return STRANGER * 0.5 ** (years / YEARS)


def transferred(kernel_class: KernelClass, architecture: str, sources: Sequence[Source], most: int = 150) -> Fitted:
    """Constants for a GPU of an architecture from measurements of other GPUs, the likelier the weightier."""
    weights = [likeness(architecture, source.architecture) for source in sources]
    groups, chips = [source.group for source in sources], [source.chip for source in sources]
    return fit(kernel_class, groups, chips, most=most, weights=weights)


def submission_like(group: Group, fitted: Mapping[tuple[str, ...], Submission], sources: Sequence[Group]) -> Submission:
    """How a group was submitted, from others of its data set (of the same op first), which one program measured."""
    same_set = [other for other in sources if other.source == group.source and other.key in fitted]
    same_op = [other for other in same_set if other.label == group.label]
    near = same_op or same_set or [other for other in sources if other.way == group.way and other.key in fitted]
    if not near:
        return Submission()
    found = [fitted[other.key] for other in near]
    dispatch = float(np.exp(np.mean([np.log(way.dispatch_ns) for way in found])))
    return Submission(dispatch, float(np.median([way.overlap for way in found])))
