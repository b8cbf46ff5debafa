"""Comparison of ndpir's cycles, command logs and energy with those of published PIM simulators on the same traces.

    python benchmarks/pim_cycles.py DIR…

A directory contains `results.csv`, `traces/` and `commands/` (logs of some traces, NAME.csv or NAME.CONFIG.csv), or
PIMFlow's `golden_cycles.csv` in the folder of its traces. The columns of a row select the sheet with the timing variant
of its simulator. A row is equal if all values that it states are: its cycles, each line of its log, the SHA-256 of its
log, its energy within 0.1 %. An unreadable row counts as not equal. Exits with 1 unless all rows are equal and each
directory has at least one row.
"""

from __future__ import annotations

import csv
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from io import StringIO, TextIOWrapper
from math import inf
from os.path import isfile
from pathlib import Path
from typing import cast

from dialects.diagnostics import InputError
from dialects.pim import KernelOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.timing.log import LoggedCommand, log_commands
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from ndpir.traces.reading import read_trace

SHEETS: Mapping[tuple[str, ...], str] = {
    ("aim", "gddr6"): "aim_ramulator",
    ("aim", "lpddr5"): "aim_lpddr5_ramulator",
    ("newton", "default"): "newton_pimflow",
    ("newton", "RAMULATOR_DISABLE_GWRITE_LATENCY_HIDING=1"): "newton_plus_pimflow",
    ("pimflow", "1"): "newton_pimflow",
    ("pimflow", "0"): "newton_plus_pimflow",
    ("attacc", "bank", "refresh"): "attacc_ramulator",
    ("attacc", "bank", "norefresh"): "attacc_norefresh_ramulator",
    ("attacc", "bg", "refresh"): "attacc_bg_ramulator",
    ("attacc", "bg", "norefresh"): "attacc_bg_norefresh_ramulator",
    ("attacc", "buffer", "refresh"): "attacc_buffer_ramulator",
    ("attacc", "buffer", "norefresh"): "attacc_buffer_norefresh_ramulator",
}
"""The sheet with the timing variant of a simulator, by data set and by the row's values in `COLUMNS`."""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "attacc": ("mode", "refresh"),
    "newton": ("config",),
    "pimflow": ("gwrite_latency_hiding",),
    "aim": ("config",),
}
"""The columns that distinguish the configurations of a simulator, by data set."""

MARKS = {
    "attacc": "mode",
    "newton": "total_energy_J",
    "pimflow": "gwrite_latency_hiding",
    "aim": "command_log_sha256_16",
}
"""For each data set, a column that no other data set has, by which the data set is identified."""

LOGGED = {"aim": 31}
"""The channel whose commands are in the logs, by data set; channel 0 for data sets not listed."""

ENERGY_TOLERANCE = 1e-3

NOT_UTF8 = re.compile("[\udc80-\udcff]")
"""Bytes that are not UTF-8, in the form in which `surrogateescape` decodes them."""


@dataclass(frozen=True)
class Row:
    """A run of a simulator, with the paths at which its trace and its log are expected."""

    set: str
    place: str
    trace: str = ""
    sheet: str = ""
    cycles: int = 0
    file: Path | None = None
    log: Path | None = None
    digest: str = ""
    energy_j: float | None = None
    wall_s: float | None = None
    fault: str = ""
    """The reason why the row can't be read; empty for a readable row."""

    @property
    def name(self) -> str:
        return self.place if self.fault else f"{self.trace} ({self.sheet})"


@dataclass
class Tally:
    """Counts of a data set's rows that are equal to, or differ from, ndpir's results."""

    rows: int = 0
    equal: int = 0
    logs: int = 0
    logs_equal: int = 0
    wrong: list[tuple[float, str, str]] = field(default_factory=list[tuple[float, str, str]])
    """For each row that is not equal: its error (inf if it was not compared), its name, and the difference."""
    missing: list[str] = field(default_factory=list[str])


def rows_of(folder: Path) -> Iterator[Row]:
    """Yield the rows of a directory, including unreadable rows. Raises InputError for a directory without results."""
    golden = next((at for at in (folder, folder / "golden_traces") if isfile(at / "golden_cycles.csv")), None)
    results = golden / "golden_cycles.csv" if golden else folder / "results.csv"
    if not isfile(results):
        raise InputError("this directory has no results; expected a file results.csv or golden_cycles.csv", str(folder))
    lines = _lines(results)
    place, header = next(lines, (f"{results}:1", "this file is empty; expected a header and rows"))
    if isinstance(header, str):
        raise InputError(header, place)
    set_ = next((name for name, mark in MARKS.items() if mark in header), "aim")
    for names in (("trace", "file"), ("cycles", "dram_cycles"), *((column,) for column in COLUMNS[set_])):
        if not set(names) & set(header):
            raise InputError(f"met columns {_shown(','.join(header))}; expected `{'` or `'.join(names)}`", place)
    rows = list(lines)
    if not rows:
        raise InputError("this file has only a header; expected rows below it", place)
    for place, values in rows:
        try:
            row = _row(set_, place, header, values, golden or folder / "traces", folder / "commands")
        except InputError as error:
            row = Row(set_, place, fault=error.message)
        yield row


def _lines(file: Path) -> Iterator[tuple[str, list[str] | str]]:
    """Yield the location of each line of a table, with the line's values or an error message."""
    table = csv.reader(StringIO(_read(file).removeprefix("\ufeff")), strict=True)
    while True:
        place = f"{file}:{table.line_num + 1}"
        try:
            values = next(table, None)
        except csv.Error as error:
            yield place, f"expected a line of comma-separated values: {error}"
            continue
        if values is None:
            return
        if byte := NOT_UTF8.search(",".join(values)):
            yield place, _not_utf8(byte[0])
        elif values:
            yield place, values


def _row(set_: str, place: str, header: list[str], values: list[str] | str, traces: Path, logs: Path) -> Row:
    """Parse a row of a table. Raises InputError if it can't be parsed."""
    if isinstance(values, str):
        raise InputError(values, place)
    if len(values) != len(header):
        raise InputError(f"met {len(values)} values; expected {len(header)}, one for each column", place)
    given = dict(zip(header, values, strict=True))
    if not (name := given.get("trace") or given.get("file")):
        raise InputError("this row has no trace; expected the name of the trace's file", place)
    key = set_, *(given[column] for column in COLUMNS[set_])
    for at, column in enumerate(COLUMNS[set_], 1):
        known = dict.fromkeys(each[at] for each in SHEETS if each[:at] == key[:at])
        if key[at] not in known:
            raise InputError(f"`{column}` is {_shown(key[at])}; expected `{'` or `'.join(known)}`", place)
    cycles = "cycles" if given.get("cycles") or "dram_cycles" not in given else "dram_cycles"
    file = next((at for at in (traces / name, traces / f"{name}.trace") if isfile(at)), None)
    return Row(
        set=set_,
        place=place,
        trace=name,
        sheet=SHEETS[key],
        cycles=int(_number(given, cycles, int)),
        file=file,
        log=_log_of(logs, name, key[1]),
        digest=given.get("command_log_sha256_16") or "",
        energy_j=_number(given, "total_energy_J", float) if given.get("total_energy_J") else None,
        wall_s=_number(given, "wall_s", float) if given.get("wall_s") else None,
    )


def _number(given: Mapping[str, str], column: str, kind: type[int | float]) -> int | float:
    """Parse a non-negative finite number of type `kind` from a column. Raises InputError for any other value."""
    with suppress(ValueError, OverflowError):
        if 0 <= float(number := kind(given[column])) < inf:
            return number
    expected = "whole number" if kind is int else "number"
    raise InputError(f"`{column}` is {_shown(given[column])}; expected a {expected} of 0 or more")


def _shown(text: str, width: int = 100) -> str:
    """Return a text in quotes for a message, on one line and at most `width` characters long."""
    text = repr(text)[1:-1]
    return f"`{text}`" if len(text) <= width else f"`{text[:width]}…`"


def text_of(file: Path) -> str:
    """Return the text of a file. Raises InputError if it can't be read."""
    text = _read(file)
    if byte := NOT_UTF8.search(text):
        raise InputError(_not_utf8(byte[0]), f"{file}:{text.count(chr(10), 0, byte.start()) + 1}")
    return text


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise InputError(f"the file can't be read: {error.strerror}", str(file)) from None


def _not_utf8(byte: str) -> str:
    return f"byte 0x{ord(byte) & 0xFF:02x} is not UTF-8; expected UTF-8 text"


def _log_of(folder: Path, trace: str, config: str) -> Path | None:
    stem = Path(trace).stem
    files = [folder / f"{stem}.{config}.csv", *([folder / f"{stem}.csv"] if config == "default" else [])]
    return next((file for file in files if isfile(file)), None)


@cache
def sheet(name: str) -> Pim:
    record = load_device(name)
    assert isinstance(record, Pim)
    return record


def differences(row: Row) -> Iterator[tuple[float, str]]:
    """Yield the differences between a row and ndpir's results for its trace, each with its relative error."""
    assert row.file is not None
    pim = sheet(row.sheet)
    kernel = read_trace(text_of(row.file), pim, str(row.file))
    time = kernel_time(kernel, pim)
    if time.cycles != row.cycles:
        yield abs(time.cycles - row.cycles) / max(row.cycles, 1), f"{time.cycles} cycles, not {row.cycles}"
    if row.energy_j is not None:
        ours = sum(time.energy_nj.values()) * 1e-9
        off = abs(ours - row.energy_j) / row.energy_j if row.energy_j else float(ours != 0)
        if off > ENERGY_TOLERANCE:
            yield off, f"{ours:.6g} J, not {row.energy_j:.6g} J"


def log_difference(row: Row) -> str | None:
    """Return a description of the first difference between a row's log and ndpir's log; None if they are equal."""
    assert row.file is not None
    pim = sheet(row.sheet)
    kernel = read_trace(text_of(row.file), pim, str(row.file))
    ours = list(log_lines(kernel, pim, LOGGED.get(row.set, 0)))
    if row.log is not None:
        header, *theirs = text_of(row.log).splitlines() or [""]
        width = 4 if header.split(",")[:4] == ["cycle", "command", "bank", "row"] else 2
        theirs = [",".join(line.split(",")[:width]) for line in theirs]
        mine = [",".join(line.split(",")[:width]) for line in ours]
        for at, (our, their) in enumerate(zip(mine, theirs, strict=False), 1):
            if our != their:
                return f"line {at} of the log is {our}, not {their}"
        if len(mine) != len(theirs):
            return f"the log has {len(mine)} commands, not {len(theirs)}"
    if row.digest and hashlib.sha256("\n".join(ours).encode()).hexdigest()[:16] != row.digest:
        return f"the log's SHA-256 does not begin with {row.digest}"
    return None


def log_lines(kernel: KernelOp, pim: Pim, channel: int) -> Iterator[str]:
    """Yield `cycle,command,bank,row` for each command of a channel."""
    log: list[LoggedCommand] = []
    log_commands(kernel, pim, channel, log.append)
    for each in log:
        yield f"{each.cycle},{each.mnemonic},{each.bank},{each.operands.row}"


def check(row: Row, tally: Tally) -> None:
    """Compare a row with ndpir's results, and count it as equal or different in `tally`."""
    tally.rows += 1
    if row.fault:
        tally.wrong.append((inf, row.name, row.fault))
        return
    if row.file is None:
        tally.missing.append(row.name)
        return
    try:
        wrong = list(differences(row))
        if row.log is not None or row.digest:
            tally.logs += 1
            if (difference := log_difference(row)) is None:
                tally.logs_equal += 1
            else:
                wrong.append((0.0, difference))
    except InputError as error:
        wrong = [(inf, f"{error.place}: {error.message}" if error.place else error.message)]
    except Exception as error:  # a defect of the simulator makes one row wrong; other rows are still compared
        wrong = [(inf, f"{type(error).__name__}: {error}")]
    if not wrong:
        tally.equal += 1
    tally.wrong += [(off, row.name, what) for off, what in wrong]


def wrong_lines(tally: Tally) -> Iterator[str]:
    """Yield a line for each failure, in order of the error, largest first. Rows with the same failure share a line,
    which lists their names or locations."""
    rows: dict[str, list[str]] = {}
    for _, name, what in sorted(tally.wrong, key=lambda each: -each[0]):
        rows.setdefault(what, []).append(name)
    for what, (first, *others) in rows.items():
        file = first.rpartition(":")[0]
        also = f" (also {', '.join(each.removeprefix(file) for each in others)})" if others else ""
        yield f"{first}: {what}{also}"


def main(folders: Iterable[Path]) -> int:
    tallies: dict[str, Tally] = {}
    unread = False
    for folder in folders:
        try:
            for row in rows_of(folder):
                check(row, tallies.setdefault(row.set, Tally()))
        except InputError as error:
            print(f"{error.place}: {error.message}", file=sys.stderr)
            unread = True
    for name, tally in tallies.items():
        logs = f"; logs: {tally.logs_equal} of {tally.logs} equal" if tally.logs else ""
        print(f"{name}: {tally.equal} of {tally.rows} rows equal{logs}")
        for trace in tally.missing:
            print(f"  no trace file: {trace}")
        for line in wrong_lines(tally):
            print(f"  {line}")
        worst = max((each for each in tally.wrong if each[0] < inf), default=None)
        none = "none differs" if tally.equal == tally.rows else "none of those compared differs"
        print(f"  worst row: {f'{worst[1]}: {worst[2]}' if worst else none}")
    if tallies:
        print(", ".join(f"{name} {tally.equal}/{tally.rows} equal" for name, tally in tallies.items()))
    return int(unread or any(tally.equal < tally.rows for tally in tallies.values()))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    cast(TextIOWrapper, sys.stdout).reconfigure(
        errors="backslashreplace"
    )  # for characters that the terminal's encoding lacks
    sys.exit(main(map(Path, sys.argv[1:])))
