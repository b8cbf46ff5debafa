"""Tables of plans (coloured on a terminal, plain text in a pipe, CSV in a file), and their worker processes."""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, fields
from pathlib import Path

import ndpir
from benchmarks.image_networks.plans import PlanJob, Row, row_or_error
from dialects.text.columns import table
from interp.figures import BY_COMPONENT, OF_BOARDS, energy, percent, time
from ndpir.cli.progress import Progress


def shown(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> None:
    """Print a table with a title."""
    if not sys.stdout.isatty():
        print(f"{title}\n\n{table(header, rows, left)}", flush=True)
        return
    from rich.console import Console
    from rich.table import Table

    drawn = Table(title=title, title_justify="left", title_style="bold")
    for index, name in enumerate(header):
        drawn.add_column(name, justify="left" if index in left else "right")
    for row in rows:
        drawn.add_row(*row, style="bold" if "optimal" in row else None)
    Console().print(drawn)


def plans_table(title: str, rows: Sequence[Row]) -> None:
    """Print a table with a row per plan; columns that are empty in all rows are omitted."""
    columns: dict[str, Callable[[Row], str]] = {
        "network": lambda row: row.model,
        "plan": lambda row: row.way,
        "convs": lambda row: time(row.layers_ns) if row.layers_ns else "",
        "speed-up": lambda row: _times(row.base_layers_ns, row.layers_ns),
        "all": lambda row: time(row.sum_ns) if row.sum_ns else "",
        "speed-up ": lambda row: _times(row.base_ns, row.sum_ns),
        "timeline": lambda row: time(row.ns),
        "speed-up  ": lambda row: _times(row.base_ns, row.ns),
        "energy": lambda row: energy(row.nj),
        "ratio": lambda row: f"{row.energy_ratio:.2f}",
        "board": lambda row: energy(row.board_nj) if row.metered else "",
        "ratio ": lambda row: f"{row.board_ratio:.2f}" if row.metered else "",
        "on PIM": lambda row: percent(row.pim_share),
        "bound": lambda row: time(row.bound_ns),
        "gap": lambda row: percent(row.gap),
        "splits": lambda row: time(row.split_bound_ns) if row.split_bound_ns else "",
        "planned in": lambda row: f"{row.plan_seconds:.1f} s" if row.plan_seconds else "",
    }
    cells = {name: [cell(row) for row in rows] for name, cell in columns.items()}
    kept = {name: column for name, column in cells.items() if any(column)}
    shown(title, [name.rstrip() for name in kept], list(zip(*kept.values(), strict=True)), left=(0, 1))


def legend(rows: Sequence[Row]) -> str:
    """Return an explanation of the columns in the table of plans."""
    lines = ["speed-up: over the unpartitioned GPU, which has all memory channels. on PIM: fraction of all flops."]
    if any(row.layers_ns for row in rows):
        lines.append(
            "convs, all: PIMFlow's sums over serial steps, each as long as its slower device; timeline: the placed "
            "program, in which independent work overlaps."
        )
    lines.append(
        "bound: lower bound on schedules of the same tasks; splits: lower bound on all plans, with splits, if no "
        "shard of an op is relatively faster than the fastest of its halves, quarters and eighths."
    )
    lines.append(f"energy: {BY_COMPONENT}.")
    if any(row.metered for row in rows):
        lines.append(f"board: {OF_BOARDS}.")
    return "\n".join(lines) + "\n"


def below_bound(rows: Sequence[Row]) -> list[str]:
    """Return a sentence for each plan whose makespan is shorter than the lower bound of all plans with splits."""
    return [
        f"{row.model}, {row.way} on {row.machine}: ends after {time(row.ns)}, before its lower bound with splits, "
        f"{time(row.split_bound_ns)}: some shards are relatively faster than those that the bound is based on"
        for row in rows
        if row.ns < row.split_bound_ns * (1 - 1e-9)
    ]


def _times(base: float, ns: float) -> str:
    return f"{base / ns:.3f}x" if base and ns else ""


def done(jobs: Sequence[PlanJob], workers: int) -> Iterator[Row | str]:
    """Yield a row or an error message for each job, in the order of the jobs.

    Each job runs in a new process, so that caches are empty at its start.
    """
    context = multiprocessing.get_context("spawn")
    with Progress() as progress, ProcessPoolExecutor(workers, context, max_tasks_per_child=1) as pool:
        futures = [pool.submit(row_or_error, job) for job in jobs]
        progress.doing(f"{len(jobs)} plans")
        for count, _ in enumerate(as_completed(futures), 1):
            progress.step(count, len(jobs))
        for future in futures:
            yield future.result()


def rows_of(jobs: Sequence[PlanJob], workers: int) -> list[Row | None]:
    """Return a row for each job; None for a failed job, whose error is printed to stderr."""
    rows: list[Row | None] = []
    for result in done(jobs, workers):
        if isinstance(result, str):
            print(result, file=sys.stderr)
        rows.append(None if isinstance(result, str) else result)
    return rows


def processes(text: str) -> int:
    """Parse the number of worker processes, 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"`{text[:40]}`: expected a number of processes, 1 or more")
    return int(text)


def writable(text: str) -> Path:
    """Parse the path of an output file. Its folder is checked before the benchmark runs, so that no hours of work are
    lost."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"`{text}` is a folder; expected a file")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"`{text}` can't be written: folder `{path.parent}` does not exist")
    return path


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Add the command-line options that are common to all benchmarks that print rows."""
    parser.add_argument("--csv", type=writable, metavar="FILE", help="write all rows into this file")
    parser.add_argument(
        "--jobs", type=processes, default=1, metavar="N", help="number of processes that plan at the same time"
    )


def drawable(text: str) -> Path:
    """Parse the path of a picture. Its folder is checked before the benchmark runs."""
    path = writable(text)
    if path.suffix not in (".svg", ".png", ".pdf"):
        raise argparse.ArgumentTypeError(f"`{text}`: expected a picture file that ends in .svg, .png or .pdf")
    return path


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write all rows with all figures in ns, nJ and s. Raises InputError if the file can't be written."""
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [field.name for field in fields(Row)])
            writer.writeheader()
            writer.writerows(asdict(row) for row in rows)
    except OSError as error:
        raise ndpir.InputError(f"{path}: can't be written: {(error.strerror or str(error)).lower()}") from None
