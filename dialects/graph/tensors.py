"""Tensor types of the graph level, and their checks."""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects.builtin import NoneAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import base
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import ELEMENT_TYPES_TEXT, ElementType, is_element_type
from dialects.values import called

Tensor: TypeAlias = TensorType[ElementType]
TENSOR = base(TensorType)
MOST_AXES = 64
"""Maximal rank of a tensor, as in numpy."""


def as_tensor(type_: Attribute) -> Tensor:
    """`type_`, known to be a tensor type of this level."""
    assert isinstance(type_, TensorType)
    return type_  # pyright: ignore[reportUnknownVariableType]


def tensor_of(value: SSAValue) -> Tensor:
    """The tensor type of a value of the graph level."""
    return as_tensor(value.type)


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The extents of a value of the graph level."""
    return tensor_of(value).get_shape()


def check_tensor(value: SSAValue) -> None:
    """Raise VerifyException unless `value` has a tensor type of this level."""
    if (wrong := tensor_problem(value.type)) is not None:
        raise VerifyException(f"{called(value)}: {wrong}")


def tensor_problem(type_: Attribute) -> str | None:
    """The error message if `type_` is no tensor type of this level, else None."""
    if not isinstance(type_, TensorType):
        return f"graph ops work on tensors, not {type_}"
    shape = type_.get_shape()
    if not is_element_type(type_.element_type):  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        return f"tensors hold {ELEMENT_TYPES_TEXT}, not {type_.element_type}"  # pyright: ignore[reportUnknownMemberType]
    if shape and min(shape) < 0:
        return f"{type_} has an unknown extent; every extent is a number here (--dim NAME=N binds one)"
    if shape and max(shape) >> 63:
        return f"an extent of {max(shape)} does not fit in 64 bits"
    if len(shape) > MOST_AXES:
        return f"a tensor has at most {MOST_AXES} axes, not {len(shape)}"
    if not isinstance(type_.encoding, NoneAttr):
        return f"{type_} has an encoding, which means nothing here"
    return None
