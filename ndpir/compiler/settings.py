"""Changes of a machine's data sheets from the command line: `--set NAME.FIELD=VALUE`, `--library NAME` and `--profile
FILE`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, IntegerAttr, ModuleOp, StringAttr, f64, i64
from xdsl.ir import Attribute

from dialects.diagnostics import FileName, InputError, note
from dialects.hw import DeviceOp, LinkOp, SheetOp, no_device
from dialects.locations import place_of
from interp.figures import count
from interp.machine.composition import record_of
from interp.machine.device import Device
from interp.machine.profile import Profile
from interp.machine.profile_checks import joins
from interp.machine.profile_checks import names_of as called_in_profiles
from interp.machine.profile_file import read_profile
from interp.machine.sheets.fields import UnknownFieldError
from interp.machine.sheets.files import UnknownLibraryError, load, load_device
from interp.machine.sheets.language import ValueTextError
from interp.machine.sheets.named_files import PROFILE, find_profile, folder_of
from interp.machine.sheets.values import near
from ndpir.diagnostics.usage import UsageError

FLAG = "--set"
"""The name that stands for the file in the locations of errors in `--set` flags, unless another name is given; the line
of such a location is the number of the flag."""
_NAME, _FIELD, _VALUE = range(3)


@dataclass(frozen=True)
class Setting:
    """A new value for a field of a sheet. `name`: a device of the machine, or the sheet of one of its devices or
    links."""

    name: str
    field: str
    value: int | float | str
    line: int = dataclasses.field(default=1, compare=False)
    """The number, from 1, of the `--set` flag among all of the command line."""
    columns: tuple[int, int, int] = dataclasses.field(default=(1, 1, 1), compare=False)
    """The columns of its name, field and value in that flag, from 1 on."""
    flag: str = dataclasses.field(default=FLAG, compare=False)

    def refusal(self, message: str, part: int, offset: int = 0) -> InputError:
        """An error located at one part of the flag: its name, field or value. `part`: the number of the part; `offset`:
        the number of characters between the part's start and the error."""
        return InputError(message, f"{self.flag}:{self.line}:{self.columns[part] + offset}")

    def refused(self, error: InputError) -> InputError:
        """The error of a sheet about this setting, relocated to the flag's field or value."""
        if isinstance(error, UnknownFieldError):
            return self.refusal(error.message, _FIELD)
        return self.refusal(error.message, _VALUE, error.column - 1 if isinstance(error, ValueTextError) else 0)

    @property
    def attribute(self) -> Attribute:
        """The value as an attribute of an `hw` op."""
        match self.value:
            case int():
                return IntegerAttr(self.value, i64)
            case float():
                return FloatAttr(self.value, f64)
            case str():
                return StringAttr(self.value)


def settings_of(texts: Sequence[str], flag: str = FLAG) -> list[Setting]:
    """The settings in values of `--set`, or of a Python argument `flag`. Raises UsageError for a value that is not
    NAME.FIELD=VALUE, and for a field that is set twice."""
    called, shown = (f"argument {flag}", f"{flag} ") if flag == FLAG else (flag, "")
    found: dict[tuple[str, str], Setting] = {}
    for line, text in enumerate(texts, 1):
        match = _SETTING.fullmatch(text)
        if match is None:
            raise UsageError(f"{called}: `{text}` is not NAME.FIELD=VALUE, as in {shown}aim.tCCD=1")
        name, field, value = match.groups()
        if (name, field) in found:
            raise UsageError(f"{called}: {name}.{field} is set twice; keep one")
        columns = (match.start(1) + 1, match.start(2) + 1, match.start(3) + 1)
        found[name, field] = Setting(name, field, _number(value), line, columns, flag)
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
    """The changed fields of the sheet that `--show-device` prints. Raises InputError for a setting of another sheet,
    and for a field or value that the sheet does not accept."""
    changes: dict[str, int | float | str] = {}
    for setting in settings:
        if setting.name != name:
            raise setting.refusal(
                f"--show-device shows {name}, but --set names `{setting.name}`; write --set {name}.{setting.field}=…",
                _NAME,
            )
        load(name, {})  # errors in the sheet itself are reported for the sheet
        changes[setting.field] = setting.value
        try:
            load(name, changes)
        except InputError as error:
            raise setting.refused(error) from None
    return changes


def apply(module: ModuleOp, settings: Sequence[Setting]) -> None:
    """Change the `hw` ops of a program by settings. Raises InputError for a name that its machine does not have, and
    for a field or value that the sheet does not accept."""
    ops = [op for op in module.body.block.ops if isinstance(op, SheetOp)]
    changed: dict[SheetOp, list[Setting]] = {}
    for setting in settings:
        meant = [op for op in ops if setting.name in names_of(op)]
        if not meant:
            known = [name for op in ops for name in names_of(op)]
            raise setting.refusal(f"the machine has no device `{setting.name}`{near(setting.name, known)}", _NAME)
        for op in meant:
            changed.setdefault(op, []).append(setting)
    for op, applied in changed.items():
        before = op.changes
        op.changes = _with(before, applied)
        try:
            record_of(op)
        except InputError:  # the first of them with which the sheet is invalid is the wrong one
            for count in range(1, len(applied) + 1):
                op.changes = _with(before, applied[:count])
                _check(op, applied[count - 1])


def _with(changes: DictionaryAttr, settings: Sequence[Setting]) -> DictionaryAttr:
    """The changes of an `hw` op, with those of settings added."""
    return DictionaryAttr({**changes.data, **{setting.field: setting.attribute for setting in settings}})


def _check(op: SheetOp, last: Setting) -> None:
    """Raises InputError if the sheet of an `hw` op is invalid with its changes: at `last`, the setting that was applied
    last, unless the error is elsewhere."""
    try:
        record_of(op)
    except InputError as error:
        if error.place in (None, place_of(op)):
            raise last.refused(error) from None
        raise


LIBRARY = "library"
"""The field of a GPU's sheet that names its library."""


def apply_library(module: ModuleOp, library: str, settings: Sequence[Setting], flag: str) -> None:
    """Set the library of all GPUs of a program's machine whose sheets state `model kernels`, except of those for which
    a setting names another one. Settings must have been applied before. `flag`: the argument that names the library.
    Raises InputError for an unknown library, and for a machine without such a GPU."""
    place = f"{flag}:1:1"
    devices = [op for op in module.body.block.ops if isinstance(op, DeviceOp)]
    gpus = [op for op in devices if load_device(op.sheet.data, op.changed(), op).runs_library]
    if not gpus:
        machine = ", ".join(f"@{op.sym_name.data} = {op.sheet.data}" for op in devices)
        raise InputError(
            f"{flag} needs a GPU whose sheet states `model kernels`, but the machine has none ({machine}); leave it "
            "out, or choose another machine",
            place,
        )
    named = {setting.name for setting in settings if setting.field == LIBRARY}
    for op in gpus:
        if named.isdisjoint(names_of(op)):
            op.changes = DictionaryAttr({**op.changes.data, LIBRARY: StringAttr(library)})
            try:
                record_of(op)
            except UnknownLibraryError as error:
                raise InputError(error.message, place) from None


def names_of(op: SheetOp) -> tuple[str, ...]:
    """The names by which `--set` may refer to a device or link: its symbol, its sheet, and the sheet's name within a
    file."""
    sheet = op.sheet.data
    symbols = (op.sym_name.data,) if isinstance(op, DeviceOp) else ()
    return tuple(dict.fromkeys((*symbols, sheet, *(sheet.rpartition(":")[2:] if ":" in sheet else ()))))


def apply_profiles(module: ModuleOp, files: Sequence[str], flag: str = "--profile") -> None:
    """Attach profiles to the devices and links of a program for which they have rows or copies. Notes report entries
    for other devices. `flag`: the argument that names the files. Raises InputError for an invalid profile, and for two
    profiles of one device or link."""
    ops = [op for op in module.body.block.ops if isinstance(op, SheetOp)]
    given: dict[SheetOp, str] = {}
    for file in files:
        profile = read_profile(file)
        meant = [op for op in ops if _is_of(op, profile, ops)]
        for op in meant:
            if op in given:
                raise InputError(
                    f"{flag}: {given[op]} and {file} both have entries for {_shown(op)}; keep one of them, or merge "
                    "their rows into one file",
                    None,
                )
            given[op] = file
            op.changes = DictionaryAttr({**op.changes.data, PROFILE: StringAttr(_path_of(file, op))})
        _note_unused(profile, ops)


def _is_of(op: SheetOp, profile: Profile, ops: Sequence[SheetOp]) -> bool:
    """True if a profile has rows for a device, or copies between a link's ends."""
    devices = _devices(ops)
    if isinstance(op, LinkOp):
        if (unknown := next((end for end in op.ends if end not in devices), None)) is not None:
            raise InputError(f"hw.link: {no_device(unknown, devices)}", op)
        return joins(profile, op.ends, devices)
    name = names_of(op)[0]
    return any(called in profile.devices for called in called_in_profiles(name, devices[name]))


def _devices(ops: Sequence[SheetOp]) -> dict[str, Device]:
    return {op.sym_name.data: load_device(op.sheet.data, op.changed(), op) for op in ops if isinstance(op, DeviceOp)}


def _path_of(file: str, op: SheetOp) -> str:
    """The path of `file` to write into an `hw` op. `file` is relative to the current folder; it is written unchanged if
    the op, which searches from its own folder, finds the same file by it, otherwise as an absolute path."""
    place = place_of(op)
    found = find_profile(file, folder_of(place))
    return file if found is not None and found.samefile(file) else str(Path(file).resolve())


def _note_unused(profile: Profile, ops: Sequence[SheetOp]) -> None:
    """Emit a note for each device that a profile has entries for but the machine lacks."""
    devices = _devices(ops)
    called = {other for name, record in devices.items() for other in called_in_profiles(name, record)}
    machine = ", ".join(f"@{name}" for name in devices)
    ends = [end for way in profile.ways for end in way]
    for device in dict.fromkeys((*profile.devices, *ends)):
        if device not in called:
            rows = sum(row.device == device for row in profile.rows)
            copies = sum(device in (copy.source, copy.target) for copy in profile.copies)
            entries = " and ".join(count(n, noun) for n, noun in ((rows, "row"), (copies, "copy")) if n)
            note(
                f"{entries} of the profile can't be used, since {device} is not a device of this machine, which has "
                f"{machine}",
                FileName(profile.file),
            )


def _shown(op: SheetOp) -> str:
    if isinstance(op, LinkOp):
        return f"the link of @{op.ends[0]} and @{op.ends[1]}"
    return f"@{names_of(op)[0]}"
