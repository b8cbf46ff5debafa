"""Buffers of a thread block, and what moves tiles between them and global memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, MemRefType, StringAttr, UnitAttr, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    EqAttrConstraint,
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
from dialects.launching import memref_of
from dialects.tile.accesses import MEMREF, Access, AccessingOp, is_plain, parse_access
from dialects.tile.boxes import Variables
from dialects.tile.loops import check_inside, enclosing_blocks
from dialects.tile.views import ViewOp, is_input
from dialects.values import called, resolve_known

SCOPES = ("shared", "register", "global")
BUFFER_WORDS = ("pad", "stages", "swizzled", "rotating")
"""Words behind a buffer's scope, in any order; a number follows the first two."""
INT = IntegerAttr.constr(type=EqAttrConstraint(i64))


@irdl_op_definition
class BufferOp(BracedOp):
    """Memory of a thread block: `shared` by its warps, or fragments in the registers of its threads. A `global` buffer
    is memory that a kernel has for itself while it runs: what one grid writes there, the grids behind it read.

    `pad`: elements that stand unused behind each row of the last axis, so that rows begin in different banks;
    `swizzled`: the number of each 16-byte chunk in its 128 bytes is XORed with the number of these for the same end
    (neither changes values).
    `stages`: the wish to pipeline what fills it, which the passes of pipelining carry out. `rotating`: its first axis
    numbers slots of a pipeline, which are filled one after the other and read in the order in which they were filled.

    (C1) its memref is static and holds numbers in order. (C2) the scope is `shared`, `register` or `global`. (C3) `pad`
    and `swizzled` are for shared memory, `pad` is not negative. (C4) there is at least one stage, and one of global
    buffers. (C5) it stands in tile.blocks, in no loop; a global buffer stands in tile.kernel, beside the grids. (C6) a
    rotating buffer has at least two slots and an axis behind them, and is not global.

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
        """Unused elements behind each row."""
        return 0 if self.pad is None else self.pad.value.data

    @property
    def wished_stages(self) -> int:
        """Stages that the passes of pipelining are asked for; 1 where nothing is said."""
        return 1 if self.stages is None else self.stages.value.data

    @property
    def slots(self) -> int:
        """Slots of a rotating buffer; 1 for others."""
        return 1 if self.rotating is None else memref_of(self.memory).get_shape()[0]

    def verify_(self) -> None:
        if not is_plain(self.memory.type):  # (C1)
            raise VerifyException(f"tile.buffer makes a static memref of numbers in order, not {self.memory.type}")
        if self.scope.data not in SCOPES:  # (C2)
            raise VerifyException(f"tile.buffer: a buffer is {', '.join(SCOPES)}, not {self.scope.data}")
        if self.scope.data != "shared" and (self.pad is not None or self.swizzled is not None):  # (C3)
            raise VerifyException(
                f"tile.buffer: rows of shared memory are padded or swizzled, not {self.scope.data} ones"
            )
        if self.padding < 0:  # (C3)
            raise VerifyException(f"tile.buffer: rows are padded by 0 elements or more, not by {self.padding}")
        if self.wished_stages < 1:  # (C4)
            raise VerifyException(f"tile.buffer: a buffer has 1 stage or more, not {self.wished_stages}")
        parent = self.parent_op()
        if self.scope.data == "global":
            if self.stages is not None or self.rotating is not None:  # (C4, C6)
                raise VerifyException("tile.buffer: stages are of shared memory and registers, not of global memory")
            if parent is not None and parent.name != "tile.kernel":  # (C5)
                raise VerifyException(
                    f"tile.buffer global stands in tile.kernel, beside the grids, not in {parent.name}"
                )
        elif parent is not None and parent.name != "tile.blocks":  # (C5)
            raise VerifyException(f"tile.buffer stands in tile.blocks, in no loop, not in {parent.name}")
        if self.rotating is not None and (len(shape := memref_of(self.memory).get_shape()) < 2 or shape[0] < 2):  # (C6)
            raise VerifyException(
                f"tile.buffer: a rotating buffer has two slots or more and an axis behind them (memref<2x16xf16>), "
                f"not {self.memory.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        scope = parser.parse_optional_identifier() or ""
        if scope not in SCOPES:
            parser.raise_error(f"a buffer is {', '.join(SCOPES)}, not {scope or 'this'}", start, parser.pos)
        said: dict[str, Attribute] = {}
        while word := parser.parse_optional_keyword_in([each for each in BUFFER_WORDS if each not in said]):
            numbered = word in BUFFER_WORDS[:2]
            said[word] = IntegerAttr(parser.parse_integer(allow_boolean=False), i64) if numbered else UnitAttr()
        properties, attributes = parse_braces(parser, cls, ("scope", *said))
        parser.parse_punctuation(":")
        start, type_ = parser.pos, parser.parse_type()
        if type_.name != MemRefType.name:
            parser.raise_error(f"tile.buffer makes a memref, not {type_}", start, parser.pos)
        op = cls(scope, type_)
        op.properties |= said | properties
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.scope.data}")
        if self.pad is not None:
            printer.print_string(f" pad {self.padding}")
        if self.stages is not None:
            printer.print_string(f" stages {self.wished_stages}")
        for word, said in (("swizzled", self.swizzled), ("rotating", self.rotating)):
            if said is not None:
                printer.print_string(f" {word}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memory.type)


def bytes_in(memory: SSAValue) -> int:
    """Bytes of a memory, without padding."""
    type_ = memref_of(memory)
    return byte_count(tensor_type(type_.get_shape(), type_.element_type))


def scope_of(memory: SSAValue) -> str:
    """`global` for a memory of the kernel's, else the buffer's scope."""
    return memory.owner.scope.data if isinstance(memory.owner, BufferOp) else "global"


@irdl_op_definition
class CopyOp(AccessingOp):
    """Bring a box of a memory to a box of another one, all threads of the block together; elements are rounded to the
    type of where they go.

    `async`: from global to shared memory while the block goes on; it has arrived when a `tile.wait` says so. `padded`:
    where a box reaches beyond global memory, by itself or by way of a view, zeros are read, as at the edges of a
    convolution, and nothing is written. `bulk`, of asynchronous copies: one thread asks for all of the box, and a unit
    of its own copies it (the tensor memory accelerator of Hopper), instead of all threads for a part each.

    (C1) both boxes have one shape, and lie in their memories (those of a `padded` copy may reach beyond global
    memory). (C2) an asynchronous copy goes from global to shared memory and keeps the element type; a `bulk` one is
    asynchronous. (C3) nothing is written to an input
    of the kernel. (C4) source and target are different memories.

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
        """Both boxes are over `indices`; `threads`: those that share a row, and what each moves at once."""
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
        """Threads that share a row, and the elements that each moves at once, if they are said."""
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
            raise VerifyException("tile.copy has a source and a target")
        may_exceed = [number for number, each in enumerate(self.memories) if scope_of(each) == "global"]
        self.check_boxes(may_exceed if self.padded is not None else ())  # (C1)
        for memory in self.memories:
            if self.padded is None and isinstance(memory.owner, ViewOp) and memory.owner.exceeds:  # (C1)
                raise VerifyException(
                    f"tile.copy: {called(memory)} is a view that reaches beyond what it is of; say that zeros are read "
                    "there (tile.copy padded)"
                )
        source, target = self.accesses
        if source.shape != target.shape:  # (C1)
            raise VerifyException(f"tile.copy: a box of {_by(source.shape)} does not go to one of {_by(target.shape)}")
        if source.memory is target.memory:  # (C4)
            raise VerifyException(f"tile.copy: {called(source.memory)} is source and target; copy by way of another")
        check_written(self, target)  # (C3)
        if self.asynchronous is not None:  # (C2)
            ways = scope_of(source.memory), scope_of(target.memory)
            if ways != ("global", "shared"):
                raise VerifyException(
                    f"tile.copy: an asynchronous copy goes from global to shared memory, not from {ways[0]} to "
                    f"{ways[1]}; leave `async` out"
                )
            if memref_of(source.memory).element_type != memref_of(target.memory).element_type:
                raise VerifyException("tile.copy: an asynchronous copy rounds nothing; leave `async` out")
        elif self.bulk is not None:  # (C2)
            raise VerifyException("tile.copy: a bulk copy is asynchronous; write `async bulk`")
        if self.sharing is not None:
            self._check_sharing(self.sharing)  # (C5)
        elif self.vector is not None:
            raise VerifyException(
                "tile.copy: a vector is what one thread moves at once; say `threads` that share a row"
            )

    def _check_sharing(self, sharing: tuple[int, int]) -> None:
        source, target = self.accesses
        if (scope_of(source.memory), scope_of(target.memory)) != ("global", "shared") or len(target.shape) != 2:
            raise VerifyException(
                "tile.copy: `threads` share the rows of a matrix that goes from global to shared memory; leave them out"
            )
        (rows, columns), (threads, vector) = target.shape, sharing
        if min(sharing) < 1 or columns % (threads * vector):
            raise VerifyException(
                f"tile.copy: a row of {columns} can't be shared by {threads} threads in vectors of {vector}"
            )
        block = enclosing_blocks(self)
        if block is not None and (block.threads % threads or rows % (block.threads // threads)):
            raise VerifyException(
                f"tile.copy: {rows} rows can't be shared by a block's {block.threads} threads, {threads} a row"
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        asynchronous = bool(parser.parse_optional_keyword("async"))
        bulk = bool(parser.parse_optional_keyword("bulk"))
        padded = bool(parser.parse_optional_keyword("padded"))
        threads = None
        if parser.parse_optional_keyword("threads"):
            share = parser.parse_integer(allow_boolean=False)
            vector = parser.parse_integer(allow_boolean=False) if parser.parse_optional_keyword("vector") else 1
            threads = share, vector
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

    (C1) the box lies in its memory. (C2) nothing is written to an input of the kernel.

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
            raise VerifyException("tile.fill has one target")
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
    """A box of registers as a tensor, for graph ops: arithmetic on each element, or along rows.

    (C1) the box lies in its memory, which is a register buffer. (C2) the tensor has its shape and element type.

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
            raise VerifyException("tile.read has one source")
        self.check_boxes()  # (C1)
        _check_registers(self, self.source)  # (C1)
        expected = tensor_type(self.source.shape, memref_of(self.source.memory).element_type)
        if self.value.type != expected:  # (C2)
            raise VerifyException(f"tile.read: the box is read as {expected}, not as {self.value.type}")

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
    """A tensor to a box of registers; elements are rounded to its type.

    (C1) the box lies in its memory, which is a register buffer. (C2) the tensor has its shape.

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
            raise VerifyException("tile.write has one target")
        self.check_boxes()  # (C1)
        _check_registers(self, self.target)  # (C1)
        if tuple(tensor_of(self.value).get_shape()) != self.target.shape:  # (C2)
            raise VerifyException(f"tile.write: {self.value.type} does not fit a box of {_by(self.target.shape)}")

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
    """Raises VerifyException for a write to an input of the kernel."""
    if is_input(target.memory):
        raise VerifyException(
            f"{op.name}: {called(target.memory)} is an input of the kernel; write to an output or a buffer"
        )


def _check_registers(op: AccessingOp, access: Access) -> None:
    if scope_of(access.memory) != "register":
        raise VerifyException(
            f"{op.name}: arithmetic is on registers, and {called(access.memory)} is {scope_of(access.memory)} memory; "
            "tile.copy it to a register buffer"
        )


def _by(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape)) or "one element"
