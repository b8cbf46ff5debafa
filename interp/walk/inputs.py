"""Input arrays of a program: given by the caller, or drawn from a seed, argument by argument."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from math import inf, isfinite, prod
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseArrayBase, TensorType, f64, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from dialects.diagnostics import InputError
from dialects.element_types import I1, dtype_of, integer_limits, is_float
from dialects.graph import FILL
from dialects.graph.op import tensor_problem
from dialects.task import OnType
from interp.figures import size
from interp.walk.entry import states_of
from interp.walk.level import Shaped, name_of

Array: TypeAlias = NDArray[np.generic]
Fill: TypeAlias = tuple[float, float]
"""The interval to draw numbers from: the lower bound (inclusive) and the upper bound (exclusive)."""

ARGUMENT_NAME = "jax.arg_info"
"""The attribute of a function's argument that holds its name in JAX: `params['dense']['kernel']`."""


def fill_attribute(low: float, high: float) -> Attribute:
    """The attribute `graph.fill` of an argument, for numbers drawn from [low, high)."""
    if isinstance(low, int) and isinstance(high, int):
        return DenseArrayBase.from_list(i64, [low, high])
    return DenseArrayBase.from_list(f64, [low, high])


def fills_of(function: FuncOp, types: Sequence[Shaped]) -> list[Fill | None]:
    """The interval that `graph.fill` states for each argument; None without it. Raises InputError if the argument's
    type can't hold it.
    """
    found: list[Fill | None] = [None] * len(types)
    for index, stated in enumerate(function.arg_attrs or ()):
        if (written := stated.data.get(FILL)) is None:
            continue
        element = types[index].element_type
        values = written.get_values() if isinstance(written, DenseArrayBase) else ()
        least, most = (-inf, inf) if is_float(element) else integer_limits(element)
        if len(values) != 2 or not all(map(isfinite, values)) or not least <= values[0] < values[1] <= most + 1:
            raise InputError(
                f"argument {index} of @{name_of(function)} is drawn from {written}, but two numbers of "
                f"{element} are expected, the lower one first; write {FILL} = array<f64: 0.0, 1.0>, or i64 for "
                "integers",
                function,
            )
        found[index] = values[0], values[1]
    return found


def argument_types(function: FuncOp) -> list[TensorType[Attribute]]:
    """The tensor types of a function's arguments, without their placement. Raises InputError for an argument that is no
    tensor.
    """
    return [_tensor(function, type_) for type_ in function.function_type.inputs]


def seeded_inputs(function: FuncOp, seed: int) -> list[Array]:
    """An array for each argument, the same for the same seed: floats uniform in [-1, 1), integers uniform in [0, 8), or
    in the interval of the argument's attribute `graph.fill`; booleans uniform. Raises InputError for an attribute that
    is no interval of the argument's type.
    """
    types = argument_types(function)
    if seed < 0:
        raise InputError(f"the seed must be a number of at least 0, not {seed}")
    check_memory(function, types)
    return drawn(types, seed, fills_of(function, types))


def check_memory(taker: Operation, types: Sequence[Shaped]) -> None:
    """Raises InputError, at `taker`, for inputs that exceed this computer's memory. The check is needed because an
    allocation may succeed and fail only when the memory is written."""
    from interp.numerics import memory_bytes

    need = sum(prod(type_.get_shape()) * dtype_of(type_.element_type).itemsize for type_ in types)
    if need > memory_bytes():
        raise InputError(
            f"the inputs of @{name_of(taker)} take {size(need)}, but this computer's memory has "
            f"{size(memory_bytes())}; "
            "request time and energy only, which need no numbers (-t timeline)",
            taker,
        )


def drawn(types: Sequence[Shaped], seed: int, fills: Sequence[Fill | None] = ()) -> list[Array]:
    """One array for each of `types`, drawn one after another from one random generator. `fills`: for each type the
    interval to draw from, or None (or no entry) for the default interval."""
    random = np.random.Generator(np.random.PCG64(seed))
    return [_draw(random, type_, fill) for type_, fill in zip_longest(types, fills[: len(types)])]


def _draw(random: np.random.Generator, type_: Shaped, fill: Fill | None) -> Array:
    shape, element = type_.get_shape(), type_.element_type
    dtype = dtype_of(element)
    low, high = fill or ((-1, 1) if is_float(element) else (0, 2 if element == I1 else 8))
    if is_float(element):
        with np.errstate(over="ignore"):
            return np.asarray(random.random(shape, np.float32) * (high - low) + low).astype(dtype)
    return np.asarray(random.integers(int(low), int(high), shape)).astype(dtype)


def _tensor(function: FuncOp, type_: Attribute) -> TensorType[Attribute]:
    inner = type_.tensor if isinstance(type_, OnType) else type_  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(inner, TensorType):
        raise InputError(
            f"@{function.sym_name.data} has an argument of type {type_}, but only tensors can be passed", function
        )
    if (wrong := tensor_problem(inner)) is not None:  # pyright: ignore[reportUnknownArgumentType]
        raise InputError(f"@{function.sym_name.data} can't be run: {wrong}", function)
    return inner  # pyright: ignore[reportUnknownVariableType]


def as_rested(function: FuncOp, inputs: Sequence[Array]) -> list[Array]:
    """The inputs of a function, with states rounded to the types in which they rest: a device that holds a state
    stores it in a type of its own, in which a caller need not hand it over."""
    states, types = states_of(function), argument_types(function)
    if len(inputs) != len(types):
        return list(inputs)
    return [
        _rounded(array, type_) if argument in states else array
        for argument, array, type_ in zip(function.args, inputs, types, strict=True)
    ]


def _rounded(array: Array, type_: Shaped) -> Array:
    dtype = dtype_of(type_.element_type)
    if not isinstance(cast(object, array), np.ndarray) or array.dtype == dtype or not is_float(type_.element_type):
        return array
    with np.errstate(over="ignore"):
        return array.astype(dtype) if array.dtype.kind == "f" or array.dtype.name == "bfloat16" else array


def check_inputs(taker: Operation, types: Sequence[Shaped], inputs: Sequence[Array]) -> None:
    name = name_of(taker)
    if len(inputs) != len(types):
        raise InputError(f"@{name} takes {len(types)} inputs, but {len(inputs)} are given", taker)
    for index, (array, type_) in enumerate(zip(inputs, types, strict=True)):
        expected = dtype_of(type_.element_type)
        if not isinstance(cast(object, array), np.ndarray):
            raise InputError(f"input {index} of @{name} must be a numpy array, not a {type(array).__name__}", taker)
        if array.shape != type_.get_shape() or array.dtype != expected:
            met = f"{array.dtype.name} of shape {list(array.shape)}"
            raise InputError(
                f"input {index} of @{name} is {expected.name} of shape {list(type_.get_shape())}, not {met}", taker
            )
