"""The softmax of attention inside a channel: collect sums in the softmax buffer, normalise them, and spread them to the
global buffer as the next product's vector."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition, prop_def

from dialects.pim.command import Command, CommandOp, ScopedOp
from dialects.pim.form import IndexPart, RangePart, ScopePart, TextPart
from dialects.pim.subscripts import Subscript
from dialects.programs.properties import INT, INTS


@irdl_op_definition
class CollectOp(ScopedOp):
    """Copy accumulators of the addressed banks into the channel's softmax buffer, one entry per bank, in the banks'
    order, from entry `at` on (default 0). `from` is the index of the accumulator (default 0), which is afterwards zero
    or unchanged, as after `pim.drain`.

    ```mlir
    pim.kernel @attend on @pim (%q: memref<4xf32>, %kv: memref<1x2x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.load %q
      pim.act all row 0
      pim.mac all columns 0 to 1
      pim.mac all columns 1 to 2 buffer 0 into 1
      pim.collect all
      pim.collect all from 1 at 2
      pim.softmax entries 0 to 4
      pim.spread all entries 0 to 4
      pim.pre all
      pim.act all row 1
      pim.mac all columns 0 to 1
      pim.drain all to %y
    }
    ```
    """

    name = "pim.collect"
    COMMAND: ClassVar[Command] = Command("collect", "accumulators into the softmax buffer", bound="drains")
    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(),
        IndexPart("from", "accumulator", "accumulator", "takes"),
        IndexPart("at", "entry", "softmax", "writes"),
    )
    accumulator = prop_def(INTS)
    entry = prop_def(INTS)


@irdl_op_definition
class SoftmaxOp(CommandOp):
    """Softmax of entries of the softmax buffer, in place: the exponential of each entry divided by the sum of all
    exponentials; by default for all collected entries.

    (C1) a range of entries is not empty and starts at 0 or more.

    ```mlir
    pim.kernel @weights on @pim (%s: memref<2xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.bias all from %s
      pim.collect all
      pim.softmax
      pim.spread all entries 0 to 2
      pim.act all row 0
      pim.mac all columns 0 to 1
      pim.drain all to %y
    }
    ```
    """

    name = "pim.softmax"
    COMMAND: ClassVar[Command] = Command("softmax", "the softmax of the softmax buffer", bound="softmax")
    FORM: ClassVar[tuple[TextPart, ...]] = (RangePart("entries", "entry", "softmax", "reads", may_be_left_out=True),)
    entry = prop_def(INTS)
    count = prop_def(INT)

    @property
    def entries(self) -> Subscript | None:
        """The range of entries of the softmax buffer; None for all collected entries."""
        return Subscript(self.linear("entry"), self.count.value.data) if self.count.value.data else None

    def extent(self, expression: str, lanes: int) -> int:
        return self.count.value.data


@irdl_op_definition
class SpreadOp(ScopedOp):
    """Copy entries of the softmax buffer into the global buffer of the addressed banks, rounded to the banks' element
    type, from column `at` on (default 0), one command per column; the last column is padded with zeros.

    (C1) the range of entries is not empty and starts at 0 or more.

    ```mlir
    pim.kernel @pass on @pim (%s: memref<2xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.bias all from %s
      pim.collect all
      pim.spread all entries 0 to 2 at 1
      pim.act all row 0
      pim.mac all columns 1 to 2
      pim.drain all to %y
    }
    ```
    """

    name = "pim.spread"
    COMMAND: ClassVar[Command] = Command("spread", "the softmax buffer into the global buffer", bound="buffer fill")
    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(),
        RangePart("entries", "first", "softmax", "reads"),
        IndexPart("at", "entry", "buffer", "writes"),
    )
    first = prop_def(INTS)
    count = prop_def(INT)
    entry = prop_def(INTS)

    @property
    def entries(self) -> Subscript:
        """The range of entries of the softmax buffer."""
        return Subscript(self.linear("first"), self.count.value.data)

    def buffer_columns(self, lanes: int) -> int:
        """The number of columns of the global buffer that are filled."""
        return -(-self.count.value.data // lanes)

    def extent(self, expression: str, lanes: int) -> int:
        return {"first": self.count.value.data, "entry": self.buffer_columns(lanes)}.get(expression, 1)

    def issues(self, lanes: int, load_columns: int) -> int:
        return self.buffer_columns(lanes)
