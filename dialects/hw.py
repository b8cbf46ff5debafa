"""`hw`: the machine a program runs on, two lines a reader can say aloud; the numbers stand in data sheets.

xDSL has a `hw` dialect of its own (CIRCT's); ndp-opt loads this one under the name, and `xdsl-opt` sees both merged.
"""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, IntegerAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import SymbolOpInterface
from xdsl.utils.exceptions import VerifyException


class SheetOp(IRDLOperation):
    """Common to ops that name a data sheet: `= "SHEET"`, then changes of single numbers in braces."""

    sheet = prop_def(StringAttr)
    changes = prop_def(DictionaryAttr, default_value=DictionaryAttr({}))

    def changed(self) -> dict[str, int | float]:
        """The numbers that differ from the sheet, by their name there."""
        return {
            name: value.value.data
            for name, value in self.changes.data.items()
            if isinstance(value, IntegerAttr | FloatAttr)
        }

    def verify_(self) -> None:
        for name, value in self.changes.data.items():
            if not isinstance(value, IntegerAttr | FloatAttr):
                raise VerifyException(f"{self.name}: `{name}` is changed to a number, not {value}")

    @staticmethod
    def parse_sheet(parser: Parser) -> dict[str, StringAttr | DictionaryAttr]:
        parser.parse_punctuation("=")
        sheet = parser.parse_str_literal(" naming a data sheet")
        return {"sheet": StringAttr(sheet), "changes": DictionaryAttr(parser.parse_optional_attr_dict())}

    def print_sheet(self, printer: Printer) -> None:
        printer.print_string(" = ")
        printer.print_string_literal(self.sheet.data)
        if self.changes.data:
            printer.print_op_attributes(self.changes.data)


@irdl_op_definition
class DeviceOp(SheetOp):
    """A device of the machine, described by a data sheet that is found by name or path; braces change single numbers of it.

    The first device of a program is its home: arguments and results live there.

    ```mlir
    hw.device @gpu = "a100"
    hw.device @pim = "newton" {channels = 8}
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

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name()
        return cls.create(properties={"sym_name": name, **cls.parse_sheet(parser)})

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        self.print_sheet(printer)


@irdl_op_definition
class LinkOp(SheetOp):
    """A way between two devices, both directions, described by a link sheet.

    (C1) both devices stand in the program and differ.

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
        known = {op.sym_name.data for op in block.ops if isinstance(op, DeviceOp)} if block else set[str]()
        for end in (source, target):
            if block and end not in known:  # (C1)
                raise VerifyException(f'hw.link: there is no device @{end}; declare it (hw.device @{end} = "SHEET")')

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        source = parser.parse_symbol_name()
        parser.parse_keyword("to")
        target = parser.parse_symbol_name()
        ends = {"source": SymbolRefAttr(source), "target": SymbolRefAttr(target)}
        return cls.create(properties={**ends, **cls.parse_sheet(parser)})

    def print(self, printer: Printer) -> None:
        source, target = self.ends
        printer.print_string(" ")
        printer.print_symbol_name(source)
        printer.print_string(" to ")
        printer.print_symbol_name(target)
        self.print_sheet(printer)


Hw = Dialect("hw", [DeviceOp, LinkOp])
