"""`ndp-sweep show RESULTS`: the Pareto front of a sweep and the effect of each axis, as tables, plots and a report."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict

import msgspec

from dialects.files import check_writable, write_text
from dialects.text.columns import table
from dialects.text.printable import printable
from dialects.text.suggestions import hint
from interp.figures import percent
from ndpir.cli.ending import DONE
from ndpir.cli.flags import add_flags, parser_of
from ndpir.cli.output import write_data, write_stdout
from ndpir.diagnostics.usage import UsageError
from ndpir.sweep.analysis import failure_text, failures, number_in, number_text, pareto, sensitivities
from ndpir.sweep.drawing import effects_plot, pareto_plot
from ndpir.sweep.journal import Row, axes_in, figures_in
from ndpir.sweep.remarks import remarks, ties
from ndpir.sweep.report import report_html
from ndpir.sweep.tables import csv_text, read_rows

MOST_ROWS = 30
"""The largest number of rows of the Pareto front that are printed; the results file has all rows."""
TYPES = "types"
"""The column with the element types in which a point computes."""
_EPILOG = """\
examples:
  ndp-sweep show results.sqlite                            the tables; also while the sweep is still running
  ndp-sweep show results.sqlite --pareto speed_up,energy_nj --sensitivity energy_nj
  ndp-sweep show results.sqlite --plot results.svg --report results.html
  ndp-sweep show results.sqlite --csv > results.csv"""


_FLAGS = """
file RESULTS  a file that ndp-sweep wrote (.sqlite, .parquet, .csv)
--pareto A,B  the figures of the Pareto front (default makespan_ns,energy_nj)
--sensitivity FIGURE  the figure of which to show the dependence
--plot FILE.svg  write a plot
--kind  the plot: the front, or the effect of each axis
--report FILE.html  write tables and plots as one page
--csv  print all rows as CSV instead of the tables
--json  print front, effects and failures as JSON instead of the tables
"""


def main(words: Sequence[str]) -> int:
    """Run `ndp-sweep show` with the arguments `words`; returns the exit status."""
    args = _parsed(words)
    if args.file is None:
        raise UsageError("no results are given; name a file that ndp-sweep wrote")
    for path in (args.plot, args.report):
        check_writable(path)
    rows = read_rows(args.file)
    figures = figures_in(rows)
    front, effect = args.pareto.split(","), args.sensitivity
    good = [row for row in rows if not row.error]
    if good:
        for name in (*front, effect):
            if name not in figures:
                raise UsageError(
                    f"{args.file} has no figure `{name}`{hint(name, figures)} (it has {', '.join(figures)})"
                )
    if args.csv:
        write_data(csv_text(rows))
    elif args.json:
        write_data(_json(rows, front, effect))
    else:
        write_stdout(tables(rows, front, effect))
    if args.plot is not None:
        plot = pareto_plot(rows, front) if args.kind == "pareto" else effects_plot(rows, effect)
        write_text(args.plot, plot.file())
    if args.report is not None:
        write_text(args.report, report_html(args.file, rows, front, effect))
    return DONE


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = parser_of(
        "ndp-sweep show",
        usage="ndp-sweep show RESULTS [flags]",
        description="Shows the results of a sweep: the points that no other beats, and how much each axis matters.",
        epilog=_EPILOG,
        takes="results file",
    )
    add_flags(
        parser,
        _FLAGS,
        file={"nargs": "?"},
        pareto={"default": "makespan_ns,energy_nj"},
        sensitivity={"default": "makespan_ns"},
        kind={"choices": ("pareto", "effects"), "default": "pareto"},
    )
    return parser.parse_args(words)


def tables(rows: Sequence[Row], front: Sequence[str], effect: str) -> str:
    """The tables that `ndp-sweep show` prints. `front`: the figures of the Pareto front; `effect`: the figure for which
    the effects of all axes are shown."""
    good = [row for row in rows if not row.error]
    failed = [row for row in rows if row.error]
    text = f"{len(rows)} points, {len(failed)} failed\n"
    text += "".join(f"{line}\n" for line in remarks(good, effect))
    if good:
        best = pareto(good, front)
        text += f"\nPareto front: {len(best)} of {len(good)} points that no other beats in {' and '.join(front)}\n"
        axes = axes_in(good)
        types = [TYPES] if any(TYPES in row.figures for row in good) else []  # older results lack it
        cells = [
            [number_text(row.point.get(name)) for name in axes]
            + [number_text(number_in(row, f)) for f in front]
            + [number_text(row.figures.get(name)) for name in types]
            for row in best[:MOST_ROWS]
        ]
        text += _table([[*axes, *front, *types], *cells])
        text += f"… and {len(best) - MOST_ROWS} more\n" if len(best) > MOST_ROWS else ""
        text += "".join(f"{line}\n" for line in ties(good, best[:MOST_ROWS], front))
        text += f"\neffect of each axis on {effect}, mean over all other axes\n"
        head = ["axis", "best at", "mean", "worst at", "mean", "explains", "elasticity"]
        lines = [
            [
                each.axis,
                each.best,
                number_text(each.best_mean),
                each.worst,
                number_text(each.worst_mean),
                percent(each.explained),
                "" if each.elasticity is None else f"{each.elasticity:+.3f}",
            ]
            for each in sensitivities(good, effect)
        ]
        text += _table([head, *lines])
    if failed:
        text += "\nfailed\n"
        groups = failures(failed)
        text += "".join(f"{printable(f'{failure_text(each)}: {each.error}')}\n" for each in groups[:MOST_ROWS])
        text += f"… and {len(groups) - MOST_ROWS} other errors\n" if len(groups) > MOST_ROWS else ""
    return text


def _table(lines: Sequence[Sequence[str]]) -> str:
    """A table as text, under the first of `lines`; columns with numbers are aligned right."""
    left = [
        at
        for at, column in enumerate(zip(*lines[1:], strict=True))
        if not any(cell[:1].isdigit() or cell[:1] in "+-" for cell in column if cell)
    ]
    return table(lines[0], lines[1:], left)


def _json(rows: Sequence[Row], front: Sequence[str], effect: str) -> str:
    good = [row for row in rows if not row.error]
    best = pareto(good, front)
    found = {
        "schema": "ndpir-sweep/1",
        "points": len(rows),
        "failed": [{"point": dict(row.point), "error": row.error} for row in rows if row.error],
        "pareto": [{**row.point, **row.figures} for row in best],
        "pareto_figures": list(front),
        "remarks": remarks(good, effect),
        "ties": ties(good, best, front),
        "sensitivity_of": effect,
        "sensitivities": [asdict(each) for each in sensitivities(good, effect)] if good else [],
    }
    return msgspec.json.format(json.dumps(found, allow_nan=False), indent=2) + "\n"
