"""Plans for memory on a GPU beside a second device: 200 random programs under all policies, against the GPU alone.

`python -m benchmarks beside` draws small programs on a GPU with a PIM or near-data units and host memory, places them
by each policy with a GPU memory that is too small for the GPU alone, and manages that memory in each way. It prints a
row for each policy and way, and a sentence for each violation of a law: every plan runs, no bound exceeds the time of a
plan, and with planned moves no policy that minimises the makespan makes a program slower than the GPU alone. It takes
half an hour of processor time; `--policies joint --programs 40` checks the slowest policy.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from statistics import geometric_mean
from typing import NamedTuple, TypeAlias

from dialects.diagnostics import InputError
from dialects.task import RunOp
from dialects.text.columns import table
from interp.figures import percent, time
from interp.simulate.events.jobs import BoundError
from lowering.optimise.policies import SEARCHING
from tests.laws.memory.beside import PARTS, WAYS, Beside, Second, drawn, moved, placed, short_memory

POLICIES = ("gpu", "pim-first", "greedy", "path", "pattern", "xla-ndp", "cost", "overlap", "optimal", "best")
Key: TypeAlias = tuple[str, str, str]
"""The second device, the policy, and the way in which memory is managed."""


class Row(NamedTuple):
    """A program under one policy, with its memory managed in one way. `ns`: its time; `alone`: that of the GPU alone
    with planned moves, None if some op is marked for the second device; `elsewhere`: some task is on the second
    device."""

    ns: float
    alone: float | None
    bound: float | None
    elsewhere: bool
    steady: bool


class Survey:
    """Rows by device, policy and way, and sentences on violations."""

    def __init__(self) -> None:
        self.rows: dict[Key, list[Row]] = defaultdict(list)
        self.violations: list[str] = []

    def run(self, programs: int, policies: list[str]) -> Iterator[int]:
        """Place and time programs; yields after each of them."""
        for number in range(programs):
            second: Second = "pim" if number % 2 else "ndp"
            seed = number // 2
            program = drawn(seed, second)
            memory = short_memory(program, PARTS[seed % len(PARTS)])
            if memory is not None:
                self.program(f"{second} {seed}", program, memory, policies)
            yield number

    def program(self, name: str, program: Beside, memory: int, policies: list[str]) -> None:
        """Place and time one program, under each policy and in each way."""
        alone = None
        if not program.marked:
            alone = moved(placed(program.text(memory, alone=True), "gpu"), "plan").timeline.makespan_ns
        for policy in policies:
            try:
                module = placed(program.text(memory), policy)
            except InputError as error:
                self.violations.append(f"{name}, {policy}: {error}")
                continue
            elsewhere = any(isinstance(op, RunOp) and op.place == program.second for op in module.walk())
            for way in WAYS:
                if not program.faults and not way.startswith("plan"):
                    continue
                here = f"{name}, {policy}, {way}"
                try:
                    timeline, bound = moved(module.clone(), way)
                except (InputError, BoundError) as error:
                    self.violations.append(f"{here}: {error}")
                    continue
                ns, residence = timeline.makespan_ns, timeline.residence
                steady = residence is None or residence.steady
                self.rows[program.second, policy, way].append(Row(ns, alone, bound, elsewhere, steady))
                if alone is not None and way == "plan" and policy in SEARCHING and ns > alone * (1 + 1e-9):
                    self.violations.append(f"{here}: {time(ns)}, and {time(alone)} without the second device")

    def text(self) -> str:
        """The table of all rows."""
        header = ("second", "policy", "memory", "plans", "on it", "unsteady", "above bound", "speed-up", "least")
        return table(header, [self._cells(key, rows) for key, rows in self.rows.items()], left=(0, 1, 2))

    def _cells(self, key: Key, rows: list[Row]) -> tuple[str, ...]:
        above = [row.ns / row.bound for row in rows if row.bound]
        ratios = [row.alone / row.ns for row in rows if row.alone is not None]
        return (
            *key,
            str(len(rows)),
            str(sum(row.elsewhere for row in rows)),
            str(sum(not row.steady for row in rows)),
            percent(geometric_mean(above) - 1) if above else "",
            f"{geometric_mean(ratios):.3f}x" if ratios else "",
            f"{min(ratios):.3f}x" if ratios else "",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=200, help="the number of programs")
    parser.add_argument("--policies", default=",".join(POLICIES), help="the policies, separated by commas")
    options = parser.parse_args()
    survey = Survey()
    for number in survey.run(options.programs, options.policies.split(",")):
        print(f"\r{number + 1} programs, {len(survey.violations)} violations", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(survey.text())
    print("\n".join(survey.violations) or "no violation")
    sys.exit(bool(survey.violations))


if __name__ == "__main__":
    main()
