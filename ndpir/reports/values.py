"""`-t values`: the results that the program computes, as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from dialects.element_types import element_type_of, tensor_type
from interp.walk.bindings import bound_inputs
from interp.walk.entry import entry_of
from interp.walk.inputs import Array
from interp.walk.run import run_module
from ndpir.reports.target import AnswerTarget

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


@dataclass(frozen=True)
class ValuesTarget(AnswerTarget[ValuesAnswer]):
    """The results of the program: for each result its type, mean, standard deviation, least and greatest element, and
    first elements.

    `seed`: seed of the random inputs (interp/walk/inputs.py defines their distribution). `inputs`: .npz and
    .safetensors files with arrays to use instead of random inputs, by argument name, or `arg0`, `arg1`, …. `limit`: the
    number of first elements to show. `full`: show all elements, in their shape. `entry`: the function; default: `main`,
    or else the first function. `json`: the answer as JSON, with the same elements.
    """

    name: ClassVar[str] = "values"
    NEEDS_MACHINE: ClassVar[bool] = False
    seed: int = 0
    inputs: tuple[str, ...] = ()
    limit: int = 8
    full: bool = False
    entry: str | None = None

    def __post_init__(self) -> None:
        if self.limit < 0:
            raise ValueError(f"`limit` of values is a number of elements from 0 on, not {self.limit}")
        if self.seed < 0:
            raise ValueError(f"`seed` of values is a whole number from 0 on, not {self.seed}")

    def answer(self, module: ModuleOp) -> ValuesAnswer:
        results = computed(module, self.inputs, self.seed, self.entry)
        return values_answer(results, None if self.full else self.limit)

    def text(self, answer: ValuesAnswer) -> str:
        parts: list[str] = []
        for index, result in enumerate(answer.results):
            parts.append(f"result {index}: {described(result)}\n")
            parts.append(all_elements(result) if self.full else leading_elements(result))
        return "".join(parts)


def described(result: ResultValues) -> str:
    """A result's type and statistics: `tensor<4xf32>, mean 0.5, std 0.25, min 0.125, max 1`."""
    if not result.size:
        return f"{result.type}, empty"
    if result.true is not None:
        return f"{result.type}, {result.true} true, {result.size - result.true} false"
    strange = f", {result.size - result.finite} not finite" if result.finite < result.size else ""
    if (found := result.statistics) is None:
        return result.type + strange
    figures = (("mean", found.mean), ("std", found.std), ("min", found.min), ("max", found.max))
    return result.type + "".join(f", {name} {_number(float(value))}" for name, value in figures) + strange


def leading_elements(result: ResultValues) -> str:
    """A line with the first elements of a result; empty if the result has no elements."""
    shown = [_number(value) for value in result.elements]
    return f"  {' '.join(shown)}{' ...' if len(shown) < result.size else ''}\n" if shown else ""


def all_elements(result: ResultValues) -> str:
    """The text of all elements of a result, in nested brackets according to its shape."""
    array = np.empty(len(result.elements), object)
    array[:] = result.elements
    with np.printoptions(threshold=result.size + 1, linewidth=120, formatter={"all": _number}):
        text = np.array2string(array.reshape(result.shape))
    return "".join(f"  {line}\n" for line in text.splitlines())


def _number(value: object) -> str:
    """A number with five significant digits: later digits depend on the order of sums."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case _:
            text = f"{float(str(value)):.5g}"
            return "0" if text == "-0" else text
