"""Laws of the timing constraints of sheets for simulators: if a single named timing is increased, the sheet separates
commands exactly as the simulator's table of constraints does. A missing constraint is therefore found even if
another one is larger by default."""

from __future__ import annotations

import csv
import re
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from interp.kinds.pim.program import Slot
from interp.kinds.pim.timing.clock import kernel_time
from interp.kinds.pim.timing.constraints import least
from interp.machine.records import Pim, Scope
from interp.machine.sheets import load_device
from ndpir.traces.reading import read_trace

DATA = Path(__file__).parents[2] / "data"
TABLES = {"aim_ramulator": "constraints_gddr6.csv", "aim_lpddr5_ramulator": "constraints_lpddr5.csv"}
REFRESHED = "REFab"
"""The refresh command. Two refreshes are not compared: sheets separate them as the standard demands, but the simulator
of GDDR6 has no constraint for them, since it never issues refreshes."""
LARGE = 1000


@cache
def constraints(sheet: str) -> tuple[tuple[str, frozenset[str], frozenset[str], str], ...]:
    """The simulator's constraints: level, commands before, commands after, and cycles as a formula."""
    with (DATA / "aim" / TABLES[sheet]).open(encoding="utf-8") as file:
        return tuple(
            (row["level"], frozenset(row["before"].split(" | ")), frozenset(row["after"].split(" | ")), row["cycles"])
            for row in csv.DictReader(file)
        )


def value(formula: str, timing: dict[str, int]) -> int:
    """The value of a formula, which is a sum of named timings and numbers."""
    terms = re.findall(r"([+-]?)\s*(\w+)", formula)
    return sum((-1 if sign == "-" else 1) * (timing[term] if term in timing else int(term)) for sign, term in terms)


def wanted(sheet: str, timing: dict[str, int], before: str, after: str, meet: set[str]) -> int:
    """The least number of cycles that the simulator demands from command `before` to command `after`; negative if it
    has no constraint for them. `meet`: the levels at which both commands use the same unit."""
    found = (
        value(formula, timing)
        for level, befores, afters, formula in constraints(sheet)
        if level in meet and before in befores and after in afters
    )
    return max(found, default=0)


def meetings(before: Slot, after: Slot, pim: Pim) -> set[str]:
    """The levels at which two commands use the same unit, by the levels' names in the simulator's tables."""
    meet = {"channel", "rank"}
    if before.scope == after.scope == "bank":
        if before.unit == after.unit:
            meet |= {"bank"}
        if before.unit // pim.banks == after.unit // pim.banks:
            meet |= {"bankgroup"}
    return meet


def named(sheet: str) -> list[str]:
    words = {word for *_, formula in constraints(sheet) for word in re.findall(r"t\w+", formula)}
    return sorted(words)


@pytest.mark.parametrize("sheet", TABLES)
def test_sheet_and_simulator_name_the_same_timings(sheet: str) -> None:
    pim = load_device(sheet)
    assert isinstance(pim, Pim)
    aliases = {"tRCD", "tCCD", "tRRD"} if sheet == "aim_lpddr5_ramulator" else set[str]()
    assert set(named(sheet)) - aliases <= set(pim.timing)


@pytest.mark.parametrize(("sheet", "enlarged"), [(s, n) for s in TABLES for n in (None, *named(s))])
def test_a_timing_enlarged_alone_keeps_commands_apart_as_in_the_simulator(sheet: str, enlarged: str | None) -> None:
    pim = load_device(sheet, {enlarged: f"{LARGE} cycles"} if enlarged else {})
    assert isinstance(pim, Pim)
    timing = dict(pim.timing)
    forms: dict[str, tuple[str, Scope]] = {
        form.mnemonic: (verb.name, scope) for verb in pim.verbs.values() for scope, form in verb.forms.items()
    }
    known = {name for _, befores, afters, _ in constraints(sheet) for name in befores | afters}
    wrong: list[str] = []
    for one, other in product(sorted(known & set(forms)), repeat=2):
        for unit in (0, 1, pim.banks) if forms[one][1] == forms[other][1] == "bank" else (0,):
            before, after = Slot(*forms[one]), Slot(*forms[other], unit)
            expected = wanted(sheet, timing, one, other, meetings(before, after, pim))
            if one == other == REFRESHED:
                expected = max(expected, timing["tRFC"])
            met = least(pim, before, after)
            if max(met, pim.command_cycles) != max(expected, pim.command_cycles):
                wrong.append(f"{one} -> {other}, {unit} banks on: {met} cycles, not {expected}")
    assert not wrong


SIMULATED = {
    "aim_ramulator": DATA / "aim" / "traces",
    "attacc_ramulator": DATA / "attacc" / "traces",
    "newton_pimflow": DATA / "newton",
}


def runs() -> list[tuple[str, str, str, int, int]]:
    """Recorded runs of simulators, each with the sheet's name, the trace, the name of the increased timing, its value
    in cycles, and the cycles that the simulator printed for the trace."""
    found: list[tuple[str, str, str, int, int]] = []
    for sheet, folder in SIMULATED.items():
        with ((folder.parent if folder.name == "traces" else folder) / "enlarged.csv").open(encoding="utf-8") as file:
            rows = csv.DictReader(file)
            found += [(sheet, r["trace"], r["timing"], int(r["value"]), int(r["cycles"])) for r in rows]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("sheet", "trace"), sorted({run[:2] for run in runs()}))
def test_a_timing_enlarged_alone_changes_cycles_as_in_the_simulator(sheet: str, trace: str) -> None:
    text = (SIMULATED[sheet] / trace).read_text(encoding="utf-8")
    wrong: list[str] = []
    for _, _, name, cycles, expected in (run for run in runs() if run[:2] == (sheet, trace)):
        pim = load_device(sheet, {name: f"{cycles} cycles"})
        assert isinstance(pim, Pim)
        met = kernel_time(read_trace(text, pim, trace), pim).cycles
        if met != expected:
            wrong.append(f"{name} {cycles}: {met} cycles, not {expected}")
    assert not wrong
