"""Laws of placement: numbers are kept, the predicted time is that of the timeline, and moves are never worse than the
policies."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, composite
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from interp.machine.records import Arbitration
from interp.simulate.simulation import simulate
from interp.walk.run import run_module
from lowering.instance.of_program import PlacementProblem
from lowering.optimise.quick.heuristics import by_tree, gpu, greedy, improve_locally, pim_first, quick
from lowering.place.place import place_function
from lowering.tasks.prediction import read_prediction
from ndpir.reports.run import Run
from ndpir.reports.summary import summary_answer, summary_text
from tests.amount import cases
from tests.laws.placement.deciding import WHOLE, decided, options_of
from tests.programs import parse
from tests.table_clock import TableClock, Times, machine

UNARY = ("relu", "neg", "abs")
BINARY = ("add", "mul", "max")


ORDERS = st.sampled_from(["", " {order = array<i64: 0, 1>}", " {order = array<i64: 1, 0>}"])
"""The layout note of a slice or concat: none, rows contiguous, or columns contiguous."""


def rows(draw: DrawFn, index: int, value: str) -> list[str]:
    """The lines of ops that slice `value` (2 x 3) into two rows, apply a unary op to each row, and concatenate two of
    the rows, changed or not, as %v with number `index`."""
    lines: list[str] = []
    for row in range(2):
        lines.append(
            f"%s{index}{row} = graph.slice {value} starts = [{row}, 0], ends = [{row + 1}, 3]{draw(ORDERS)}"
            f" : tensor<2x3xf32>"
        )
        lines.append(f"%r{index}{row} = graph.{draw(st.sampled_from(UNARY))} %s{index}{row} : tensor<1x3xf32>")
    joined = draw(st.sampled_from([f"%r{index}0, %r{index}1", f"%r{index}0, %s{index}1", f"%r{index}1, %r{index}0"]))
    return [*lines, f"%v{index} = graph.concat {joined} axis = 0{draw(ORDERS)} : tensor<1x3xf32>"]


MARKS = (
    "",
    " {task.on = @left}",
    " {task.on = @right}",
    ' {task.on = @left, task.state = "overwritten, result 0"}',
)
"""The annotations of an argument: on the primary device at the start, or on another device, where the result that
reuses its memory stays."""


@composite
def graphs(draw: DrawFn, most: int = 8, marks: bool = False) -> str:
    """The text of a function with one weight and one or two arguments and results: element-wise ops, reshapes, and rows
    that are sliced and joined (as views if the layout attribute `order` allows it). `marks`: arguments may be marked
    with a device of `THREE`."""
    lines: list[str] = []
    values = ["%x", "%y"]
    for index in range(draw(st.integers(1, most))):
        name = f"%v{index}"
        kind = draw(st.sampled_from((*UNARY, *BINARY, "reshape", "rows")))
        first = draw(st.sampled_from(values))
        if kind == "rows":
            lines += rows(draw, index, first)
        elif kind == "reshape":
            lines.append(f"%f{index} = graph.reshape {first} : tensor<2x3xf32> -> tensor<6xf32>")
            lines.append(f"{name} = graph.reshape %f{index} : tensor<6xf32> -> tensor<2x3xf32>")
        elif kind in UNARY:
            lines.append(f"{name} = graph.{kind} {first} : tensor<2x3xf32>")
        else:
            second = draw(st.sampled_from([*values, "%w"]))
            lines.append(f"{name} = graph.{kind} {first}, {second} : tensor<2x3xf32>")
        values.append(name)
    if draw(st.booleans()):  # a row is no 2x3 tensor, but may be joined with another one
        order = draw(ORDERS)
        halves = [name for line in lines if (name := line.split()[0]).startswith("%r")]
        if len(halves) > 1:
            joined = ", ".join(draw(st.sampled_from(halves)) for _ in range(2))
            lines.append(f"%v{most} = graph.concat {joined} axis = 0{order} : tensor<1x3xf32>")
            values.append(f"%v{most}")
    results = draw(st.lists(st.sampled_from(values), min_size=1, max_size=2))
    types = ", ".join(["tensor<2x3xf32>"] * len(results))
    body = "\n".join(f"  {line}" for line in lines)
    x, y = (draw(st.sampled_from(MARKS[:most])) if marks else "" for most in (len(MARKS), 3))
    return f"""
func.func @main(%x: tensor<2x3xf32>{x}, %y: tensor<2x3xf32>{y}) -> ({types}) {{
  %w = graph.weight "w" = uniform(-1.0, 1.0, 1) : tensor<2x3xf32>
{body}
  func.return {", ".join(results)} : {types}
}}
"""


ARBITRATIONS: st.SearchStrategy[Arbitration] = st.sampled_from(["separate", "exclusive", "shared"])


@composite
def clocks(draw: DrawFn, *names: str, mixed: bool = False) -> TableClock:
    """A clock with random times: every op can run on the primary device, and some on other devices. A copy of a value
    takes 34 ns."""
    times: dict[str, dict[str, float]] = {}
    for op in (*UNARY, *BINARY, "slice", "concat"):
        times[op] = {names[0]: float(draw(st.integers(0, 100)))}
        for other in names[1:]:
            if draw(st.booleans()):
                times[op][other] = float(draw(st.integers(0, 100)))
    frozen: Times = times
    arbitrations: list[Arbitration] = [draw(ARBITRATIONS) for _ in names[1:]] if mixed else []
    return TableClock(machine(*names, duplex=draw(st.booleans()), arbitrations=arbitrations), frozen)


TWO = clocks("gpu", "pim")
THREE = clocks("gpu", "left", "right", mixed=True)
"""A machine of three devices, each of whose links may state that its ends share a memory. An op reads and writes about
a dozen bytes, and a device reads one byte per ns."""


def function_of(module: ModuleOp) -> FuncOp:
    return next(op for op in module.ops if isinstance(op, FuncOp))


def placed(text: str, clock: TableClock, policy: str) -> ModuleOp:
    module = parse(text)
    place_function(function_of(module), clock, policy, options=options_of(policy))
    module.verify()
    return module


@pytest.mark.slow
@given(graphs(marks=True), THREE, st.sampled_from(WHOLE))
def test_the_prediction_equals_the_timeline(text: str, clock: TableClock, policy: str) -> None:
    problem = PlacementProblem(function_of(parse(text)), clock)
    schedule = decided(problem, policy)
    timeline = simulate(placed(text, clock, policy), clock)
    assert problem.ends(schedule) == timeline.makespan_ns
    assert problem.needs(schedule) == timeline.memory
    if not schedule.order and not schedule.waits:
        assert problem.makespan(schedule.placement) == timeline.makespan_ns


@pytest.mark.slow
@given(graphs(marks=True), THREE, st.sampled_from(WHOLE))
@settings(max_examples=cases(30))
def test_notes_on_a_plan_agree_with_the_timeline(text: str, clock: TableClock, policy: str) -> None:
    module = placed(text, clock, policy)
    noted = read_prediction(function_of(module), clock)
    makespan = simulate(module, clock).makespan_ns
    assert noted is not None
    name = "optimal effort=1" if policy == "optimal" else policy
    assert noted.policy == name
    assert noted.ns == pytest.approx(makespan, rel=1e-8)
    assert (noted.bound.ns if noted.bound else 0.0) <= makespan * (1 + 1e-8)
    assert f'by placement policy "{name}", equal to the simulation' in summary_text(
        summary_answer(Run(module, clock=clock), depends=False)
    )


@pytest.mark.slow
@given(graphs(marks=True), THREE, st.sampled_from(WHOLE))
@settings(max_examples=cases(30))
def test_numbers_stay(text: str, clock: TableClock, policy: str) -> None:
    for before, after in zip(run_module(parse(text)), run_module(placed(text, clock, policy)), strict=True):
        np.testing.assert_array_equal(before, after)


@given(graphs(), THREE)
def test_cost_is_never_worse_than_the_others(text: str, clock: TableClock) -> None:
    problem = PlacementProblem(function_of(parse(text)), clock)
    spans = [problem.makespan(policy(problem)) for policy in (gpu, pim_first, greedy)]
    assert problem.makespan(quick(problem)) <= min(spans)


@given(graphs(), TWO)
def test_all_at_home_is_the_program_before_placement(text: str, clock: TableClock) -> None:
    assert simulate(placed(text, clock, "gpu"), clock).makespan_ns == simulate(parse(text), clock).makespan_ns


@given(graphs(), THREE, st.sampled_from(WHOLE))
def test_memory_that_is_used_by_two_costs_time_alone(text: str, clock: TableClock, policy: str) -> None:
    module, machine = placed(text, clock, policy), clock.machine
    links = {ends: replace(link, arbitration="separate") for ends, link in machine.links.items()}
    apart = simulate(module, TableClock(replace(machine, links=links), clock.times))
    shared = simulate(module, clock)
    assert shared.makespan_ns >= apart.makespan_ns * (1 - 1e-12)
    assert shared.energy_nj == apart.energy_nj
    assert shared.bound_ns >= apart.bound_ns * (1 - 1e-12)


@pytest.mark.slow
@given(graphs(), THREE)
def test_a_placed_program_does_not_end_before_its_bound(text: str, clock: TableClock) -> None:
    timeline = simulate(placed(text, clock, "optimal"), clock)
    assert timeline.bound_ns <= timeline.makespan_ns


@given(graphs(most=6), TWO)
def test_no_single_move_improves_cost(text: str, clock: TableClock) -> None:
    problem = PlacementProblem(function_of(parse(text)), clock)
    placement = list(quick(problem))
    for node in problem.nodes:
        for choice in node.choices:
            moved = [*placement[: node.index], choice, *placement[node.index + 1 :]]
            assert problem.makespan(moved) >= problem.makespan(placement) * (1 - 1e-6)


@composite
def chains(draw: DrawFn) -> str:
    """A chain of unary ops."""
    kinds = draw(st.lists(st.sampled_from(UNARY), min_size=1, max_size=7))
    lines = [f"%v{i + 1} = graph.{kind} %v{i} : tensor<2x3xf32>" for i, kind in enumerate(kinds)]
    body = "\n".join(lines)
    return f"""
func.func @main(%v0: tensor<2x3xf32>) -> tensor<2x3xf32> {{
{body}
func.return %v{len(kinds)} : tensor<2x3xf32>
}}
"""


@given(chains(), TWO, st.integers(0, 3))
def test_dynamic_programming_is_exact_for_chains(text: str, clock: TableClock, where: int) -> None:
    """The input is on the primary device, on the other device, or on both."""
    problem = PlacementProblem(function_of(parse(text)), clock)
    primary, other = problem.devices
    problem.present_at[problem.inputs[0]] = ((primary,), (other,), (primary, other), (other, primary))[where]
    best = min(problem.makespan(placement) for placement in product(*(node.choices for node in problem.nodes)))
    assert problem.makespan(by_tree(problem)) == best
    assert problem.makespan(improve_locally(problem, by_tree(problem))) == best
    assert problem.makespan(quick(problem)) == best
