"""Laws of loops in programs larger than memory: a loop over slices of stacks has the trace of the same program with a
value for each slice, without a loop; plans are written into bodies of loops without a change of their time or of a
value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import notes_to
from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.problem import KernelTrace
from interp.simulate.memory.replay import replay
from interp.simulate.program_trace import trace_of
from interp.simulate.simulation import simulate, simulate_unlimited
from interp.walk.run import run_module
from lowering.banks.templates import clock_for
from lowering.memory.policies import POLICIES, MemoryOptions
from lowering.memory.prefetch import PrefetchPass
from lowering.place.place import PlacePass
from tests.amount import cases
from tests.programs import context, parse

EXTENT = 2500
ROW = f"tensor<1x{EXTENT}xf32>"
HEADER = """hw.device @gpu = "toy_gpu" {{memory = "{memory}"}}
hw.device @host = "toy_host"
hw.link @gpu to @host = "toy_bus"
"""


class Layer(NamedTuple):
    """The ops of one layer, each of which reads the layer's carried value or an earlier result (by number; 0 is the
    carried value) and, in an addition, a slice of a stack of weights (by number) or another result (`y1`)."""

    ops: tuple[tuple[str, str, str], ...]
    saved: str = ""
    """The result of which each layer writes its slice of a stack; empty if there is no such stack."""


class Drawn(NamedTuple):
    """A program of equal layers, in one loop after the other, each over all `slices` of the stacks of weights."""

    slices: int
    weights: int
    layers: tuple[Layer, ...]

    def looped(self, memory: str = "1 GiB", backwards: bool = False) -> str:
        """The program with loops. `backwards`: they access the slices of weights in descending order."""
        stack = f"tensor<{self.slices}x{EXTENT}xf32>"
        arguments = [f"%x: {ROW}"] + [f'%w{n}: {stack} {{task.state = "read"}}' for n in range(self.weights)]
        saving = [number for number, layer in enumerate(self.layers) if layer.saved]
        arguments += [f'%s{n}: {stack} {{task.state = "overwritten, result {1 + saving.index(n)}"}}' for n in saving]
        lines, carried, taken = list[str](), "x", list[str]()
        for number, layer in enumerate(self.layers):
            operands = [f"%a = %{carried}", *([f"%s = %s{number}"] if layer.saved else [])]
            operands += [f"%v{n} = %w{n}" for n in range(self.weights)]
            results = [f"%y{number}", *([f"%t{number}"] if layer.saved else [])]
            lines.append(f"{', '.join(results)} = graph.repeat %i = 0 to {self.slices} ({', '.join(operands)}) {{")
            lines.append("%z = graph.constant 0 : tensor<i32>")
            if backwards:
                lines.append(f"%last = graph.constant {self.slices - 1} : tensor<i32>")
                lines.append("%j = graph.sub %last, %i : tensor<i32>")
            which = "j" if backwards else "i"
            lines += [
                f"%u{n} = graph.dynamic_slice %v{n}, %{which}, %z sizes = [1, {EXTENT}] : "
                f"{stack}, tensor<i32>, tensor<i32>"
                for n in range(self.weights)
            ]
            last = _ops(layer, lines, "a", "", "u")
            if layer.saved:
                lines.append(
                    f"%n = graph.dynamic_update_slice %s, %{layer.saved}, %i, %z in_place : {stack}, {ROW}, "
                    "tensor<i32>, tensor<i32>"
                )
            lines.append(f"graph.yield %{last}{', %n' if layer.saved else ''}\n}}")
            carried = f"y{number}"
            taken += [f"t{number}"] if layer.saved else []
        return self._text(memory, arguments, lines, [carried, *taken], [ROW, *([stack] * len(taken))])

    def unrolled(self, memory: str = "1 GiB") -> str:
        """The program without loops, with a value for each slice."""
        arguments = [f"%x: {ROW}"]
        pairs = [(n, k) for n in range(self.weights) for k in range(self.slices)]
        arguments += [f'%w{n}_{k}: {ROW} {{task.state = "read"}}' for n, k in pairs]
        saving = [number for number, layer in enumerate(self.layers) if layer.saved]
        places = [(number, k) for number in saving for k in range(self.slices)]
        arguments += [
            f'%s{n}_{k}: {ROW} {{task.state = "overwritten, result {1 + at}"}}' for at, (n, k) in enumerate(places)
        ]
        lines, carried, taken = list[str](), "x", list[str]()
        for number, layer in enumerate(self.layers):
            for k in range(self.slices):
                mark = f"_{number}_{k}"
                last = _ops(layer, lines, carried, mark, "w", f"_{k}")
                taken += [layer.saved + mark] if layer.saved else []
                carried = last
        return self._text(memory, arguments, lines, [carried, *taken], [ROW] * (1 + len(taken)))

    def _text(self, memory: str, arguments: list[str], lines: list[str], results: list[str], types: list[str]) -> str:
        head = f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{"
        end = f"func.return {', '.join(f'%{name}' for name in results)} : {', '.join(types)}\n}}"
        return HEADER.format(memory=memory) + "\n".join([head, *lines, end])


def _ops(layer: Layer, lines: list[str], carried: str, mark: str, stack: str, slice_: str = "") -> str:
    """Append the ops of a layer, and return the name of its last result. `mark`: the end of names of results; the
    slices of weights are named `stack`, number, `slice_`."""

    def name(operand: str) -> str:
        if operand == "y0":
            return carried
        return stack + operand[1:] + slice_ if operand.startswith("w") else operand + mark

    for number, (kind, x, y) in enumerate(layer.ops):
        other = f", %{name(y)}" if kind == "add" else ""
        lines.append(f"%y{number + 1}{mark} = graph.{kind} %{name(x)}{other} : {ROW}")
    return f"y{len(layer.ops)}{mark}"


@st.composite
def programs(draw: st.DrawFn) -> Drawn:
    weights = draw(st.integers(0, 2))
    layers: list[Layer] = []
    for _ in range(draw(st.integers(1, 2))):
        ops: list[tuple[str, str, str]] = []
        for number in range(draw(st.integers(2, 4))):
            able = [f"y{n}" for n in range(number + 1)]
            kind = draw(st.sampled_from(["add", "add", "relu"]))
            ops.append(
                (kind, draw(st.sampled_from(able)), draw(st.sampled_from([f"w{n}" for n in range(weights)] + able)))
            )
        saved = draw(st.sampled_from(["", *(f"y{n + 1}" for n in range(len(ops) - 1))]))
        layers.append(Layer(tuple(ops), saved))
    return Drawn(draw(st.integers(1, 5)), weights, tuple(layers))


def facts(trace: KernelTrace) -> tuple[list[tuple[str, float, int]], list[tuple[int, bool, list[tuple[int, bool]]]]]:
    """The kernels of a trace, and its tensors, each with its uses, independently of names."""
    kernels = [(kernel.name.split(" %")[0], round(kernel.ns, 6), kernel.workspace) for kernel in trace.kernels]
    uses: dict[int, list[tuple[int, bool, bool]]] = {number: [] for number in range(len(trace.tensors))}
    for number, kernel in enumerate(trace.kernels):
        for tensor in {*kernel.reads, *kernel.writes}:
            uses[tensor].append((number, tensor in kernel.reads, tensor in kernel.writes))
    tensors = [(tensor.nbytes, tensor.persistent, uses[number]) for number, tensor in enumerate(trace.tensors)]
    return kernels, sorted(tensor for tensor in tensors if tensor[0] > 4)  # type: ignore[return-value]


@given(programs())
@settings(max_examples=cases(200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_trace_of_a_loop_is_that_of_the_program_without_it(program: Drawn) -> None:
    looped, unrolled = parse(program.looped()), parse(program.unrolled())
    clock = clock_for(looped)
    found, expected = trace_of(looped, clock).trace, trace_of(unrolled, clock_for(unrolled)).trace
    assert facts(found) == facts(expected)
    assert found.peak_live - expected.peak_live == found.persistent_bytes - expected.persistent_bytes
    assert found.ideal_ns == pytest.approx(simulate_unlimited(looped, clock).makespan_ns, rel=1e-9)


def planned(program: Drawn, kilobytes: int, policy: str, backwards: bool) -> tuple[ModuleOp, ModuleOp, float]:
    """The placed program, the same with moves, and the time of these moves in its trace. An example whose kernels do
    not fit is rejected."""
    placed, moved = (parse(program.looped(f"{kilobytes} kB", backwards)) for _ in range(2))
    with notes_to(lambda message, place: None):
        for module in (placed, moved):
            PlacePass(policy="gpu").apply(context(), module)
        clock = clock_for(placed)
        trace, system = trace_of(placed, clock).trace, MemorySystem.of(clock.machine)
        assert system is not None
        assume(trace.largest_working_set <= system.capacity < trace.peak_live)
        PrefetchPass(policy=policy).apply(context(), moved)
    plan = POLICIES[policy](trace, system, MemoryOptions())
    run = replay(trace, system, plan.moves, plan.regime)
    if plan.bound_ns is not None:
        assert run.spans[-1] >= plan.bound_ns * (1 - 1e-3) or not run.steady
    return placed, moved, run.spans[-1]


@given(programs(), st.sampled_from([35, 50, 80, 120]), st.booleans())
@settings(
    max_examples=cases(100), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
def test_a_plan_that_is_written_into_loops_takes_the_planned_time(
    program: Drawn, kilobytes: int, backwards: bool
) -> None:
    placed, moved, ns = planned(program, kilobytes, "plan", backwards)
    again = parse(str(moved))
    assert str(again) == str(moved)
    assert simulate(again, clock_for(again)).makespan_ns == pytest.approx(ns, rel=1e-6, abs=1e-3)
    for array, expected in zip(run_module(again), run_module(placed), strict=True):
        np.testing.assert_array_equal(array, expected)


@given(programs(), st.sampled_from(["uvm", "pump", "lookahead"]), st.sampled_from([50, 80]), st.booleans())
@settings(
    max_examples=cases(60), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
def test_prefetches_in_loops_change_no_value(program: Drawn, policy: str, kilobytes: int, backwards: bool) -> None:
    placed, moved = (parse(program.looped(f"{kilobytes} kB", backwards)) for _ in range(2))
    with notes_to(lambda message, place: None):
        for module in (placed, moved):
            PlacePass(policy="gpu").apply(context(), module)
        trace = trace_of(placed, clock := clock_for(placed)).trace
        assume(trace.largest_working_set <= kilobytes * 1000 < trace.peak_live)
        PrefetchPass(policy=policy).apply(context(), moved)
    again = parse(str(moved))
    assert simulate(again, clock_for(again)).makespan_ns >= simulate_unlimited(placed, clock).makespan_ns * (1 - 1e-9)
    for array, expected in zip(run_module(again), run_module(placed), strict=True):
        np.testing.assert_array_equal(array, expected)
