"""Laws of the memory trace of a program on one device: its time is that of the timeline, and its peak of live bytes is
the memory that the summary reports."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interp.simulate.memory.problem import KernelTrace
from interp.simulate.program_trace import trace_of
from interp.simulate.simulation import simulate
from tests.amount import cases
from tests.programs import parse
from tests.table_clock import TableClock, machine

CLOCK = TableClock(machine("gpu"), {"add": {"gpu": 7}, "relu": {"gpu": 3}})
SHAPES = ("4x6", "8x3", "16")
NOTES = (
    "",
    ' {task.state = "read"}',
    ' {task.state = "free"}',
    ' {task.state = "overwritten, result 0"}',
)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A function of elementwise ops and reshapes over arguments and weights of a few sizes."""
    shapes = {f"a{number}": draw(st.sampled_from(SHAPES)) for number in range(draw(st.integers(1, 3)))}
    notes = {name: draw(st.sampled_from(NOTES)) for name in shapes}
    lines: list[str] = []
    for name in ("w0", "w1")[: draw(st.integers(0, 2))]:
        shapes[name] = draw(st.sampled_from(SHAPES))
        lines.append(f'%{name} = graph.weight "{name}" = uniform(0.0, 1.0, 1) : tensor<{shapes[name]}xf32>')
    for number in range(draw(st.integers(1, 8))):
        x = draw(st.sampled_from([*shapes][-5:]))
        others = [name for name, shape in shapes.items() if shape == shapes[x]]
        kind = draw(st.sampled_from(["add", "add", "relu", "reshape"]))
        shapes[f"v{number}"] = shapes[x]
        if kind == "reshape":
            shapes[f"v{number}"] = {"4x6": "8x3", "8x3": "4x6", "16": "16"}[shapes[x]]
            end = f" : tensor<{shapes[x]}xf32> -> tensor<{shapes[f'v{number}']}xf32>"
        else:
            end = (f", %{draw(st.sampled_from(others))}" if kind == "add" else "") + f" : tensor<{shapes[x]}xf32>"
        lines.append(f"%v{number} = graph.{kind} %{x}{end}")
    able = [name for name in shapes if not name.startswith("w")]
    results = draw(st.lists(st.sampled_from(able), min_size=1, max_size=3, unique=True))
    for name in notes:
        if "=" in notes[name] and shapes[name] != shapes[results[0]]:
            notes[name] = ""
    arguments = ", ".join(f"%{name}: tensor<{shapes[name]}xf32>{notes[name]}" for name in notes)
    types = ", ".join(f"tensor<{shapes[name]}xf32>" for name in results)
    returned = "func.return " + ", ".join(f"%{name}" for name in results) + f" : {types}"
    return f"func.func @main({arguments}) -> ({types}) {{\n" + "\n".join([*lines, returned]) + "\n}"


LATE = """
func.func @main(%w: tensor<16xf32> {task.state = "overwritten, result 0"}) -> (tensor<16xf32>, tensor<16xf32>) {
  %new = graph.relu %w : tensor<16xf32>
  %other = graph.add %new, %w : tensor<16xf32>
  func.return %new, %other : tensor<16xf32>, tensor<16xf32>
}
"""
"""A program whose result is computed before the last read of its argument."""


UNREAD = """
func.func @main(%x: tensor<16xf32>, %w: tensor<16xf32> {task.state = "overwritten, result 0"}) -> (tensor<16xf32>) {
  %new = graph.add %x, %x : tensor<16xf32>
  func.return %new : tensor<16xf32>
}
"""
"""A program that never reads the argument whose memory its result reuses."""


RETURNED = """
func.func @main(%x: tensor<16xf32> {task.state = "overwritten, result 0"})
  -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %new = graph.relu %x : tensor<16xf32>
  %other = graph.relu %new : tensor<16xf32>
  func.return %new, %x, %other : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
"""
"""A program that returns its argument as well as the result that would reuse the argument's memory."""


SHARED = """
func.func @main(%x: tensor<16xf32> {task.state = "overwritten, result 0"},
    %y: tensor<16xf32> {task.state = "overwritten, result 0"}) -> (tensor<16xf32>) {
  %new = graph.add %y, %x : tensor<16xf32>
  func.return %new : tensor<16xf32>
}
"""
"""A program with two arguments that are donated to one result."""


PASSED = """
func.func @main(%x: tensor<16xf32> {task.state = "overwritten, result 0"},
    %y: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %new = graph.relu %x : tensor<16xf32>
  %other = graph.add %new, %new : tensor<16xf32>
  func.return %y, %other : tensor<16xf32>, tensor<16xf32>
}
"""
"""A program with an argument that is donated to a result that is another argument."""


@given(programs())
@example(LATE)
@example(UNREAD)
@example(RETURNED)
@example(SHARED)
@example(PASSED)
@settings(max_examples=cases(300), deadline=None)
def test_peak_and_time_are_those_of_the_summary(text: str) -> None:
    module = parse(text)
    timeline = simulate(module, CLOCK)
    found = trace_of(module, CLOCK)
    need = timeline.memory["gpu"].total
    if overwrites(found.trace):
        assert found.trace.peak_live >= need  # an argument is dead until its result is made, and yet keeps its place
    else:
        assert found.trace.peak_live == need
    assert found.trace.ideal_ns == pytest.approx(timeline.makespan_ns, rel=1e-9)
    for value, numbers in found.tensors.items():
        assert all(value in found.values(number) for number in numbers)


def overwrites(trace: KernelTrace) -> bool:
    """True if a kernel writes a persistent tensor that it does not read, so that the tensor's old contents are dead
    until then."""
    return any(
        trace.tensors[number].persistent for kernel in trace.kernels for number in {*kernel.writes} - {*kernel.reads}
    )
