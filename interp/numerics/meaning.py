"""The interface for the computation of op classes in numpy: the modules of this folder implement it for built-in ops,
plugins for their own ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from dialects import graph as g
from dialects.element_types import dtype_of
from dialects.external import ExternalInterface
from interp.numerics.rounding import SMALL_FLOATS, SMALL_INTEGERS, Array, rounded, wide_dtype, widened

meaning = ExternalInterface[Callable[..., Array]]()
"""A function of the op and its operands that returns the result, of its shape and element type."""

Computing: TypeAlias = Callable[[Any, Sequence[Array], Array | None], Array]
"""A numpy function for an element-wise op: of the op, its operands, and an array for the result (or None, for a new
array)."""


@dataclass(frozen=True)
class Elementwise:
    """The computation of an element-wise op: in the wide type of its operands, with the result rounded to their own
    type, or, if `exact`, in their own type."""

    compute: Computing
    exact: bool = False

    @staticmethod
    def of(function: Callable[..., Array], exact: bool = False) -> Elementwise:
        """The computation of an element-wise op by a function of numpy."""
        return Elementwise(lambda op, xs, out: function(*xs, out=out), exact)

    def __call__(self, op: g.GraphOp, *xs: Array, out: Array | None = None) -> Array:
        """The result of an op for operands `xs`. `out`: an array of the result's type and shape that may be
        overwritten; it may be an operand."""
        if not any(x.ndim for x in xs):  # numpy returns scalars for these, which have no memory to write to
            return self(op, *(x.reshape(1) for x in xs)).reshape(())
        dtype = xs[0].dtype
        if self.exact and any(x.dtype in SMALL_INTEGERS or x.dtype in SMALL_FLOATS for x in xs):
            made, result = (
                self.compute(op, [widened(x) for x in xs], None),
                dtype_of(g.tensor_of(op.results[0]).element_type),
            )
            return made if made.dtype == result else rounded(made, result)
        if self.exact or wide_dtype(dtype) == dtype:
            return self.compute(op, xs, out)
        wide = [widened(x) for x in xs]
        into = next((x for x in wide if x.dtype != dtype and x.shape == g.shape_of(op.results[0])), None)
        return rounded(self.compute(op, wide, into), dtype)


def elementwise(*op_classes: type[g.GraphOp], exact: bool = False) -> Callable[[Computing], Computing]:
    """A decorator that registers a numpy function as the computation of element-wise ops."""

    def attach(compute: Computing) -> Computing:
        meaning.attach(Elementwise(compute, exact), *op_classes)
        return compute

    return attach
