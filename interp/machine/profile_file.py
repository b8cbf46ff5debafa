"""The file format of profiles: JSON, validated field by field when read, and written deterministically."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard, TypeVar, cast, get_args

from dialects.diagnostics import FileName, InputError
from dialects.files import read_text, write_text
from dialects.strict_json import json_value
from dialects.text.printable import clipped, cut
from dialects.text.suggestions import hint
from interp.machine.profile import FORMAT, CopyRow, Json, Kind, MeasuredTimes, Profile, ProfileRow

_LARGEST = 1 << 26
_LONGEST_NS = 1e18
"""The largest time in ns that a file may state, so that sums and bounds stay finite."""
_ROUNDED = 1e-6
"""The relative tolerance between a median in the file and the median of its times, since it may be rounded."""

TimesT = TypeVar("TimesT", bound=MeasuredTimes)


def read_profile(path: str | Path) -> Profile:
    """The profile in a file. Raises InputError with the file, and the line and column or the path within the JSON."""
    text = read_text(
        path,
        "a profile has a row for each op",
        "the profile can't be read: {}; ndp-profile writes one",
        "met the byte {}, but a profile is UTF-8 text",
        _LARGEST,
    )
    return profile_of(text, str(path))


def profile_of(text: str, file: str) -> Profile:
    """A profile from its text. Raises InputError as `read_profile`."""
    root = _Part(json_value(text, file, "the profile"), "", file)
    if (description := root.object("the profile").get("format")) is None or description.value != FORMAT:
        met = "it states no `format`" if description is None else f"its `format` is {description.shown}"
        raise InputError(
            f"{met}, but a profile must state {json.dumps(FORMAT)} (ndp-profile writes a profile)", FileName(file)
        )
    content = root.object("the profile", ("format", "header", "rows", "copies"))
    header = content["header"].object("the header").items() if "header" in content else ()
    rows = [_row(part) for part in _parts(content, "rows")]
    copies = [_copy(part) for part in _parts(content, "copies")]
    _once([(row, part, f"{row.key} on {row.device}") for row, part in rows])
    _once([(c, part, f"{c.bytes} bytes from {c.source} to {c.target}") for c, part in copies])
    return Profile(
        tuple(row for row, _ in rows),
        tuple(copy for copy, _ in copies),
        {name: cast("Json", part.value) for name, part in header},
        file,
    )


def profile_text(profile: Profile) -> str:
    """A profile as text, one line per row."""
    lists = {"rows": [_row_fields(row) for row in profile.rows], "copies": [_copy_fields(c) for c in profile.copies]}
    lines = [f'"format": {_json(FORMAT)}', f'"header": {_json(profile.header)}']
    for name, rows in lists.items():
        listed = ",\n".join(f"    {_json(row)}" for row in rows)
        lines.append(f'"{name}": [\n{listed}\n  ]' if rows else f'"{name}": []')
    return "{\n  " + ",\n  ".join(lines) + "\n}\n"


def write_profile(profile: Profile, path: str | Path) -> None:
    """Writes a profile's file. Raises InputError if it can't be written."""
    write_text(path, profile_text(profile))


def _row_fields(row: ProfileRow) -> dict[str, object]:
    return {"device": row.device, "key": row.key, "op": row.op, "shapes": row.shapes, **_times_fields(row)}


def _copy_fields(copy: CopyRow) -> dict[str, object]:
    return {"source": copy.source, "target": copy.target, "bytes": copy.bytes, **_times_fields(copy)}


def _times_fields(times: MeasuredTimes) -> dict[str, object]:
    return {
        "kind": times.kind,
        "times_ns": list(times.times_ns),
        "median_ns": times.median_ns,
        "spread_ns": times.spread_ns,
    }


def _json(value: object) -> str:
    return json.dumps(value, allow_nan=False)


@dataclass(frozen=True)
class _Part:
    """A value in the file, with its path: `rows[3].times_ns`."""

    value: object
    path: str
    file: str

    @property
    def shown(self) -> str:
        try:
            text = json.dumps(self.value)
        except RecursionError:
            return "nested deeply"
        return clipped(text)

    def wrong(self, expected: str) -> InputError:
        """An error that states the value in the file and the expected value."""
        return InputError(
            f"{self.path or 'the profile'} is {self.shown}, but {expected} is expected", FileName(self.file)
        )

    def object(self, what: str, names: Sequence[str] = ()) -> dict[str, _Part]:
        """The members of a JSON object as parts, by name. `what`: a description of the object for errors. If `names`
        are given, a member of another name is an error."""
        found = self.value
        if not _is_object(found):
            raise self.wrong("an object {…}")
        for name in found:
            if names and name not in names:
                near = hint(name, names, f"it has {', '.join(names)}")
                raise InputError(f"{self.path or what} has no {_name(name)}{near}", FileName(self.file))
        head = f"{self.path}." if self.path else ""
        return {name: _Part(value, f"{head}{name}", self.file) for name, value in found.items()}

    def list(self) -> list[_Part]:
        if not _is_list(self.value):
            raise self.wrong("a list […]")
        return [_Part(value, f"{self.path}[{index}]", self.file) for index, value in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str) or not self.value or not self.value.isprintable():
            raise self.wrong("a line of text")
        return self.value

    def any_text(self) -> str:
        return self.text() if self.value != "" else ""

    def number(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.wrong("a number of ns")
        if self.value < 0:
            raise self.wrong("a number from 0 on")
        if self.value > _LONGEST_NS:
            raise self.wrong("a number of ns, thirty years at the most,")
        return float(self.value)

    def count(self) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < 0:
            raise self.wrong("a whole number from 0 on")
        return self.value

    def numbers(self) -> tuple[float, ...]:
        found = tuple(part.number() for part in self.list())
        if not found:
            raise self.wrong("at least one time")
        return found

    def kind(self) -> Kind:
        if self.value not in get_args(Kind):
            raise self.wrong(" or ".join(map(json.dumps, get_args(Kind))))
        return cast("Kind", self.value)


def _name(text: str) -> str:
    """A quoted name for error messages, on one line and cut after 60 characters."""
    return f"`{text[:60]}`" if text.isprintable() else json.dumps(text[:60])


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list)


def _parts(content: Mapping[str, _Part], name: str) -> list[_Part]:
    return content[name].list() if name in content else []


_TIMES: dict[str, Callable[[_Part], object]] = {
    "kind": _Part.kind,
    "times_ns": _Part.numbers,
    "median_ns": _Part.number,
    "spread_ns": _Part.number,
}
_ROW = {"device": _Part.text, "key": _Part.text, "op": _Part.any_text, "shapes": _Part.any_text, **_TIMES}
_COPY = {"source": _Part.text, "target": _Part.text, "bytes": _Part.count, **_TIMES}
"""The fields of a copy, by name, each with the function that reads its value."""
_NEEDED = ("device", "key", "source", "target", "bytes", "times_ns")


def _row(part: _Part) -> tuple[ProfileRow, _Part]:
    return _checked(ProfileRow(**cast(Any, _fields(part, _ROW))), part), part


def _copy(part: _Part) -> tuple[CopyRow, _Part]:
    return _checked(CopyRow(**cast(Any, _fields(part, _COPY))), part), part


def _fields(part: _Part, known: Mapping[str, Callable[[_Part], object]]) -> dict[str, object]:
    """The values of a row's fields by name, read with `known`, without the statistics that are computed from the
    times."""
    found = part.object("a row", tuple(known))
    for name in known:
        if name in _NEEDED and name not in found:
            raise InputError(f"{part.path} has no `{name}`, which each row must state", FileName(part.file))
    read = {name: known[name](each) for name, each in found.items()}
    return {name: value for name, value in read.items() if name not in ("median_ns", "spread_ns")}


def _checked(row: TimesT, part: _Part) -> TimesT:
    """The row; raises InputError if a stated statistic differs from the one computed from the times."""
    stated = part.object("a row")
    for name, follows in (("median_ns", row.median_ns), ("spread_ns", row.spread_ns)):
        if name in stated and abs(stated[name].number() - follows) > _ROUNDED * max(row.times_ns):
            raise InputError(
                f"{stated[name].path} is {stated[name].shown}, but the times of the row give "
                f"{follows:.6g}; remove it, since "
                "it is computed from the times",
                FileName(part.file),
            )
    return row


def _once(rows: Sequence[tuple[MeasuredTimes, _Part, str]]) -> None:
    """Raises InputError if two rows describe the same work or copy."""
    first: dict[str, _Part] = {}
    for _, part, what in rows:
        if first.setdefault(what, part) is not part:
            raise InputError(
                f"{first[what].path} and {part.path} are both for {cut(what, 100, 97)}; keep one", FileName(part.file)
            )
