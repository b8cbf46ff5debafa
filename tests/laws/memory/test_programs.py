"""Laws of programs whose primary device is a GPU with host memory behind it: if all tensors fit into the GPU's memory,
managing that memory changes no time; and no plan of prefetches, evictions and write-backs changes a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dialects.diagnostics import InputError
from interp.simulate.simulation import simulate
from interp.walk.run import run_module
from lowering.banks.templates import clock_for
from tests.amount import cases
from tests.programs import parse

LINKS = ("toy_link", "same_memory")
"""The link between the two devices: copies take time, or none."""
EXTENT = 2500
BYTES = EXTENT * 4


class Drawn(NamedTuple):
    """A placed program with the GPU @gpu and a second device @other: the lines of its body, and the names of its
    arguments, weights and result. `link`: the name of the sheet of the link between the two devices; `donated`: true if
    the result takes over the memory of the first argument."""

    link: str
    arguments: tuple[str, ...]
    lines: tuple[str, ...]
    weights: tuple[str, ...]
    result: str
    donated: bool = False

    def text(self, note: str = "", moves: Sequence[tuple[int, str]] = (), memory: str = "1 GiB") -> str:
        """The program's text. `note`: its attribute `task.memory`, if not empty; `moves`: each with the number of the
        line before which it is inserted; `memory`: the size of the GPU's memory."""
        tensor = f"tensor<{EXTENT}xf32>"
        lines = [f'%{name} = graph.weight "{name}" = uniform(-1.0, 1.0, 1) : {tensor}' for name in self.weights]
        lines += [f"%{name}g = task.resident %{name} on @gpu" for name in self.weights]
        for number, line in enumerate(self.lines):
            lines += [move for place, move in moves if place == number]
            lines.append(line)
        lines += [move for place, move in moves if place >= len(self.lines)]
        arguments = ", ".join(
            f"%{name}: !task.on<@gpu, {tensor}>"
            + ' {task.state = "overwritten, result 0"}' * (self.donated and name == self.arguments[0])
            for name in self.arguments
        )
        noted = f" attributes {{task.memory = #task.memory<{note}>}}" if note else ""
        return "\n".join(
            [
                f'hw.device @gpu = "toy_gpu" {{memory = "{memory}"}}',
                'hw.device @other = "toy_ndp"',
                'hw.device @host = "toy_host"',
                f'hw.link @gpu to @other = "{self.link}"',
                'hw.link @gpu to @host = "toy_bus"',
                f"func.func @main({arguments}) -> !task.on<@gpu, {tensor}>{noted} {{",
                *lines,
                f"func.return %{self.result} : !task.on<@gpu, {tensor}>",
                "}",
            ]
        )


@st.composite
def programs(draw: st.DrawFn) -> Drawn:
    """Programs of element-wise tasks on a GPU and a second device, in one or two queues, with a copy of each value that
    a task on the other device reads."""
    where = {f"a{number}": "gpu" for number in range(draw(st.integers(1, 2)))}
    arguments = tuple(where)
    weights = tuple(f"w{number}" for number in range(draw(st.integers(0, 2))))
    where |= {f"{name}g": "gpu" for name in weights}
    lines: list[str] = []

    def on(name: str, device: str) -> str:
        if where[name] == device:
            return name
        copied = f"{name}_{device}"
        if copied not in where:
            where[copied] = device
            lines.append(f"%{copied} = task.copy %{name} to @{device}")
        return copied

    for number in range(draw(st.integers(1, 8))):
        device = draw(st.sampled_from(["gpu", "gpu", "other"]))
        read = [on(draw(st.sampled_from([*where][-6:])), device) for _ in range(draw(st.integers(1, 2)))]
        inner = ("%a", "%b")[: len(read)]
        bound = ", ".join(f"{mine} = %{name}" for mine, name in zip(inner, read, strict=True))
        queue = draw(st.sampled_from(["", "", " queue 1"]))
        op = "relu" if len(read) == 1 else "add"
        lines.append(
            f"%v{number} = task.run @{device}{queue} ({bound}) {{ %0 = graph.{op} {', '.join(inner)} : "
            f"tensor<{EXTENT}xf32> task.yield %0 }}"
        )
        where[f"v{number}"] = device
    result = on(draw(st.sampled_from([name for name in where if name[0] == "v"])), "gpu")
    donated = draw(st.booleans())
    return Drawn(draw(st.sampled_from(LINKS)), arguments, tuple(lines), weights, result, donated)


@st.composite
def planned(draw: st.DrawFn) -> tuple[Drawn, list[tuple[int, str]]]:
    """A program with moves of values that the GPU already has, each with the number of the line before which it is
    inserted."""
    program = draw(programs())
    moves: list[tuple[int, str]] = []
    for number in range(draw(st.integers(1, 5))):
        place = draw(st.integers(0, len(program.lines)))
        made = [line.split(" ")[0] for line in program.lines[:place] if "@gpu" in line]
        names = [f"%{name}" for name in program.arguments] + [f"%{name}g" for name in program.weights] + made
        first = draw(st.sampled_from([0, 0, 1000, 4004]))
        last = draw(st.sampled_from([BYTES, BYTES, 5000]))
        part = "" if (first, last) == (0, BYTES) else f" [{first} to {last}]"
        kind = draw(st.sampled_from(["prefetch", "evict", "write_back"]))
        target = "" if kind == "prefetch" else " to @host"
        waits = f" after %t{draw(st.integers(0, number - 1))}" if number and draw(st.booleans()) else ""
        if waits and not any(f"%t{waits[-1]} " in move and at <= place for at, move in moves):
            waits = ""
        moves.append((place, f"%t{number} = task.{kind} {draw(st.sampled_from(names))}{part}{target}{waits}"))
    return program, sorted(moves, key=lambda each: each[0])


def timed(text: str):
    module = parse(text)
    return simulate(module, clock_for(module))


@given(programs())
@settings(max_examples=cases(50), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_managed_memory_with_room_for_all_tensors_changes_no_time(program: Drawn) -> None:
    alone = timed(program.text())
    for note in ('"by hand", faults = false', '"by hand", faults = true'):
        kept = timed(program.text(note))
        assert kept.residence is not None
        assert kept.makespan_ns == pytest.approx(alone.makespan_ns, rel=1e-9)
        for event, other in zip(kept.events, alone.events, strict=True):
            assert event.start_ns == pytest.approx(other.start_ns, rel=1e-9, abs=1e-6)
            assert event.end_ns == pytest.approx(other.end_ns, rel=1e-9, abs=1e-6)


NEVER_READ = Drawn(
    "toy_link",
    ("a0",),
    tuple(
        f"%v{n} = task.run @gpu (%a = %a0) {{ %0 = graph.relu %a : tensor<{EXTENT}xf32> task.yield %0 }}"
        for n in (0, 1)
    ),
    (),
    "v0",
)
"""A program for two moves, of which the second waits for the first; the first one moves a value that no task reads, so
that the trace has no tensor for this value."""


@pytest.mark.slow
@given(planned(), st.sampled_from(["60 kB", "100 kB", "1 GiB"]), st.booleans())
@example((NEVER_READ, [(2, "%t0 = task.prefetch %v1"), (2, "%t1 = task.prefetch %a0 after %t0")]), "60 kB", False)
@settings(max_examples=cases(50), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_plans_change_times_but_no_value(drawn: tuple[Drawn, list[tuple[int, str]]], memory: str, faults: bool) -> None:
    program, moves = drawn
    text = program.text(f'"by hand", faults = {"true" if faults else "false"}', moves, memory)
    alone = run_module(parse(program.text()))
    for array, expected in zip(run_module(parse(text)), alone, strict=True):
        np.testing.assert_array_equal(array, expected)
    least = timed(program.text()).makespan_ns
    try:
        found = timed(text)
    except InputError:
        return  # the engine refuses plans that can't be followed
    assert found.makespan_ns >= least * (1 - 1e-9)
    assert found.residence is not None
    assert found.residence.peak <= found.residence.system.capacity + 1
