"""Files of the law's constants (`NAME.law`), in the folders of the sheets of near-data units or among the shipped ones.

law "fitted on 4,393 rows of NDPX's simulator"
  start 291.1 cycles        # one line per constant: name, number, unit
  …
"""

from __future__ import annotations

import re
from pathlib import Path

from dialects.diagnostics import FileName, InputError, note
from dialects.files import digest_of, is_file, read_regular, reason_of
from dialects.text.printable import clipped
from interp.kinds.ndp.law import Law
from interp.machine.device import Device
from interp.machine.sheets.search import COMPANIONS, SHIPPED, companions
from interp.machine.sheets.values import near

_ADVICE = "a law is a file of constants"
_read: dict[tuple[str, str], Law] = {}
_noted: set[str] = set()
_HEAD = re.compile(r'law "(?P<origin>[^"]*)"\s*')
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_MOST = 1e9
"""The largest number that a file may state, so that the cycles of the largest kernels stay finite."""


def law_of(device: Device) -> Law:
    """The law of a near-data unit: the file with the name of the unit's sheet or, if there is none, of the nearest
    sheet that it is a variant of, beside the unit's sheet, in the current folder, in added folders of sheets, or among
    the shipped ones. Raises InputError if there is none."""
    for name in device.companions:
        if (path := next(companions(device, [name]), None)) is not None:
            _note_hidden(path, name)
            key = (str(path), digest_of(path, _ADVICE))
            if key not in _read:
                _read[key] = read_law(path)
            return _read[key]
    raise InputError(
        f"the cycles of kernels on {device.name} are unknown, since there is no file `{device.name}.law`; make "
        "the device a variant of ndpx, or write the file (python -m benchmarks ndpx_cost --fit ROWS.csv --write "
        "FILE)",
        device.file,
    )


def _note_hidden(path: Path, name: str) -> None:
    """Prints a note if a law hides a shipped one of the same name, which may be unintended."""
    folder = SHIPPED / COMPANIONS
    if path.parent != folder and is_file(folder / name) and str(path) not in _noted:
        _noted.add(str(path))
        note("the law is read from this file instead of the file of the same name that ndpir ships", FileName(path))


def read_law(path: Path) -> Law:
    """The law in a file. Raises InputError, with the line, for malformed or missing content."""
    try:
        lines = read_regular(path, _ADVICE).decode().splitlines()
    except OSError as error:
        raise InputError(f"the law can't be read: {reason_of(error)}", FileName(path)) from None
    except UnicodeDecodeError:
        raise InputError("the law is not UTF-8 text; a law is a text file of constants", FileName(path)) from None
    known = {each.name: each for each in Law.constants()}
    constants: dict[str, float] = {}
    origin: str | None = None
    for number, line in enumerate(lines, 1):
        place = f"{path}:{number}:1"
        if not (text := line.partition("#")[0].strip() if origin is not None else line.strip()) or text[0] == "#":
            continue
        if origin is None:
            if (head := _HEAD.fullmatch(text)) is None:
                raise InputError(
                    f'`{clipped(text)}` was met, but a law begins with `law "WHAT IT WAS FITTED ON"`', place
                )
            origin = head["origin"]
            continue
        words = text.split()
        if (constant := known.get(words[0])) is None:
            raise InputError(f"a law has no constant `{clipped(words[0])}`{near(words[0], list(known))}", place)
        elif len(words) != 3 or words[2] != constant.metadata["unit"]:
            raise InputError(
                f"`{clipped(text)}` is not of the form `{words[0]} NUMBER {constant.metadata['unit']}`", place
            )
        elif words[0] in constants:
            raise InputError(f"the constant `{words[0]}` appears twice; keep one", place)
        else:
            constants[words[0]] = _number(words[1], place)
    if origin is None:
        raise InputError('the file is empty; a law begins with `law "WHAT IT WAS FITTED ON"`', FileName(path))
    if missing := [name for name in known if name not in constants]:
        raise InputError(
            f"the law does not state `{missing[0]}`; state it in {known[missing[0]].metadata['unit']}", FileName(path)
        )
    return Law(**constants, origin=origin)


def _number(word: str, place: str) -> float:
    if _NUMBER.fullmatch(word) is None or (number := float(word)) > _MOST:
        raise InputError(f"`{clipped(word)}` was met, but a number of 0 or more, up to {_MOST:g}, is expected", place)
    return number


def law_text(law: Law) -> str:
    """The text of a law's file."""
    lines = [f'law "{law.origin}"']
    for each in Law.constants():
        line = f"{each.name} {getattr(law, each.name):g} {each.metadata['unit']}"
        lines.append(f"  {line:40} # {each.metadata['meaning']}")
    return "\n".join(lines) + "\n"
