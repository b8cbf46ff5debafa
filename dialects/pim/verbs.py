"""The commands of bank programs: moves between the host and a channel, work of the banks on open rows and accumulators,
and the decoder's own."""

from __future__ import annotations

from math import isfinite, prod
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, StringAttr, UnitAttr
from xdsl.irdl import irdl_op_definition, opt_attr_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from dialects.pim.command import ColumnsOp, Command, CommandOp, HostOp, ScopedOp
from dialects.pim.form import (
    COLUMNS,
    Flag,
    HostPart,
    Indexed,
    IndexPart,
    NumberPart,
    Quoted,
    RangePart,
    ScopePart,
    TextPart,
)
from dialects.pim.subscripts import Subscript
from dialects.programs.index import Linear
from dialects.programs.properties import INT, INTS, LIMIT


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


@irdl_op_definition
class ActOp(ScopedOp):
    """Open a row in the addressed banks, so that its columns can be accessed.

    (C1) the row is 0 or more. The sheet specifies if a row may be opened while another one is open (`reopen`).

    ```mlir
    pim.kernel @open on @pim (%x: memref<4xf32>, %w: memref<1x2x2x1x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
      pim.load %x
      pim.for %r = 0 to 2 {
        pim.for %b = 0 to 2 {
          pim.act bank %b row %r
        }
        pim.mac all columns 0 to 1
        pim.drain all to %y[%r]
        pim.pre all
      }
    }
    ```
    """

    name = "pim.act"
    COMMAND: ClassVar[Command] = Command("act", "open a row", bound="row cycles", row="opens")
    FORM: ClassVar[tuple[TextPart, ...]] = (ScopePart(), IndexPart("row", "row", "row", "names", needed=True))
    row = prop_def(INTS)


@irdl_op_definition
class MacOp(ColumnsOp):
    """Multiply columns of the open row with columns of the global buffer, lane by lane, and add all products to an
    accumulator of each addressed bank: one command per column.

    `columns A to B` of the row are multiplied with the
    buffer's columns from `buffer` on (default A); `into` is the index of the accumulator (default 0).

    (C1) the range of columns is not empty and starts at 0 or more.

    ```mlir
    pim.kernel @dot on @pim (%x: memref<8xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.load %x at 2
      pim.act all row 0
      pim.mac all columns 0 to 2 buffer 2
      pim.drain all to %y
      pim.pre all
    }
    ```
    """

    name = "pim.mac"
    COMMAND: ClassVar[Command] = Command(
        "mac", "multiply one column with a buffer column and accumulate", bound="mac cadence", row="uses", flops=2
    )
    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(),
        COLUMNS,
        IndexPart("buffer", "entry", "buffer", "reads", like="column"),
        IndexPart("into", "accumulator", "accumulator", "adds to"),
    )
    entry = prop_def(INTS)
    accumulator = prop_def(INTS)


@irdl_op_definition
class PreOp(ScopedOp):
    """Close the open row of the addressed banks.

    ```mlir
    pim.kernel @close on @pim (%x: memref<4xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.load %x
      pim.act all row 0
      pim.mac all columns 0 to 1
      pim.drain all to %y
      pim.pre bank 0
      pim.pre bank 1
    }
    ```
    """

    name = "pim.pre"
    COMMAND: ClassVar[Command] = Command("pre", "close the open row", bound="row cycles", row="closes")
    text = opt_attr_def(StringAttr)
    """The line of the vendor's trace that the op was read from."""


def _of_lanes(verb: str, meaning: str) -> Command:
    """The properties of a verb that computes lane by lane on columns of the open row."""
    return Command(verb, meaning, bound="lane arithmetic", row="uses", flops=1)


class LaneOp(ColumnsOp):
    """Base class of commands that compute columns of the open row from other columns of it, one command per column:
    each lane is rounded once to the element type of the banks.

    Columns are processed in ascending order. `into` is the
    first result column; the default overwrites the first operand.
    """

    target = prop_def(INTS)

    def sources(self) -> tuple[tuple[str, Linear], ...]:
        """The operands of the command, each as its keyword and its first column."""
        return tuple(
            (part.word, self.linear(part.name))
            for part in self.FORM
            if isinstance(part, Indexed) and (part.space, part.use) == ("column", "reads")
        )

    def verify_(self) -> None:
        super().verify_()
        count, target = self.count.value.data, self.linear("target")
        for _, source in self.sources():
            distance = target - source
            if not distance.terms and 0 < abs(distance.constant) < count:
                raise VerifyException(
                    f"{self.name}: the {count} result columns begin {abs(distance.constant)} columns away from "
                    "an operand's "
                    "and overlap them; put the results exactly on an operand or outside of it"
                )


class BinaryLaneOp(LaneOp):
    """Two operands: `columns A to B`, and the same number of columns from `and` on."""

    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(),
        COLUMNS,
        IndexPart("and", "other", "column", "reads", needed=True),
        IndexPart("into", "target", "column", "writes", like="column"),
    )
    other = prop_def(INTS)


class UnaryLaneOp(LaneOp):
    """One operand: `columns A to B`."""

    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(),
        COLUMNS,
        IndexPart("into", "target", "column", "writes", like="column"),
    )


@irdl_op_definition
class AddColumnsOp(BinaryLaneOp):
    """Add columns of the open row of each addressed bank, lane by lane: `columns A to B` plus equally many columns from
    `and` on; the results are written to the columns from `into` on (default: those of the first operand).

    (C1) the range of columns is not empty and starts at 0 or more. (C2) result columns are exactly an operand's columns
    or do not overlap them.

    ```mlir
    pim.kernel @sum on @pim (%x: memref<2x16xf32>) -> (%y: memref<16xf32>) {
      pim.act bank 0 row 0
      pim.write bank 0 columns 0 to 4 from %x[0]
      pim.write bank 0 columns 4 to 8 from %x[1]
      pim.add bank 0 columns 0 to 4 and 4
      pim.read bank 0 columns 0 to 4 to %y
      pim.pre bank 0
    }
    ```
    """

    name = "pim.add"
    COMMAND: ClassVar[Command] = _of_lanes("add", "add two columns of the open row, lane by lane")


@irdl_op_definition
class SubColumnsOp(BinaryLaneOp):
    """Subtract columns of the open row of each addressed bank, lane by lane: `columns A to B` minus equally many
    columns from `and` on; the results are written to the columns from `into` on (default: those of the first operand).

    (C1) the range of columns is not empty and starts at 0 or more. (C2) result columns are exactly an operand's columns
    or do not overlap them.

    ```mlir
    pim.kernel @difference on @pim (%x: memref<2x8xf32>) -> (%y: memref<8xf32>) {
      pim.act bank 1 row 0
      pim.write bank 1 columns 0 to 2 from %x[0]
      pim.write bank 1 columns 2 to 4 from %x[1]
      pim.sub bank 1 columns 0 to 2 and 2 into 2
      pim.read bank 1 columns 2 to 4 to %y
      pim.pre bank 1
    }
    ```
    """

    name = "pim.sub"
    COMMAND: ClassVar[Command] = _of_lanes("sub", "subtract one column of the open row from another")


@irdl_op_definition
class MulColumnsOp(BinaryLaneOp):
    """Multiply columns of the open row of each addressed bank, lane by lane: `columns A to B` times equally many
    columns from `and` on; the results are written to the columns from `into` on (default: those of the first operand).

    In the example the second operand is a weight: it occupies the row's first two columns, and written data follow it.

    (C1) the range of columns is not empty and starts at 0 or more. (C2) result columns are exactly an operand's columns
    or do not overlap them.

    ```mlir
    pim.kernel @scale on @pim (%x: memref<2x8xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2x8xf32>) {
      pim.act all row 0
      pim.for %b = 0 to 2 {
        pim.write bank %b columns 2 to 4 from %x[%b]
      }
      pim.mul all columns 2 to 4 and 0
      pim.for %b = 0 to 2 {
        pim.read bank %b columns 2 to 4 to %y[%b]
      }
      pim.pre all
    }
    ```
    """

    name = "pim.mul"
    COMMAND: ClassVar[Command] = _of_lanes("mul", "multiply two columns of the open row, lane by lane")


@irdl_op_definition
class ReluColumnsOp(UnaryLaneOp):
    """Replace negative lanes by 0 in columns of the open row of each addressed bank: reads `columns A to B` and writes
    the columns from `into` on (default: in place).

    (C1) the range of columns is not empty and starts at 0 or more. (C2) result columns are exactly the operand's
    columns or do not overlap them.

    ```mlir
    pim.kernel @rectify on @pim (%x: memref<2x8xf32>) -> (%y: memref<2x8xf32>) {
      pim.act all row 0
      pim.for %b = 0 to 2 {
        pim.write bank %b columns 0 to 2 from %x[%b]
      }
      pim.relu all columns 0 to 2 into 2
      pim.for %b = 0 to 2 {
        pim.read bank %b columns 2 to 4 to %y[%b]
      }
      pim.pre all
    }
    ```
    """

    name = "pim.relu"
    COMMAND: ClassVar[Command] = _of_lanes("relu", "the larger of 0 and a column of the open row")


@irdl_op_definition
class BiasOp(ScopedOp, HostOp):
    """Set accumulators of the addressed banks from host memory, one entry per bank; `into` is the index of the
    accumulator (default 0). The old sums are overwritten. Accumulators of the banks' element type round the entry. If
    units keep a sum per lane, the entry is stored in the first lane.

    (C1) the memref is an input in host memory. (C2) subscripts are in bounds.

    ```mlir
    pim.kernel @f on @pim (%x: memref<2x2xf32>, %w: memref<1x1x2x1x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.load %x[0]
      pim.bias all from %x[1]
      pim.act all row 0
      pim.mac all columns 0 to 1
      pim.drain all to %y
      pim.pre all
    }
    ```
    """

    name = "pim.bias"
    COMMAND: ClassVar[Command] = Command("bias", "set the accumulators", bound="biases")
    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(),
        HostPart("from"),
        IndexPart("into", "accumulator", "accumulator", "sets"),
    )
    OWN_ELEMENT: ClassVar[bool] = False
    accumulator = prop_def(INTS)


@irdl_op_definition
class ActivateOp(ScopedOp):
    """Apply an activation function to an accumulator of each addressed bank, by table, into the bank's activation
    register. `from` is the index of the accumulator (default 0), which keeps its sum.

    Tables are samples of functions with linear interpolation (interp/kinds/pim/values/activation_tables.py):
    results are those of the table, not of the exact function.

    ```mlir
    pim.kernel @gate on @pim (%x: memref<8xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2x2xf32>) {
      pim.load %x
      pim.act all row 0
      pim.mac all columns 0 to 2
      pim.pre all
      pim.activate all "sigmoid"
      pim.activated all to %y[1]
      pim.drain all to %y[0]
    }
    ```
    """

    name = "pim.activate"
    COMMAND: ClassVar[Command] = Command(
        "activate", "a function of the accumulators, by table", bound="activations", row="table", register="fills"
    )
    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(),
        Quoted("function", 'the name of an activation table ("gelu")'),
        IndexPart("from", "accumulator", "accumulator", "reads"),
    )
    function = prop_def(StringAttr)
    accumulator = prop_def(INTS)


@irdl_op_definition
class ActivatedOp(ScopedOp, HostOp):
    """Copy activation registers of the addressed banks to host memory, in the memref's element type, one entry per
    bank. The registers keep their values.

    (C1) the memref is an output. (C2) subscripts are in bounds.

    ```mlir
    pim.kernel @one on @pim (%b: memref<2xf32>) -> (%y: memref<2xf32>) {
      pim.bias all from %b
      pim.activate all "gelu"
      pim.activated all to %y
    }
    ```
    """

    name = "pim.activated"
    COMMAND: ClassVar[Command] = Command(
        "activated", "read the activation registers out", bound="drains", delivers=True, register="reads"
    )
    FORM: ClassVar[tuple[TextPart, ...]] = (ScopePart(), HostPart("to"))
    OWN_ELEMENT: ClassVar[bool] = False


@irdl_op_definition
class GroupProductOp(ColumnsOp):
    """In each addressed group, multiply columns of bank 0's open row by the same columns of bank 1's open row, lane by
    lane, and write the products to the same columns of bank 2's open row, rounded to the banks' element type: one
    command per column.

    (C1) the range of columns is not empty and starts at 0 or more. (C2) the scope is whole groups.

    ```mlir
    pim.kernel @gate on @pim (%a: memref<16xf16>, %b: memref<16xf16>) -> (%y: memref<16xf16>) {
      pim.act all row 0
      pim.write bank 0 columns 0 to 1 from %a
      pim.write bank 1 columns 0 to 1 from %b
      pim.ewmul group 0 columns 0 to 1
      pim.read bank 2 columns 0 to 1 to %y
    }
    ```
    """

    name = "pim.ewmul"
    COMMAND: ClassVar[Command] = Command(
        "ewmul",
        "multiply a column of one bank of each group with another's, into a third one's",
        bound="lane arithmetic",
        row="uses",
        flops=1,
        grouped=True,
    )
    FORM: ClassVar[tuple[TextPart, ...]] = (ScopePart(), COLUMNS)

    def verify_(self) -> None:
        super().verify_()
        if self.reach not in ("all", "group"):  # (C2)
            raise VerifyException(f"pim.ewmul works on whole groups (all, group N), not on `{self.reach}`")


class BufferedColumnsOp(ColumnsOp):
    """Base class of commands that move columns of open rows to or from the global buffer's columns from `buffer` on
    (default: the same column numbers)."""

    entry = prop_def(INTS)


@irdl_op_definition
class FetchOp(BufferedColumnsOp):
    """Copy columns of a bank's open row into the global buffer, one command per column.

    `columns A to B` are copied to the buffer's columns from `buffer` on (default A).

    (C1) the range of columns is not empty and starts at 0 or more. (C2) the scope is one bank.

    ```mlir
    pim.kernel @gram on @pim (%w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.act all row 0
      pim.fetch bank 1 columns 0 to 2
      pim.mac all columns 0 to 2
      pim.drain all to %y
    }
    ```
    """

    name = "pim.fetch"
    COMMAND: ClassVar[Command] = Command(
        "fetch", "a column of the open row into the global buffer", bound="buffer fill", row="uses"
    )

    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(default="bank"),
        COLUMNS,
        IndexPart("buffer", "entry", "buffer", "writes", like="column"),
    )

    def verify_(self) -> None:
        super().verify_()
        if self.reach != "bank":  # (C2)
            raise VerifyException(f"pim.fetch takes columns from one bank (bank N), not from `{self.reach}`")


@irdl_op_definition
class StoreOp(BufferedColumnsOp):
    """Copy columns of the global buffer into the open row of each addressed bank, one command per column.

    `columns A to B` of the row receive the buffer's columns from `buffer` on (default A). The restrictions on written
    columns are those of `pim.write`.

    (C1) the range of columns is not empty and starts at 0 or more.

    ```mlir
    pim.kernel @keep on @pim (%k: memref<8xf32>) -> (%y: memref<8xf32>) {
      pim.load %k
      pim.act bank 1 row 0
      pim.store bank 1 columns 4 to 6 buffer 0
      pim.read bank 1 columns 4 to 6 to %y
    }
    ```
    """

    name = "pim.store"
    COMMAND: ClassVar[Command] = Command(
        "store", "a column of the global buffer into the open row", bound="row writes", row="uses"
    )
    FORM: ClassVar[tuple[TextPart, ...]] = (
        ScopePart(default="bank"),
        RangePart("columns", "column", "column", "writes"),
        IndexPart("buffer", "entry", "buffer", "reads", like="column"),
    )


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
    exponentials; by default for all collected entries. `{scale = 0.125 : f64}` multiplies the entries before.

    (C1) a range of entries is not empty and starts at 0 or more. (C2) the scale is finite.

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
    scale = opt_attr_def(FloatAttr)

    @property
    def factor(self) -> float:
        """The number by which entries are multiplied before the softmax."""
        return 1.0 if self.scale is None else self.scale.value.data

    def verify_(self) -> None:
        super().verify_()
        if not isfinite(self.factor):  # (C2)
            raise VerifyException(f"pim.softmax: the scale must be finite, not {self.factor}")

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


@irdl_op_definition
class SetOp(CommandOp):
    """Give a configuration register a value. Commands name explicitly the function or mode that a device selects by
    registers (`pim.activate all "gelu"`), so computed values do not depend on registers; the op exists because vendors'
    traces contain such commands and devices spend time on them.

    (C1) register and value are 0 or more.

    ```mlir
    pim.kernel @configured on @pim (%b: memref<2xf32>) -> (%y: memref<2xf32>) {
      pim.set 2 = 1
      pim.bias all from %b
      pim.activate all "gelu"
      pim.activated all to %y
    }
    ```
    """

    name = "pim.set"
    COMMAND: ClassVar[Command] = Command("set", "give a configuration register a value", optional=True)
    FORM: ClassVar[tuple[TextPart, ...]] = (NumberPart("register"), NumberPart("value", "="))
    register = prop_def(INT)
    value = prop_def(INT)

    def verify_(self) -> None:
        super().verify_()
        for number in (self.register.value.data, self.value.value.data):
            if not 0 <= number <= LIMIT:  # (C1)
                raise VerifyException(f"pim.set: registers and their values are 0 to {LIMIT}, not {number}")


@irdl_op_definition
class BarrierOp(CommandOp):
    """A barrier: no later command begins before all earlier ones are complete. Outside of `pim.channels` it
    synchronises all channels with each other; inside, it applies to each channel separately.

    ```mlir
    pim.kernel @together on @pim (%b: memref<2x2xf32>) -> (%y: memref<2x2xf32>) {
      pim.channels %c = 0 to 2 {
        pim.bias all from %b[%c]
      }
      pim.barrier
      pim.channels %c = 0 to 2 {
        pim.drain all to %y[%c]
      }
    }
    ```
    """

    name = "pim.barrier"
    COMMAND: ClassVar[Command] = Command(
        "barrier", "wait until all before it is complete", bound="barriers", optional=True
    )


@irdl_op_definition
class StepOp(CommandOp):
    """An instruction that the decoder executes itself, in the vendor's syntax: it takes decoder time and issues no
    command on a channel's bus. Numeric execution refuses it, since it may change state that only the vendor's registers
    hold.

    (C1) the text is one non-empty line.

    ```mlir
    pim.kernel @stepped on @pim (%b: memref<2xf32>) -> (%y: memref<2xf32>) {
      pim.step "W GPR 0"
      pim.bias all from %b
      pim.drain all to %y
    }
    ```
    """

    name = "pim.step"
    COMMAND: ClassVar[Command] = Command("step", "an instruction of the decoder's own", bound="decoder", optional=True)
    FORM: ClassVar[tuple[TextPart, ...]] = (Quoted("text", 'an instruction in quotes ("W GPR 0")'),)
    text = prop_def(StringAttr)
    number = opt_attr_def(INTS)
    """The operand after the text, for example an address, as an index expression, if it varies with the enclosing
    loops."""

    def verify_(self) -> None:
        super().verify_()
        if not self.text.data.strip() or "\n" in self.text.data:  # (C1)
            raise VerifyException(
                f"pim.step: the text must be one non-empty line in the vendor's syntax, not {self.text}"
            )
