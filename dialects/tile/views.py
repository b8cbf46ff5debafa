"""Views of a kernel's memories: the same elements with other subscripts."""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp, parse_braces
from dialects.launching import MEMREF, is_plain, memref_of
from dialects.programs.index import bounds_of, check_expression, print_index
from dialects.values import called, resolve_known


@irdl_op_definition
class ViewOp(BracedOp):
    """View the elements of a memory with other subscripts: the map gives, for element (d0, d1, …) of the view, the
    subscripts of the memory's element. No data moves. Elements outside of the memory read as 0, as at the edges of a
    convolution, and are not written; copies through such a view must be `padded`.

    The windows of a convolution are such a view: rows are output pixels, followed by the offsets in the window and the
    channels (im2col without its copy).

    (C1) The op is directly in tile.kernel. (C2) The source is a memref of the kernel or a global buffer, not another
    view. (C3) The map has a dimension for each axis of the view and an expression for each axis of the memory;
    expressions are quasi-affine. (C4) The view has the element type of the memory, and is a static memref.

    ```mlir
    tile.kernel @windows on @gpu (%x: memref<8x8x8xf16>) -> (%y: memref<64x3x8xf16>) {
      %w = tile.view %x (d0, d1, d2) -> (d0 floordiv 8, d0 mod 8 + d1 - 1, d2) : memref<8x8x8xf16> to memref<64x3x8xf16>
      tile.blocks %i = 0 to 4 warps 1, 1 {
        tile.copy padded %w[%i * 16 : 16] to %y[%i * 16 : 16]
      }
    }
    ```
    """

    name = "tile.view"
    source = operand_def(MEMREF)
    map = prop_def(AffineMapAttr)
    memory = result_def(MEMREF)

    def __init__(self, source: SSAValue, map_: AffineMap, type_: Attribute) -> None:
        super().__init__(operands=[source], properties={"map": AffineMapAttr(map_)}, result_types=[type_])

    @property
    def exceeds(self) -> bool:
        """True if elements of the view may lie outside of the memory; False for an invalid map, which is an error of
        the view itself."""
        ranges = [range(extent) for extent in memref_of(self.memory).get_shape()]
        try:
            for start in self.map.data.results:
                check_expression(start)
        except VerifyException:
            return False
        for start, extent in zip(self.map.data.results, memref_of(self.source).get_shape(), strict=True):
            low, high = bounds_of(start, ranges)
            if low < 0 or high >= extent:
                return True
        return False

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and parent.name != "tile.kernel":  # (C1)
            raise VerifyException(f"tile.view must be directly in tile.kernel, not in {parent.name}")
        if isinstance(self.source.owner, ViewOp):  # (C2)
            raise VerifyException(
                f"tile.view: {called(self.source)} is itself a view; view its memory, with both maps composed"
            )
        if not isinstance(self.source, BlockArgument) and self.source.owner.parent_op() is not parent:  # (C2)
            raise VerifyException(
                f"tile.view needs a global memory, but {called(self.source)} is a buffer of a thread block"
            )
        if not is_plain(self.memory.type, least=1):  # (C4)
            raise VerifyException(f"tile.view makes a static, contiguous memref of numbers, not {self.memory.type}")
        source, view, map_ = memref_of(self.source), memref_of(self.memory), self.map.data
        if (map_.num_dims, len(map_.results), map_.num_symbols) != (len(view.get_shape()), len(source.get_shape()), 0):
            raise VerifyException(  # (C3)
                f"tile.view: the map has {map_.num_dims} dimensions and {len(map_.results)} expressions, but "
                f"{view} has {len(view.get_shape())} axes and {source} has {len(source.get_shape())}"
            )
        for expression in map_.results:
            check_expression(expression)  # (C3)
        if source.element_type != view.element_type:  # (C4)
            raise VerifyException(
                f"tile.view can't change the element type from {source.element_type} to {view.element_type}; "
                "keep the type"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        source = resolve_known(parser, parser.parse_unresolved_operand())
        map_ = parser.parse_affine_map()
        _, attributes = parse_braces(parser, cls, ("map",))
        parser.parse_punctuation(":")
        start, type_ = parser.pos, parser.parse_type()
        if source.type != type_:
            parser.raise_error(
                f"tile.view: {called(source)} is {source.type}, but is written here as {type_}", start, parser.pos
            )
        parser.parse_keyword("to")
        start, type_ = parser.pos, parser.parse_type()
        if not is_plain(type_, least=1):
            parser.raise_error(
                f"tile.view makes a static, contiguous memref of numbers, not {type_}", start, parser.pos
            )
        op = cls(source, map_, type_)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        words = [f"d{position}" for position in range(self.map.data.num_dims)]
        printer.print_string(f" ({', '.join(words)}) -> ")
        with printer.in_parens():
            printer.print_list(self.map.data.results, lambda each: print_index(printer, each, words))
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" to ")
        printer.print_attribute(self.memory.type)


def viewed(memory: SSAValue) -> tuple[SSAValue, AffineMap | None]:
    """Return the memory of which `memory` is a view, and the view's map; if `memory` is no view, return it and None."""
    return (memory.owner.source, memory.owner.map.data) if isinstance(memory.owner, ViewOp) else (memory, None)


def is_input(memory: SSAValue) -> bool:
    """Return True for an input of a kernel, or a view of one."""
    root, _ = viewed(memory)
    kernel = root.owner.parent_op() if isinstance(root, BlockArgument) else None
    return kernel is not None and isinstance(root, BlockArgument) and root.index < getattr(kernel, "taken", 0)
