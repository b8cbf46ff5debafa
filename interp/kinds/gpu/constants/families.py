"""Measurements and constants that substitute for those of a GPU without measurements: those of other GPUs of its
architecture first, then of architectures of nearby years. Element types that the same units compute at the same rate
substitute for each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from interp.kinds.gpu.constants.fit import usual
from interp.kinds.gpu.constants.measurement import MeasuredGroup, Submission
from interp.machine.records import ARCHITECTURES

_ALIKE = (("f16", "bf16"), ("f8", "i8"))
"""Sets of element types of equal width that the same units compute at the same rate."""
_NEAR = {
    "tf32": ("bf16", "f16"),
    "f16": ("tf32", "f8", "i8"),
    "bf16": ("tf32", "f8", "i8"),
    "f8": ("bf16", "f16"),
    "i8": ("f16", "bf16"),
    "f64": ("f32",),
}
"""For each element type, the other element types whose contractions run on the same kind of units, nearest first."""
_STREAMED = ("f32", "f16", "bf16", "tf32", "f8", "i8", "f64", "i64", "i32", "i16", "i1")
_STREAMS = ("elementwise", "reduction", "softmax", "norm", "gather", "copy")
"""Classes dominated by memory traffic, for which the element type matters little."""
_LIKE = {
    "copy": ("elementwise",),
    "gather": ("elementwise",),
    "reduction": ("softmax", "norm"),
    "attention_backward": ("prefill",),
    "bidirectional": ("prefill",),
    "prefill_narrow": ("prefill",),
    "decode_narrow": ("decode",),
    "gemm_blocks": ("gemm",),
    "experts": ("gemm",),
    "experts_ungated": ("experts", "gemm"),
    "experts_blocks": ("experts", "gemm_blocks", "gemm"),
}
"""For each class without measurements of its own, the classes with the most similar kernels."""


def equivalent_elements(element: str, kernel_class: str = "gemm") -> tuple[str, ...]:
    """The element type and its equivalents for a kernel class, nearest first."""
    if kernel_class in _STREAMS:
        return (element, *(other for other in _STREAMED if other != element))
    for group in _ALIKE:
        if element in group:
            return (element, *(other for other in group if other != element))
    return (element,)


def near_elements(kernel_class: str, element: str) -> tuple[str, ...]:
    """Element types other than `element` and its equivalents whose constants of a kernel class may substitute for those
    of `element`, nearest first."""
    return () if kernel_class in _STREAMS else _NEAR.get(element, ())


def like_class(kernel_class: str) -> tuple[str, ...]:
    """Other classes whose constants may substitute for those of a class."""
    return _LIKE.get(kernel_class, ())


def near_architectures(architecture: str) -> list[str]:
    """All other architectures by distance in years; at equal distance, earlier ones first."""
    own = ARCHITECTURES.get(architecture, max(ARCHITECTURES.values()))
    others = [name for name in ARCHITECTURES if name != architecture]
    return sorted(others, key=lambda name: (abs(ARCHITECTURES[name] - own), ARCHITECTURES[name]))


def submission_like(
    group: MeasuredGroup, fitted: Mapping[tuple[str, ...], Submission], sources: Sequence[MeasuredGroup]
) -> Submission:
    """Submission parameters for a group without fitted ones: the average of those fitted for groups of the same data
    set and op; if there are none, of the same data set; if there are none, with the same submission mode; otherwise
    the default of the mode."""
    same_set = [other for other in sources if other.source == group.source and other.key in fitted]
    same_op = [other for other in same_set if other.label == group.label]
    near = same_op or same_set or [other for other in sources if other.way == group.way and other.key in fitted]
    if not near:
        return usual(group.way)
    found = [fitted[other.key] for other in near]
    dispatch = float(np.exp(np.mean([np.log(way.dispatch_ns) for way in found])))
    return Submission(dispatch, float(np.median([way.overlap for way in found])))
