"""Long literals, with more elements than a constant may have, as weights whose numbers stay in the program's file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import StringAttr

from dialects import graph as g
from dialects.graph.constant import LITERAL_LIMIT
from dialects.graph.properties import integer
from ndpir.frontends.stablehlo.module import DenseLiteral


class Literals:
    """The weights of one program; equal literals share one weight."""

    def __init__(self, program: str | bytes | None = None, path: str | None = None, start: int = 0) -> None:
        """`program`: the text or bytecode. `path`: the file that holds the program from byte `start` on; None if the
        program is in no file."""
        self.program, self.path, self.start = program, path, start
        self._made: dict[DenseLiteral, g.WeightOp] = {}

    def known(self, literal: DenseLiteral) -> g.WeightOp | None:
        """A new weight op for a literal that equals an earlier one; None for any other literal."""
        found = self._made.get(literal)
        return None if found is None else found.clone()

    def weight(self, literal: DenseLiteral, array: NDArray[Any], type_: g.Tensor) -> g.WeightOp | None:
        """A new weight op for a literal; None if the literal is short or a splat, and so becomes a constant."""
        if array.size <= LITERAL_LIMIT or not any(array.strides):
            return None
        bits = array.reshape(-1).view(f"u{array.itemsize}")
        if (bits == bits[0]).all():
            return None
        made = g.WeightOp(f"literal.{len(self._made)}", self._source(literal, array), type_)
        self._made[literal] = made
        return made.clone()

    def _source(self, literal: DenseLiteral, array: NDArray[Any]) -> g.WeightSource:
        if self.path is not None and isinstance(self.program, str) and literal.at is not None:
            above = literal.at if self.program.isascii() else len(self.program[: literal.at].encode())
            return g.LiteralAttr(StringAttr(self.path), integer(self.start + above))
        data = array.astype(array.dtype.newbyteorder("<")).tobytes()
        if self.path is not None and isinstance(self.program, bytes) and (at := self.program.find(data)) >= 0:
            return g.FileAttr(StringAttr(self.path), integer(self.start + at))  # bytecode holds the numbers unencoded
        return g.HeldAttr(g.Held.of(data))


def numbers_of(array: NDArray[Any], type_: g.Tensor) -> g.NumbersAttr:
    """The numbers of a constant; an array with all strides zero becomes a splat."""
    if array.size and not any(array.strides):
        return g.NumbersAttr.of(np.array(array.flat[0])).stretched(type_)
    return g.NumbersAttr.of(array)
