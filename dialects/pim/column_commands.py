"""Commands that move or multiply whole columns inside a channel: between rows and the global buffer, and between the
banks of a group."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from dialects.pim.command import ColumnsOp, Command
from dialects.pim.form import COLUMNS, IndexPart, RangePart, ScopePart, TextPart
from dialects.programs.properties import INTS


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
