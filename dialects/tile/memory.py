"""Buffers of a thread block, and ops that move tiles between buffers and global memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, MemRefType, StringAttr, UnitAttr, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp, parse_braces
from dialects.element_types import byte_count, tensor_type
from dialects.graph.op import TENSOR, tensor_of
from dialects.launching import MEMREF, is_plain, memref_of
from dialects.programs.index import Variables
from dialects.programs.properties import INT
from dialects.tile.accesses import Access, AccessingOp, parse_access
from dialects.tile.loops import check_inside, enclosing_blocks
from dialects.tile.views import ViewOp, is_input
from dialects.values import called, resolve_known

SCOPES = ("shared", "register", "global")
BUFFER_WORDS = ("pad", "stages", "swizzled", "rotating")
"""Keywords after a buffer's scope, in any order; a number follows each of the first two."""


@irdl_op_definition
class BufferOp(BracedOp):
    """Allocate a buffer of a thread block: `shared` memory, which all warps of the block access, or `register`
    fragments, which the block's threads hold. A `global` buffer is temporary memory of the kernel: a grid writes it,
    and later grids read it.

    `pad`: unused elements after each row of the last axis, so that rows begin in different memory banks. `swizzled`:
    within each 128 bytes, the position of a 16-byte chunk is XORed with the number of these 128 bytes, also to avoid
    bank conflicts. Neither changes values. `stages`: the requested number of pipeline stages, for the passes that
    pipeline loops. `rotating`: the first axis numbers the slots of a pipeline, which are filled serially and read in
    the order in which they were filled.

    (C1) The memref is static, contiguous and of numbers. (C2) The scope is `shared`, `register` or `global`. (C3) `pad`
    and `swizzled` are for shared memory, and `pad` is not negative. (C4) There is at least one stage, and exactly one
    for global buffers. (C5) The op is directly in tile.blocks, not in a loop; a global buffer is directly in
    tile.kernel. (C6) A rotating buffer has at least two slots and a further axis, and is not global.

    ```mlir
    tile.kernel @copy on @gpu (%x: memref<256x64xf16>) -> (%y: memref<256x64xf16>) {
      tile.blocks %i = 0 to 2 warps 4, 1 {
        %t = tile.buffer shared pad 8 : memref<128x64xf16>
        tile.copy %x[%i * 128 : 128] to %t
        tile.barrier
        tile.copy %t to %y[%i * 128 : 128]
      }
    }
    ```
    """

    name = "tile.buffer"
    scope = prop_def(StringAttr)
    pad = opt_prop_def(INT)
    swizzled = opt_prop_def(UnitAttr)
    stages = opt_prop_def(INT)
    rotating = opt_prop_def(UnitAttr)
    memory = result_def(MEMREF)

    def __init__(self, scope: str, type_: Attribute) -> None:
        super().__init__(properties={"scope": StringAttr(scope)}, result_types=[type_])

    @property
    def padding(self) -> int:
        """Number of unused elements after each row."""
        return 0 if self.pad is None else self.pad.value.data

    @property
    def requested_stages(self) -> int:
        """Number of stages requested from the pipelining passes; 1 by default."""
        return 1 if self.stages is None else self.stages.value.data

    @property
    def slots(self) -> int:
        """Number of slots of a rotating buffer; 1 for other buffers."""
        return 1 if self.rotating is None else memref_of(self.memory).get_shape()[0]

    def verify_(self) -> None:
        if not is_plain(self.memory.type, least=1):  # (C1)
            raise VerifyException(f"tile.buffer makes a static, contiguous memref of numbers, not {self.memory.type}")
        if self.scope.data not in SCOPES:  # (C2)
            raise VerifyException(f"tile.buffer: the scope must be {', '.join(SCOPES)}, not {self.scope.data}")
        if self.scope.data != "shared" and (self.pad is not None or self.swizzled is not None):  # (C3)
            raise VerifyException(
                f"tile.buffer: only shared buffers can be padded or swizzled, not {self.scope.data} buffers"
            )
        if self.padding < 0:  # (C3)
            raise VerifyException(f"tile.buffer: `pad` must be 0 or more elements, not {self.padding}")
        if self.requested_stages < 1:  # (C4)
            raise VerifyException(f"tile.buffer: `stages` must be 1 or more, not {self.requested_stages}")
        parent = self.parent_op()
        if self.scope.data == "global":
            if self.stages is not None or self.rotating is not None:  # (C4, C6)
                raise VerifyException(
                    "tile.buffer: only shared and register buffers have stages, not global buffers; remove `stages`"
                )
            if parent is not None and parent.name != "tile.kernel":  # (C5)
                raise VerifyException(f"tile.buffer global must be directly in tile.kernel, not in {parent.name}")
        elif parent is not None and parent.name != "tile.blocks":  # (C5)
            raise VerifyException(f"tile.buffer must be directly in tile.blocks, not in {parent.name}")
        if self.rotating is not None and (len(shape := memref_of(self.memory).get_shape()) < 2 or shape[0] < 2):  # (C6)
            raise VerifyException(
                f"tile.buffer: a rotating buffer needs at least two slots and a further axis (memref<2x16xf16>), "
                f"not {self.memory.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        scope = parser.parse_optional_identifier() or ""
        if scope not in SCOPES:
            parser.raise_error(
                f"the scope of a buffer must be {', '.join(SCOPES)}, not {scope or 'this'}", start, parser.pos
            )
        given: dict[str, Attribute] = {}
        while word := parser.parse_optional_keyword_in([each for each in BUFFER_WORDS if each not in given]):
            numbered = word in BUFFER_WORDS[:2]
            given[word] = IntegerAttr(parser.parse_integer(allow_boolean=False), i64) if numbered else UnitAttr()
        properties, attributes = parse_braces(parser, cls, ("scope", *given))
        parser.parse_punctuation(":")
        start, type_ = parser.pos, parser.parse_type()
        if type_.name != MemRefType.name:
            parser.raise_error(f"tile.buffer makes a memref, not {type_}", start, parser.pos)
        op = cls(scope, type_)
        op.properties |= given | properties
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.scope.data}")
        if self.pad is not None:
            printer.print_string(f" pad {self.padding}")
        if self.stages is not None:
            printer.print_string(f" stages {self.requested_stages}")
        for word, mark in (("swizzled", self.swizzled), ("rotating", self.rotating)):
            if mark is not None:
                printer.print_string(f" {word}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memory.type)


def bytes_in(memory: SSAValue) -> int:
    """Return the number of bytes of a memory, without padding."""
    type_ = memref_of(memory)
    return byte_count(tensor_type(type_.get_shape(), type_.element_type))


def scope_of(memory: SSAValue) -> str:
    """Return the scope of a buffer, or `global` for an argument or view of the kernel."""
    return memory.owner.scope.data if isinstance(memory.owner, BufferOp) else "global"


@irdl_op_definition
class CopyOp(AccessingOp):
    """Copy a box of one memory to a box of another; all threads of the block execute it together. Elements are rounded
    to the target's type.

    `async`: copy from global to shared memory while the block computes; a later `tile.wait` waits for the data.
    `padded`: a box may exceed global memory, directly or through a view, as at the edges of a convolution; elements
    outside read as zeros and are not written. `bulk`, for asynchronous copies: one thread requests the box, and a copy
    unit moves it (the tensor memory accelerator of Hopper); without `bulk`, each thread copies a part.

    (C1) Both boxes have the same shape, and are within their memories (boxes of a `padded` copy may exceed global
    memory). (C2) An asynchronous copy goes from global to shared memory and keeps the element type; a `bulk` copy is
    asynchronous. (C3) Inputs of the kernel are not written. (C4) Source and target are different memories.

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

    name = "tile.copy"
    READS: ClassVar = (0,)
    WRITES: ClassVar = (1,)
    asynchronous = opt_prop_def(UnitAttr)
    bulk = opt_prop_def(UnitAttr)
    padded = opt_prop_def(UnitAttr)
    threads = opt_prop_def(INT)
    vector = opt_prop_def(INT)

    def __init__(
        self,
        source: Access,
        target: Access,
        indices: Sequence[SSAValue],
        asynchronous: bool = False,
        padded: bool = False,
        threads: tuple[int, int] | None = None,
    ) -> None:
        """Create the op; both boxes are over `indices`. `threads`: the number of threads that share a row, and the
        number of elements that each of them moves at once.
        """
        starts, sizes = self.parts([source, target], indices)
        super().__init__(
            operands=[[source.memory, target.memory], indices],
            properties={
                "starts": starts,
                "sizes": sizes,
                "asynchronous": UnitAttr() if asynchronous else None,
                "padded": UnitAttr() if padded else None,
                "threads": None if threads is None else IntegerAttr(threads[0], i64),
                "vector": None if threads is None else IntegerAttr(threads[1], i64),
            },
        )

    @property
    def sharing(self) -> tuple[int, int] | None:
        """Number of threads that share a row and number of elements that each moves at once, or None if unspecified."""
        if self.threads is None:
            return None
        return self.threads.value.data, 1 if self.vector is None else self.vector.value.data

    @property
    def source(self) -> Access:
        return self.accesses[0]

    @property
    def target(self) -> Access:
        return self.accesses[1]

    def verify_(self) -> None:
        check_inside(self)
        if len(self.memories) != 2:
            raise VerifyException(f"tile.copy expects two memories (a source and a target), not {len(self.memories)}")
        may_exceed = [number for number, each in enumerate(self.memories) if scope_of(each) == "global"]
        self.check_boxes(may_exceed if self.padded is not None else ())  # (C1)
        for memory in self.memories:
            if self.padded is None and isinstance(memory.owner, ViewOp) and memory.owner.exceeds:  # (C1)
                raise VerifyException(
                    f"tile.copy: {called(memory)} is a view with elements outside of its memory; write "
                    "`tile.copy padded` to read these as zeros"
                )
        source, target = self.accesses
        if source.shape != target.shape:  # (C1)
            raise VerifyException(
                f"tile.copy: source and target must have one shape, not {_by(source.shape)} and {_by(target.shape)}"
            )
        if source.memory is target.memory:  # (C4)
            raise VerifyException(
                f"tile.copy: {called(source.memory)} is both source and target; copy through another buffer"
            )
        check_written(self, target)  # (C3)
        if self.asynchronous is not None:  # (C2)
            ways = scope_of(source.memory), scope_of(target.memory)
            if ways != ("global", "shared"):
                raise VerifyException(
                    f"tile.copy: an asynchronous copy must go from global to shared memory, not from {ways[0]} to "
                    f"{ways[1]}; remove `async`"
                )
            if memref_of(source.memory).element_type != memref_of(target.memory).element_type:
                raise VerifyException(
                    "tile.copy: an asynchronous copy can't change the element type from "
                    f"{memref_of(source.memory).element_type} to {memref_of(target.memory).element_type}; remove "
                    "`async`"
                )
        elif self.bulk is not None:  # (C2)
            raise VerifyException("tile.copy: a bulk copy must be asynchronous; write `async bulk`")
        if self.sharing is not None:
            self._check_sharing(self.sharing)  # (C5)
        elif self.vector is not None:
            raise VerifyException(
                "tile.copy: `vector` needs `threads`; write how many threads share a row (`threads 8 vector 4`)"
            )

    def _check_sharing(self, sharing: tuple[int, int]) -> None:
        source, target = self.accesses
        if (scope_of(source.memory), scope_of(target.memory)) != ("global", "shared") or len(target.shape) != 2:
            raise VerifyException(
                "tile.copy: `threads` is only for copies of matrices from global to shared memory, not of "
                f"{_by(target.shape)} from {scope_of(source.memory)} to {scope_of(target.memory)} memory; remove "
                "`threads`"
            )
        (rows, columns), (threads, vector) = target.shape, sharing
        if min(sharing) < 1 or columns % (threads * vector):
            raise VerifyException(
                f"tile.copy: {threads} threads with vectors of {vector} can't share a row of {columns} elements evenly"
            )
        block = enclosing_blocks(self)
        if block is not None and (block.threads % threads or rows % (block.threads // threads)):
            raise VerifyException(
                f"tile.copy: the block's {block.threads} threads, {threads} for each row, can't share {rows} "
                "rows evenly"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        asynchronous = bool(parser.parse_optional_keyword("async"))
        bulk = bool(parser.parse_optional_keyword("bulk"))
        padded = bool(parser.parse_optional_keyword("padded"))
        threads = None
        if parser.parse_optional_keyword("threads"):
            per_row = parser.parse_integer(allow_boolean=False)
            vector = parser.parse_integer(allow_boolean=False) if parser.parse_optional_keyword("vector") else 1
            threads = per_row, vector
        variables = Variables()
        source = parse_access(parser, variables)
        parser.parse_keyword("to")
        op = cls(source, parse_access(parser, variables), variables.values, asynchronous, padded, threads)
        op.bulk = UnitAttr() if bulk else None
        return op.with_braces(parser)

    def print(self, printer: Printer) -> None:
        words = ["async"] if self.asynchronous is not None else []
        words += ["bulk"] if self.bulk is not None else []
        words += ["padded"] if self.padded is not None else []
        words += ["threads {} vector {}".format(*self.sharing)] if self.sharing is not None else []
        printer.print_string(" ".join(["", *words, ""]))
        self.print_access(printer, 0)
        printer.print_string(" to ")
        self.print_access(printer, 1)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class FillOp(AccessingOp):
    """Set all elements of a box to one number.

    (C1) The box is within its memory. (C2) The memory is not an input of the kernel.

    ```mlir
    tile.kernel @zeros on @gpu (%x: memref<16x16xf32>) -> (%y: memref<16x16xf32>) {
      tile.blocks %i = 0 to 1 warps 1, 1 {
        %sum = tile.buffer register : memref<16x16xf32>
        tile.fill %sum with 0.0
        tile.copy %sum to %y
      }
    }
    ```
    """

    name = "tile.fill"
    READS: ClassVar = ()
    WRITES: ClassVar = (0,)
    number = prop_def(FloatAttr)

    def __init__(self, target: Access, number: float, indices: Sequence[SSAValue] = ()) -> None:
        starts, sizes = self.parts([target], indices)
        super().__init__(
            operands=[[target.memory], indices],
            properties={"starts": starts, "sizes": sizes, "number": FloatAttr(number, f64)},
        )

    @property
    def target(self) -> Access:
        return self.accesses[0]

    def verify_(self) -> None:
        check_inside(self)
        if len(self.memories) != 1:
            raise VerifyException(f"tile.fill expects one memory, not {len(self.memories)}")
        self.check_boxes()  # (C1)
        check_written(self, self.target)  # (C2)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variables = Variables()
        target = parse_access(parser, variables)
        parser.parse_keyword("with")
        return cls(target, float(parser.parse_number()), variables.values).with_braces(parser)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_access(printer, 0)
        printer.print_string(f" with {self.number.value.data!r}")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ReadOp(AccessingOp):
    """Read a box of a register buffer as a tensor, for graph ops that work element by element or along rows.

    (C1) The box is within its memory, which is a register buffer. (C2) The tensor has the box's shape and element type.

    ```mlir
    tile.kernel @relu on @gpu (%x: memref<16x16xf32>) -> (%y: memref<16x16xf32>) {
      tile.blocks %i = 0 to 1 warps 1, 1 {
        %t = tile.buffer register : memref<16x16xf32>
        tile.copy %x to %t
        %v = tile.read %t
        %r = graph.relu %v : tensor<16x16xf32>
        tile.write %r to %t
        tile.copy %t to %y
      }
    }
    ```
    """

    name = "tile.read"
    READS: ClassVar = (0,)
    WRITES: ClassVar = ()
    value = result_def(TENSOR)

    def __init__(self, source: Access, indices: Sequence[SSAValue] = ()) -> None:
        starts, sizes = self.parts([source], indices)
        super().__init__(
            operands=[[source.memory], indices],
            properties={"starts": starts, "sizes": sizes},
            result_types=[tensor_type(source.shape, memref_of(source.memory).element_type)],
        )

    @property
    def source(self) -> Access:
        return self.accesses[0]

    def verify_(self) -> None:
        check_inside(self)
        if len(self.memories) != 1:
            raise VerifyException(f"tile.read expects one memory, not {len(self.memories)}")
        self.check_boxes()  # (C1)
        _check_registers(self, self.source)  # (C1)
        expected = tensor_type(self.source.shape, memref_of(self.source.memory).element_type)
        if self.value.type != expected:  # (C2)
            raise VerifyException(f"tile.read: the box gives {expected}, not {self.value.type}")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        variables = Variables()
        return cls(parse_access(parser, variables), variables.values).with_braces(parser)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_access(printer, 0)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class WriteOp(AccessingOp):
    """Write a tensor to a box of a register buffer; elements are rounded to the buffer's type.

    (C1) The box is within its memory, which is a register buffer. (C2) The tensor has the box's shape.

    ```mlir
    tile.kernel @relu on @gpu (%x: memref<16x16xf32>) -> (%y: memref<16x16xf32>) {
      tile.blocks %i = 0 to 1 warps 1, 1 {
        %t = tile.buffer register : memref<16x16xf32>
        tile.copy %x to %t
        %v = tile.read %t
        %r = graph.relu %v : tensor<16x16xf32>
        tile.write %r to %t
        tile.copy %t to %y
      }
    }
    ```
    """

    name = "tile.write"
    READS: ClassVar = ()
    WRITES: ClassVar = (0,)
    value = operand_def(TENSOR)

    def __init__(self, value: SSAValue, target: Access, indices: Sequence[SSAValue] = ()) -> None:
        starts, sizes = self.parts([target], indices)
        super().__init__(
            operands=[value, [target.memory], indices],
            properties={"starts": starts, "sizes": sizes},
        )

    @property
    def target(self) -> Access:
        return self.accesses[0]

    def verify_(self) -> None:
        check_inside(self)
        if len(self.memories) != 1:
            raise VerifyException(f"tile.write expects one memory, not {len(self.memories)}")
        self.check_boxes()  # (C1)
        _check_registers(self, self.target)  # (C1)
        if tuple(tensor_of(self.value).get_shape()) != self.target.shape:  # (C2)
            raise VerifyException(
                f"tile.write: {self.value.type} does not have the shape of the box, {_by(self.target.shape)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        value = resolve_known(parser, parser.parse_unresolved_operand())
        parser.parse_keyword("to")
        variables = Variables()
        return cls(value, parse_access(parser, variables), variables.values).with_braces(parser)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(" to ")
        self.print_access(printer, 0)
        printer.print_op_attributes(self.attributes)


def check_written(op: AccessingOp, target: Access) -> None:
    """Raise VerifyException for a write to an input of the kernel."""
    if is_input(target.memory):
        raise VerifyException(
            f"{op.name}: {called(target.memory)} is an input of the kernel, and inputs can't be written; write to an "
            "output or a buffer"
        )


def _check_registers(op: AccessingOp, access: Access) -> None:
    if scope_of(access.memory) != "register":
        raise VerifyException(
            f"{op.name} expects a register buffer, but {called(access.memory)} is {scope_of(access.memory)} memory; "
            "copy it to a register buffer first (tile.copy)"
        )


def _by(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape)) or "one element"
