"""Bank programs and their launch op."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import MemRefType, StringAttr, SymbolRefAttr, UnitAttr
from xdsl.ir import Block, BlockArgument, Operation, Region
from xdsl.irdl import (
    irdl_op_definition,
    opt_attr_def,
    prop_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, Pure, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from dialects.element_types import is_element_type
from dialects.launching import LaunchedOp, LaunchingOp, ProgramExists, memref_of
from dialects.pim.loops import ChannelsOp, ForOp
from dialects.programs.properties import INTS, ints, values_of
from dialects.values import called

ANYWHERE = ("pim.barrier", "pim.set", "pim.step")
"""Ops that may be outside of `pim.channels`, where they apply to all channels."""

HOST = -1
"""The base row of a memref that is in host memory, not in the banks."""


@irdl_op_definition
class KernelOp(LaunchedOp):
    """A program of commands for the banks of a device's channels. `(inputs) -> (outputs)` are memrefs; an input `at row
    R` is in the banks, from that row on, as [channels, rows, banks, columns, lanes]; other inputs and all outputs are
    in host memory and are transferred over the bus by `pim.load` and `pim.drain`. Outputs are initially zero.

    Row numbers in a kernel are relative to its operands, so that one kernel serves all weights of a shape: the operands
    of each launch occupy separate rows, in all channels, and the launch adds the number of the first of these rows to
    the kernel's row numbers. The rows of all resident operands must fit a bank together
    (interp/simulate/schedule/residency.py counts them).

    The body is a sequence of loops and `pim.channels` regions: each channel executes the commands addressed to it, in
    this order, and channels run in parallel. A kernel for channel 0 only may contain its commands directly.

    Each entry of an output is stored to once, or added to (`pim.drain … add to`). The attribute `trace` marks a kernel
    that was read from a vendor's trace: its outputs are registers of the device, which a trace may write again, and of
    which it writes only some.

    (C1) memrefs are static and hold at least one number. (C2) an input in the banks has five axes, and its rows do not
    overlap with the rows of another input. (C3) outputs are in host memory; there is at least one. (C4) if there are
    `pim.channels`, all commands are inside of them, except for `pim.barrier`, `pim.set` and `pim.step`.

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
    base_rows = prop_def(INTS)
    registers = opt_attr_def(INTS)
    """The registers of AiM instructions that correspond to host memrefs, one entry per memref; -1 for none."""
    trace = opt_attr_def(UnitAttr)
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolOpInterface())

    def __init__(self, name: str, device: str, body: Region, base_rows: Sequence[int]) -> None:
        """`body`: one block whose arguments are inputs, then outputs; `base_rows`: for each input, HOST or the input's
        first row."""
        super().__init__(
            properties={"sym_name": StringAttr(name), "device": SymbolRefAttr(device), "base_rows": ints(base_rows)},
            regions=[body],
        )

    @property
    def taken(self) -> int:
        return len(self.base_rows)

    @property
    def is_trace(self) -> bool:
        """True for a kernel that was read from a vendor's trace."""
        return self.trace is not None

    @property
    def in_banks(self) -> dict[BlockArgument, int]:
        """The inputs in the banks, with their first rows."""
        return {value: row for value, row in zip(self.inputs, values_of(self.base_rows), strict=True) if row != HOST}

    @property
    def on_host(self) -> tuple[BlockArgument, ...]:
        """The inputs in host memory."""
        return tuple(value for value in self.inputs if value not in self.in_banks)

    @property
    def regions_of_channels(self) -> tuple[ChannelsOp, ...]:
        """All `pim.channels` regions, including those in loops, in order; empty if the body is the program of channel
        0."""
        return tuple(_channels_of(self.body.block))

    def verify_(self) -> None:
        if len(self.base_rows) > len(self.body.block.args):
            raise VerifyException(
                f"pim.kernel @{self.sym_name.data}: there are {len(self.base_rows)} base rows, but only "
                f"{len(self.body.block.args)} memrefs; give at most one base row for each memref"
            )
        for value in self.body.block.args:
            type_ = value.type
            static = isinstance(type_, MemRefType) and min(type_.get_shape(), default=1) >= 0
            if not static or not is_element_type(memref_of(value).element_type):  # (C1)
                raise VerifyException(f"pim.kernel takes static memrefs of numbers, not {type_}")
            if 0 in memref_of(value).get_shape():  # (C1)
                raise VerifyException(
                    f"pim.kernel: {called(value)} is a {type_}, which has no elements; remove this memref"
                )
        if not self.outputs:  # (C3)
            raise VerifyException("pim.kernel has no output; name at least one (`-> (%y: memref<…>)`)")
        self._check_rows()
        self._check_body()

    def _check_rows(self) -> None:
        taken: list[tuple[int, int, str]] = []
        for value, row in self.in_banks.items():
            shape, name = memref_of(value).get_shape(), f"%{value.name_hint or value.index}"
            if len(shape) != 5:  # (C2)
                raise VerifyException(
                    f"pim.kernel: {name} is in the banks, so it must have the shape [channels, rows, banks, columns, "
                    f"lanes], not {value.type}"
                )
            if row < 0:
                raise VerifyException(f"pim.kernel: {name} must start at row 0 or later, not at {row}")
            for low, high, other in taken:
                if row < high and low < row + shape[1]:  # (C2)
                    both = max(row, low)
                    raise VerifyException(f"pim.kernel: {name} and {other} both take row {both}; move one of them")
            taken.append((row, row + shape[1], name))

    def _check_body(self) -> None:
        if not self.body.block.ops:
            raise VerifyException(
                f"pim.kernel @{self.sym_name.data} is empty; write commands or pim.channels into its body"
            )
        if self.regions_of_channels:
            for op in _outside_channels(self.body.block):  # (C4)
                raise VerifyException(f"pim.kernel: {op.name} is outside of pim.channels; move it into one")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        rows: list[int] = []

        def at_row(is_input: bool) -> None:
            start, row = parser.pos, HOST
            if parser.parse_optional_keyword("at"):
                parser.parse_keyword("row")
                row = parser.parse_integer(allow_boolean=False, allow_negative=False)
                if not is_input:  # (C3)
                    parser.raise_error(
                        "pim.kernel: an output is in host memory, so it can't have `at row`; remove `at row`",
                        start,
                        parser.pos,
                    )
            if is_input:
                rows.append(row)

        properties, attributes, body, _ = cls.parse_program(parser, at_row)
        return cls.create(properties=properties | {"base_rows": ints(rows)}, attributes=attributes, regions=[body])

    def print(self, printer: Printer) -> None:
        rows = self.in_banks

        def at_row(value: BlockArgument) -> None:
            if value in rows:
                printer.print_string(f" at row {rows[value]}")

        self.print_program(printer, at_row)


def _channels_of(block: Block) -> Iterator[ChannelsOp]:
    for op in block.ops:
        if isinstance(op, ChannelsOp):
            yield op
        elif isinstance(op, ForOp):
            yield from _channels_of(op.body.block)


def _outside_channels(block: Block) -> Iterator[Operation]:
    """Ops that may not be outside of `pim.channels` in a kernel that contains `pim.channels`."""
    for op in block.ops:
        if isinstance(op, ForOp):
            yield from _outside_channels(op.body.block)
        elif not isinstance(op, ChannelsOp) and op.name not in ANYWHERE:
            yield op


@irdl_op_definition
class LaunchOp(LaunchingOp):
    """Run a kernel on the device of the enclosing task: operands are the kernel's inputs, results its outputs, as
    tensors.

    (C1) the kernel is in the program and written for that device. (C2) operands and results have the shapes
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
    LAUNCHES: ClassVar = KernelOp
    traits = traits_def(Pure(), ProgramExists())
