"""Bank programs and what launches them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self, cast

from xdsl.dialects.builtin import MemRefType, StringAttr, SymbolRefAttr, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    base,
    irdl_op_definition,
    opt_attr_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, Pure, SymbolOpInterface, SymbolTable, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp, parse_braces
from dialects.element_types import is_element_type
from dialects.pim.loops import ChannelsOp, ForOp
from dialects.pim.properties import INTS, ints, values_of
from dialects.values import called

ANYWHERE = ("pim.barrier", "pim.set", "pim.step")
"""Ops that concern all channels where they stand outside of `pim.channels`."""

HOST = -1
"""Stands for the base row of a memref that lies with the host, not in the banks."""


def memref_of(value: SSAValue) -> MemRefType[Attribute]:
    """The memref type of a kernel's argument."""
    assert isinstance(value.type, MemRefType)
    return value.type  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


@irdl_op_definition
class KernelOp(BracedOp):
    """A program of commands for the banks of a device's channels. `(inputs) -> (outputs)` are memrefs; an input `at
    row R` lies in the banks, from that row on, as [channels, rows, banks, columns, lanes]; the others lie with the
    host and pass over the bus by `pim.load` and `pim.drain`. Outputs start as zeros.

    A kernel numbers rows from where its own operands lie, so that one kernel serves all weights of a shape: what a
    launch is given keeps rows of its own, in all channels, and the launch adds the first of them. The rows of all that
    is resident must fit a bank together (interp/schedule/residency.py counts them).

    The body is a sequence of loops and `pim.channels` regions: each channel goes through what is addressed to it, in
    this order, and channels run side by side. A kernel for channel 0 alone may hold its commands directly.

    (C1) memrefs are static and hold numbers, at least one. (C2) an input in the banks has five axes, and its rows
    are its own. (C3) outputs lie with the host; there is at least one. (C4) where there are `pim.channels`, all
    commands stand in them, but for `pim.barrier`, `pim.set` and `pim.step`.

    ```mlir
    pim.kernel @gemv on @pim (%x: memref<8xf32>, %w: memref<1x3x2x2x4xf32> at row 0) -> (%y: memref<3x2xf32>) {
      pim.load %x
      pim.for %r = 0 to 3 {
        pim.act all row %r
        pim.mac all columns 0 to 2
        pim.drain all to %y[%r]
        pim.pre all
      }
    }
    ```
    """

    name = "pim.kernel"
    sym_name = prop_def(StringAttr)
    device = prop_def(SymbolRefAttr)
    base_rows = prop_def(INTS)
    registers = opt_attr_def(INTS)
    """The registers of AiM's instructions that host memrefs stand for, an entry each; -1 for none."""
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    def __init__(self, name: str, device: str, body: Region, base_rows: Sequence[int]) -> None:
        """`body`: one block whose arguments are inputs, then outputs; `base_rows`: an entry an input, HOST or its
        first row."""
        super().__init__(
            properties={"sym_name": StringAttr(name), "device": SymbolRefAttr(device), "base_rows": ints(base_rows)},
            regions=[body],
        )

    @property
    def place(self) -> str:
        """The device's name."""
        return self.device.root_reference.data

    @property
    def inputs(self) -> tuple[BlockArgument, ...]:
        return tuple(self.body.block.args[: len(self.base_rows)])

    @property
    def outputs(self) -> tuple[BlockArgument, ...]:
        return tuple(self.body.block.args[len(self.base_rows) :])

    @property
    def in_banks(self) -> dict[BlockArgument, int]:
        """The inputs that lie in the banks, with their first rows."""
        return {value: row for value, row in zip(self.inputs, values_of(self.base_rows), strict=True) if row != HOST}

    @property
    def on_host(self) -> tuple[BlockArgument, ...]:
        """The inputs that lie with the host."""
        return tuple(value for value in self.inputs if value not in self.in_banks)

    @property
    def regions_of_channels(self) -> tuple[ChannelsOp, ...]:
        """All `pim.channels`, those in loops too, in order; empty where the body is channel 0's program."""
        return tuple(_channels_of(self.body.block))

    def verify_(self) -> None:
        if len(self.base_rows) > len(self.body.block.args):
            raise VerifyException(f"pim.kernel @{self.sym_name.data}: there are more base rows than memrefs")
        for value in self.body.block.args:
            type_ = value.type
            static = isinstance(type_, MemRefType) and min(type_.get_shape(), default=1) >= 0
            if not static or not is_element_type(memref_of(value).element_type):  # (C1)
                raise VerifyException(f"pim.kernel takes static memrefs of numbers, not {type_}")
            if 0 in memref_of(value).get_shape():  # (C1)
                raise VerifyException(f"pim.kernel: {called(value)} is a {type_}, which holds nothing; leave it out")
        if not self.outputs:  # (C3)
            raise VerifyException("pim.kernel computes something: name at least one output (`-> (%y: memref<…>)`)")
        self._check_rows()
        self._check_body()

    def _check_rows(self) -> None:
        taken: list[tuple[int, int, str]] = []
        for value, row in self.in_banks.items():
            shape, name = memref_of(value).get_shape(), f"%{value.name_hint or value.index}"
            if len(shape) != 5:  # (C2)
                raise VerifyException(
                    f"pim.kernel: {name} lies in the banks as [channels, rows, banks, columns, lanes], "
                    f"not as {value.type}"
                )
            if row < 0:
                raise VerifyException(f"pim.kernel: {name} starts at a row from 0 on, not at {row}")
            for low, high, other in taken:
                if row < high and low < row + shape[1]:  # (C2)
                    both = max(row, low)
                    raise VerifyException(f"pim.kernel: {name} and {other} both take row {both}; move one of them")
            taken.append((row, row + shape[1], name))

    def _check_body(self) -> None:
        if not self.body.block.ops:
            raise VerifyException(
                f"pim.kernel @{self.sym_name.data} does nothing; write commands or pim.channels into it"
            )
        if self.regions_of_channels:
            for op in _outside_channels(self.body.block):  # (C4)
                raise VerifyException(f"pim.kernel: {op.name} stands beside pim.channels; put it inside of one")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name()
        parser.parse_keyword("on")
        device = parser.parse_symbol_name()
        rows: list[int] = []

        def memref() -> Parser.Argument:
            argument = parser.parse_argument()
            rows.append(HOST)
            if parser.parse_optional_keyword("at"):
                parser.parse_keyword("row")
                rows[-1] = parser.parse_integer(allow_boolean=False, allow_negative=False)
            argument.location = parser.parse_optional_location()
            return argument

        inputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, memref)
        base_rows = ints(rows)
        parser.parse_punctuation("->")
        start, rows[:] = parser.pos, []
        outputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, memref)
        if any(row != HOST for row in rows):  # (C3)
            parser.raise_error("pim.kernel: an output lies with the host, not at a row", start, parser.pos)
        said = cls.get_irdl_definition().properties.keys()
        _, attributes = parse_braces(parser, cls, said, keyword=True)
        # A body sees only its arguments, so that its names may repeat names from outside.
        outside, parser.ssa_values = parser.ssa_values, {}
        try:
            body = parser.parse_region([*inputs, *outputs])
        finally:
            parser.ssa_values = outside
        properties = {"sym_name": name, "device": SymbolRefAttr(device), "base_rows": base_rows}
        return cls.create(properties=properties, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" on ")
        printer.print_symbol_name(self.place)
        printer.print_string(" ")
        rows = self.in_banks

        def memref(value: BlockArgument) -> None:
            printer.print_ssa_value(value)
            printer.print_string(": ")
            printer.print_attribute(value.type)
            if value in rows:
                printer.print_string(f" at row {rows[value]}")
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


def _channels_of(block: Block) -> Iterator[ChannelsOp]:
    for op in block.ops:
        if isinstance(op, ChannelsOp):
            yield op
        elif isinstance(op, ForOp):
            yield from _channels_of(op.body.block)


def _outside_channels(block: Block) -> Iterator[Operation]:
    """What a kernel whose commands are addressed to channels may not hold outside of these."""
    for op in block.ops:
        if isinstance(op, ForOp):
            yield from _outside_channels(op.body.block)
        elif not isinstance(op, ChannelsOp) and op.name not in ANYWHERE:
            yield op


class KernelExists(SymbolUserOpInterface):
    """A launch's kernel stands in the program, on the task's device, and takes and gives what the launch says."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, LaunchOp)
        kernel = SymbolTable.lookup_symbol(op, op.kernel)
        if not isinstance(kernel, KernelOp):
            raise VerifyException(f"pim.launch: there is no pim.kernel {op.kernel}")
        run = op.parent_op()
        device = run.properties.get("device") if run is not None else None
        if device is not None and device != kernel.device:  # (C1)
            raise VerifyException(
                f"pim.launch: {op.kernel} is written for {kernel.device}, but its task runs on {device}"
            )
        _check_tensors(op, "takes", kernel.inputs, op.operands)
        _check_tensors(op, "gives", kernel.outputs, op.results)


def _check_tensors(op: LaunchOp, what: str, memrefs: Sequence[SSAValue], tensors: Sequence[SSAValue]) -> None:
    if len(memrefs) != len(tensors):  # (C2)
        raise VerifyException(
            f"pim.launch: {op.kernel} {what} {len(memrefs)} memrefs, but {len(tensors)} tensors are written"
        )
    for value, tensor in zip(memrefs, tensors, strict=True):
        memref, type_ = memref_of(value), cast(TensorType[Attribute], tensor.type)
        if memref.get_shape() != type_.get_shape() or memref.element_type != type_.element_type:  # (C2)
            raise VerifyException(f"pim.launch: {op.kernel} {what} {called(value)}: {memref}, not {type_}")


@irdl_op_definition
class LaunchOp(BracedOp):
    """Run a kernel on the device of the task around it: operands are the kernel's inputs, results its outputs, as
    tensors.

    (C1) the kernel stands in the program and is written for that device. (C2) operands and results have the shapes
    and element types of its memrefs.

    ```mlir
    pim.kernel @copy on @pim (%x: memref<8xf32>, %w: memref<1x1x2x2x4xf32> at row 0) -> (%y: memref<2xf32>) {
      pim.load %x
      pim.act all row 0
      pim.mac all columns 0 to 2
      pim.drain all to %y
      pim.pre all
    }
    func.func @main(%x: tensor<8xf32>, %w: tensor<1x1x2x2x4xf32>) -> tensor<2xf32> {
      %y = pim.launch @copy (%x, %w) : (tensor<8xf32>, tensor<1x1x2x2x4xf32>) -> tensor<2xf32>
      func.return %y : tensor<2xf32>
    }
    ```
    """

    name = "pim.launch"
    kernel = prop_def(SymbolRefAttr)
    inputs = var_operand_def(base(TensorType))
    outputs = var_result_def(base(TensorType))
    traits = traits_def(Pure(), KernelExists())

    def __init__(self, kernel: str, inputs: Sequence[SSAValue], results: Sequence[Attribute]) -> None:
        super().__init__(operands=[inputs], result_types=[results], properties={"kernel": SymbolRefAttr(kernel)})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        kernel = parser.parse_symbol_name().data
        inputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        said = cls.get_irdl_definition().properties
        _, attributes = parse_braces(parser, cls, said)
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
