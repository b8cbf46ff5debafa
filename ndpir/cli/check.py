"""`--check`: runs of the program before and after each pass on equal seeded inputs, with comparison of the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import BFloat16Type, Float16Type, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp

from dialects.diagnostics import InputError
from dialects.element_types import SmallFloat
from dialects.graph import QuantizeOp
from dialects.task import OnType
from interp.figures import count
from interp.walk.bindings import bound_inputs
from interp.walk.entry import entry_of, states_of
from interp.walk.inputs import seeded_inputs
from interp.walk.level import unfinished
from interp.walk.run import run_module
from ndpir.cli.output import write_stderr

Array: TypeAlias = NDArray[Any]

FULL_TOLERANCE = 1e-5
"""The largest allowed error of a result, relative to its largest element, for programs in f32 or f64."""

REDUCED_TOLERANCE = 2e-2
"""The largest allowed error of a result, relative to its largest element, if f16, bf16 or quantized values occur before
or after the pass: each op rounds, and sums may be reordered, so that a quantized value may be a step larger or
smaller."""

BLOCK = 1 << 20
"""The number of elements that are compared at a time, so that a comparison needs little memory beside the results."""


class Checker:
    """A comparison of a program's results before and after each pass of a pipeline: call `before` before the first
    pass, then `after` after each pass. A program that a pass leaves half lowered is not run; the next complete
    program is compared with the last one that was run. Integers and booleans must be equal, except for integers of 8
    bits where values are quantized; nan equals nan. If the program replaces states by new contents of their types, a
    second step starts from what the first one left.

    `entry`: the function to run, by default the program's entry function. `report` receives one line per pass. `files`:
    files with arrays for arguments (interp/walk/bindings.py).
    """

    def __init__(
        self,
        seed: int = 0,
        report: Callable[[str], None] | None = None,
        entry: str | None = None,
        files: Sequence[str] = (),
    ) -> None:
        self.seed, self.files = seed, files
        self.entry = entry
        self.report = report or _to_stderr
        self.inputs: Sequence[Array] = ()
        self.results: Sequence[Array] = ()
        self.per_step = 0
        """The number of results of a step, of which there may be two."""
        self.reduced = False

    def before(self, module: ModuleOp) -> None:
        """Run the program before the first pass. Raises InputError if it can't be run."""
        entry = entry_of(module, self.entry)
        self.entry = entry.sym_name.data  # the same one after every pass
        self.inputs = bound_inputs(entry, self.files, self.seed) if self.files else seeded_inputs(entry, self.seed)
        self.per_step = len(entry.function_type.outputs.data)
        self.results = self._run(module)
        self.reduced = has_reduced_precision(module)

    def after(self, pass_name: str, module: ModuleOp) -> None:
        """Run the program after a pass, and compare its results with the last ones. Raises InputError if a result
        differs by more than the tolerance."""
        if reason := unfinished(module):
            self.report(f"check: {pass_name}: not run: {reason}")
            return
        results, reduced = self._run(module), has_reduced_precision(module)
        tolerance = REDUCED_TOLERANCE if reduced or self.reduced else FULL_TOLERANCE
        entry = entry_of(module, self.entry)
        per_step = len(entry.function_type.outputs.data)
        if per_step != self.per_step:
            raise InputError(
                f"check: {pass_name} changes the number of results from {self.per_step} to {per_step}", entry
            )
        worst, allowed = 0.0, 0.0
        contents = {state.result for state in states_of(entry).values() if state.result is not None}
        for index, (old, new) in enumerate(zip(self.results, results, strict=False)):
            if index % max(per_step, 1) in contents and new.dtype != old.dtype:  # the state rests in another type
                new = new.astype(old.dtype)
            is_step = old.dtype.kind in "iu" and old.dtype.itemsize == 1 and tolerance == REDUCED_TOLERANCE
            error, limit = error_of(old, new), 0.0 if old.dtype.kind in "biu" and not is_step else tolerance
            if not error <= limit:
                raise InputError(_difference(pass_name, index, old, new, error, limit), entry)
            worst, allowed = max(worst, error), max(allowed, limit)
        within = f" within {worst:.1e} (allowed: {allowed:.0e})" if worst else ""
        steps = " in each of 2 steps" if len(results) > per_step else ""
        self.report(f"check: {pass_name}: {count(per_step, 'result')} equal{steps}{within}")
        self.results, self.reduced = results, reduced

    def _run(self, module: ModuleOp) -> list[Array]:
        """The results of a step, and, if it replaces states by new contents of their types, those of the next one."""
        entry = entry_of(module, self.entry)
        with np.errstate(all="ignore"):
            results = run_module(module, self.inputs, entry=self.entry)
            types, states = entry.function_type, states_of(entry)
            numbers = {index: states[arg].result for index, arg in enumerate(entry.args) if arg in states}
            handed = {
                index: results[number]
                for index, number in numbers.items()
                if number is not None and types.inputs.data[index] == types.outputs.data[number]
            }
            if not handed:
                return results
            inputs = [handed.get(index, array) for index, array in enumerate(self.inputs)]
            return results + run_module(module, inputs, entry=self.entry)


def error_of(old: Array, new: Array) -> float:
    """The largest difference of two arrays, relative to the largest finite element of `old`; infinite if shapes or
    types differ, or if a nan or infinity occurs in only one of them."""
    return float("inf") if old.shape != new.shape or old.dtype != new.dtype else _worst(old, new)[0]


def _worst(old: Array, new: Array) -> tuple[float, int]:
    """The largest elementwise difference |old - new|, relative to the largest finite element of `old` (for booleans,
    and integers of more than 8 bits, 0 where the elements are equal and 1 elsewhere), and the position of such an
    element in the flattened arrays; (0, 0) if they are equal."""
    flat, other = old.reshape(-1), new.reshape(-1)
    blocks = [slice(start, start + BLOCK) for start in range(0, flat.size, BLOCK)]
    scale = 1.0 if _is_exact(old) else max((_largest(flat[block]) for block in blocks), default=0.0) or 1.0
    worst, place = 0.0, 0
    for block in blocks:
        difference = _differences(flat[block], other[block], scale)
        index = int(np.argmax(difference))
        if not difference[index] <= worst:
            worst, place = float(difference[index]), block.start + index
    return worst, place


def _is_exact(array: Array) -> bool:
    """True for elements that are equal or not; integers of 8 bits may be quantized numbers."""
    return array.dtype.kind == "b" or (array.dtype.kind in "iu" and array.dtype.itemsize > 1)


def _largest(array: Array) -> float:
    """The largest magnitude of a finite element; 0 if there is none."""
    with np.errstate(invalid="ignore"):  # for signalling nans
        values = array.astype(np.float64)
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def _differences(old: Array, new: Array, scale: float) -> Array:
    """The elementwise difference of two blocks, as in `_worst`."""
    if _is_exact(old):
        return np.where(old == new, 0.0, 1.0)
    with np.errstate(invalid="ignore"):  # for signalling nans
        a, b = old.astype(np.float64), new.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        distance = np.abs(a - b) / scale
    return np.where(same, 0.0, np.where(np.isfinite(a) & np.isfinite(b), distance, np.inf))


def _difference(pass_name: str, index: int, old: Array, new: Array, error: float, limit: float) -> str:
    if old.shape != new.shape or old.dtype != new.dtype:
        return f"check: {pass_name} changes the type of result {index} from {_type(old)} to {_type(new)}"
    place = np.unravel_index(_worst(old, new)[1], old.shape)
    at = f"[{', '.join(str(int(i)) for i in place)}]" if place else ""
    by = f" by {error:.1e} of its largest element (allowed: {limit:.0e})" if limit and np.isfinite(error) else ""
    return (
        f"check: {pass_name} changes the results: result {index} differs{by}, most at element {at or '0'}, "
        f"{_number(old[place])} before the pass and {_number(new[place])} after it"
    )


def _number(value: Any) -> str:
    return f"{float(value):.7g}"


def _type(array: Array) -> str:
    return f"{'x'.join(map(str, array.shape)) or 'scalar'} {array.dtype.name}"


def has_reduced_precision(module: ModuleOp) -> bool:
    """True if f16, bf16 or smaller floating-point numbers occur in a program, or if it quantizes values."""
    types = (value.type for op in module.walk() for value in op.results)
    given = (type_ for op in module.ops if isinstance(op, FuncOp) for type_ in op.function_type.inputs)
    return any(_is_reduced(type_) for type_ in chain(given, types)) or any(
        isinstance(op, QuantizeOp) for op in module.walk()
    )


def _is_reduced(type_: object) -> bool:
    element = _element(type_)
    return isinstance(element, Float16Type | BFloat16Type | SmallFloat)


def _element(type_: object) -> object:
    tensor: object = type_.tensor if isinstance(type_, OnType) else type_  # pyright: ignore[reportUnknownMemberType]
    return tensor.element_type if isinstance(tensor, TensorType) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def _to_stderr(line: str) -> None:
    write_stderr(f"{line}\n")
