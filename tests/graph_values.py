"""Graph ops on numpy arrays for tests: `values` makes operands, `compute(g.AddOp, a, b)` builds an op and runs it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.test import TestOp
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import element_type_of, tensor_type
from interp.numerics import evaluate

Array = NDArray[Any]


def values(*arrays: Array) -> tuple[SSAValue, ...]:
    """SSA values whose tensor types are those of the arrays."""
    return tuple(TestOp(result_types=[tensor_type(a.shape, element_type_of(a.dtype)) for a in arrays]).results)


def compute(op: type[g.GraphOp], *arrays: Array, **properties: Any) -> Array:
    """The result of an op on the arrays; fails if the op changes one of them."""
    before = [array.copy() for array in arrays]
    (result,) = evaluate(op(*values(*arrays), **properties), list(arrays))
    for array, copied in zip(arrays, before, strict=True):
        assert array.tobytes() == copied.tobytes()
    return result


def drawn(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Array:
    """An array of normally distributed random numbers."""
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)
