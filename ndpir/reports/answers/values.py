"""The answer of `-t values`: the results that a program computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from dialects.element_types import element_type_of, tensor_type
from interp.walk.bindings import bound_inputs
from interp.walk.entry import entry_of
from interp.walk.inputs import Array
from interp.walk.run import run_module

Element: TypeAlias = bool | int | float | str
"""An element of a result. JSON has no number for `nan`, `inf` and `-inf`: these are text."""


@dataclass(frozen=True)
class Statistics:
    """Statistics of the finite elements of a result."""

    mean: float | str
    """The mean of the finite elements; `inf` or `nan` as text if their sum exceeds the range of f64."""
    std: float | str
    min: float
    max: float


@dataclass(frozen=True)
class ResultValues:
    """One result of the program."""

    type: str
    shape: tuple[int, ...]
    size: int
    """The number of elements."""
    finite: int
    """The number of elements that are finite."""
    true: int | None
    """The number of true elements; null unless the result is a tensor of truth values."""
    statistics: Statistics | None
    """The statistics; null if no element is finite, or if the result is a tensor of truth values."""
    elements: tuple[Element, ...]
    """The first elements in row-major order, or all."""


@dataclass(frozen=True)
class ValuesAnswer:
    """The results of the program."""

    results: tuple[ResultValues, ...]


def values_answer(results: Sequence[Array], limit: int | None) -> ValuesAnswer:
    """Results as plain data. `limit`: the number of first elements of each result that are kept; None: all elements."""
    return ValuesAnswer(tuple(result_values(array, limit) for array in results))


def result_values(array: Array, limit: int | None) -> ResultValues:
    """One result as plain data, with its first `limit` elements; None: all elements."""
    text = str(tensor_type(array.shape, element_type_of(array.dtype)))
    elements = tuple(_element(value) for value in array.reshape(-1)[: None if limit is None else max(limit, 0)])
    shape = tuple(array.shape)
    if array.dtype == np.bool_:
        return ResultValues(text, shape, array.size, array.size, int(array.sum()), None, elements)
    with np.errstate(invalid="ignore"):  # for signalling nans
        wide = array.astype(np.float64)
    finite = wide[np.isfinite(wide)]
    statistics = None
    if finite.size:
        mean, std = float(finite.mean()), float(finite.std())
        statistics = Statistics(_or_text(mean), _or_text(std), float(finite.min()), float(finite.max()))
    return ResultValues(text, shape, array.size, finite.size, None, statistics, elements)


def _element(value: np.generic) -> Element:
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(cast(int, value))
    return _or_text(float(str(value)))


def _or_text(number: float) -> float | str:
    """A number, or its text if it is not finite."""
    return number if isfinite(number) else str(number)


def computed(module: ModuleOp, inputs: Sequence[str], seed: int, entry: str | None) -> list[Array]:
    """The results of a program. `inputs`: files of arrays for its arguments; arguments that no file contains are random
    numbers drawn with `seed`."""
    given = bound_inputs(entry_of(module, entry), inputs, seed) if inputs else None
    return run_module(module, given, seed=seed, entry=entry)
