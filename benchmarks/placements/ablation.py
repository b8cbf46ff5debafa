"""Ablation of the policy `optimal`: for each bound and each search method, a case that is worse without it.

    python -m benchmarks ablation [--only WORD …] [--write]

Cases are drawn by seed: random problems without a program, small programs of the laws, and programs with branches. For
each method the cases are tried in order until one is worse without the method: a longer makespan or, for a bound, a
lower bound. `--write` writes the table into docs/placement.md. A method without such a case has no row, and goes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from math import inf
from pathlib import Path
from typing import Any
from unittest.mock import patch

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # another installed package may be called benchmarks

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import ndpir
from benchmarks.placements.branches import PROGRAMS
from dialects.diagnostics import notes_to
from interp.figures import percent, time
from lowering.instance.problem import Problem, Schedule
from lowering.optimise.quick.heuristics import gpu
from lowering.optimise.search.lowest import lowest
from lowering.optimise.search.optimal import optimise
from lowering.optimise.search.small import place_small
from lowering.partition.search.together import Pool
from lowering.place.place import PlacePass
from ndpir.frontends.machines import attach_machine
from tests.laws.memory.beside import drawn
from tests.laws.placement.random_placements import random_placement_problem
from tests.laws.placement.test_optimal import chain_of_branches
from tests.table_problem import random_problem

PAGE = Path(__file__).resolve().parents[2] / "docs/placement.md"
BEGIN, END = "<!-- ablation: written by `python -m benchmarks ablation --write` -->", "<!-- end of ablation -->"
WORSE = 1e-9
"""The least relative difference that counts."""


@dataclass(frozen=True)
class Case:
    """A problem or program, and what is measured on it: a makespan or a lower bound in ns."""

    name: str
    measured: Callable[[], float]


@dataclass(frozen=True)
class Method:
    """A method of the search, or a bound. `off`: the names that are replaced to switch it off, each with what replaces
    it; `cases`: where it is measured; `bound`: it is better if the number is larger."""

    name: str
    room: str
    off: dict[str, Any]
    cases: Callable[[], Iterable[Case]]
    bound: bool = False


def nothing(*_: object, **__: object) -> Iterator[Any]:
    """Find nothing."""
    return iter(())


def none(*_: object, **__: object) -> None:
    """Find nothing."""


def no_list(*_: object) -> list[Any]:
    """Find nothing."""
    return []


def unchanged(_: object, best: Schedule, __: float) -> Schedule:
    """Return the best schedule so far."""
    return best


def best_of_first(pool: Pool, _: object) -> Schedule:
    """Return the best schedule so far."""
    return pool.found[0]


def best_of_second(_: object, pool: Pool) -> Schedule:
    """Return the best schedule so far."""
    return pool.found[0]


def no_cases(_: object, bound: float, __: int) -> tuple[float, int]:
    """Return the bound without cases."""
    return bound, 0


@dataclass(frozen=True)
class LoadsOfNothing:
    """The least load of no work."""

    ns: float = 0.0


def no_loads(*_: object) -> LoadsOfNothing:
    """Return the load of no work."""
    return LoadsOfNothing()


@dataclass(frozen=True)
class NoBound:
    """No bound on the serial time."""

    bound_ns: float = 0.0


def no_serial(*_: object) -> NoBound:
    """Return no bound."""
    return NoBound()


def on_primary(problem: Problem, *_: object) -> Schedule:
    """Return the schedule with all nodes on processors, in place of one that a search finds."""
    return Schedule(gpu(problem))


def as_given(problem: Problem, placement: Sequence[Any]) -> Sequence[Any]:
    """Return a placement unchanged."""
    return placement


def problems(seeds: int) -> Iterator[tuple[str, Callable[[], Problem]]]:
    """Yield random problems by name: with operands from all or from the last values, on two or three devices, with
    devices that exclude each other, and with short memory."""
    small = {"cpu": 20, "left": 20, "right": 1 << 30}
    yield "14 nodes, two small memories", partial(random_placement_problem, 23, 14, window=6, memory=small)
    for seed in range(seeds):
        yield f"chain of branches, seed {seed}", partial(chain_of_branches, seed, 16)
        for nodes, window in ((12, 0), (24, 4), (48, 8)):
            yield f"{nodes} nodes, seed {seed}", partial(random_problem, seed, nodes, 3, window=window)
        kinds: dict[str, dict[str, Any]] = {
            "two devices": {"devices": 2},
            "exclusive": {"rich": True, "arbitrations": ("separate", "exclusive")},
            "serial": {"devices": 2, "arbitrations": ("exclusive",)},
            "short memory": {"memory": {"cpu": 90, "left": 60, "right": 60}},
        }
        for name, kind in kinds.items():
            for nodes in (8, 14) if name == "short memory" else (8, 20, 40):
                yield (
                    f"{nodes} nodes, {name}, seed {seed}",
                    partial(random_placement_problem, seed, nodes, window=6, **kind),
                )


def makespan_of(search: Callable[[Problem], Schedule], problem: Callable[[], Problem]) -> float:
    """Return the makespan that a search reaches on a new copy of a problem."""
    return search(problem()).ns


def bound_before(problem: Callable[[], Problem]) -> float:
    """Return the lower bound of a problem without a search."""
    return lowest(problem()).ns


def bound_after(problem: Callable[[], Problem]) -> float:
    """Return the lower bound that the search of a problem proves."""
    bound = optimise(problem()).bound
    return 0.0 if bound is None else bound.ns


def searched() -> Iterator[Case]:
    """Yield the makespan that the search of unpartitioned ops reaches on each problem."""
    for name, problem in problems(2):
        yield Case(name, partial(makespan_of, optimise, problem))


def quickly() -> Iterator[Case]:
    """Yield the makespan that the least effort reaches on each problem."""
    for name, problem in problems(5):
        yield Case(name, partial(makespan_of, place_small, problem))


def bounded() -> Iterator[Case]:
    """Yield the lower bound of each problem before a search."""
    for name, problem in problems(5):
        yield Case(name, partial(bound_before, problem))


def proved() -> Iterator[Case]:
    """Yield the lower bound of each problem after the search."""
    for name, problem in problems(2):
        yield Case(name, partial(bound_after, problem))


@cache
def programs(effort: int) -> Callable[[], Iterator[Case]]:
    """Return the makespans of programs under the policy `optimal` with an effort."""

    def cases() -> Iterator[Case]:
        for seed in range(40):
            for second in ("pim", "ndp"):
                text = drawn(seed, second).text()
                yield Case(f"random program {seed} with {second}", partial(of_text, text, effort))
        for name in PROGRAMS:
            yield Case(f"{name} on pimflow", partial(of_network, name, effort))

    return cases


@cache
def compiled(name: str) -> ModuleOp:
    """Return a program with branches, ready to be placed on the machine `pimflow`."""
    module = ndpir.parse(PROGRAMS[name])
    attach_machine(module, "pimflow", None)
    return ndpir.compile(module, "inline,canonicalize,choose-form")


def of_text(text: str, effort: int) -> float:
    """Return the makespan of a program in text."""
    return placed(ndpir.parse(text), effort)


def of_network(name: str, effort: int) -> float:
    """Return the makespan of a program with branches on the machine `pimflow`."""
    return placed(compiled(name).clone(), effort)


def placed(module: ModuleOp, effort: int) -> float:
    """Return the makespan of a program after placement."""
    PlacePass(effort=effort).apply(Context(), module)
    return ndpir.simulate(module).makespan_ns


SEARCH, PLANS, TOGETHER = (
    "lowering.optimise.search.optimal",
    "lowering.partition.search.planning",
    "lowering.partition.search.together",
)
QUICK = "lowering.optimise.quick.heuristics"
METHODS = (
    Method("moves of nodes and groups", f"{QUICK}: search", {f"{QUICK}.search": as_given}, quickly),
    Method("dynamic programme over trees", f"{QUICK}: by_tree", {f"{QUICK}.by_tree": gpu}, quickly),
    Method(
        "exact search of small programs",
        "lowering.optimise.search.small",
        {"lowering.optimise.search.small.exact.solve": none},
        quickly,
    ),
    Method("beams", f"{SEARCH}: improvements", {f"{SEARCH}.improvements": nothing}, searched),
    Method("neighbourhoods", f"{SEARCH}: Windows", {f"{SEARCH}.Windows.better": unchanged}, searched),
    Method("segments", f"{SEARCH}: SegmentRow", {f"{SEARCH}.SegmentRow.refine": nothing}, searched),
    Method(
        "exact search of the whole",
        f"{SEARCH}: solve_program",
        {f"{SEARCH}.Incumbent.solve_program": nothing},
        searched,
    ),
    Method("splits added and taken back", f"{PLANS}: _groups", {f"{PLANS}.PlanSearch._groups": no_list}, programs(2)),
    Method("moves of ops beside splits", f"{PLANS}: again", {f"{PLANS}.Subject.again": none}, programs(3)),
    Method("regions in the search", TOGETHER, {f"{PLANS}.together": nothing}, programs(3)),
    Method(
        "states of regions", f"{TOGETHER}: StateSearch", {f"{TOGETHER}.StateSearch.placements": nothing}, programs(3)
    ),
    Method("insertion of regions", f"{TOGETHER}: inserted", {f"{TOGETHER}.inserted": as_given}, programs(3)),
    Method("refined forms", f"{TOGETHER}: refine", {f"{TOGETHER}.refine": none}, programs(3)),
    Method(
        "climb over regions",
        f"{TOGETHER}: _climbed",
        {f"{TOGETHER}._climbed": best_of_first},
        programs(3),
    ),
    Method(
        "exact search over regions",
        f"{TOGETHER}: _exactly",
        {f"{TOGETHER}._exactly": best_of_second},
        programs(3),
    ),
    Method(
        "cuts",
        "lowering.bounds.makespan: cuts",
        {"lowering.bounds.makespan.cuts": no_list, "lowering.bounds.makespan.segments_of": no_list},
        bounded,
        bound=True,
    ),
    Method(
        "cases",
        "lowering.bounds.branching: by_cases",
        {"lowering.bounds.makespan.by_cases": no_cases},
        bounded,
        bound=True,
    ),
    Method(
        "prices of loads",
        "lowering.bounds.relaxation: least_load_of",
        {"lowering.bounds.makespan.least_load_of": no_loads},
        bounded,
        bound=True,
    ),
    Method(
        "displaced loads if memory is short",
        "lowering.bounds.relaxation: bound_of_memory",
        {"lowering.optimise.search.lowest.bound_of_memory": none},
        bounded,
        bound=True,
    ),
    Method(
        "least serial time",
        "lowering.optimise.serial.path: least_serial",
        {"lowering.optimise.search.lowest.least_serial": no_serial},
        bounded,
        bound=True,
    ),
    Method(
        "segments, each proved",
        f"{SEARCH}: SegmentRow",
        {f"{SEARCH}.SegmentRow.refine": nothing},
        proved,
        bound=True,
    ),
    Method(
        "exact search of the whole program",
        f"{SEARCH}: solve_program",
        {f"{SEARCH}.Incumbent.solve_program": none},
        proved,
        bound=True,
    ),
)


@dataclass(frozen=True)
class Row:
    """A method with the first case that is worse without it; None if there is none."""

    method: Method
    case: str | None
    ns: float = inf
    without: float = inf
    tried: int = 0


def ablated(method: Method, known: dict[str, float]) -> Row:
    """Try the cases of a method in order. `known`: figures of cases with all methods."""
    tried = 0
    for case in method.cases():
        tried += 1
        key = f"{method.cases!r} {case.name}"
        if key not in known:
            known[key] = case.measured()
        with ExitStack() as stack:
            for name, other in method.off.items():
                stack.enter_context(patch(name, other))
            without = case.measured()
        ns = known[key]
        lost = without < ns * (1 - WORSE) if method.bound else without > ns * (1 + WORSE)
        if lost:
            return Row(method, case.name, ns, without, tried)
    return Row(method, None, tried=tried)


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a table of Markdown."""
    lines = ["| method | file | case | with it | without |", "|---|---|---|---:|---:|"]
    for row in (each for each in rows if each.case is not None):
        file, _, name = row.method.room.partition(": ")
        where = f"`{file.replace('.', '/')}.py`" + (f": `{name}`" if name else "")
        kind = "bound" if row.method.bound else "makespan"
        lost = percent(abs(row.without / row.ns - 1))
        lines.append(
            f"| {row.method.name} | {where} | {row.case} | {kind} {time(row.ns)} | {time(row.without)}, {lost} worse |"
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if a method has no row."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument(
        "--only", nargs="*", default=(), metavar="WORD", help="methods whose name has one of these words"
    )
    parser.add_argument("--write", action="store_true", help="write the table into docs/placement.md")
    options = parser.parse_args(argv)
    rows: list[Row] = []
    known: dict[str, float] = {}
    for method in METHODS:
        if not options.only or any(word in method.name for word in options.only):
            with notes_to(lambda message, place: None):
                rows.append(ablated(method, known))
            last = rows[-1]
            print(f"{method.name}: {last.case or 'no case'}, {last.tried} tried", file=sys.stderr, flush=True)
    print(table(rows))
    if options.write:
        text = PAGE.read_text()
        first, last = text.index(BEGIN) + len(BEGIN), text.index(END)
        PAGE.write_text(f"{text[:first]}\n{table(rows)}\n{text[last:]}")
    return int(any(row.case is None for row in rows))


if __name__ == "__main__":
    sys.exit(main())
