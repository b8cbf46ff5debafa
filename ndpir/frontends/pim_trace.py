"""Newton command traces (PIMFlow's `.pim` text) as bank programs: one channel's commands, one after another.

An address holds, from its highest bit down, bank group, bank (zero), row, column and six zero bits
(PIMFlow:pim/pim_trace.cc). GWRITE fills the whole global buffer, so the n-th one loads row n of the host's memref; the
n-th READRES drains into row n of the result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import count

from lark import Lark, Token, Tree, UnexpectedInput
from xdsl.dialects.builtin import Float32Type, MemRefType
from xdsl.ir import Attribute, Block, Operation, Region

from dialects.diagnostics import InputError
from dialects.element_types import element_type_named
from dialects.locations import at_line
from dialects.pim import HOST, ActOp, DrainOp, KernelOp, Linear, LoadOp, MacOp, PreOp, Subscript
from interp.sheet import Pim

ZERO_BITS = 6
"""Low bits of an address below the column: a column access moves 64 bytes of the address space."""


@dataclass(frozen=True)
class Address:
    """Where a command points to; fields that a command does not use are 0."""

    group: int = 0
    bank: int = 0
    row: int = 0
    column: int = 0

    @staticmethod
    def _widths(pim: Pim) -> tuple[int, int, int]:
        bank, row, column = ((n - 1).bit_length() for n in (pim.banks, pim.rows, pim.columns))
        return bank, row, column

    def text(self, pim: Pim) -> str:
        """As a trace writes it."""
        bank, row, column = self._widths(pim)
        number = ((self.group << bank | self.bank) << row | self.row) << column | self.column
        return f"0x{number << ZERO_BITS:08x}"

    @staticmethod
    def read(text: str, pim: Pim) -> Address:
        """From a trace."""
        bank, row, column = Address._widths(pim)
        number = int(text, 16) >> ZERO_BITS
        parts: list[int] = []
        for width in (column, row, bank):
            number, part = divmod(number, 1 << width)
            parts.append(part)
        return Address(number, parts[2], parts[1], parts[0])


@cache
def _parser() -> Lark:
    grammar = files("ndpir.frontends").joinpath("pim_trace.lark").read_text()
    return Lark(grammar, parser="lalr", propagate_positions=False)


def read_trace(text: str, pim: Pim, file: str = "trace", name: str = "trace", device: str = "pim") -> KernelOp:
    """A trace as a kernel for channel 0. Raises InputError, at line and column, for a line that is no command of the
    device.

    Commands that follow each other column by column become one `pim.mac`; loops are not found.
    """
    try:
        tree = _parser().parse(text + "\n")  # pyright: ignore[reportUnknownMemberType]
    except UnexpectedInput as error:
        met = error.get_context(text, 20).splitlines()[0].strip()
        raise InputError(f"expected `0xADDRESS COMMAND`, not `{met}`", f"{file}:{error.line}:{error.column}") from None
    return _Reader(pim, file).kernel(tree, name, device)


@dataclass
class _Reader:
    pim: Pim
    file: str

    def kernel(self, tree: Tree[Token], name: str, device: str) -> KernelOp:
        pim = self.pim
        lines = [self._line(command) for command in tree.children if isinstance(command, Tree)]
        if not lines:
            raise InputError("the trace holds no command", f"{self.file}:1:1")
        total = {verb: sum(line.verb == verb for line in lines) for verb in ("load", "drain")}
        rows = max((line.address.row + 1 for line in lines if line.verb == "act"), default=1)
        element = element_type_named(pim.element)
        shapes: tuple[tuple[tuple[int, ...], Attribute], ...] = (
            ((max(total["load"], 1), pim.buffer_columns * pim.lanes), element),
            ((1, rows, pim.banks_per_channel, pim.columns, pim.lanes), element),
            ((max(total["drain"], 1), pim.banks_per_channel), Float32Type()),
        )
        block = Block(arg_types=[MemRefType(type_, shape) for shape, type_ in shapes])
        for argument, hint in zip(block.args, "xwy", strict=True):
            argument.name_hint = hint
        block.add_ops(self._ops(lines, block))
        kernel = KernelOp(name, device, Region(block), [HOST, 0])
        kernel.location = at_line(self.file, lines[0].line, lines[0].column)
        return kernel

    def _line(self, command: Tree[Token]) -> _Line:
        tokens = [token for token in command.children if isinstance(token, Token)]
        numbers = [token for token in tokens if token.type == "ADDRESS"]
        word = next(token for token in tokens if token.type == "WORD")
        place = f"{self.file}:{word.line}:{word.column}"
        for verb in self.pim.verbs.values():
            # `G_ACT2` is G_ACT for group 2; `GWRITE_4` loads several buffers and counts as one load.
            if match := re.fullmatch(rf"{re.escape(verb.mnemonic)}(?:(?P<unit>\d+)|_\d+)?", word):
                break
        else:
            known = ", ".join(verb.mnemonic for verb in self.pim.verbs.values())
            raise InputError(f"{self.pim.name} has no command `{word}`; it has {known}", place)
        address = Address.read(numbers[0], self.pim) if numbers else Address()
        if verb.name in ("act", "mac") and not numbers:
            raise InputError(f"{word} needs an address (`0xADDRESS {word}`)", place)
        unit = int(match["unit"]) if match["unit"] else None
        return _Line(verb.name, unit, address, word.line or 0, word.column or 0)

    def _ops(self, lines: list[_Line], block: Block) -> list[Operation]:
        x, _, y = block.args
        loads, drains = count(), count()
        ops: list[Operation] = []
        at = 0
        while at < len(lines):
            line, first = lines[at], at
            at += 1
            match line.verb:
                case "load":
                    op = LoadOp(x, [Subscript(Linear(next(loads)))])
                case "act":
                    op = ActOp(line.address.row, *self._scope(line))
                case "mac":
                    start = line.address.column
                    while (
                        at < len(lines) and lines[at].verb == "mac" and lines[at].address.column == start + at - first
                    ):
                        at += 1
                    op = MacOp(Subscript(Linear(start), at - first))
                case "drain":
                    op = DrainOp(y, [Subscript(Linear(next(drains)))])
                case "pre":
                    op = PreOp()
                case other:
                    why = "the controller issues it" if other == "refresh" else "write it in the pim dialect"
                    raise InputError(f"a trace does not hold `{other}`; {why}", self._place(line))
            op.location = at_line(self.file, line.line, line.column)
            ops.append(op)
        return ops

    def _scope(self, line: _Line) -> tuple[str, int]:
        return ("all", 0) if line.unit is None else ("group", line.unit)

    def _place(self, line: _Line) -> str:
        return f"{self.file}:{line.line}:{line.column}"


@dataclass(frozen=True)
class _Line:
    verb: str
    unit: int | None
    address: Address
    line: int
    column: int
