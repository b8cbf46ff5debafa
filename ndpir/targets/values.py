"""`-t values`: the results that the program computes, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialects.element_types import element_type_of, tensor_type
from interp.program.bindings import bound_inputs
from interp.program.entry import entry_of
from interp.program.inputs import Array
from interp.program.run import run_module


@dataclass(frozen=True)
class ValuesTarget(Target):
    """The results of the program: type, mean, standard deviation, least and greatest element, and first elements of
    each.

    `seed`: seed of the random inputs (interp/program/inputs.py defines their distribution). `inputs`: .npz and
    .safetensors files with arrays to use instead, by argument name, or `arg0`, `arg1`, …. `limit`: the number of first
    elements to show. `full`: show all elements, in their shape. `entry`: the function; default: `main`, or the first
    one.
    """

    name: ClassVar[str] = "values"
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

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        given = bound_inputs(entry_of(module, self.entry), self.inputs, self.seed) if self.inputs else None
        results = run_module(module, given, seed=self.seed, entry=self.entry)
        for index, array in enumerate(results):
            output.write(f"result {index}: {described(array)}\n")
            output.write(all_elements(array) if self.full else leading_elements(array, self.limit))


def described(array: Array) -> str:
    """An array's type and statistics: `tensor<4xf32>, mean 0.5, std 0.25, min 0.125, max 1`."""
    text = str(tensor_type(array.shape, element_type_of(array.dtype)))
    if not array.size:
        return f"{text}, empty"
    if array.dtype == np.bool_:
        return f"{text}, {int(array.sum())} true, {int(array.size - array.sum())} false"
    with np.errstate(invalid="ignore"):  # for signalling nans
        wide = array.astype(np.float64)
    finite = wide[np.isfinite(wide)]
    strange = f", {array.size - finite.size} not finite" if finite.size < array.size else ""
    if not finite.size:
        return text + strange
    figures = (("mean", finite.mean()), ("std", finite.std()), ("min", finite.min()), ("max", finite.max()))
    return text + "".join(f", {name} {_number(value)}" for name, value in figures) + strange


def leading_elements(array: Array, limit: int) -> str:
    """A line with the first `limit` elements in row-major order."""
    shown = [_number(value) for value in array.reshape(-1)[: max(limit, 0)]]
    return f"  {' '.join(shown)}{' ...' if len(shown) < array.size else ''}\n" if shown else ""


def all_elements(array: Array) -> str:
    """All elements, in nested brackets according to the shape."""
    with np.printoptions(threshold=array.size + 1, linewidth=120, formatter={"all": _number}):
        text = np.array2string(array)
    return "".join(f"  {line}\n" for line in text.splitlines())


def _number(value: object) -> str:
    """A number with five significant digits: later digits depend on the order of sums."""
    match value:
        case bool() | np.bool_():
            return "true" if value else "false"
        case np.integer():
            return str(value)
        case _:
            text = f"{float(str(value)):.5g}"
            return "0" if text == "-0" else text
