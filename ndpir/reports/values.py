"""`-t values`: the results that the program computes, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ndpir.reports.answers.values import ResultValues, ValuesAnswer, computed, values_answer
from ndpir.reports.target import AnswerTarget


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
