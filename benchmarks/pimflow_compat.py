"""Check that ndpir's PIMFlow-compatible code generator and clock reproduce a table of PIMFlow's results.

    python benchmarks/pimflow_compat.py pim_cycles_by_shape.csv

A row describes a layer, its split between GPU and PIM, the number of global buffers, and whether latencies of buffer
loads are hidden. Its results are commands, cycles and energy of the first PIM channel, from the published generator and
simulator (columns: tests/data/pimflow/README.md).
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dialects.diagnostics import InputError
from dialects.text.columns import table
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from lowering.banks.pimflow.codegen import Layer, channel_kernel

SHEETS = {"1": "newton_pimflow", "0": "newton_plus_pimflow"}
"""The sheets for hidden (key 1) and visible (key 0) latencies of buffer loads."""
LAYER = ("I_c", "H", "W", "O_c", "KH", "KW", "PH", "PW", "stride")
COMMANDS = {"ch16_GWRITE": "load", "ch16_G_ACT": "act", "ch16_COMP": "mac", "ch16_READRES": "drain"}
TOLERANCE = 0.002
"""The largest relative difference of cycles at which a row that is not equal is accepted."""
NEEDED = (*LAYER, "gpu_ratio_pct", "n_gwrite_max", "gwrite_latency_hiding", "rewrite", "ch16_dram_cycles", *COMMANDS)


@dataclass(frozen=True)
class Compared:
    """A row of the table compared with ndpir's results: True for an equal split, True for equal commands, ndpir's and
    the published cycles, and the relative error of the energy."""

    place: str
    layer: str
    same_split: bool
    same_commands: bool
    cycles: int
    expected: int
    energy_error: float

    @property
    def verdict(self) -> str:
        if not (self.same_split and self.same_commands):
            return "commands differ"
        if self.cycles == self.expected:
            return "equal"
        return "near" if abs(self.cycles / self.expected - 1) <= TOLERANCE else "cycles differ"


def compared(file: Path) -> Iterator[Compared]:
    """Yield each row compared with ndpir's results. Raises InputError for an unreadable row."""
    try:
        with file.open(newline="", encoding="utf-8") as lines:
            reader = csv.DictReader(lines)
            missing = [column for column in NEEDED if column not in (reader.fieldnames or ())]
            if missing:
                raise InputError(f"column `{missing[0]}` is missing; expected a table of PIMFlow's layers", f"{file}:1")
            for row in reader:
                yield _compared(row, f"{file}:{reader.line_num}")
    except OSError as error:
        raise InputError(f"the table can't be read: {(error.strerror or str(error)).lower()}", str(file)) from None
    except UnicodeDecodeError:
        raise InputError("this file is not UTF-8 text; expected a table of PIMFlow's layers (CSV)", str(file)) from None


def _compared(row: Mapping[str, str], place: str) -> Compared:
    def number(column: str) -> int:
        text = (row.get(column) or "").strip()
        if not text.isdecimal():
            raise InputError(f"`{column}` is `{text[:40]}`; expected an integer", place)
        return int(text)

    layer = Layer(*(number(column) for column in LAYER))
    if row["gwrite_latency_hiding"] not in SHEETS:
        raise InputError(f"`gwrite_latency_hiding` is `{row['gwrite_latency_hiding'][:40]}`; expected 0 or 1", place)
    name = f"{layer.inputs}->{layer.outputs} {layer.height}x{layer.width} of {layer.filter_height}x{layer.filter_width}"
    split = layer.split(number("gpu_ratio_pct"))
    if split is None or row["rewrite"] != "pim_part":
        stays = row["rewrite"] != "pim_part"
        return Compared(place, name, (split is None) == stays, True, 0, 0, 0.0)
    pim = load_device(SHEETS[row["gwrite_latency_hiding"]])
    assert isinstance(pim, Pim)
    gpu_rows, rest = split
    same_split = all(
        not row.get(column) or number(column) == rows
        for column, rows in (("H_gpu_in", gpu_rows), ("H_pim_in", rest.height))
    )
    time = kernel_time(channel_kernel(rest, pim, number("n_gwrite_max")), pim)
    same = all(time.counts.get(verb, 0) == number(column) for column, verb in COMMANDS.items())
    joules = float(row.get("ch16_energy_J") or 0)
    error = sum(time.energy_nj.values()) * 1e-9 / joules - 1 if joules else 0.0
    return Compared(place, name, same_split, same, time.cycles, number("ch16_dram_cycles"), error)


def main(argv: Sequence[str] | None = None) -> int:
    """Compare a table; return 0 if each row is equal or within the tolerance."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("table", type=Path, help="a table of layers with PIMFlow's commands and cycles (CSV)")
    options = parser.parse_args(argv)
    try:
        rows = list(compared(options.table))
    except InputError as error:
        print(f"{error.place}: {error.message}" if error.place else error.message, file=sys.stderr)
        return 1
    if not rows:
        print(
            f"{options.table}: the table has no rows; expected a row per layer below its header",
            file=sys.stderr,
        )
        return 1
    wrong = [row for row in rows if row.verdict not in ("equal", "near")]
    shown = [(row.place, row.layer, row.verdict, str(row.expected), str(row.cycles)) for row in wrong[:20]]
    if shown:
        print(table(("row", "layer", "verdict", "theirs", "ours"), shown, left=(0, 1, 2)))
    verdicts = Counter(row.verdict for row in rows)
    print(
        table(
            ("rows", "of all", ""), [(str(n), f"{n / len(rows):.2%}", what) for what, n in verdicts.items()], left=(2,)
        )
    )
    print(f"largest relative error of energy: {max((abs(row.energy_error) for row in rows), default=0.0):.2e}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
