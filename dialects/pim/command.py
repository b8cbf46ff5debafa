"""Base classes of all commands: properties of verbs (the names of commands in sheets, such as `mac`), index expressions
over loop variables, scopes, and accesses to host memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, ClassVar, Literal, Self, TypeAlias, cast

from xdsl.dialects.builtin import MemRefType, StringAttr, UnitAttr
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.irdl import AttrSetConstraint, base, operand_def, opt_attr_def, prop_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.braces import BracedOp
from dialects.launching import memref_of
from dialects.pim.form import (
    SCOPES,
    CommandFields,
    Given,
    HostPart,
    RangePart,
    ScopePart,
    Space,
    TextPart,
    Use,
    argument_order,
)
from dialects.pim.kernel import KernelOp
from dialects.pim.loops import ChannelsOp, range_of
from dialects.pim.subscripts import Subscript, decode, encode, variables_of
from dialects.programs.index import INDEX, Linear
from dialects.programs.properties import INT, INTS, Ints, ints, values_of

SCOPE = AttrSetConstraint(frozenset(map(StringAttr, SCOPES)))

Scope: TypeAlias = Literal["bank", "twin", "same", "group", "all"]
"""The scope of a command: one bank, the same bank of every pseudo-channel, the same bank of every group, all banks of
one group, all banks of the channel."""


@dataclass(frozen=True)
class Command:
    """The device-independent properties of a verb (the name of a command in sheets), for clocks, checks and sheets.

    `bound`: the reported bound of a program that waits mostly for this verb (default: the verb's name). `row`: its
    effect on the addressed banks' open row; `table` if it needs the row of the units' activation table instead, which
    the device finds itself. `flops`: flops per lane of each addressed bank, or of each group if `grouped`. `delivers`:
    True if it returns data to the host, where they arrive `end` cycles (a number of the sheet) after the command.
    `optional`: True if a device whose sheet lacks the verb still performs it, without a command on the channel's bus.
    `register`: its effect on the addressed banks' activation registers.
    """

    verb: str
    """The verb's name in sheets."""
    meaning: str
    bound: str = ""
    row: Literal["leaves", "opens", "closes", "uses", "table"] = "leaves"
    flops: int = 0
    delivers: bool = False
    grouped: bool = False
    optional: bool = False
    register: Literal["leaves", "fills", "reads"] = "leaves"

    @property
    def needs_row(self) -> bool:
        """True if the verb needs an open row: a row of the program, or a row of an activation table."""
        return self.row in ("uses", "table")

    @property
    def limit(self) -> str:
        """The bound that is reported for a program that mostly waits for this verb."""
        return self.bound or self.verb


REFRESH, MODE, SYNC, PREACT = "refresh", "mode", "sync", "preact"
"""Verbs that only controllers issue."""

CONTROLLER = (
    Command(REFRESH, "refresh, by the channel's own controller"),
    Command(MODE, "change between the modes that verbs need, by the channel's own controller", bound="mode switches"),
    Command(SYNC, "synchronise the data clock, by the channel's own controller", bound="sync"),
    Command(PREACT, "the first of two commands that open a row, by the controller", bound="row cycles"),
)
"""Marks a verb that only the channel's controller issues and that has no op."""

COMMANDS: dict[str, Command] = {command.verb: command for command in CONTROLLER}
"""All verbs; every command op registers its verb."""


class CommandOp(BracedOp):
    """Base class of all commands: a verb, and index expressions over the loop variables that are its operands.

    Each expression is an i64 array: its constant, and then a factor for each index operand. An op's class defines
    everything about its verb except the effect on data: the parts of its text (`FORM`), from which follow the
    constructor and the space that each expression indexes, and its `COMMAND`. The effect on data is registered in
    `interp/kinds/pim/values/run.py`.
    """

    COMMAND: ClassVar[Command]
    FORM: ClassVar[tuple[TextPart, ...]] = ()
    """The parts of the command's text, in order."""
    MARKS: ClassVar[tuple[str, ...]] = ()
    """The names of unit attributes, such as `append`, that the constructor may set."""
    EXPRESSIONS: ClassVar[Mapping[str, Space]] = {}
    """The command's index expressions, and the space each of them indexes."""
    USES: ClassVar[Mapping[str, Use]] = {}
    """The effect of the command on the entries that each index expression indexes."""
    ARGUMENTS: ClassVar[Mapping[str, Any]] = {}
    """The constructor's arguments in order, with their defaults."""
    BEFORE_INDICES: ClassVar[int] = 0
    """The number of operands before the index operands."""
    indices = var_operand_def(INDEX)
    address = opt_attr_def(INTS)
    """The command's address within its channel, from a vendor's text (dialects/pim/addresses.py)."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "FORM" in vars(cls) or "MARKS" in vars(cls):
            constants = {
                "EXPRESSIONS": {name: space for part in cls.FORM for name, space in part.spaces().items()},
                "USES": {name: use for part in cls.FORM for name, use in part.uses().items()},
                "WORDS": {word: name for part in cls.FORM for word, name in part.words().items()},
                "ARGUMENTS": argument_order(cls.FORM) | dict.fromkeys(cls.MARKS, False),
            }
            for name, value in constants.items():
                setattr(cls, name, value)
                cls.__annotations__[name] = "ClassVar[Any]"  # so that xDSL treats it as a constant
        if "COMMAND" in vars(cls):
            COMMANDS[cls.COMMAND.verb] = cls.COMMAND

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Create the command from the arguments of its text (`ARGUMENTS`). Index expressions may be numbers, loop
        variables or sums of them (`Index`); `scope` is a word."""
        given: Given = {**self.ARGUMENTS, **dict(zip(self.ARGUMENTS, arguments, strict=False)), **named}
        if len(arguments) > len(self.ARGUMENTS) or len(given) > len(self.ARGUMENTS):
            raise TypeError(f"{self.name} takes {', '.join(self.ARGUMENTS) or 'nothing'}")
        fields = CommandFields()
        for part in self.FORM:
            part.fill(given, fields)
        variables, properties = pack(fields.expressions, fields.subscripts)
        super().__init__(
            operands=[variables] if fields.memref is None else [fields.memref, variables],
            properties={name: fields.properties[name] for name in ("scope",) if name in fields.properties}
            | properties
            | fields.properties,
            attributes={mark: UnitAttr() for mark in self.MARKS if given[mark]},
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        fields: Given = {}
        optional: Given = {}
        for part in cls.FORM:
            read = part.read(parser)
            fields |= read
            optional |= part.optional(read)
        op = cls(**{name: value for name, value in fields.items() if value is not None})
        return op.with_braces(parser, **optional)

    def print(self, printer: Printer) -> None:
        for part in self.FORM:
            part.write(printer, self)
        printer.print_op_attributes(self.attributes)

    @classmethod
    @cache
    def using(cls, space: Space, *uses: Use) -> list[str]:
        """The names of the command's index expressions that index `space`, with one of the effects `uses` on its
        entries."""
        return [name for name, of in cls.EXPRESSIONS.items() if of == space and cls.USES[name] in uses]

    @property
    def appends(self) -> bool:
        """True if the command writes rows that an operand of the kernel reserves in the banks (`{append}`)."""
        return "append" in self.attributes

    @property
    def table(self) -> str | None:
        """The name of the activation table that the command needs; None for most commands."""
        return cast(StringAttr, self.properties["function"]).data if self.COMMAND.row == "table" else None

    @property
    def span(self) -> RangePart | None:
        """The part of the command's text that is a range; None if there is none."""
        return next((part for part in self.FORM if isinstance(part, RangePart)), None)

    def extent(self, expression: str, lanes: int) -> int:
        """The number of consecutive indices that the command uses from the value of `expression` on. `lanes`: the
        number of elements in a column."""
        return 1

    def issues(self, lanes: int, load_columns: int) -> int:
        """The number of DRAM commands that the op represents. One load fills `load_columns` columns of the
        buffer."""
        return 1

    def linear(self, name: str) -> Linear:
        """An index expression of this op. Raises VerifyException for a malformed one."""
        numbers = values_of(cast(Ints, self.properties[name]))
        variables = self.operands[self.BEFORE_INDICES :]  # `indices`, but faster
        if len(numbers) != 1 + len(variables):
            raise VerifyException(
                f"{self.name}: `{name}` must be one index expression over {len(variables)} variables "
                f"({1 + len(variables)} numbers), not {len(numbers)} numbers"
            )
        return Linear.over(variables, numbers)

    @property
    def kernel(self) -> KernelOp | None:
        """The enclosing kernel."""
        here = self.parent_op()
        while here is not None and not isinstance(here, KernelOp):
            here = here.parent_op()
        return here

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and not parent.name.startswith("pim."):
            raise VerifyException(f"{self.name} must be in a pim.kernel, not in {parent.name}")
        for name, expression in ((name, self.linear(name)) for name in self.EXPRESSIONS):
            if (low := expression.bounds(range_of)[0]) < 0:
                raise VerifyException(f"{self.name}: {name} can be {low}; it must be at least 0")
            for variable in expression.variables:
                if isinstance(variable, BlockArgument) and isinstance(variable.block.parent_op(), ChannelsOp):
                    raise VerifyException(
                        f"{self.name}: {name} depends on the channel; only subscripts of host memory may "
                        "depend on it, since all channels of a pim.channels issue the same commands"
                    )
        if (part := self.span) is not None and part.of(self).extent < (0 if part.may_be_left_out else 1):
            raise VerifyException(f"{self.name}: the range of {part.word} is empty; it needs at least one element")


class ScopedOp(CommandOp):
    """Base class of commands with a scope: all banks of the channel (`all`), all banks of one group (`group E`), bank E
    of every group (`same E`) or of every pseudo-channel (`twin E`), or one bank (`bank E`)."""

    scope = prop_def(SCOPE)
    unit = prop_def(INTS)
    FORM: ClassVar[tuple[TextPart, ...]] = (ScopePart(),)

    @property
    def reach(self) -> Scope:
        """The scope as a word."""
        return cast(Scope, self.scope.data)


class HostOp(CommandOp):
    """Base class of commands that move data between the host and a channel: `%memref[subscripts]`; trailing axes
    without a subscript are taken whole."""

    OWN_ELEMENT: ClassVar[bool] = True
    """True if the memref must have the device's element type."""
    ONE_PLACE: ClassVar[bool] = False
    """True if all channels of an instruction access the same location in host memory."""
    BEFORE_INDICES: ClassVar[int] = 1
    memref = operand_def(base(MemRefType))
    subscripts = prop_def(INTS)
    extents = prop_def(INTS)

    @property
    def parts(self) -> list[Subscript]:
        """The explicit subscripts, one per axis from the first."""
        starts = decode(self.subscripts, self.indices)
        return [Subscript(start, extent) for start, extent in zip(starts, values_of(self.extents), strict=True)]

    @property
    def block_shape(self) -> tuple[int, ...]:
        """Shape of the moved block; an axis with a single index is dropped."""
        shape, extents = memref_of(self.memref).get_shape(), values_of(self.extents)
        return (*(extent for extent in extents if extent), *shape[len(extents) :])

    @property
    def entries(self) -> int:
        """The number of elements of the memref that the command moves."""
        return prod(self.block_shape)

    @property
    def by_channel(self) -> bool:
        """True if the moved block depends on the channel."""
        return any(
            isinstance(variable, BlockArgument) and isinstance(variable.block.parent_op(), ChannelsOp)
            for part in self.parts
            for variable in part.start.variables
        )

    @property
    def reads_host(self) -> bool:
        """True if the command reads host memory and does not write it."""
        return not any(isinstance(part, HostPart) and part.word == "to" for part in self.FORM)

    def wanted(self, banks: int, lanes: int) -> int | None:
        """The number of elements that the command must move if it addresses `banks` banks, whose columns have `lanes`
        elements; None if any number is valid."""
        return banks if self.span is None else banks * self.span.of(self).extent * lanes

    def verify_(self) -> None:
        super().verify_()
        if (kernel := self.kernel) is not None and self.reads_host:
            self.check_access(kernel.on_host, "must read an input in host memory")
        elif kernel is not None:
            self.check_access(kernel.outputs, "must write an output")

    def check_access(self, allowed: Sequence[SSAValue], direction: str) -> None:
        """Raise VerifyException if the memref is not in `allowed`, or a subscript is out of bounds."""
        if self.memref not in allowed:
            raise VerifyException(f"{self.name} {direction}, not %{self.memref.name_hint or 'memref'}")
        shape = memref_of(self.memref).get_shape()
        extents = values_of(self.extents)
        if len(self.subscripts) != len(extents) * (1 + len(self.indices)) or len(extents) > len(shape):
            raise VerifyException(
                f"{self.name}: {self.memref.type} takes at most {len(shape)} subscripts, not {len(extents)}"
            )
        if min(extents, default=0) < 0:
            raise VerifyException(f"{self.name}: a range has {min(extents)} entries; it needs at least one")
        for axis, part in enumerate(self.parts):
            low, high = part.start.bounds(range_of)
            last = high + max(part.extent, 1) - 1
            if low < 0 or last >= shape[axis]:
                met = low if low < 0 else last
                raise VerifyException(f"{self.name}: entry {met} of axis {axis} lies outside {self.memref.type}")


class ColumnsOp(ScopedOp):
    """Base class of commands that process columns of the open row, one command per column."""

    column = prop_def(INTS)
    count = prop_def(INT)

    @property
    def columns(self) -> Subscript:
        """The range of columns of the open row."""
        return Subscript(self.linear("column"), self.count.value.data)

    def extent(self, expression: str, lanes: int) -> int:
        return self.count.value.data if self.EXPRESSIONS[expression] in ("column", "buffer") else 1

    def issues(self, lanes: int, load_columns: int) -> int:
        return self.count.value.data


def pack(
    expressions: Mapping[str, Linear], parts: Sequence[Subscript] | None = None
) -> tuple[list[SSAValue], dict[str, Attribute]]:
    """The index operands and properties that encode these expressions."""
    variables = variables_of([*expressions.values(), *(part.start for part in parts or ())])
    properties: dict[str, Attribute] = {
        name: encode([expression], variables) for name, expression in expressions.items()
    }
    if parts is not None:
        properties["subscripts"] = encode([part.start for part in parts], variables)
        properties["extents"] = ints([part.extent for part in parts])
    return variables, properties
