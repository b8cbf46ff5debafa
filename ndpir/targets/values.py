"""`-t values`: what the program computes, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.target import Target

from dialects.diagnostics import FileName, InputError
from dialects.element_types import element_type_of, tensor_type
from dialects.files import open_regular
from interp.program.entry import entry_of
from interp.program.run import Array, argument_types, run_module


@dataclass(frozen=True)
class ValuesTarget(Target):
    """Each result: its type, mean, standard deviation, least and greatest element, and the first elements.

    `seed`: of the inputs that are drawn (interp/program/run.py says how). `inputs`: an .npz file with an array for each
    argument instead, by the argument's name, or `arg0`, `arg1`, …. `limit`: how many leading elements are shown;
    `full`: all of them, in their shape. `entry`: the function, where it is not `main` or the first one.
    """

    name: ClassVar[str] = "values"
    seed: int = 0
    inputs: str | None = None
    limit: int = 8
    full: bool = False
    entry: str | None = None

    def __post_init__(self) -> None:
        if self.limit < 0:
            raise ValueError(f"values shows a number of elements from 0 on, not {self.limit}")
        if self.seed < 0:
            raise ValueError(f"a seed is a number from 0 on, not {self.seed}")

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        given = None if self.inputs is None else read_inputs(self.inputs, entry_of(module, self.entry))
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
    wide = array.astype(np.float64)
    finite = wide[np.isfinite(wide)]
    strange = f", {array.size - finite.size} not finite" if finite.size < array.size else ""
    if not finite.size:
        return text + strange
    figures = (("mean", finite.mean()), ("std", finite.std()), ("min", finite.min()), ("max", finite.max()))
    return text + "".join(f", {name} {_number(value)}" for name, value in figures) + strange


def leading_elements(array: Array, limit: int) -> str:
    """The first elements in row-major order, in a line."""
    shown = [_number(value) for value in array.reshape(-1)[: max(limit, 0)]]
    return f"  {' '.join(shown)}{' ...' if len(shown) < array.size else ''}\n" if shown else ""


def all_elements(array: Array) -> str:
    """All elements, in brackets as their shape has them."""
    with np.printoptions(threshold=array.size + 1, linewidth=120, formatter={"all": _number}):
        text = np.array2string(array)
    return "".join(f"  {line}\n" for line in text.splitlines())


def _number(value: object) -> str:
    """Five significant digits: sums in another order differ behind them."""
    match value:
        case bool() | np.bool_():
            return "true" if value else "false"
        case np.integer():
            return str(value)
        case _:
            text = f"{float(str(value)):.5g}"
            return "0" if text == "-0" else text


def read_inputs(path: str, function: FuncOp) -> list[Array]:
    """The arrays of an .npz file in the order of a function's arguments. Raises InputError if it can't be read or lacks
    one."""
    place = FileName(path)
    try:
        with open_regular(path):
            pass
        loaded: object = np.load(path)
        if not isinstance(loaded, NpzFile):
            raise InputError("holds one array; an .npz file of named arrays is taken (numpy.savez makes one)", place)
        with loaded:
            arrays: dict[str, Array] = {name: loaded[name] for name in loaded.files}
    except FileNotFoundError:
        raise InputError("can't be read: there is no such file", place) from None
    except OSError as error:
        raise InputError(f"can't be read: {(error.strerror or str(error)).lower()}", place) from None
    except (ValueError, EOFError, BadZipFile, KeyError) as error:
        told = " ".join(str(error).split())
        raise InputError(f"can't be read as an .npz file of arrays (numpy.savez makes one): {told}", place) from None
    found: list[Array] = []
    for index, argument in enumerate(function.body.block.args[: len(argument_types(function))]):
        names = [argument.name_hint or f"arg{index}", f"arg{index}", f"arr_{index}"]
        name = next((name for name in names if name in arrays), None)
        if name is None:
            raise InputError(
                f"there is no array `{names[0]}` or `arg{index}`; the file has {', '.join(arrays) or 'none'}", place
            )
        found.append(arrays[name])
    return found
