"""Speed of the simulation of bank programs, compared with the C++ simulators' wall times.

    python benchmarks/pim_speed.py [DIR…]

A directory has the form that `pim_cycles.py` describes; the C++ wall times come from its `results.csv`. A ratio is the
C++ time divided by ndpir's time; bars are required ratios. Four comparisons are made in one process, without the time
of imports:

- GEMVs of 4096 x 1024 and larger (rows `g_OUTxIN_…`): the simulation of the trace's program in memory (bar: 20x); also
  with the time to parse its `pim` text, and with the time to read the flat trace;
- flat traces of 10,000 lines or more: read and simulated (bar: 1x). Shorter traces are repeated to this length, and
  their C++ time is multiplied by the number of repetitions;
- traces of that length without repetition (`bank_traces/irregular.py`), whose C++ times were measured once (bar: 1x);
- a GEMV of 65536 x 16384, written by templates: its time divided by that of a GEMV of 4096 x 4096 (bar: at most 2x).

Without a directory only the last two comparisons are made.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer

from dialects.diagnostics import InputError, note
from dialects.pim import KernelOp, Pim
from interp.kinds.pim.timing.clock import forget, kernel_time
from lowering.banks.products.mapping import Product
from lowering.banks.products.search import FoundMapping, search
from ndpir.traces.reading import read_trace
from ndpir.traces.timing import trace_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # another installed package may be called benchmarks
from benchmarks.bank_traces.irregular import IRREGULAR, Irregular
from benchmarks.pim_cycles import Row, rows_of, sheet, text_of

RUNS = 9
LEAST_MULTIPLIES = 4096 * 1024
LEAST_LINES = 10_000
SHEETS = (
    *("aim", "aim_ramulator", "aim_lpddr5", "aim_lpddr5_ramulator", "newton", "newton_plus", "newton_pimflow"),
    *("attacc", "attacc_bg", "attacc_buffer", "attacc_ramulator", "attacc_bg_ramulator", "attacc_buffer_ramulator"),
    "hbm_pim",
)
GEMV = re.compile(r"g_(\d+)x(\d+)_")

Result = TypeVar("Result")


@dataclass(frozen=True)
class Ratio:
    """A comparison of two wall times in s: the C++ program's time divided by ndpir's."""

    name: str
    ours_s: float
    theirs_s: float

    @property
    def times(self) -> float:
        return self.theirs_s / self.ours_s

    def __str__(self) -> str:
        return f"{self.name:<62} {self.ours_s * 1e3:9.2f} ms {self.theirs_s * 1e3:9.1f} ms {self.times:8.2f}x"


def timed(work: Callable[[], Result]) -> float:
    """Return the least wall time in s of several runs of `work`, each with empty caches."""
    times: list[float] = []
    for _ in range(RUNS):
        forget()
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def as_text(kernel: KernelOp) -> str:
    output = StringIO()
    Printer(output).print_op(ModuleOp([kernel.clone()]))
    return output.getvalue()


def parsed(text: str) -> KernelOp:
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(Pim)
    module = Parser(context, text).parse_module()
    kernel = module.body.block.first_op
    assert isinstance(kernel, KernelOp)
    return kernel


def program_ratios(row: Row) -> list[Ratio]:
    """Return three ratios for a GEMV: with its program in memory, with parsing of the program, and with its flat
    trace."""
    assert row.file is not None
    assert row.wall_s is not None
    pim, trace = sheet(row.sheet), text_of(row.file)
    kernel = read_trace(trace, pim, str(row.file))
    text = as_text(kernel)
    return [
        Ratio(f"{row.name}: program", timed(lambda: kernel_time(kernel, pim)), row.wall_s),
        Ratio("  parsed too", timed(lambda: kernel_time(parsed(text), pim)), row.wall_s),
        Ratio(
            f"  flat trace of {trace.count(chr(10))} lines",
            timed(lambda: trace_time(trace, pim)),
            row.wall_s,
        ),
    ]


def flat_ratio(row: Row) -> Ratio | None:
    """Return the ratio for a flat trace, repeated until it has enough lines; None if the row has no such trace."""
    assert row.file is not None
    assert row.wall_s is not None
    pim, trace = sheet(row.sheet), text_of(row.file)
    lines = trace.count("\n")
    if lines < LEAST_LINES // 4:
        return None
    copies = -(-LEAST_LINES // lines)
    end = "AiM EOC\n" if trace.endswith("AiM EOC\n") else ""
    long = trace.removesuffix(end) * copies + end
    name = f"{row.name}: {long.count(chr(10))} lines" + (f", {copies} times the trace" if copies > 1 else "")
    return Ratio(name, timed(lambda: trace_time(long, pim)), row.wall_s * copies)


def irregular_ratio(trace: Irregular) -> Ratio:
    """Return the ratio for a trace without loops, which is read and simulated only once, since this takes seconds."""
    pim, text = sheet(trace.sheet), trace.text
    start = perf_counter()
    cycles = trace_time(text, pim).cycles
    taken = perf_counter() - start
    equal = "" if cycles == trace.cycles else f", {cycles} cycles and not {trace.cycles}"
    return Ratio(f"{trace.name}: {text.count(chr(10))} lines{equal}", taken, trace.wall_s)


def growth(name: str) -> tuple[float, float] | None:
    """Return the times in s to simulate GEMVs of 4096 x 4096 and of 65536 x 16384; None if the device has no GEMV."""
    pim = sheet(name)
    found: list[float] = []
    for outputs, inner in ((4096, 4096), (65536, 16384)):
        plan = search(Product(1, 1, outputs, inner, pim.element), pim)
        if not isinstance(plan, FoundMapping):
            return None
        found.append(timed(lambda kernel=plan.kernel: kernel_time(kernel, pim)))
    return found[0], found[1]


def main(folders: Iterable[Path]) -> int:
    given = [row for folder in folders for row in rows_of(folder)]
    for row in given:
        if row.fault:
            note(row.fault, row.place)
    rows = [row for row in given if row.file is not None and row.wall_s is not None]
    programs = [
        ratio
        for row in rows
        if (size := GEMV.match(row.trace)) and int(size[1]) * int(size[2]) >= LEAST_MULTIPLIES
        for ratio in program_ratios(row)
    ]
    flats = [ratio for row in rows if (ratio := flat_ratio(row)) is not None]
    irregular = [irregular_ratio(trace) for trace in IRREGULAR]
    titles = "GEMVs of 4096 x 1024 and larger", "Flat traces", "Flat traces without loops"
    for title, ratios in zip(titles, (programs, flats, irregular), strict=True):
        if ratios:
            print(f"{title + ':':<62} {'ndpir':>12} {'C++':>12}")
            print("\n".join(map(str, ratios)))
    print("Simulation of a GEMV of 4096 x 4096, and of one of 65536 x 16384:")
    worst = 0.0
    for name in SHEETS:
        if (found := growth(name)) is None:
            continue
        small, large = found
        worst = max(worst, large / small)
        print(f"  {name:<20} {small * 1e3:8.2f} ms {large * 1e3:8.2f} ms {large / small:6.2f}x")
    times = [ratio.times for ratio in programs if ratio.name.endswith("program")]
    summary = [
        *([f"GEMV programs at least {min(times):.0f}x as fast as C++ (bar 20x)"] if times else []),
        *([f"flat traces at least {min(ratio.times for ratio in flats):.1f}x (bar 1x)"] if flats else []),
        f"traces without loops at least {min(ratio.times for ratio in irregular):.2f}x (bar 1x)",
        f"the larger GEMV takes at most {worst:.2f}x the smaller one's time (bar 2x)",
    ]
    print("; ".join(summary))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(map(Path, sys.argv[1:])))
    except InputError as error:
        sys.exit(f"{error.place}: {error.message}")
