"""Laws of loops: values, time and energy of a loop equal those of the unrolled loop; passes change no value, and the
times that they predict equal the timeline's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

import ndpir
from dialects.graph import ConstantOp, RepeatOp
from interp.simulate.simulation import simulate
from interp.walk.run import run_module
from lowering.banks.templates import clock_for
from lowering.tasks.prediction import read_prediction
from tests.amount import cases

MACHINE = """hw.device @gpu = "toy_gpu"
hw.device @pim = "toy_pim"
hw.link @gpu to @pim = "toy_link"
"""
T = "tensor<4x8xi32>"


@st.composite
def bodies(draw: st.DrawFn, known: list[str], depth: int, prefix: str) -> tuple[list[str], list[str]]:
    """Lines of ops on values of type `T`, and the names of all values: those in `known` and those that the lines
    define."""
    lines, known = list[str](), list(known)
    for number in range(draw(st.integers(1, 4))):
        name = f"{prefix}_{number}"
        if depth and draw(st.integers(0, 3)) == 0:
            carried = draw(st.integers(1, 3))
            given = [draw(st.sampled_from(known)) for _ in range(carried + draw(st.integers(0, 2)))]
            inner = [f"{name}a{index}" for index in range(len(given))]
            start = draw(st.integers(-2, 2))
            iterations = f"{name}i = {start} to {start + draw(st.integers(0, 4))}"
            deeper, values = draw(bodies(inner, depth - 1, name))
            counted = f"{name}c"
            deeper.append(f"{counted} = graph.add {draw(st.sampled_from(values))}, {name}i : {T}, tensor<i32>")
            yielded = [draw(st.sampled_from([*values, counted])) for _ in range(carried)]
            results = [f"{name}r{index}" for index in range(carried)]
            bound = ", ".join(f"{a} = {b}" for a, b in zip(inner, given, strict=True))
            lines.append(f"{', '.join(results)} = graph.repeat {iterations} ({bound}) {{")
            lines += [*deeper, f"graph.yield {', '.join(yielded)}", "}"]
            known += results
            continue
        op = draw(st.sampled_from(["add", "sub", "mul", "max", "min"]))
        lines.append(f"{name} = graph.{op} {draw(st.sampled_from(known))}, {draw(st.sampled_from(known))} : {T}")
        known.append(name)
    return lines, known


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program of element-wise ops on integers, with nested loops."""
    lines, known = draw(bodies(["%x", "%y"], 2, "%v"))
    results = [draw(st.sampled_from(known)) for _ in range(2)]
    types = f"({T}, {T})"
    head = f"func.func @main(%x: {T}, %y: {T}) -> {types} {{"
    return MACHINE + "\n".join([head, *lines, f"  func.return {', '.join(results)} : {T}, {T}", "}"])


def written_out(module: ModuleOp) -> ModuleOp:
    """A copy of the program with all loops unrolled."""
    module = module.clone()
    while loop := next((op for op in module.walk() if isinstance(op, RepeatOp)), None):
        values, block = list(loop.inputs), loop.parent
        assert block is not None
        for count in loop.counted:
            counter = ConstantOp(np.array(count, np.int32))
            block.insert_op_before(counter, loop)
            inside: dict[SSAValue, SSAValue] = dict(
                zip(loop.body.block.args, [counter.results[0], *values], strict=True)
            )
            for op in loop.ops:
                block.insert_op_before(op.clone(inside), loop)
            values[: len(loop.outputs)] = [inside.get(value, value) for value in loop.last.values]
        Rewriter.replace_op(loop, [], values[: len(loop.outputs)])
    module.verify()
    return module


@given(programs())
@settings(max_examples=cases(40))
def test_a_loop_equals_the_unrolled_loop(text: str) -> None:
    kept = ndpir.parse(text)
    plain = written_out(kept)
    for one, other in zip(run_module(kept), run_module(plain), strict=True):
        np.testing.assert_array_equal(one, other)
    ours, theirs = simulate(kept, clock_for(kept)), simulate(plain, clock_for(plain))
    # Once unrolled, two arguments of a loop's body may be one value, which an op then reads only once.
    assert ours.makespan_ns == pytest.approx(theirs.makespan_ns, rel=2e-3)
    assert ours.makespan_ns >= theirs.makespan_ns * (1 - 1e-9)
    assert ours.makespan_ns == pytest.approx(sum(event.cost.ns * iterations for event, iterations, _ in ours.tasks()))
    assert ours.energy_nj["gpu"] == pytest.approx(
        sum(e.cost.energy_nj * iterations for e, iterations, _ in ours.tasks())
    )
    assert ours.energy_nj["gpu"] >= theirs.energy_nj["gpu"] * (1 - 1e-9)
    assert ours.bytes_copied == theirs.bytes_copied
    assert ours.bound_ns <= ours.makespan_ns * (1 + 1e-9)
    assert sum(iterations for _, iterations, _ in ours.tasks()) == len(theirs.events)


@pytest.mark.slow
@given(programs(), st.sampled_from(["policy=gpu", "policy=pim-first", "policy=greedy", "effort=1"]))
@settings(max_examples=cases(30))
def test_passes_keep_values_and_predict_the_timeline(text: str, policy: str) -> None:
    module = ndpir.parse(text)
    before = run_module(module)
    placed = ndpir.compile(module, f"canonicalize,fuse,layout,place{{{policy}}}")
    clock = clock_for(placed)
    function = next(op for op in placed.ops if op.name == "func.func")
    prediction, timeline = read_prediction(function, clock), simulate(placed, clock)  # pyright: ignore[reportArgumentType]
    assert prediction is not None
    assert prediction.ns == pytest.approx(timeline.makespan_ns)
    assert prediction.bound is None or prediction.bound.ns <= timeline.makespan_ns * (1 + 1e-8)
    for program in (placed, ndpir.compile(placed, "order")):
        for one, other in zip(before, run_module(program), strict=True):
            np.testing.assert_array_equal(one, other)
        assert simulate(program, clock).makespan_ns <= timeline.makespan_ns * (1 + 1e-9)
