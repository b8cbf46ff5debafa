"""The state of a StableHLO function while it is written: names, lines, and helpers for ops that many writers need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from dialects import graph as g
from dialects.diagnostics import InputError
from dialects.element_types import I1, ElementType, dtype_of, element_count, is_float, tensor_type
from dialects.external import ExternalInterface
from dialects.graph.constant import LITERAL_LIMIT
from interp.numerics.rounding import cast as cast_array

Array: TypeAlias = NDArray[Any]
Writer: TypeAlias = "Callable[[HloWriter, Any], Written]"
writer = ExternalInterface[Writer]()
"""The writer of an op class: a function that takes the HloWriter and the op, adds lines, and returns the result."""


@dataclass(frozen=True)
class Written:
    """A value in the StableHLO text: its name and its type, whose syntax is the same in StableHLO and in ndpir's
    dialects."""

    name: str
    type: g.Tensor

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.get_shape()

    @property
    def element(self) -> ElementType:
        return self.type.element_type


class HloWriter:
    """The lines written so far, and the name and type in them of each SSA value."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.values: dict[SSAValue, Written] = {}
        self.weights: dict[str, tuple[Written, g.WeightOp]] = {}
        """Weights by name, with the arguments that are added after those of the function."""
        self._indent = 2
        self._count = 0
        self._used: set[str] = set()
        self._constants: dict[tuple[str, bytes], Written] = {}

    # Names

    def fresh(self, wanted: str | None = None) -> str:
        """A new name: `wanted` if it is unused, else another name."""
        while wanted is None or wanted in self._used:
            wanted = f"v{self._count}"
            self._count += 1
        self._used.add(wanted)
        return f"%{wanted}"

    def __getitem__(self, value: SSAValue) -> Written:
        return self.values[value]

    def operands(self, op: Operation) -> list[Written]:
        return [self.values[operand] for operand in op.operands]

    # Lines

    def line(self, text: str) -> None:
        self.lines.append("  " * self._indent + text)

    @contextmanager
    def region(self, opening: str, closing: str) -> Any:
        """A context in which lines are written into a region; constants written in it are not reused outside."""
        self.line(opening)
        self._indent += 1
        known, self._constants = self._constants, dict(self._constants)
        yield
        self._constants = known
        self._indent -= 1
        self.line(closing)

    def op(self, name: str, operands: Sequence[Written], type_: g.Tensor, **attributes: str) -> Written:
        """The result of a new op, with attributes as text. An op with one type for operands and result is written in
        the short form."""
        made = Written(self.fresh(), type_)
        full = name if "." in name else f"stablehlo.{name}"
        given = ", ".join(each.name for each in operands)
        alike = bool(operands) and all(each.type == type_ for each in operands)
        if alike and not attributes and "." not in name and name != "select":  # select lists two types in any case
            self.line(f"{made.name} = {full} {given} : {type_}")
        else:
            pairs_text = ", ".join(f"{key} = {value}" for key, value in attributes.items())
            braced = f" <{{{pairs_text}}}>" if attributes else ""
            types = ", ".join(str(each.type) for each in operands)
            self.line(f'{made.name} = "{full}"({given}){braced} : ({types}) -> {type_}')
        return made

    def constant(self, array: Array, element: ElementType) -> Written:
        """A written constant; equal constants are written only once."""
        array = cast_array(np.asarray(array), dtype_of(element))
        type_ = tensor_type(array.shape, element)
        key = str(type_), array.tobytes()
        if key not in self._constants:
            made = Written(self.fresh(), type_)
            self.line(f"{made.name} = stablehlo.constant {literal(array)} : {type_}")
            self._constants[key] = made
        return self._constants[key]

    def scalar(self, number: float | int | bool, element: ElementType) -> Written:
        with np.errstate(over="ignore"):
            return self.constant(np.array(number), element)

    # Helpers for many ops

    def same(self, name: str, *operands: Written) -> Written:
        """An element-wise op on operands that are broadcast to a common shape; its result has the element type of the
        first operand."""
        shape = np.broadcast_shapes(*(each.shape for each in operands))
        return self.op(
            name, [self.broadcast_to(each, shape) for each in operands], tensor_type(shape, operands[0].element)
        )

    def with_scalar(self, name: str, x: Written, number: float | int) -> Written:
        return self.same(name, x, self.scalar(number, x.element))

    def compared(self, a: Written, b: Written, kind: str) -> Written:
        shape = np.broadcast_shapes(a.shape, b.shape)
        direction = f"#stablehlo<comparison_direction {kind.upper()}>"
        both = [self.broadcast_to(each, shape) for each in (a, b)]
        return self.op("compare", both, tensor_type(shape, I1), comparison_direction=direction)

    def selected(self, condition: Written, yes: Written, no: Written) -> Written:
        shape = np.broadcast_shapes(condition.shape, yes.shape, no.shape)
        given = [self.broadcast_to(each, shape) for each in (condition, yes, no)]
        return self.op("select", given, tensor_type(shape, yes.element))

    def cast(self, x: Written, element: ElementType) -> Written:
        return x if x.element == element else self.op("convert", [x], tensor_type(x.shape, element))

    def widened(self, x: Written) -> Written:
        """The value in f32 if it has a shorter floating-point type, so that several ops round only once."""
        return self.cast(x, f32) if is_float(x.element) and dtype_of(x.element).itemsize < 4 else x

    def reshaped(self, x: Written, shape: Sequence[int]) -> Written:
        return x if x.shape == tuple(shape) else self.op("reshape", [x], tensor_type(shape, x.element))

    def transposed(self, x: Written, permutation: Sequence[int]) -> Written:
        if list(permutation) == list(range(len(permutation))):
            return x
        type_ = tensor_type([x.shape[axis] for axis in permutation], x.element)
        return self.op("transpose", [x], type_, permutation=integers(permutation))

    def broadcast_to(self, x: Written, shape: Sequence[int]) -> Written:
        """The value broadcast as in numpy: axes are aligned at the end, and extents of 1 are repeated."""
        if x.shape == tuple(shape):
            return x
        first = len(shape) - len(x.shape)
        return self.spread(x, shape, range(first, len(shape)))

    def spread(self, x: Written, shape: Sequence[int], axes: Iterable[int]) -> Written:
        """The value broadcast with operand axis i as result axis `axes[i]`."""
        attributes = integers(axes)
        return self.op("broadcast_in_dim", [x], tensor_type(shape, x.element), broadcast_dimensions=attributes)

    def sliced(
        self, x: Written, starts: Sequence[int], ends: Sequence[int], steps: Sequence[int] | None = None
    ) -> Written:
        steps = steps or (1,) * len(starts)
        shape = [-(-(end - start) // step) for start, end, step in zip(starts, ends, steps, strict=True)]
        if tuple(shape) == x.shape:
            return x
        attributes = {"start_indices": starts, "limit_indices": ends, "strides": steps}
        words = {key: integers(numbers) for key, numbers in attributes.items()}
        return self.op("slice", [x], tensor_type(shape, x.element), **words)

    def padded(self, x: Written, low: Sequence[int], high: Sequence[int], value: float | int) -> Written:
        if not any((*low, *high)):
            return x
        shape = [a + n + z for a, n, z in zip(low, x.shape, high, strict=True)]
        attributes = {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": (0,) * len(low)}
        words = {key: integers(numbers) for key, numbers in attributes.items()}
        return self.op("pad", [x, self.scalar(value, x.element)], tensor_type(shape, x.element), **words)

    def joined(self, parts: Sequence[Written], axis: int) -> Written:
        shape = list(parts[0].shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        type_ = tensor_type(shape, parts[0].element)
        return parts[0] if len(parts) == 1 else self.op("concatenate", parts, type_, dimension=f"{axis} : i64")

    # Ops

    def write(self, op: Operation) -> None:
        """Write an op; a group is written as the ops of its body. Raises InputError for ops without a StableHLO
        form."""
        if isinstance(op, g.FusedOp):
            self.values |= zip(op.body.block.args, (self[operand] for operand in op.inputs), strict=True)
            for inner in op.ops:
                self.write(inner)
            self.values |= zip(op.outputs, (self[inner] for inner in op.yielded), strict=True)
            return
        if (write := writer.find(type(op))) is None:
            raise InputError(f"{op.name} can't be written as StableHLO; functions may hold graph ops only", op)
        self.values[op.results[0]] = write(self, op)


def refuse(op: Operation, what: str) -> NoReturn:
    """Raise InputError for an op that StableHLO can't express. `what`: the reason."""
    raise InputError(f"{op.name} can't be written as StableHLO: {what}", op)


def integers(numbers: Iterable[int]) -> str:
    listed = ", ".join(str(int(n)) for n in numbers)
    return f"array<i64: {listed}>" if listed else "array<i64>"


def pairs(widths: Sequence[tuple[int, int]]) -> str:
    """Padding widths as a dense literal, with one pair for each axis."""
    inner = ", ".join(f"[{low}, {high}]" for low, high in widths)
    return f"dense<{f'[{inner}]' if inner else ''}> : tensor<{len(widths)}x2xi64>"


def numbers_of(kind: str, attributes: Mapping[str, object]) -> str:
    """An attribute with dimension numbers, `#stablehlo.KIND<…>`."""
    return f"#stablehlo.{kind}<{', '.join(f'{key} = {value}' for key, value in attributes.items())}>"


def literal(array: Array) -> str:
    """A dense literal that represents each element exactly; an array of equal elements is written as a splat."""

    def word(entry: Any) -> str:
        if array.dtype.kind == "b":
            return str(bool(entry)).lower()
        if array.dtype.name.startswith(("int", "uint")):  # of ml_dtypes too
            return str(int(entry))
        if not isfinite(float(entry)):
            return f"0x{int(entry.view(f'u{array.dtype.itemsize}')):0{2 * array.dtype.itemsize}X}"
        # The shortest decimal that identifies this number; MLIR requires a point in it.
        text = str(entry) if array.dtype.name in ("float32", "float64") else repr(float(entry))
        mantissa, e, exponent = text.partition("e")
        return (mantissa if "." in mantissa else f"{mantissa}.0") + e + exponent

    def nested(part: Array) -> str:
        return word(part[()]) if part.ndim == 0 else f"[{', '.join(map(nested, part))}]"

    if array.size == 0:
        return "dense<>"
    flat = array.reshape(-1)
    if flat.tobytes() == flat[:1].tobytes() * array.size:
        return f"dense<{word(flat[0])}>"
    if array.size > LITERAL_LIMIT and array.dtype.kind != "b":  # versions of MLIR differ in the bytes of bools
        little = array.astype(array.dtype.newbyteorder("<"))
        return f'dense<"0x{little.tobytes().hex().upper()}">'
    return f"dense<{nested(array)}>"


def count_of(value: SSAValue) -> int:
    """The number of elements of a value."""
    return element_count(g.tensor_of(value))
