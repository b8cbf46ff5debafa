"""The base classes of device programs and of the ops that launch them: one textual form and one set of rules for all
levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Self, cast

from xdsl.dialects.builtin import I64, IntegerAttr, MemRefType, NoneAttr, StringAttr, SymbolRefAttr, TensorType, i64
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import base, prop_def, region_def, var_operand_def, var_result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import SymbolTable, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp, parse_braces
from dialects.element_types import is_element_type
from dialects.values import called, read_device

MEMREF = base(MemRefType)


def memref_of(value: SSAValue) -> MemRefType[Attribute]:
    """The memref type of a program's argument, or of memory in it."""
    assert isinstance(value.type, MemRefType)
    return value.type  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def is_plain(type_: Attribute, least: int = 0) -> bool:
    """True for a memref that programs can stream or access by boxes: static, of numbers, contiguous and row-major, with
    extents of at least `least`."""
    if not isinstance(type_, MemRefType):
        return False
    memref: MemRefType[Attribute] = type_  # pyright: ignore[reportUnknownVariableType]
    in_order = isinstance(memref.layout, NoneAttr) and isinstance(memref.memory_space, NoneAttr)
    return in_order and min(memref.get_shape(), default=least) >= least and is_element_type(memref.element_type)


class LaunchedOp(BracedOp):
    """Base class of `pim.kernel` and `ndp.program`: a symbol with an isolated body whose arguments are memrefs.

    NAME @program on @device (%x: memref<8xf32>) -> (%y: memref<2xf32>) { … }
    """

    sym_name = prop_def(StringAttr)
    device = prop_def(SymbolRefAttr)
    body = region_def("single_block")

    @property
    def place(self) -> str:
        """The device's name."""
        return self.device.root_reference.data

    @property
    def taken(self) -> int:
        """The number of inputs; the other arguments are outputs."""
        raise NotImplementedError

    @property
    def inputs(self) -> tuple[BlockArgument, ...]:
        return tuple(self.body.block.args[: self.taken])

    @property
    def outputs(self) -> tuple[BlockArgument, ...]:
        return tuple(self.body.block.args[self.taken :])

    @classmethod
    def memref_problem(cls, type_: Attribute) -> str | None:
        """The error message for an unsupported argument type; None if it is supported."""
        return None

    @classmethod
    def parse_program(
        cls, parser: Parser, behind: Callable[[bool], None] = lambda is_input: None
    ) -> tuple[dict[str, Attribute], dict[str, Attribute], Region, int]:
        """Read a program: name and device as properties, attributes, the body, and the number of inputs. `behind`: the
        function that reads the text after an argument's type; its parameter is True for an input."""
        name = parser.parse_symbol_name()
        parser.parse_keyword("on")
        device = SymbolRefAttr(read_device(parser))

        def memrefs(is_input: bool) -> list[Parser.Argument]:
            def memref() -> Parser.Argument:
                start, argument = parser.pos, parser.parse_argument()
                if (wrong := cls.memref_problem(argument.type)) is not None:
                    parser.raise_error(wrong, start, parser.pos)
                behind(is_input)
                argument.location = parser.parse_optional_location()
                return argument

            return parser.parse_comma_separated_list(parser.Delimiter.PAREN, memref)

        inputs = memrefs(True)
        parser.parse_punctuation("->")
        outputs = memrefs(False)
        header = cls.get_irdl_definition().properties.keys()
        _, attributes = parse_braces(parser, cls, header, keyword=True)
        # The body is isolated from above, so its names may repeat names of the enclosing scope.
        outside, parser.ssa_values = parser.ssa_values, {}
        try:
            body = parser.parse_region([*inputs, *outputs])
        finally:
            parser.ssa_values = outside
        return {"sym_name": name, "device": device}, attributes, body, len(inputs)

    def print_program(self, printer: Printer, behind: Callable[[BlockArgument], None] = lambda value: None) -> None:
        """Write the text that `parse_program` reads."""
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" on ")
        printer.print_symbol_name(self.place)
        printer.print_string(" ")

        def memref(value: BlockArgument) -> None:
            printer.print_ssa_value(value)
            printer.print_string(": ")
            printer.print_attribute(value.type)
            behind(value)
            if printer.print_debuginfo:
                printer.print_string(" ")
                printer.print_attribute(value.location)

        with printer.in_parens():
            printer.print_list(self.inputs, memref)
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(self.outputs, memref)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


class CountedOp(LaunchedOp):
    """Base class of `ndp.program` and `tile.kernel`: the program states how many of its memrefs are inputs."""

    LEAST: ClassVar[int] = 0
    """The least extent of a memref."""
    input_count = prop_def(IntegerAttr[I64])

    def __init__(self, name: str, device: str, body: Region, inputs: int) -> None:
        """`body`: one block whose arguments are first the inputs, then the outputs; `inputs`: the number of inputs."""
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "device": SymbolRefAttr(device),
                "input_count": IntegerAttr(inputs, i64),
            },
            regions=[body],
        )

    @property
    def taken(self) -> int:
        return self.input_count.value.data

    @classmethod
    def memref_problem(cls, type_: Attribute) -> str | None:
        plain = is_plain(type_, cls.LEAST)
        return None if plain else f"{cls.name} expects static, contiguous memrefs of numbers, not {type_}"

    def check_memrefs(self) -> None:
        """Raise VerifyException for an unsupported memref, a wrong number of inputs, and a program without outputs."""
        for value in self.body.block.args:
            if (wrong := self.memref_problem(value.type)) is not None:
                raise VerifyException(wrong)
        if not 0 <= self.taken <= len(self.body.block.args):
            raise VerifyException(
                f"{self.name}: the number of inputs must be 0 to {len(self.body.block.args)}, the number of memrefs, "
                f"not {self.taken}"
            )
        if not self.outputs:
            raise VerifyException(f"{self.name} has no output; name at least one (`-> (%y: memref<…>)`)")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        properties, attributes, body, inputs = cls.parse_program(parser)
        count: Attribute = IntegerAttr(inputs, i64)
        return cls.create(properties=properties | {"input_count": count}, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        self.print_program(printer)


class ProgramExists(SymbolUserOpInterface):
    """Checks that the launched program exists, is written for the task's device, and matches the launch's tensor
    types."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, LaunchingOp)
        program = SymbolTable.lookup_symbol(op, op.kernel)
        if not isinstance(program, op.LAUNCHES):
            raise VerifyException(f"{op.name}: there is no {op.LAUNCHES.name} {op.kernel}")
        run = op.parent_op()
        device = run.properties.get("device") if run is not None else None
        if device is not None and device != program.device:  # (C1)
            raise VerifyException(
                f"{op.name}: {op.kernel} is written for {program.device}, but its task runs on {device}"
            )
        _check_tensors(op, "takes", program.inputs, op.operands)
        _check_tensors(op, "gives", program.outputs, op.results)


def _check_tensors(op: LaunchingOp, what: str, memrefs: Sequence[SSAValue], tensors: Sequence[SSAValue]) -> None:
    if len(memrefs) != len(tensors):  # (C2)
        raise VerifyException(
            f"{op.name}: {op.kernel} {what} {len(memrefs)} memrefs, but the launch states {len(tensors)} "
            "tensors; state one tensor for each memref"
        )
    for value, tensor in zip(memrefs, tensors, strict=True):
        memref, type_ = memref_of(value), cast(TensorType[Attribute], tensor.type)
        if memref.get_shape() != type_.get_shape() or memref.element_type != type_.element_type:  # (C2)
            raise VerifyException(
                f"{op.name}: {op.kernel} {what} {called(value)}: {memref}, but the launch states {type_}; shapes and "
                "element types must be equal"
            )


class LaunchingOp(BracedOp):
    """Base class of `pim.launch` and `ndp.launch`: `NAME @program (%x) : (tensor<8xf32>) -> tensor<2xf32>`.

    (C1) the program exists and is written for the task's device. (C2) operands and results have the shapes and
    element types of its memrefs.
    """

    LAUNCHES: ClassVar[type[LaunchedOp]]
    kernel = prop_def(SymbolRefAttr)
    inputs = var_operand_def(base(TensorType))
    outputs = var_result_def(base(TensorType))

    def __init__(self, kernel: str, inputs: Sequence[SSAValue], results: Sequence[Attribute]) -> None:
        super().__init__(operands=[inputs], result_types=[results], properties={"kernel": SymbolRefAttr(kernel)})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        kernel = parser.parse_symbol_name().data
        inputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        _, attributes = parse_braces(parser, cls, cls.get_irdl_definition().properties)
        parser.parse_punctuation(":")
        start = parser.pos
        type_ = parser.parse_function_type()
        op = cls(kernel, parser.resolve_operands(inputs, type_.inputs.data, start), type_.outputs.data)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.kernel)
        printer.print_string(" (")
        printer.print_list(self.inputs, printer.print_operand)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
