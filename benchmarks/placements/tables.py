"""Tables of placements: makespans and gaps of each policy's plans, for serial and for overlapped devices; and violated
guarantees."""

from __future__ import annotations

import csv
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from statistics import mean

import ndpir
from benchmarks.image_networks.tables import shown
from benchmarks.placements.rows import Case, CaseOutcome, Row, row_or_error
from interp.figures import count, percent, time
from ndpir.cli.progress import Progress

EQUAL = 1e-9
"""The relative difference of times below which they count as equal."""

Measure = Callable[[CaseOutcome], float]
"""A function that returns the time of an outcome for a table: the serial time, or the makespan of overlapped
devices."""


def serial(outcome: CaseOutcome) -> float:
    return outcome.serial_ns


def side_by_side(outcome: CaseOutcome) -> float:
    return outcome.ns


def rows_of(cases: Sequence[Case], limit_s: float, replay: bool, workers: int) -> Iterator[Row]:
    """Yield a row for each case that can run; print errors of other cases to stderr."""
    context = multiprocessing.get_context("spawn")
    with Progress() as progress, ProcessPoolExecutor(workers, context) as pool:
        futures = [pool.submit(row_or_error, case, limit_s, replay) for case in cases]
        progress.doing(f"{len(cases)} programs")
        for number, _ in enumerate(as_completed(futures), 1):
            progress.step(number, len(cases))
        results = [future.result() for future in futures]
    for result in results:
        if isinstance(result, str):
            print(result, file=sys.stderr)
        else:
            yield result


def columns_of(row: Row, measure: Measure) -> dict[str, CaseOutcome]:
    """Return the outcomes in a table's columns: of each device alone, of the best priority list of devices, and of all
    other policies."""
    lists = row.like("list")
    shown = {outcome.policy: outcome for outcome in row.like("alone")}
    if lists:
        shown["best list"] = min(lists, key=measure)
    return shown | {name: row.of(name) for name in ("greedy", "effort 1", "path", "optimal") if row.has(name)}


def placements_table(title: str, rows: Sequence[Row], measure: Measure) -> None:
    """Print a table of times with a row per program, and below it a table of their gaps to the lower bound."""
    known = [columns_of(row, measure) for row in rows]
    names = list(dict.fromkeys(name for columns in known for name in columns))
    if measure is serial:
        names = [
            name for name in names if name not in ("effort 1", "optimal")
        ]  # these policies minimise the overlapped time
    bounds = [row.serial_bound_ns if measure is serial else row.bound_ns for row in rows]
    header = ["program", "kernels", "runs", *names, "bound"]
    times: list[list[str]] = []
    gaps: list[list[str]] = []
    for row, columns, bound in zip(rows, known, bounds, strict=True):
        reached = [measure(columns[name]) if name in columns else None for name in names]
        runs = f"{row.runs[0]} + {row.runs[1]}, or {row.together}"
        times.append(
            [row.case.name, str(row.nodes), runs, *("" if ns is None else time(ns) for ns in reached), time(bound)]
        )
        gaps.append([row.case.name, *("" if ns is None else percent(_gap(ns, bound)) for ns in reached)])
    shown(title, header, times)
    shown("gap to the lower bound", ["program", *names], gaps)


def _gap(ns: float, bound: float) -> float:
    """Return a time divided by a bound, minus 1; 0 if time and bound differ only by rounding."""
    return 0.0 if abs(ns - bound) <= bound * EQUAL else ns / bound - 1


def seconds_table(rows: Sequence[Row]) -> None:
    """Print a table of the time that each policy took to decide."""
    names = ("greedy", "effort 1", "path", "optimal")
    cells = [
        [row.case.name, *(f"{row.of(name).seconds:.2f} s" if row.has(name) else "" for name in names)] for row in rows
    ]
    shown("to decide", ["program", *names], cells)


def better(rows: Sequence[Row], policy: str, than: str, measure: Measure) -> str:
    """Return a sentence with the number of cases in which policy `policy` is better than policy `than`, and its gains.

    The name `list` stands for the best of all lists of devices.
    """
    gains: list[float] = []
    worse = 0
    for row in rows:
        others = row.like(than)
        if others and row.has(policy):
            gain = min(map(measure, others)) / measure(row.of(policy)) - 1
            gains.append(max(0.0, gain))
            worse += gain < -EQUAL
    if not gains:
        return ""
    strictly = sum(gain > EQUAL for gain in gains)
    other = "the best list of devices" if than == "list" else than
    return (
        f"{policy} beats {other} in {strictly} of {len(gains)}, by {percent(mean(gains))} on average and "
        f"{percent(max(gains))} at most; worse in {worse}\n"
    )


def violations(rows: Sequence[Row]) -> list[str]:
    """Return a sentence for each guarantee that a row violates: that a policy's plan is the best, that no plan is
    better than a lower bound, and that predicted times equal simulated times."""
    found: list[str] = []
    for row in rows:
        name = f"{row.case.name} on {row.case.machine}"
        for measure, policy, others, word in (
            (serial, "path", [*row.like("list"), *row.like("greedy")], "serially"),
            (side_by_side, "optimal", row.outcomes, "overlapped"),
        ):
            if row.has(policy):
                least = min(others, key=measure, default=row.of(policy))
                if measure(least) < measure(row.of(policy)) * (1 - EQUAL):
                    found.append(f"{name}: {least.policy} is better than {policy}, {word}")
        if min((outcome.ns for outcome in row.outcomes), default=row.bound_ns) < row.bound_ns * (1 - EQUAL):
            found.append(f"{name}: a plan ends before the lower bound")
        least_serial = min((outcome.serial_ns for outcome in row.outcomes), default=row.serial_bound_ns)
        if least_serial < row.serial_bound_ns * (1 - EQUAL):
            found.append(f"{name}: the serial time of a plan is below the bound on serial plans")
        if row.replayed is False:
            found.append(f"{name}: the timeline of a plan does not end at the predicted time")
    return found


def compared(every: Sequence[Row], measure: Measure) -> None:
    """Print comparisons between policies, and violated guarantees."""
    rows = [row for row in every if row.outcomes]
    for row in every:
        if not row.outcomes:
            print(f"{row.case.name} on {row.case.machine}: no policy's plan fits into memory; it does not count below")
    if measure is serial:
        print(better(rows, "path", "list", measure) + better(rows, "path", "greedy", measure), end="")
        print(f"path is proven optimal in {sum(row.exact for row in rows)} of {len(rows)}\n")
    else:
        lines = (better(rows, "optimal", than, measure) for than in ("list", "greedy", "effort 1", "path"))
        print("".join(lines))
    wrong = violations(rows)
    replayed = sum(row.replayed is True for row in rows)
    kept = "path never worse than a list or greedy, optimal never worse than any, no plan below a bound"
    print("".join(f"{sentence}\n" for sentence in wrong) or f"{kept}: held in {count(len(rows), 'program')}")
    if replayed:
        print(
            f"every plan's timeline ends at the predicted time: held in {replayed} of {count(len(rows), 'program')}\n"
        )


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write a line for each outcome with all figures in ns and s. Raises InputError if the file can't be written."""
    header = ("program", "length", "machine", "set", "kernels", "policy", "ns", "serial_ns", "seconds", "bound_ns")
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow((*header, "serial_bound_ns", "runs_nodes", "runs_copies", "runs_together"))
            for row in rows:
                case = row.case
                for each in row.outcomes:
                    which = (case.program, case.length, case.machine, " ".join(case.changes), row.nodes)
                    what = (each.policy, each.ns, each.serial_ns, each.seconds, row.bound_ns, row.serial_bound_ns)
                    writer.writerow((*which, *what, *row.runs, row.together))
    except OSError as error:
        raise ndpir.InputError(f"{path}: can't be written: {(error.strerror or str(error)).lower()}") from None
