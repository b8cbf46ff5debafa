"""Properties that hold integers, converted from and to plain Python values."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, i64
from xdsl.irdl import EqAttrConstraint
from xdsl.utils.exceptions import VerifyException

Ints: TypeAlias = DenseArrayBase[IntegerType]

INTS = DenseArrayBase.constr(i64)
INT = IntegerAttr.constr(type=EqAttrConstraint(i64))

LIMIT = 1 << 40
"""The largest absolute value of a row, a column, an end of a range, or a number in an index expression, beyond any real
device, so that a typing error does not make the compiler enumerate a huge range."""


def ints(values: Sequence[int]) -> Ints:
    """A property that holds integers. Raises VerifyException for one beyond LIMIT."""
    return _ints(tuple(values))


@lru_cache(maxsize=1 << 14)
def _ints(values: tuple[int, ...]) -> Ints:
    for value in values:
        if abs(value) > LIMIT:
            raise VerifyException(f"{value} is too large for a row, a range or an index (at most {LIMIT})")
    return DenseArrayBase.from_list(i64, values)


def integer(value: int) -> IntegerAttr[Any]:
    """A property that holds one integer."""
    return IntegerAttr(value, i64)


def values_of(numbers: Ints) -> tuple[int, ...]:
    """The integers a property holds."""
    if numbers.elt_type == i64:
        return _unpacked(numbers.data.data)
    return tuple(int(value) for value in numbers.get_values())


@lru_cache(maxsize=1 << 14)
def _unpacked(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 8}q", data)
