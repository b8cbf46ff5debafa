"""Predicates on values for rewrite rules: the defining op, constness, and the numbers of constants."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type
from xdsl.ir import Attribute, Block, Operation, SSAValue

from dialects.element_types import ElementType, dtype_of
from dialects.graph.binary import MulOp
from dialects.graph.constant import Array, ConstantOp, NumbersAttr
from dialects.graph.fused import is_prepared
from dialects.graph.op import GraphOp, Tensor, shape_of, tensor_of
from dialects.graph.properties import Value
from dialects.graph.reduction import ReduceOp, SoftmaxOp
from dialects.graph.unary import AbsOp, CastOp, ExpOp, SigmoidOp

OpT = TypeVar("OpT", bound=Operation)
GraphOpT = TypeVar("GraphOpT", bound=GraphOp)


def made_by(value: SSAValue, op_class: type[OpT]) -> OpT | None:
    """The defining op of `value` if it is of that class, else None."""
    return owner if isinstance(owner := value.owner, op_class) else None


def only_made_by(value: SSAValue, op_class: type[OpT]) -> OpT | None:
    """The defining op of `value` if it is of that class and the value has a single use, else None."""
    return made_by(value, op_class) if value.has_one_use() else None


def numbers(value: SSAValue) -> Array | None:
    """The elements of a `graph.constant`; None for any other value."""
    return owner.value.array() if isinstance(owner := value.owner, ConstantOp) else None


def splat(value: SSAValue) -> float | None:
    """The number of a splat `graph.constant` (integers exactly); None for any other value."""
    if not isinstance(owner := value.owner, ConstantOp) or not owner.value.is_splat:
        return None
    return np.frombuffer(owner.value.data.data, dtype_of(owner.value.tensor.element_type))[0].item()


def decimal(value: SSAValue) -> float | None:
    """`splat` as the shortest decimal that rounds to it in its own type: 1e-05 rather than 9.99999974737875e-06."""
    if not isinstance(owner := value.owner, ConstantOp) or not owner.value.is_splat:
        return None
    return float(str(np.frombuffer(owner.value.data.data, dtype_of(owner.value.tensor.element_type))[0]))


def is_minus_zero(number: float) -> bool:
    """True if `number` is the negative zero, the neutral element of floating-point addition."""
    return number == 0 and bool(np.signbit(number))


def filled(type_: Tensor, number: float) -> ConstantOp:
    """A splat constant of `type_`."""
    return ConstantOp(repeated(np.asarray(number, dtype_of(type_.element_type)), type_))


def repeated(one: Array, type_: Tensor) -> NumbersAttr:
    """The attribute of a splat constant of type `type_`. `one`: an array with a single number, the constant's
    element."""
    single = NumbersAttr.of(one.reshape(()))
    return single.stretched(type_)


def keeps_type(value: SSAValue, other: SSAValue) -> bool:
    """True if `value` has the type of `other` and may replace it."""
    return value.type == other.type


def element_of(value: SSAValue) -> Attribute:
    """The element type of a tensor value."""
    return tensor_of(value).element_type


def rebuilt(op: GraphOpT, *operands: SSAValue, **changed: Value) -> GraphOpT:
    """A copy of `op` with other operands, and with the properties in `changed` replaced."""
    properties: dict[str, Any] = {**op.properties, **changed}
    return type(op)(*operands, **properties)


def wide_element(element: Attribute) -> ElementType:
    """The element type in which numbers of type `element` are computed: f32 for f16 and bf16."""
    return Float32Type() if isinstance(element, Float16Type | BFloat16Type) else element  # pyright: ignore[reportReturnType]


def widens(op: Operation | Block) -> bool:
    """True for the conversion of f16 or bf16 to f32."""
    return isinstance(op, CastOp) and wide_element(element_of(op.x)) == element_of(op.y) != element_of(op.x)


SIGNIFICAND: dict[type[Attribute], int] = {Float16Type: 11, BFloat16Type: 8, Float32Type: 24, Float64Type: 53}
"""Bits of precision of each floating-point type."""


def axes_of(values: object) -> tuple[int, ...]:
    """The integers of a dense array property."""
    return tuple(values.get_values())  # pyright: ignore


def is_ahead_of_time(value: SSAValue) -> bool:
    """True if `value` depends on weights and constants alone, so it is computed before the program starts."""
    return is_prepared(value, most=_PREPARATION_LIMIT)


_PREPARATION_LIMIT = 64
"""The maximal number of ops through which values are traced back to weights; longer chains count as run-time values."""


def is_vector(value: SSAValue, length: int, axis: int = -1) -> bool:
    """True if a tensor has `length` elements along `axis` (counted from the end) and extents of 1 elsewhere."""
    shape = shape_of(value)
    return len(shape) >= -axis and shape[axis] == length and sum(extent != 1 for extent in shape) == (length != 1)


def never_negative(value: SSAValue, depth: int = 4) -> bool:
    """True if the elements of `value` can be shown to be at least +0 (or nan)."""
    owner = value.owner
    if (number := splat(value)) is not None:
        return number > 0 or (number == 0 and not is_minus_zero(number))
    if isinstance(owner, AbsOp | ExpOp | SigmoidOp | SoftmaxOp):
        return True
    if depth == 0 or not isinstance(owner, GraphOp):
        return False
    if isinstance(owner, MulOp) and owner.operands[0] is owner.operands[1]:
        return True
    if isinstance(owner, ReduceOp):
        return never_negative(owner.x, depth - 1)
    if owner.name in _KEEP_SIGN:
        return all(never_negative(operand, depth - 1) for operand in owner.operands)
    return False


_KEEP_SIGN = frozenset(
    f"graph.{word}"
    for word in ("add", "mul", "div", "max", "min", "reshape", "transpose", "broadcast", "slice", "concat", "cast")
)
