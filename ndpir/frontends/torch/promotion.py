"""PyTorch's type promotion: the element type in which an operator computes
(pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerType, Signedness

from dialects.element_types import I1, ElementType, bit_width, element_type_named, is_float

F16, BF16, F32, F64, I64 = (element_type_named(name) for name in ("f16", "bf16", "f32", "f64", "i64"))


class Operand(NamedTuple):
    """An operand: its element type, and how much it weighs: 0 for a plain number, 1 for a tensor without axes, 2 for
    one with axes."""

    element: ElementType
    weight: int


def promoted(operands: Sequence[Operand], default: ElementType = F32) -> ElementType:
    """The common element type of operands. A lighter operand counts only if its category (truth values, integers,
    floating-point numbers) is higher than that of all heavier ones. `default`: PyTorch's default floating-point
    type."""
    chosen: ElementType | None = None
    for weight in (2, 1, 0):
        elements = [each.element for each in operands if each.weight == weight]
        if not elements:
            continue
        joined = elements[0]
        for element in elements[1:]:
            joined = join(joined, element)
        if weight == 0 and is_float(joined):
            joined = default
        if chosen is None or _category(joined) > _category(chosen):
            chosen = joined
    assert chosen is not None
    return chosen


def _category(element: ElementType) -> int:
    return 2 if is_float(element) else 0 if element == I1 else 1


def join(a: ElementType, b: ElementType) -> ElementType:
    """The smallest type that holds both, as PyTorch orders them."""
    if a == b:
        return a
    if _category(a) != _category(b):
        return max(a, b, key=_category)
    if is_float(a):
        if bit_width(a) == bit_width(b):
            return F32  # f16 and bf16
        return max(a, b, key=bit_width)
    assert isinstance(a, IntegerType)
    assert isinstance(b, IntegerType)
    unsigned = [each.signedness.data == Signedness.UNSIGNED for each in (a, b)]
    if unsigned[0] == unsigned[1]:
        return max(a, b, key=bit_width)
    wide, narrow = (a, b) if unsigned[1] else (b, a)  # `wide` is signed
    return wide if bit_width(wide) > bit_width(narrow) else IntegerType(min(2 * bit_width(narrow), 64))
