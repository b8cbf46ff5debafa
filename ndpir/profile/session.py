"""One profiling session: the placement problem of a program, its runs, and the resulting profile."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Protocol

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import note
from dialects.text.columns import table
from interp.figures import count, percent, time
from interp.host import cores
from interp.machine.profile import Json, Profile, ProfileRow
from interp.numerics import memory_bytes
from interp.walk.inputs import seeded_inputs
from interp.walk.run import run_module
from interp.walk.work_key import key_of
from lowering.profiling.plan import profile_plan
from ndpir.profile.bench import Bench, check_runtime
from ndpir.profile.plan_file import ReadPlan, ReadRun, read_plan
from ndpir.profile.runs import ROUNDS, Runner
from ndpir.reports.placement_graph import problem_of

NOISY = 0.25
"""The interquartile range of a row's times, as a fraction of their median, above which the row counts as noisy."""
BUSY = 0.75
"""The number of running programs per core above which a note warns that they may disturb measured times."""
TOOLS = ("ndpir", "onnxruntime", "numpy", "onnx")


class ReportStep(Protocol):
    def __call__(self, doing: str) -> None: ...


@dataclass(frozen=True)
class MeasuringRequest:
    """The settings of `ndp-profile` that the header of a profile records."""

    file: str
    machine: str
    passes: str
    repeats: int
    warmup: int
    seed: int


class Session:
    """A profiler of the entry function of a program on its machine."""

    def __init__(
        self, module: ModuleOp, request: MeasuringRequest, at: ReportStep, step: Callable[[int, int], None]
    ) -> None:
        """`at` is called with a description of the current step, `step` with the numbers of ops done and of all ops.
        Raises InputError for a program that can't be placed, and if a device is to be measured but onnxruntime is
        missing."""
        self.request, self.at, self.step = request, at, step
        self.problem = problem_of(module, None, "ndp-profile")
        self.function, self.clock = self.problem.function, self.problem.clock
        self.real = {
            name: record.threads_used for name, record in self.clock.machine.devices.items() if record.measures
        }
        self.noisy: list[ProfileRow] = []
        self.runs = 0
        self.seconds = 0.0
        if self.real:
            check_runtime()
        else:
            note(
                "no device of the machine has `measures onnxruntime` in its sheet, so all times are simulated; "
                "choose another machine with --machine",
                self.function,
            )

    def plan(self, together: bool) -> ReadPlan:
        """The plan with the fewest runs; `together`: True if ops and copies may be timed in the same runs."""
        self.at("planning the runs")
        found = profile_plan(self.problem, together)
        runs = tuple(ReadRun(run.kind, run.placement, run.nodes) for run in found.runs)
        return ReadPlan(runs, found.memories.symmetric)

    def read_plan(self, path: str) -> ReadPlan:
        """The plan in a file. Raises InputError if it is not a plan for this program and machine."""
        return read_plan(path, self.problem)

    def carry_out(self, plan: ReadPlan) -> Profile:
        """The profile measured by the runs of a plan. Raises InputError if results differ from the interpreter's by
        more than the tolerance."""
        self.at("running the program in the interpreter for reference results")
        inputs = seeded_inputs(self.function, self.request.seed)
        module = self.function.parent_op()
        assert isinstance(module, ModuleOp)
        expected = run_module(module, inputs, entry=self.function.sym_name.data)
        if self.real:
            _note_load()
        self.at("starting onnxruntime")
        benches = {name: Bench(threads, self.request.warmup) for name, threads in self.real.items()}
        begun, done = perf_counter(), 0
        repeats_by_round = _repeats_by_round(self.request.repeats)
        timed = sum(map(self._is_timed, plan.runs))
        ops = sum(op not in self.problem.ahead for op in self.function.body.block.ops) - 1
        steps = (len(plan.runs) + timed * (len(repeats_by_round) - 1)) * ops

        def step() -> None:
            nonlocal done
            done += 1
            self.step(done, steps)

        runner = Runner(self.problem, benches, inputs, expected, step)
        for number, calls in enumerate(repeats_by_round, 1):
            for index, run in enumerate(plan.runs, 1):
                self.at(f"run {index} of {len(plan.runs)}, round {number} of {len(repeats_by_round)}")
                self.step(done, steps)
                if number == 1 or self._is_timed(run):  # simulated times don't change from round to round
                    runner.carry_out(run, calls)
        self.runs, self.seconds = len(plan.runs), perf_counter() - begun
        rows = runner.found.rows(tuple(self.clock.machine.devices))
        self.noisy = [row for row in rows if row.kind == "measured" and is_noisy(row, benches[row.device].empty_ns)]
        self._note_problems(runner)
        header = self._header(plan, benches, runner)
        self.problem.drop()
        return Profile(rows, runner.found.copy_rows(plan.symmetric), header)

    def _is_timed(self, run: ReadRun) -> bool:
        """True if at least one of the ops to be timed in the run is on a device that stands for this computer."""
        wanted = (run.placement[index] for index in run.nodes)
        return any(part.device in self.real and not part.view for choice in wanted for part in choice.parts)

    def table(self, profile: Profile) -> str:
        """A table of the results with one line per device: numbers of ops and times, spread, and the longest op."""
        lines: list[tuple[str, ...]] = []
        for device, record in self.clock.machine.devices.items():
            rows = [row for row in profile.rows if row.device == device]
            if not rows:
                continue
            kind = "measured" if device in self.real else "simulated"
            noisy = sum(row.device == device for row in self.noisy)
            spreads = sorted(map(_spread, rows))
            spread = percent(spreads[len(spreads) // 2]) if spreads and device in self.real else ""
            times = sum(len(row.times_ns) for row in rows)
            slowest = max(rows, key=lambda row: row.median_ns)
            lines.append(
                (f"@{device}", record.name, kind, str(len(rows)), str(times), spread, str(noisy) if spread else "",
                 time(slowest.median_ns), slowest.op)
            )  # fmt: skip
        head = ("device", "sheet", "", "kinds of op", "times", "spread", "noisy", "longest", "op")
        summary = f"{count(self.runs, 'run')} in {self.seconds:.1f} s, {count(len(profile.copies), 'copy')} simulated"
        return f"{summary}\n{table(head, lines, left=(0, 1, 2, 8))}"

    def _note_problems(self, runner: Runner) -> None:
        """Emit notes on ops without measured times and on noisy rows."""
        for (device, _), why in list(runner.found.unmeasured.items())[:5]:
            note(f"@{device} can't measure {why}; its time is taken from the device's sheet", self.function)
        if (more := len(runner.found.unmeasured) - 5) > 0:
            note(f"{more} more kinds of op can't be measured; their times are taken from sheets", self.function)
        parts = [p for node in self.problem.nodes for choice in node.choices for p in choice.parts if not p.view]
        wanted = {(part.device, key_of(part.graph_op)) for part in parts}
        if missing := wanted - runner.found.work.keys() - runner.found.unmeasured.keys():
            note(
                f"{len(wanted) - len(missing)} of {count(len(wanted), 'kind')} of op are measured in runs of the "
                "plan; times of the others are taken from sheets"
            )
        if self.noisy:
            worst = max(self.noisy, key=_spread)
            note(
                f"the profile has {count(len(self.noisy), 'noisy row')} (the middle half of the times is wider than "
                f"{NOISY:.0%} of the median); the noisiest is {worst.op} on @{worst.device}; stop other programs, or "
                "increase --repeats"
            )

    def _header(self, plan: ReadPlan, benches: Mapping[str, Bench], runner: Runner) -> dict[str, Json]:
        kinds, request = [run.kind for run in plan.runs], self.request
        return {
            "host": {
                "processor": processor(),
                "cores": cores(),
                "memory_bytes": memory_bytes(),
                "system": platform.system(),
            },
            "tools": {"python": platform.python_version()} | {name: _version(name) for name in TOOLS},
            "run": {
                "program": Path(request.file).name,
                "function": self.function.sym_name.data,
                "machine": Path(request.machine).name,
                "passes": request.passes,
                "runs": {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)},
                "repeats": request.repeats,
                "rounds": len(_repeats_by_round(request.repeats)),
                "warmup": request.warmup,
                "seed": request.seed,
                "seconds": round(self.seconds, 1),
                "difference": float(f"{runner.found.worst:.2g}"),
            },
            "devices": {
                name: {**_described(bench), "disturbed": runner.found.disturbed[name]}
                for name, bench in benches.items()
            },
            "noisy": [{"device": row.device, "key": row.key, "spread": round(_spread(row), 3)} for row in self.noisy],
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        }


def _described(bench: Bench) -> dict[str, Json]:
    """The header's entry for a measured device: tool, threads, precision, and the empty call's time in ns."""
    return {
        "by": "onnxruntime",
        "threads": bench.threads,
        "computes": "f16 and bf16 in f32",
        "empty_call_ns": bench.empty_ns,
        "times": "without an empty call",
    }


def _spread(row: ProfileRow) -> float:
    """The interquartile range of a row's times, as a fraction of their median."""
    return row.spread_ns / max(row.median_ns, 1.0)


def _note_load() -> None:
    """Emit a note if other programs keep this computer busy, since they disturb measured times."""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if busy > BUSY * cores():
        note(
            f"this computer is busy ({busy:.1f} running programs on {count(cores(), 'core')} in the last minute), "
            "which makes measured times longer; stop other programs and measure again"
        )


def measured(profile: Profile) -> Profile:
    """The profile without simulated rows and copies."""
    rows = tuple(row for row in profile.rows if row.kind == "measured")
    copies = tuple(copy for copy in profile.copies if copy.kind == "measured")
    return replace(profile, rows=rows, copies=copies)


def is_noisy(row: ProfileRow, empty_ns: float) -> bool:
    """True if the interquartile range of a row's times exceeds the fraction `NOISY` of their median plus `empty_ns`,
    the time of an empty call. That time was subtracted from the measured times, but its spread still adds to theirs."""
    return row.spread_ns > NOISY * (row.median_ns + empty_ns)


def _repeats_by_round(repeats: int) -> Sequence[int]:
    """The number of repeats in each round, as even as possible; each round has at least one."""
    rounds = min(ROUNDS, repeats)
    return [repeats // rounds + (index < repeats % rounds) for index in range(rounds)]


def processor() -> str:
    """The name of this computer's processor; its architecture if the system reports no name."""
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name.strip() == "model name":
                    return f"{value.strip()} ({platform.machine()})"
    return platform.processor() or platform.machine()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
