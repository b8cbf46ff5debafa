"""Lane-by-lane arithmetic of banks, on columns of the open row only: sums, differences, products, rectified values."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from dialects.pim.command import ColumnsOp, Command
from dialects.pim.form import COLUMNS, Indexed, IndexPart, ScopePart, TextPart
from dialects.programs.index import Linear
from dialects.programs.properties import INTS


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
    COMMAND: ClassVar[Command] = Command(
        "add", "add two columns of the open row, lane by lane", bound="lane arithmetic", row="uses", flops=1
    )


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
    COMMAND: ClassVar[Command] = Command(
        "sub", "subtract one column of the open row from another", bound="lane arithmetic", row="uses", flops=1
    )


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
    COMMAND: ClassVar[Command] = Command(
        "mul", "multiply two columns of the open row, lane by lane", bound="lane arithmetic", row="uses", flops=1
    )


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
    COMMAND: ClassVar[Command] = Command(
        "relu", "the larger of 0 and a column of the open row", bound="lane arithmetic", row="uses", flops=1
    )
