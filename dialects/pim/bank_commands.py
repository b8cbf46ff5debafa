"""Commands to banks: open a row, multiply with the global buffer, close the row."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, opt_attr_def, prop_def

from dialects.pim.command import ColumnsOp, Command, ScopedOp
from dialects.pim.form import COLUMNS, IndexPart, ScopePart, TextPart
from dialects.programs.properties import INTS


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
