"""Traces larger than GPU memory in the accounting of G10's artifact, compared with its published cycles.

    python -m benchmarks oversubscription g10 DIR                        # ideal, demand paging, and G10's plans
    python -m benchmarks oversubscription g10 DIR --cases VIT_1024,BERT_Base_256 --results FILE
    python -m benchmarks oversubscription g10 DIR --aims                 # also DeepUM, other SSDs and host memories
    python -m benchmarks oversubscription g10 DIR --cases VIT_1280 --plan FILE
    python -m benchmarks oversubscription g10 DIR --plan ours            # ndpir's plans, in this accounting

DIR contains `CASE_kernels.csv` and `CASE_tensors.csv` (`ndpir/traces/g10.py`), and optionally
`CASE_g10_plan.csv` (plans of G10), `results.csv` (published cycles; `--results` replaces it) and `bounds.csv` (bytes
that Belady's rule fetches). The accounting (`benchmarks/memory/compatible.py`) is G10's, not ndpir's: times are of the
shorter of two iterations (printed as 1 or 2), and times of faults are rounded to full seconds. The last line has the
largest errors; if one is above its bar (ideal 0, demand paging 0.1 %, plans 0.5 %, Belady's bytes 1 %), the command
ends with status 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import process_time

from benchmarks.memory.belady import fetched_bytes
from benchmarks.memory.compatible import (
    Replayed,
    Settings,
    replay_lookahead,
    replay_plan,
    replay_uvm,
    steps_of,
)
from dialects.diagnostics import InputError
from dialects.tables import read_table
from dialects.text.columns import table
from lowering.memory.plan_file import read_plan
from ndpir.traces.g10 import G10Case, cases, read_g10

BARS = {"ideal": 0.0, "uvm": 0.001, "plan": 0.005}
"""The largest allowed relative error of each policy."""
BELADY_BAR = 0.01
PUBLISHED = {"ideal": "ideal", "uvm": "uvm_lru", "plan": "g10", "lookahead": "deepum_like"}
"""The names of policies in results files, by ndpir's names of the policies."""
COLUMNS = ("experiment", "model", "batch", "parameter", "value", "policy", "cycles_at_1.2GHz")
EXPERIMENTS = ("overall", "batch", "ssd_bandwidth", "host_memory")
"""The experiments whose rows are read; in rows of other experiments, the last column is not a number of cycles."""
OTHER_BOUNDS = (
    *("ideal_cycles", "belady_out_bytes", "link_cycles", "lower_bound_cycles", "uvm_lru", "deepum_like", "g10"),
    *("bound_over_g10", "uvm_over_ideal", "uvm_over_bound"),
)
"""The columns in the table of bounds that are ignored."""
GPU_BYTES = 40 << 30


@dataclass(frozen=True)
class Row:
    """A row of a results file: an experiment with a parameter's value, a policy, and its cycles."""

    experiment: str
    case: str
    value: str
    policy: str
    cycles: int


def read_results(path: Path) -> list[Row]:
    """Read a results file. Rows of failed policies, and rows of experiments that are not in `EXPERIMENTS`, are
    skipped."""
    return [
        Row(
            row["experiment"].text,
            f"{row['model'].text}_{row['batch'].text}",
            row["value"].text,
            row["policy"].text,
            row["cycles_at_1.2GHz"].integer(1),
        )
        for row in read_table(path, "a results file", COLUMNS)
        if row["experiment"].text in EXPERIMENTS and row["cycles_at_1.2GHz"].text != "fail"
    ]


@dataclass
class Report:
    """A table of the results of replays, and the largest error of each policy."""

    published: Mapping[tuple[str, str], int]
    """The published cycles by case and policy."""
    lines: list[Sequence[str]] = field(default_factory=list[Sequence[str]])
    worst: dict[str, float] = field(default_factory=dict[str, float])
    seconds: float = 0.0

    def add(self, case: G10Case, policy: str, run: Callable[[], Replayed] | None, label: str = "") -> None:
        """Replay a case with a policy (`ideal` needs no replay), and record its error against the published cycles."""
        start = process_time()
        replayed = run() if run else None
        seconds = process_time() - start
        self.seconds = max(self.seconds, seconds)
        cycles = replayed.cycles if replayed else case.ideal_cycles
        known = self.published.get((case.name, PUBLISHED.get(policy, policy)))
        error = cycles / known - 1 if known else None
        if error is not None:
            self.worst[policy] = max(self.worst.get(policy, 0.0), abs(error))
        self.lines.append(
            (
                case.name,
                label or policy,
                f"{cycles:,}",
                f"{known:,}" if known else "-",
                "-" if error is None else f"{error * 100:+.2f} %",
                f"{case.ideal_cycles / cycles * 100:.1f} %",
                str(replayed.iterations.index(cycles) + 1) if replayed else "-",
                f"{seconds:.1f} s",
            )
        )

    def text(self) -> str:
        """Return the table as text."""
        head = ("case", "policy", "cycles", "published", "error", "of ideal", "iteration", "replayed in")
        return table(head, self.lines, left=(0, 1))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark with the given arguments; return the exit status."""
    options = _options(arguments)
    try:
        return _g10(options)
    except InputError as error:
        print(f"{error.place}: error: {error.message}" if error.place else f"error: {error.message}", file=sys.stderr)
        return 1


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    title, _, description = (__doc__ or "").partition("\n")
    name = "python -m benchmarks oversubscription g10"
    parser = argparse.ArgumentParser(name, description=title, epilog=description, formatter_class=_AsWritten)
    parser.add_argument(
        "folder", metavar="DIR", type=Path, help="directory with tables of kernels and tensors, plans, results"
    )
    parser.add_argument("--cases", metavar="CASE,…", help="cases, such as VIT_1024 (default: all with tables)")
    parser.add_argument("--results", metavar="FILE", type=Path, help="published cycles, in addition to DIR/results.csv")
    parser.add_argument("--aims", action="store_true", help="also DeepUM, SSD bandwidths and host memory sizes")
    parser.add_argument("--plan", metavar="FILE", help="replay this plan; `ours`: replay our plans")
    return parser.parse_args(arguments)


class _AsWritten(argparse.RawDescriptionHelpFormatter):
    """A formatter that keeps the line breaks of the help text."""


def _g10(options: argparse.Namespace) -> int:
    folder: Path = options.folder
    names = [name.strip() for name in options.cases.split(",")] if options.cases else cases(folder)
    if options.plan and options.plan != "ours" and len(names) != 1:
        raise InputError("--plan FILE needs exactly one case; name it, as in --cases VIT_1280")
    read = [read_g10(folder, name) for name in names]
    rows = read_results(folder / "results.csv") if (folder / "results.csv").exists() else []
    rows += read_results(options.results) if options.results else []
    plain = {(row.case, row.policy): row.cycles for row in rows if row.experiment in ("overall", "batch")}
    report = Report(plain)
    for case in read:
        report.add(case, "ideal", None)
        report.add(case, "uvm", partial(replay_uvm, case))
        given = folder / f"{case.name}_g10_plan.csv"
        if given.exists():
            steps = steps_of(read_plan(given, case.trace), case.trace)
            report.add(case, "plan", partial(replay_plan, case, steps))
        if options.plan:
            _add_plan(report, case, options.plan)
    print(report.text())
    print(f"slowest replay {report.seconds:.1f} s of a processor")
    failed = _belady(folder, read)
    if options.aims:
        _aims(read, rows, plain)
    worst = {policy: report.worst[policy] for policy in BARS if policy in report.worst}
    print("g10 worst: " + " ".join(f"{policy} {error * 100:.2f} %" for policy, error in worst.items()))
    return int(failed or any(error > BARS[policy] for policy, error in worst.items()))


def _add_plan(report: Report, case: G10Case, plan: str) -> None:
    """Replay a plan from a file, or ndpir's plan, in G10's accounting."""
    if plan == "ours":
        from benchmarks.memory.our_plans import planned_steps  # needs OR-tools

        report.add(case, "ours", partial(replay_plan, case, planned_steps(case.trace, Settings())))
    else:
        report.add(
            case, "own", partial(replay_plan, case, steps_of(read_plan(plan, case.trace), case.trace)), "this plan"
        )


def _belady(folder: Path, read: Sequence[G10Case]) -> bool:
    """Compare the bytes fetched by Belady's rule with the table of bounds; return True if an error is above the bar."""
    bounds = folder / "bounds.csv"
    if not bounds.exists():
        return False
    known = {row.case: row.cycles for row in _bounds(bounds)}
    errors = {
        case.name: abs(fetched_bytes(case.trace, GPU_BYTES) - known[case.name]) / max(1, known[case.name])
        for case in read
        if case.name in known
    }
    if errors:
        print(f"bytes that Belady's rule fetches: {max(errors.values()) * 100:.2f} % off at most, {len(errors)} cases")
    return any(error > BELADY_BAR for error in errors.values())


def _bounds(path: Path) -> Iterator[Row]:
    for row in read_table(path, "a table of bounds", ("model", "batch", "belady_in_bytes"), OTHER_BOUNDS):
        name = f"{row['model'].text}_{row['batch'].text}"
        yield Row("bounds", name, "", "belady", row["belady_in_bytes"].integer())


def _aims(read: Sequence[G10Case], rows: Sequence[Row], plain: Mapping[tuple[str, str], int]) -> None:
    """Print the errors of rows for which there is no bar: DeepUM, other SSD bandwidths, and other sizes of host
    memory."""
    report = Report(plain)
    for case in read:
        if (case.name, PUBLISHED["lookahead"]) in plain:
            report.add(case, "lookahead", partial(replay_lookahead, case))
    for row in rows:
        case = next((case for case in read if case.name == row.case), None)
        replay = {"uvm_lru": replay_uvm, "deepum_like": replay_lookahead}.get(row.policy)
        if case is None or replay is None or row.experiment in ("overall", "batch"):
            continue
        if row.experiment == "ssd_bandwidth":
            settings = Settings(link_gbps=32.0, ssd_gbps=float(row.value))
        else:
            settings = Settings(host_gib=float(row.value))
        one = Report({(case.name, row.policy): row.cycles})
        one.add(case, row.policy, partial(replay, case, settings), f"{row.policy}, {row.experiment} {row.value}")
        report.lines += one.lines
        policy = f"{row.experiment} {row.policy}"
        report.worst[policy] = max(report.worst.get(policy, 0.0), one.worst[row.policy])
    print(report.text())
    for policy, error in report.worst.items():
        print(f"{policy}: {error * 100:.2f} % off at most")
