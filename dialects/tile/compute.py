"""Matrix products of register tiles, on matrix units by warps or on ordinary arithmetic lanes by single threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import DenseArrayBase, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.launching import memref_of
from dialects.programs.index import Variables
from dialects.programs.properties import INTS, Ints
from dialects.tile.accesses import Access, AccessingOp, parse_access
from dialects.tile.loops import check_inside, enclosing_blocks
from dialects.tile.memory import scope_of
from dialects.values import called


@irdl_op_definition
class MmaOp(AccessingOp):
    """Multiply an M x K tile by a K x N tile and add the product to an M x N tile; all three are in registers. With
    `turned` the first factor is stored as K x M; with `across` the second is stored as N x K. Products and sums are
    computed in the accumulator's type, in the order of K.

    By default, warps multiply on matrix units where the GPU has them for the element type. With `threads 16, 8`, each
    thread computes its own part of the sum on ordinary lanes: 16 threads (with consecutive numbers) divide M among
    them, 8 divide N, and each thread has a contiguous range of both. `vectors 4, 2` is the number of elements of the
    first and of the second factor that a thread reads at once; 8 elements of 4 bytes are read as two vectors of 4.

    (C1) Boxes are within their memories, which are register buffers of this thread block. (C2) They are matrices of
    matching shapes. (C3) Both factors have the same element type. (C4) The number of threads equals the block's, and
    they divide M and N evenly in units of the vectors.

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
    threads = opt_prop_def(INTS)
    vectors = opt_prop_def(INTS)
    across = opt_prop_def(UnitAttr)

    def __init__(
        self,
        a: Access,
        b: Access,
        sum_: Access,
        indices: Sequence[SSAValue] = (),
        across: bool = False,
        turned: bool = False,
        threads: tuple[int, int] | None = None,
        vectors: tuple[int, int] | None = None,
    ) -> None:
        starts, sizes = self.parts([a, b, sum_], indices)
        super().__init__(
            operands=[[a.memory, b.memory, sum_.memory], indices],
            properties={
                "starts": starts,
                "sizes": sizes,
                "turned": UnitAttr() if turned else None,
                "across": UnitAttr() if across else None,
                "threads": None if threads is None else DenseArrayBase.from_list(i64, list(threads)),
                "vectors": None if vectors is None else DenseArrayBase.from_list(i64, list(vectors)),
            },
        )

    @property
    def extents(self) -> tuple[int, int, int]:
        """Extents M, N and K of the product."""
        a, b = self.accesses[0].shape, self.accesses[1].shape
        m, k = a[::-1] if self.turned is not None else a
        return m, b[0] if self.across is not None else b[1], k

    @property
    def thread_grid(self) -> tuple[int, int] | None:
        """Number of threads that divide M among them and number that divide N; None where warps multiply together."""
        return None if self.threads is None else _pair(self.threads)

    @property
    def widths(self) -> tuple[int, int]:
        """Number of elements of the first and of the second factor that a thread reads at once."""
        return (1, 1) if self.vectors is None else _pair(self.vectors)

    @property
    def flops(self) -> int:
        """Number of multiplications and additions of the product."""
        m, n, k = self.extents
        return 2 * m * n * k

    def verify_(self) -> None:
        check_inside(self)
        if len(self.memories) != 3:
            raise VerifyException(f"tile.mma expects three memories (two factors and a sum), not {len(self.memories)}")
        self.check_boxes()  # (C1)
        for access in self.accesses:
            if scope_of(access.memory) != "register":  # (C1)
                raise VerifyException(
                    f"tile.mma expects register buffers, but {called(access.memory)} is "
                    f"{scope_of(access.memory)} memory; copy it to a register buffer first (tile.copy)"
                )
        a, b, sum_ = (access.shape for access in self.accesses)
        outer, inner = a[::-1] if self.turned is not None else a, b[::-1] if self.across is not None else b
        if [len(a), len(b), len(sum_)] != [2, 2, 2] or outer[1] != inner[0] or sum_ != (outer[0], inner[1]):  # (C2)
            first = f"{_by(a)} (turned)" if self.turned is not None else _by(a)
            second = f"{_by(b)} (across)" if self.across is not None else _by(b)
            raise VerifyException(
                f"tile.mma: the product of {first} and {second} does not have the sum's shape, {_by(sum_)}; shapes "
                "must be M x K, K x N and M x N"
            )
        first, second, _ = (memref_of(access.memory).element_type for access in self.accesses)
        if first != second:  # (C3)
            raise VerifyException(f"tile.mma: both factors must have one element type, not {first} and {second}")
        self._check_threads()  # (C4)

    def _check_threads(self) -> None:
        if self.threads is None:
            if self.vectors is not None:
                raise VerifyException(
                    "tile.mma: `vectors` needs `threads`; write how many threads share M and N (`threads 16, 8`)"
                )
            return
        counts, widths = list(self.threads.get_values()), list((self.vectors or self.threads).get_values())
        if len(counts) != 2 or len(widths) != 2 or min(*counts, *widths) < 1:
            raise VerifyException(
                "tile.mma: `threads` and `vectors` each need two positive numbers, one for M and one for N "
                f"(`threads 16, 8 vectors 4, 2`), not {counts} and {widths}"
            )
        for axis, extent, threads, width in zip("MN", self.extents, _pair(self.threads), self.widths, strict=False):
            if extent % (threads * width):
                raise VerifyException(
                    f"tile.mma: {threads} threads with vectors of {width} can't share the {extent} elements of {axis}; "
                    f"expected a multiple of {threads * width}"
                )
        block = enclosing_blocks(self)
        if block is not None and block.threads != _pair(self.threads)[0] * _pair(self.threads)[1]:
            raise VerifyException(
                f"tile.mma: `threads` is {' x '.join(map(str, _pair(self.threads)))}, but the block has "
                f"{block.threads} threads (32 for each warp)"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variables = Variables()
        threads, vectors = _parse_pair(parser, "threads"), _parse_pair(parser, "vectors")
        turned = bool(parser.parse_optional_keyword("turned"))
        a = parse_access(parser, variables)
        parser.parse_punctuation(",")
        across = bool(parser.parse_optional_keyword("across"))
        b = parse_access(parser, variables)
        parser.parse_keyword("into")
        sum_ = parse_access(parser, variables)
        return cls(a, b, sum_, variables.values, across, turned, threads, vectors).with_braces(parser)

    def print(self, printer: Printer) -> None:
        for word, numbers in (("threads", self.threads), ("vectors", self.vectors)):
            if numbers is not None:
                printer.print_string(f" {word} {', '.join(map(str, numbers.get_values()))}")
        printer.print_string(" turned " if self.turned is not None else " ")
        self.print_access(printer, 0)
        printer.print_string(", across " if self.across is not None else ", ")
        self.print_access(printer, 1)
        printer.print_string(" into ")
        self.print_access(printer, 2)
        printer.print_op_attributes(self.attributes)


def _pair(numbers: Ints) -> tuple[int, int]:
    first, second = (int(each) for each in numbers.get_values())
    return first, second


def _parse_pair(parser: Parser, word: str) -> tuple[int, int] | None:
    """Parse a keyword with two numbers, such as `threads 16, 8`; return None if the keyword does not follow."""
    if parser.parse_optional_keyword(word) is None:
        return None
    first = parser.parse_integer(allow_boolean=False)
    parser.parse_punctuation(",")
    return first, parser.parse_integer(allow_boolean=False)


def _by(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape)) or "one element"
