"""Waits, commits and barriers of a thread block."""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.irdl import EqAttrConstraint, irdl_op_definition, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BareOp, BracedOp
from dialects.tile.loops import check_inside


class _InBlocksOp(BareOp):
    """Base class of ops of a thread block without operands and options."""

    def verify_(self) -> None:
        check_inside(self)


@irdl_op_definition
class CommitOp(_InBlocksOp):
    """End a group of asynchronous copies: all copies issued since the last commit.

    ```mlir
    tile.kernel @copy on @gpu (%x: memref<256x64xf16>) -> (%y: memref<256x64xf16>) {
      tile.blocks %i = 0 to 2 warps 4, 1 {
        %t = tile.buffer shared : memref<128x64xf16>
        tile.copy async %x[%i * 128 : 128] to %t
        tile.commit
        tile.wait 0
        tile.barrier
        tile.copy %t to %y[%i * 128 : 128]
      }
    }
    ```
    """

    name = "tile.commit"


@irdl_op_definition
class WaitOp(BracedOp):
    """Wait until at most the given number of groups of asynchronous copies are not complete; these are the groups
    committed last. Each thread can then read the data that it copied itself; after a further `tile.barrier`, all
    threads can read the data.

    (C1) The number is not negative.

    ```mlir
    tile.kernel @copy on @gpu (%x: memref<256x64xf16>) -> (%y: memref<256x64xf16>) {
      tile.blocks %i = 0 to 2 warps 4, 1 {
        %t = tile.buffer shared : memref<128x64xf16>
        tile.copy async %x[%i * 128 : 128] to %t
        tile.commit
        tile.wait 0
        tile.barrier
        tile.copy %t to %y[%i * 128 : 128]
      }
    }
    ```
    """

    name = "tile.wait"
    pending = prop_def(IntegerAttr.constr(type=EqAttrConstraint(i64)))

    def __init__(self, pending: int) -> None:
        super().__init__(properties={"pending": IntegerAttr(pending, i64)})

    def verify_(self) -> None:
        check_inside(self)
        if self.pending.value.data < 0:  # (C1)
            raise VerifyException(
                f"tile.wait: the number of pending groups must be 0 or more, not {self.pending.value.data}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return cls(parser.parse_integer(allow_boolean=False)).with_braces(parser)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.pending.value.data}")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class BarrierOp(_InBlocksOp):
    """Wait until all threads of the block have reached the barrier. After it, all threads see what any thread wrote to
    shared memory before it.

    ```mlir
    tile.kernel @copy on @gpu (%x: memref<256x64xf16>) -> (%y: memref<256x64xf16>) {
      tile.blocks %i = 0 to 2 warps 4, 1 {
        %t = tile.buffer shared : memref<128x64xf16>
        tile.copy async %x[%i * 128 : 128] to %t
        tile.commit
        tile.wait 0
        tile.barrier
        tile.copy %t to %y[%i * 128 : 128]
      }
    }
    ```
    """

    name = "tile.barrier"
