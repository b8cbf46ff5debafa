"""Commands that move data between the host and a channel: load the global buffer, drain sums, write and read rows."""

from __future__ import annotations

from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.irdl import irdl_op_definition, opt_attr_def, opt_prop_def, prop_def

from dialects.pim.command import ColumnsOp, Command, HostOp, ScopedOp
from dialects.pim.form import COLUMNS, Flag, HostPart, IndexPart, RangePart, ScopePart, TextPart
from dialects.programs.properties import INTS


@irdl_op_definition
class LoadOp(ScopedOp, HostOp):
    """Copy host memory to the channel's global buffer, from column `at` on (default 0).

    If groups or banks have separate buffers, a scope before the memref selects the buffers (`pim.load group 1 %x`); the
    default is all of them.

    Each row along the last axis of the selected block starts at a new column of the buffer and
    fills as many columns as it needs (a column is the device's `lanes` elements), padded with zeros.

    (C1) the memref is an input in host memory. (C2) subscripts are in bounds.

    ```mlir
    pim.kernel @two_vectors on @pim (%x: memref<2x6xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
      pim.load %x[0 to 2, 0 to 6]
      pim.act all row 0
      pim.for %v = 0 to 2 {
        pim.mac all columns 0 to 2 buffer %v * 2
        pim.drain all to %y[%v]
      }
      pim.pre all
    }
    ```
    """

    name = "pim.load"
    COMMAND: ClassVar[Command] = Command(
        "load", "host or other memory into the channel's global buffer", bound="buffer fill"
    )
    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(may_be_left_out=True),
        HostPart(),
        IndexPart("at", "entry", "buffer", "writes"),
    )
    entry = prop_def(INTS)
    ONE_PLACE: ClassVar[bool] = True
    text = opt_attr_def(StringAttr)
    """The line of the vendor's trace that the op was read from."""

    def wanted(self, banks: int, lanes: int) -> None:
        return None

    def buffer_columns(self, lanes: int) -> int:
        """The number of columns of the global buffer that are filled."""
        *outer, last = self.block_shape or (1,)
        return prod(outer) * -(-last // lanes)

    def extent(self, expression: str, lanes: int) -> int:
        return self.buffer_columns(lanes) if expression == "entry" else 1

    def issues(self, lanes: int, load_columns: int) -> int:
        return -(-self.buffer_columns(lanes) // load_columns)


@irdl_op_definition
class DrainOp(ScopedOp, HostOp):
    """Copy accumulators of the addressed banks to host memory, in the memref's element type; the accumulators are zero
    afterwards, or keep their sums until a `pim.bias` sets them, as the sheet specifies (`drain keeps`).

    The selected block has one entry per bank; if units keep a sum per lane, the entry is the sum over lanes that the
    host computes, from the first lane on, and a block of `lanes` entries per bank receives the sums of the lanes. `add
    to` adds to the memref's contents (partial sums, kept in the memref's type; parallel channels add in program order,
    those of one `pim.channels` in the order of their numbers). `from` is the index of the accumulator (default 0).

    (C1) the memref is an output. (C2) subscripts are in bounds.

    ```mlir
    pim.kernel @pieces on @pim (%x: memref<2x4xf32>, %w: memref<1x2x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.for %k = 0 to 2 {
        pim.load %x[%k]
        pim.act all row %k
        pim.mac all columns 0 to 1
        pim.drain all add to %y
        pim.pre all
      }
    }
    ```
    """

    name = "pim.drain"
    COMMAND: ClassVar[Command] = Command("drain", "read the accumulators out", bound="drains", delivers=True)
    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(),
        IndexPart("from", "accumulator", "accumulator", "takes"),
        Flag("add"),
        HostPart("to"),
    )
    OWN_ELEMENT: ClassVar[bool] = False
    accumulator = prop_def(INTS)
    add = opt_prop_def(UnitAttr)

    @property
    def adds(self) -> bool:
        return self.add is not None


class TransferOp(ColumnsOp, HostOp):
    """Base class of commands that move columns of open rows between banks and the host."""

    MARKS: ClassVar[tuple[str, ...]] = ("host",)
    host = opt_attr_def(UnitAttr)

    @property
    def by_host(self) -> bool:
        """True if the command is an ordinary memory access (`{host}`), which a controller may reorder."""
        return self.host is not None


@irdl_op_definition
class WriteOp(TransferOp):
    """Copy host memory into columns of the open row of the addressed banks, one command per column.

    The selected block consists, in this order, of one sequence of columns per bank, each column of the device's `lanes`
    elements. Columns occupied by the kernel's operands in the banks (weights) may not be written; columns after them
    and all other rows may. Written data persist until the kernel ends. `{host}` marks an ordinary memory access, which
    a controller may reorder; `{append}` a write into space that an operand reserves for it (the next entries of a
    cache).

    (C1) the range of columns is not empty and starts at 0 or more. (C2) the memref is an input in host memory.
    (C3) subscripts are in bounds.

    ```mlir
    pim.kernel @double on @pim (%x: memref<2x8xf32>) -> (%y: memref<2x8xf32>) {
      pim.act all row 0
      pim.for %b = 0 to 2 {
        pim.write bank %b columns 0 to 2 from %x[%b]
      }
      pim.add all columns 0 to 2 and 0
      pim.for %b = 0 to 2 {
        pim.read bank %b columns 0 to 2 to %y[%b]
      }
      pim.pre all
    }
    ```
    """

    name = "pim.write"
    COMMAND: ClassVar[Command] = Command(
        "write", "host or other memory into one column of the open row", bound="row writes", row="uses"
    )
    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(),
        RangePart("columns", "column", "column", "writes"),
        HostPart("from"),
    )
    MARKS: ClassVar[tuple[str, ...]] = ("host", "append")
    ONE_PLACE: ClassVar[bool] = True
    host = opt_attr_def(UnitAttr)
    append = opt_attr_def(UnitAttr)


@irdl_op_definition
class ReadOp(TransferOp):
    """Copy columns of the open row of the addressed banks to host memory, one command per column.

    The layout of the block and the meaning of `{host}` are those of `pim.write`.

    (C1) the range of columns is not empty and starts at 0 or more. (C2) the memref is an output. (C3) subscripts are in
    bounds.

    ```mlir
    pim.kernel @copy on @pim (%w: memref<1x2x2x8x4xf32> at row 0) -> (%y: memref<2x2x32xf32>) {
      pim.for %r = 0 to 2 {
        pim.act all row %r
        pim.for %b = 0 to 2 {
          pim.read bank %b columns 0 to 8 to %y[%r, %b]
        }
        pim.pre all
      }
    }
    ```
    """

    name = "pim.read"
    COMMAND: ClassVar[Command] = Command(
        "read", "one column of the open row to the host", bound="row reads", row="uses", delivers=True
    )
    FORM: ClassVar[tuple[TextPart, ...]] = (ScopePart(), COLUMNS, HostPart("to"))
