"""`hw`: the machine a program runs on: devices and links, each described by a data sheet.

xDSL has a `hw` dialect of its own (CIRCT's); ndp-opt loads this one under that name, and `xdsl-opt` sees both merged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isfinite
from typing import Self

from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, IntegerAttr, StringAttr, SymbolRefAttr, f64, i1, i64
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_op_definition, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from dialects.annotations import Annotations
from dialects.braces import BracedOp
from dialects.text.suggestions import hint


class SheetOp(BracedOp):
    """Base class of ops that name a data sheet: `= "SHEET"`, then in braces the fields whose values differ from the
    sheet.

    A number has the unit that the sheet uses for the field; a text is parsed as in a sheet (`{clock = "1 GHz"}`).
    """

    sheet = prop_def(StringAttr)
    changes = prop_def(DictionaryAttr, default_value=DictionaryAttr({}))

    def changed(self) -> dict[str, int | float | str]:
        """The values that replace those of the sheet, by the name of the sheet's field."""
        return {name: _value(change) for name, change in self.changes.data.items()}

    def verify_(self) -> None:
        around = self.parent_op()
        if around is not None and around.name != "builtin.module":
            raise VerifyException(
                f"{self.name} stands in the body of a {around.name}; move it to the top of the program"
            )
        if not self.sheet.data:
            raise VerifyException(f'{self.name}: the name of the data sheet is empty; write for instance = "a100"')
        for name, value in self.changes.data.items():
            if not isinstance(value, _CHANGES):
                raise VerifyException(f"{self.name}: `{name}` must be set to a number or a string, not {value}")
            if isinstance(value, FloatAttr) and not isfinite(value.value.data):
                raise VerifyException(f"{self.name}: `{name}` must be set to a finite number, not {value.value.data}")

    @staticmethod
    def parse_sheet(parser: Parser) -> dict[str, Attribute]:
        parser.parse_punctuation("=")
        sheet = parser.parse_str_literal(" naming a data sheet")
        changes: dict[str, Attribute] = {}

        def change() -> None:
            start = parser.pos
            name = parser.parse_optional_identifier() or parser.parse_str_literal(" naming what changes")
            if name in changes:
                parser.raise_error(f"`{name}` is set twice; keep one", start, parser.pos)
            parser.parse_punctuation("=")
            changes[name] = _plain(parser.parse_attribute())

        if parser.parse_optional_comma_separated_list(parser.Delimiter.BRACES, change) is None:
            return {"sheet": StringAttr(sheet)}
        return {"sheet": StringAttr(sheet), "changes": DictionaryAttr(changes)}

    @classmethod
    def parse_rest(cls, parser: Parser, names: dict[str, Attribute]) -> Self:
        """Read the text after the names; the names are properties of the op."""
        properties = names | cls.parse_sheet(parser)
        op = cls.create(properties=properties)
        return op.with_braces(parser, keyword=True, changes=properties.get("changes"))

    def settle(self) -> None:
        super().settle()
        changes = self.properties.get("changes")
        if isinstance(changes, DictionaryAttr):
            self.changes = DictionaryAttr({name: _plain(value) for name, value in changes.data.items()})

    def print_sheet(self, printer: Printer) -> None:
        printer.print_string(" = ")
        printer.print_string_literal(self.sheet.data)
        if self.changes.data:
            printer.print_string(" ")
            with printer.in_braces():
                printer.print_list(self.changes.data.items(), lambda item: _print_change(printer, *item))
        printer.print_op_attributes(self.attributes, print_keyword=True)


_CHANGES = IntegerAttr | FloatAttr | StringAttr


def _value(change: Attribute) -> int | float | str:
    """The value of an attribute as the parser of sheets expects it: `yes` or `no` for a truth value."""
    match change:
        case IntegerAttr() if change.type == i1:
            return "yes" if change.value.data else "no"
        case IntegerAttr() | FloatAttr():
            return change.value.data
        case _:
            assert isinstance(change, StringAttr)
            return change.data


def _plain(value: Attribute) -> Attribute:
    """The attribute with a number's type normalised: i64 for integers, f64 for other numbers."""
    match value:
        case IntegerAttr() if value.type != i1:
            return IntegerAttr(value.value.data, i64)
        case FloatAttr():
            return FloatAttr(value.value.data, f64)
        case _:
            return value


def _print_change(printer: Printer, name: str, value: Attribute) -> None:
    if _BARE.fullmatch(name):
        printer.print_string(name)
    else:
        printer.print_string_literal(name)
    printer.print_string(" = ")
    match value:
        case IntegerAttr() if value.type != i1:
            printer.print_string(str(value.value.data))
        case FloatAttr() if isfinite(value.value.data):
            text = repr(value.value.data)
            printer.print_string(text if "." in text else text.replace("e", ".0e"))
        case _:
            printer.print_attribute(value)


_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*")


def no_device(name: str, known: Iterable[str]) -> str:
    """The message for a device that the machine does not have; `known`: the devices that it has, in order."""
    names = [f"@{each}" for each in known]
    has = f"; the machine has {', '.join(names)}" if names else ""
    near = hint(f"@{name}", names, f'declare it (hw.device @{name} = "SHEET")', mark="")
    return f"there is no device @{name}{has}{near}"


@irdl_op_definition
class DeviceOp(SheetOp):
    """A device of the machine, described by a data sheet that is found by name or path; braces change single values.

    The first device of a program is its primary device, whose memory holds arguments and results.

    (C1) no two devices have one name.

    ```mlir
    hw.device @gpu = "a100"
    hw.device @pim = "newton" {channels = 8, clock = "1 GHz"}
    ```
    """

    name = "hw.device"
    sym_name = prop_def(StringAttr)
    traits = traits_def(SymbolOpInterface())

    def __init__(self, sym_name: str, sheet: str, changes: DictionaryAttr | None = None) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(sym_name),
                "sheet": StringAttr(sheet),
                "changes": changes or DictionaryAttr({}),
            }
        )

    def verify_(self) -> None:
        super().verify_()
        block = self.parent_block()
        for op in block.ops if block else ():
            if op is self:
                break
            if isinstance(op, DeviceOp) and op.sym_name == self.sym_name:  # (C1)
                raise VerifyException(f"hw.device @{self.sym_name.data} appears twice; rename one")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name()
        return cls.parse_rest(parser, {"sym_name": name})

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        self.print_sheet(printer)


@irdl_op_definition
class LinkOp(SheetOp):
    """A bidirectional link between two devices, described by a link sheet.

    (C1) the two devices are in the program and are different. (C2) at most one link connects the same two devices.

    ```mlir
    hw.device @gpu = "a100"
    hw.device @pim = "newton"
    hw.link @gpu to @pim = "on_board"
    ```
    """

    name = "hw.link"
    source = prop_def(SymbolRefAttr)
    target = prop_def(SymbolRefAttr)

    def __init__(self, source: str, target: str, sheet: str, changes: DictionaryAttr | None = None) -> None:
        super().__init__(
            properties={
                "source": SymbolRefAttr(source),
                "target": SymbolRefAttr(target),
                "sheet": StringAttr(sheet),
                "changes": changes or DictionaryAttr({}),
            }
        )

    @property
    def ends(self) -> tuple[str, str]:
        """The names of the two devices."""
        return self.source.root_reference.data, self.target.root_reference.data

    def verify_(self) -> None:
        super().verify_()
        source, target = self.ends
        if source == target:  # (C1)
            raise VerifyException(f"hw.link joins two devices, but both ends are @{source}")
        block = self.parent_block()
        if block is None:
            return
        known = dict.fromkeys(op.sym_name.data for op in block.ops if isinstance(op, DeviceOp))
        for end in (source, target):
            if end not in known:  # (C1)
                raise VerifyException(f"hw.link: {no_device(end, known)}")
        for op in block.ops:
            if op is self:
                break
            if isinstance(op, LinkOp) and set(op.ends) == {source, target}:  # (C2)
                raise VerifyException(
                    f"hw.link: @{source} and @{target} are joined by two links; a link works in both "
                    "directions, so keep one"
                )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        source = parser.parse_symbol_name()
        parser.parse_keyword("to")
        target = parser.parse_symbol_name()
        return cls.parse_rest(parser, {"source": SymbolRefAttr(source), "target": SymbolRefAttr(target)})

    def print(self, printer: Printer) -> None:
        source, target = self.ends
        printer.print_string(" ")
        printer.print_symbol_name(source)
        printer.print_string(" to ")
        printer.print_symbol_name(target)
        self.print_sheet(printer)


Hw = Dialect("hw", [DeviceOp, LinkOp], [], [Annotations()])
