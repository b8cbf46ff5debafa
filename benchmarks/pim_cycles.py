"""Cycles, command logs and energy of published PIM simulators, row by row, against ours on the same traces.

    python benchmarks/pim_cycles.py DIR…

A directory holds `results.csv`, `traces/` and `commands/` (logs of some traces, NAME.csv or NAME.CONFIG.csv), or
PIMFlow's `golden_cycles.csv` beside its traces. The columns of a row select the sheet that reads as its simulator does.
A row is equal if all that is given for it is: its cycles, its log line by line, the SHA-256 of its log, its energy
within 0.1 %. Exits with 1 unless all rows are.
"""

from __future__ import annotations

import csv
import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from dialects.diagnostics import InputError
from dialects.pim import KernelOp
from interp.bank_clock import Run, kernel_time
from interp.bank_gaps import Channel, Passed
from interp.bank_program import Issue, Step, programs_of
from interp.bank_streams import stream_of
from interp.managed_clock import command_log
from interp.requests.channel import Issued
from interp.requests.kernel import is_reordered, requests_of
from interp.requests.run import run_requests
from interp.sheet import Pim
from interp.sheets import load_device
from ndpir.frontends.traces import read_trace

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
"""The sheet that reads as a simulator does, by the set and the columns below."""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "attacc": ("mode", "refresh"),
    "newton": ("config",),
    "pimflow": ("gwrite_latency_hiding",),
    "aim": ("config",),
}
"""The columns that tell configurations of a simulator apart."""

MARKS = {
    "attacc": "mode",
    "newton": "total_energy_J",
    "pimflow": "gwrite_latency_hiding",
    "aim": "command_log_sha256_16",
}
"""A column that only the results of this set have."""

LOGGED = {"aim": 31}
"""The channel that a set's logs are of; 0 for the others."""

ENERGY_TOLERANCE = 1e-3


@dataclass(frozen=True)
class Row:
    """A run of a simulator, and where its trace and its log should be."""

    set: str
    trace: str
    sheet: str
    cycles: int
    file: Path | None
    log: Path | None
    digest: str
    energy_j: float | None
    wall_s: float | None

    @property
    def name(self) -> str:
        return f"{self.trace} ({self.sheet})"


@dataclass
class Tally:
    """What became of a set's rows."""

    rows: int = 0
    equal: int = 0
    logs: int = 0
    logs_equal: int = 0
    wrong: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    """How far a row is off, and what is."""
    missing: list[str] = field(default_factory=list[str])


def rows_of(folder: Path) -> Iterator[Row]:
    """The rows of a directory. Raises SystemExit for one that holds no results."""
    golden = next((at for at in (folder, folder / "golden_traces") if (at / "golden_cycles.csv").exists()), None)
    results = golden / "golden_cycles.csv" if golden else folder / "results.csv"
    if not results.exists():
        sys.exit(f"{folder}: there is neither results.csv nor golden_cycles.csv")
    with results.open(encoding="utf-8", newline="") as text:
        for given in csv.DictReader(text):
            set_ = next((name for name, mark in MARKS.items() if mark in given), "aim")
            name = given.get("trace") or given["file"]
            key = set_, *(given[column] for column in COLUMNS[set_])
            at = (golden or folder / "traces") / name
            file = at if at.is_file() else at.with_name(f"{name}.trace")
            yield Row(
                set=set_,
                trace=name,
                sheet=SHEETS.get(key, " ".join(key)),
                cycles=int(given.get("cycles") or given["dram_cycles"]),
                file=file if file.is_file() else None,
                log=_log_of(folder / "commands", name, key[1]),
                digest=given.get("command_log_sha256_16") or "",
                energy_j=float(given["total_energy_J"]) if given.get("total_energy_J") else None,
                wall_s=float(given["wall_s"]) if given.get("wall_s") else None,
            )


def _log_of(folder: Path, trace: str, config: str) -> Path | None:
    stem = Path(trace).stem
    files = [folder / f"{stem}.{config}.csv", *([folder / f"{stem}.csv"] if config == "default" else [])]
    return next((file for file in files if file.is_file()), None)


@cache
def sheet(name: str) -> Pim:
    record = load_device(name)
    assert isinstance(record, Pim)
    return record


def differences(row: Row) -> Iterator[tuple[float, str]]:
    """What of a row is not equal, and by how much."""
    assert row.file is not None
    pim = sheet(row.sheet)
    kernel = read_trace(row.file.read_text(encoding="utf-8"), pim, str(row.file))
    time = kernel_time(kernel, pim)
    if time.cycles != row.cycles:
        yield abs(time.cycles / row.cycles - 1), f"{time.cycles} cycles, not {row.cycles}"
    if row.energy_j is not None:
        ours = sum(time.energy_nj.values()) * 1e-9
        off = abs(ours - row.energy_j) / row.energy_j if row.energy_j else float(ours != 0)
        if off > ENERGY_TOLERANCE:
            yield off, f"{ours:.6g} J, not {row.energy_j:.6g} J"


def log_difference(row: Row) -> str | None:
    """Where a row's log differs from ours, in words."""
    assert row.file is not None
    pim = sheet(row.sheet)
    kernel = read_trace(row.file.read_text(encoding="utf-8"), pim, str(row.file))
    ours = list(log_lines(kernel, pim, LOGGED.get(row.set, 0)))
    if row.log is not None:
        header, *theirs = row.log.read_text(encoding="utf-8").splitlines()
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
    """`cycle,command,bank,row` for each command of a channel."""
    if is_reordered(kernel, pim):
        log: list[Issued] = []
        run_requests(requests_of(kernel, pim), pim, log, channel)
        yield from (",".join(map(str, issued)) for issued in log)
    elif pim.rows_by == "controller":
        _, found = command_log(stream_of(kernel, pim, unrolled=True), pim, channel)
        yield from (",".join(map(str, logged)) for logged in found)
    else:
        yield from _program_log(next(p.steps for p in programs_of(kernel, pim) if channel in p.channels), pim)


class _Recording(Run):
    """A run that keeps when each command issued."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self.moments: list[int] = []

    def _advance(self, passed: Passed) -> None:
        super()._advance(passed)
        self.moments.append(self.now)


def _program_log(steps: tuple[Step, ...], pim: Pim) -> Iterator[str]:
    """Commands of a channel whose program opens its rows, and its refreshes."""
    channel = Channel(pim, steps)
    run = _Recording(channel)
    for issue in _unrolled(steps):
        before = run.precharges, run.refreshes
        run.walk(channel.sequence((issue,)))
        yield from _named(run, before, issue, pim)
    before = run.precharges, run.refreshes
    run.finish()
    yield from _named(run, before, None, pim)


def _named(run: _Recording, before: tuple[int, int], issue: Issue | None, pim: Pim) -> Iterator[str]:
    names = [pim.verbs["pre"].mnemonic] * (run.precharges - before[0])
    names += [pim.verbs["refresh"].mnemonic] * (run.refreshes - before[1])
    if issue is not None:
        slot = issue.slot
        form = pim.verbs[slot.verb].forms[slot.scope]
        names.append(form.mnemonic + ("" if slot.scope == "all" else str(slot.unit)))
    for moment, name in zip(run.moments, names, strict=True):
        yield f"{moment},{name}"
    run.moments.clear()


def _unrolled(steps: Iterable[Step]) -> Iterator[Issue]:
    for step in steps:
        if isinstance(step, Issue):
            yield from (Issue(step.slot) for _ in range(step.times))
        else:
            for _ in range(step.times):
                yield from _unrolled(step.body)


def check(row: Row, tally: Tally) -> None:
    """Compare a row, and count it."""
    tally.rows += 1
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
        wrong = [(float("inf"), f"{error.place}: {error.message}")]
    except Exception as error:  # a defect of ours is a wrong row, and no end of the comparison
        wrong = [(float("inf"), f"{type(error).__name__}: {error}")]
    if not wrong:
        tally.equal += 1
    tally.wrong += [(off, f"{row.name}: {what}") for off, what in wrong]


def main(folders: Iterable[Path]) -> int:
    tallies: dict[str, Tally] = {}
    for folder in folders:
        for row in rows_of(folder):
            check(row, tallies.setdefault(row.set, Tally()))
    for name, tally in tallies.items():
        logs = f"; logs: {tally.logs_equal} of {tally.logs} equal" if tally.logs else ""
        print(f"{name}: {tally.equal} of {tally.rows} rows equal{logs}")
        for trace in tally.missing:
            print(f"  no trace file: {trace}")
        for _, what in sorted(tally.wrong, key=lambda each: -each[0]):
            print(f"  {what}")
        worst = max(tally.wrong, default=None)
        print(f"  worst row: {worst[1] if worst else 'none differs'}")
    print(", ".join(f"{name} {tally.equal}/{tally.rows} equal" for name, tally in tallies.items()))
    return int(any(tally.equal < tally.rows for tally in tallies.values()))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(map(Path, sys.argv[1:])))
