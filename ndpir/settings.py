"""`--set NAME.FIELD=VALUE`: changes of single values of a machine's data sheets, from the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, IntegerAttr, ModuleOp, StringAttr, f64, i64
from xdsl.ir import Attribute

from dialects.diagnostics import InputError
from dialects.hw import DeviceOp, SheetOp
from dialects.locations import place_of
from interp.machine import record_of
from interp.sheets.values import near
from ndpir.arguments import UsageError


@dataclass(frozen=True)
class Setting:
    """One value of one sheet. `name`: a device of the machine, or the sheet of one of its devices or links."""

    name: str
    field: str
    value: int | float | str

    @property
    def attribute(self) -> Attribute:
        """The value as a change of an `hw` op."""
        match self.value:
            case int():
                return IntegerAttr(self.value, i64)
            case float():
                return FloatAttr(self.value, f64)
            case str():
                return StringAttr(self.value)


def settings_of(texts: Sequence[str]) -> list[Setting]:
    """What `--set NAME.FIELD=VALUE` flags say. Raises UsageError for what is no NAME.FIELD=VALUE, or said twice."""
    found: dict[tuple[str, str], Setting] = {}
    for text in texts:
        match = _SETTING.fullmatch(text)
        if match is None:
            raise UsageError(f"argument --set: `{text}` is not NAME.FIELD=VALUE, as in --set aim.tCCD=1")
        name, field, value = match.groups()
        if (name, field) in found:
            raise UsageError(f"argument --set: {name}.{field} is set twice; keep one")
        found[name, field] = Setting(name, field, _number(value))
    return list(found.values())


_SETTING = re.compile(r"@?((?:[^=]*\.sheet(?::\w+)?)|[\w-]+)\.(\w+(?:\.\w+)?)\s*=\s*(\S.*?)\s*")


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def changes_of(name: str, settings: Sequence[Setting]) -> Mapping[str, int | float | str]:
    """What is set in the sheet of this name, which is shown. Raises InputError where another one is named."""
    for setting in settings:
        if setting.name != name:
            raise InputError(
                f"--set {setting.name}.{setting.field}: what is shown is {name}; write --set {name}.{setting.field}=…",
                None,
            )
    return {setting.field: setting.value for setting in settings if setting.name == name}


def apply(module: ModuleOp, settings: Sequence[Setting]) -> None:
    """Change the `hw` ops of a program. Raises InputError for a name that its machine does not have, or a field or
    value that the sheet does not take."""
    ops = [op for op in module.body.block.ops if isinstance(op, SheetOp)]
    for setting in settings:
        meant = [op for op in ops if setting.name in names_of(op)]
        if not meant:
            known = [name for op in ops for name in names_of(op)]
            raise InputError(f"--set {setting.name}.{setting.field}: no such device{near(setting.name, known)}", None)
        for op in meant:
            op.changes = DictionaryAttr({**op.changes.data, setting.field: setting.attribute})
            try:
                record_of(op)
            except InputError as error:
                told = error.place in (None, place_of(op))
                raise InputError(
                    f"--set {setting.name}.{setting.field}: {error.message}", None if told else error.place
                ) from None


def names_of(op: SheetOp) -> tuple[str, ...]:
    """What a device or link may be called: its symbol, its sheet, and the sheet's name where that stands in a file."""
    sheet = op.sheet.data
    symbols = (op.sym_name.data,) if isinstance(op, DeviceOp) else ()
    return tuple(dict.fromkeys((*symbols, sheet, *(sheet.rpartition(":")[2:] if ":" in sheet else ()))))
