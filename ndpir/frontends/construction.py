"""Construction of graph ops by all front ends: the ops that a reader of a foreign program builds in the place of one
foreign op."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from dialects import graph as g
from dialects.element_types import ElementType, dtype_of, tensor_type
from dialects.graph.constant import LITERAL_LIMIT, NumbersAttr

Array: TypeAlias = NDArray[Any]


class Construction:
    """The graph ops that replace one foreign op, each with that op's location, and folded to a constant if possible."""

    @abstractmethod
    def build(self, cls: type[g.GraphOp], /, *operands: SSAValue, **properties: Any) -> SSAValue:
        """The result of a new op."""

    @abstractmethod
    def constant(self, value: Array | NumbersAttr, /) -> SSAValue:
        """A constant."""

    @abstractmethod
    def fail(self, message: str) -> NoReturn:
        """Raise the error of the front end for the foreign op."""
        raise NotImplementedError

    def reshaped(self, x: SSAValue, shape: Sequence[int]) -> SSAValue:
        if g.shape_of(x) == tuple(shape):
            return x
        type_ = tensor_type(shape, g.tensor_of(x).element_type)
        return self._repeated(x, type_) or self.build(g.ReshapeOp, x, result_type=type_)

    def transposed(self, x: SSAValue, permutation: Sequence[int]) -> SSAValue:
        if list(permutation) == list(range(len(permutation))):
            return x
        return self.build(g.TransposeOp, x, permutation=tuple(permutation))

    def broadcast_to(self, x: SSAValue, shape: Sequence[int]) -> SSAValue:
        if g.shape_of(x) == tuple(shape):
            return x
        type_ = tensor_type(shape, g.tensor_of(x).element_type)
        return self._repeated(x, type_) or self.build(g.BroadcastOp, x, result_type=type_)

    def _repeated(self, x: SSAValue, type_: g.Tensor) -> SSAValue | None:
        """A splat constant like `x` with the shape of `type_`; None if `x` is not a splat constant, or if the new shape
        has no elements."""
        if not isinstance(owner := x.owner, g.ConstantOp) or not owner.value.is_splat or 0 in type_.get_shape():
            return None
        return self.constant(owner.value.stretched(type_))

    def cast(self, x: SSAValue, element: ElementType) -> SSAValue:
        type_ = g.tensor_of(x)
        if type_.element_type == element:
            return x
        return self.build(g.CastOp, x, result_type=tensor_type(type_.get_shape(), element))

    def sliced(
        self, x: SSAValue, starts: Sequence[int], ends: Sequence[int], steps: Sequence[int] | None = None
    ) -> SSAValue:
        steps = steps or (1,) * len(starts)
        everything = tuple((0, extent, 1) for extent in g.shape_of(x))
        if tuple(zip(starts, ends, steps, strict=True)) == everything:
            return x
        return self.build(g.SliceOp, x, starts=tuple(starts), ends=tuple(ends), steps=tuple(steps))

    def reversed(self, x: SSAValue, axes: Sequence[int]) -> SSAValue:
        """`x` with the order of elements reversed along some axes."""
        shape = g.shape_of(x)
        if not axes or 0 in shape:
            return x
        return self.build(
            g.SliceOp,
            x,
            starts=tuple(n - 1 if axis in axes else 0 for axis, n in enumerate(shape)),
            ends=tuple(-1 if axis in axes else n for axis, n in enumerate(shape)),
            steps=tuple(-1 if axis in axes else 1 for axis in range(len(shape))),
        )

    def counted(self, count: int, element: ElementType) -> SSAValue:
        """The integers from 0 to `count` - 1 as a vector. Constants are printed in the program; therefore a long vector
        is computed as the sum of two short ones."""
        dtype = dtype_of(element)
        if count <= LITERAL_LIMIT:
            return self.constant(np.arange(count).astype(dtype))
        rows = -(-count // LITERAL_LIMIT)
        if rows <= LITERAL_LIMIT:
            high = self.constant((np.arange(rows) * LITERAL_LIMIT).astype(dtype).reshape(rows, 1))
        else:
            step = self.constant(np.array(LITERAL_LIMIT).astype(dtype))
            high = self.reshaped(self.build(g.MulOp, self.counted(rows, element), step), (rows, 1))
        low = self.constant(np.arange(LITERAL_LIMIT).astype(dtype))
        return self.sliced(self.reshaped(self.build(g.AddOp, high, low), (rows * LITERAL_LIMIT,)), (0,), (count,))

    def along(self, axis: int, shape: Sequence[int], element: ElementType) -> SSAValue:
        """The coordinate of each element along an axis; the result has extent 1 along all other axes."""
        return self.reshaped(self.counted(shape[axis], element), [n if a == axis else 1 for a, n in enumerate(shape)])
