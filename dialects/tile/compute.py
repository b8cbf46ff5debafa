"""Matrix instructions on fragments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.launching import memref_of
from dialects.tile.accesses import Access, AccessingOp, parse_access
from dialects.tile.boxes import Variables
from dialects.tile.loops import check_inside
from dialects.tile.memory import scope_of
from dialects.values import called


@irdl_op_definition
class MmaOp(AccessingOp):
    """Multiply a tile of M x K by one of K x N and add the product to one of M x N, all of them in registers; `turned`
    takes the first as K x M, `across` the second as N x K. Products and sums are exact in the accumulator's type, in
    the order of K.

    (C1) boxes lie in their memories, which are register buffers of this thread block. (C2) they are matrices that fit.
    (C3) both factors have one element type.

    ```mlir
    tile.kernel @product on @gpu (%a: memref<16x16xf16>, %b: memref<16x16xf16>) -> (%c: memref<16x16xf32>) {
      tile.blocks %i = 0 to 1 warps 1, 1 {
        %x = tile.buffer register : memref<16x16xf16>
        %y = tile.buffer register : memref<16x16xf16>
        %sum = tile.buffer register : memref<16x16xf32>
        tile.fill %sum with 0.0
        tile.copy %a to %x
        tile.copy %b to %y
        tile.mma %x, %y into %sum
        tile.copy %sum to %c
      }
    }
    ```
    """

    name = "tile.mma"
    READS: ClassVar = (0, 1, 2)
    WRITES: ClassVar = (2,)
    turned = opt_prop_def(UnitAttr)
    across = opt_prop_def(UnitAttr)

    def __init__(
        self,
        a: Access,
        b: Access,
        sum_: Access,
        indices: Sequence[SSAValue] = (),
        across: bool = False,
        turned: bool = False,
    ) -> None:
        starts, sizes = self.parts([a, b, sum_], indices)
        super().__init__(
            operands=[[a.memory, b.memory, sum_.memory], indices],
            properties={
                "starts": starts,
                "sizes": sizes,
                "turned": UnitAttr() if turned else None,
                "across": UnitAttr() if across else None,
            },
        )

    @property
    def extents(self) -> tuple[int, int, int]:
        """M, N and K."""
        a, b = self.accesses[0].shape, self.accesses[1].shape
        m, k = a[::-1] if self.turned is not None else a
        return m, b[0] if self.across is not None else b[1], k

    @property
    def flops(self) -> int:
        """Multiplications and additions."""
        m, n, k = self.extents
        return 2 * m * n * k

    def verify_(self) -> None:
        check_inside(self)
        if len(self.memories) != 3:
            raise VerifyException("tile.mma has two factors and a sum")
        self.check_boxes()  # (C1)
        for access in self.accesses:
            if scope_of(access.memory) != "register":  # (C1)
                raise VerifyException(
                    f"tile.mma works on registers, and {called(access.memory)} is {scope_of(access.memory)} memory; "
                    "tile.copy it to a register buffer"
                )
        a, b, sum_ = (access.shape for access in self.accesses)
        outer, inner = a[::-1] if self.turned is not None else a, b[::-1] if self.across is not None else b
        if [len(a), len(b), len(sum_)] != [2, 2, 2] or outer[1] != inner[0] or sum_ != (outer[0], inner[1]):  # (C2)
            first = f"{_by(a)} (turned)" if self.turned is not None else _by(a)
            second = f"{_by(b)} (across)" if self.across is not None else _by(b)
            raise VerifyException(f"tile.mma: {first} times {second} does not give {_by(sum_)}")
        first, second, _ = (memref_of(access.memory).element_type for access in self.accesses)
        if first != second:  # (C3)
            raise VerifyException(f"tile.mma: both factors have one element type, not {first} and {second}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variables = Variables()
        turned = bool(parser.parse_optional_keyword("turned"))
        a = parse_access(parser, variables)
        parser.parse_punctuation(",")
        across = bool(parser.parse_optional_keyword("across"))
        b = parse_access(parser, variables)
        parser.parse_keyword("into")
        return cls(a, b, parse_access(parser, variables), variables.values, across, turned).with_braces(parser)

    def print(self, printer: Printer) -> None:
        printer.print_string(" turned " if self.turned is not None else " ")
        self.print_access(printer, 0)
        printer.print_string(", across " if self.across is not None else ", ")
        self.print_access(printer, 1)
        printer.print_string(" into ")
        self.print_access(printer, 2)
        printer.print_op_attributes(self.attributes)


def _by(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape)) or "one element"
