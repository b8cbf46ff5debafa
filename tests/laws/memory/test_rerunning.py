"""Laws of the pass `recompute`: programs compute the same values, and their memory is the amount that was predicted
when the kernels to execute again were selected."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ndpir
from interp.simulate.program_trace import trace_of
from interp.simulate.simulation import simulate
from interp.walk.entry import entry_of
from lowering.memory.rerunning import recompute
from tests.amount import cases
from tests.programs import parse
from tests.table_clock import TableClock, machine

TIMES = {"add": {"gpu": 7.0}, "relu": {"gpu": 3.0}, "reshape": {"gpu": 0.0}}


@st.composite
def steps(draw: st.DrawFn) -> str:
    """Chains of ops, some with views, and ops that read all of their values again in reverse order, as gradients do."""
    lines: list[str] = []
    values = ["%x"]
    for at in range(draw(st.integers(2, 6))):
        kind = draw(st.sampled_from(["relu", "add", "view"]))
        source = values[-1]
        if kind == "view":
            lines.append(f"%r{at} = graph.reshape {source} : tensor<4x4xf32> -> tensor<16xf32>")
            lines.append(f"%s{at} = graph.relu %r{at} : tensor<16xf32>")
            lines.append(f"%v{at} = graph.reshape %s{at} : tensor<16xf32> -> tensor<4x4xf32>")
        elif kind == "add":
            lines.append(f"%v{at} = graph.add {source}, {draw(st.sampled_from(values))} : tensor<4x4xf32>")
        else:
            lines.append(f"%v{at} = graph.relu {source} : tensor<4x4xf32>")
        values.append(f"%v{at}")
    results: list[str] = []
    now = values[-1]
    for number, value in enumerate(reversed(values)):
        lines.append(f"%g{number} = graph.add {now}, {value} : tensor<4x4xf32>")
        now = f"%g{number}"
    results = [now, *draw(st.lists(st.sampled_from(values[1:]), max_size=1))]
    types = ", ".join(["tensor<4x4xf32>"] * len(results))
    end = f"func.return {', '.join(results)} : {types}\n}}"
    return "\n".join([f'func.func @main(%x: tensor<4x4xf32> {{task.state = "read"}}) -> ({types}) {{', *lines, end])


@pytest.mark.slow
@given(steps(), st.integers(3, 8))
@settings(max_examples=cases(120), deadline=None)
def test_programs_compute_the_same_values_in_less_memory(text: str, tensors: int) -> None:
    module = parse(text)
    capacity = 64 * tensors
    clock = TableClock(machine("gpu", memory_bytes={"gpu": capacity}), TIMES)
    before = trace_of(module, clock).trace
    rewritten = module.clone()
    found = recompute(rewritten, entry_of(rewritten), clock)
    if before.peak_live <= capacity:
        assert found is None
    assume(found is not None)
    assert found is not None
    rewritten.verify()
    again = trace_of(rewritten, clock).trace
    assert again.peak_live == found.trace.peak_live <= capacity
    assert [(kernel.name, kernel.ns) for kernel in again.kernels] == [
        (kernel.name, kernel.ns) for kernel in found.trace.kernels
    ]
    assert simulate(rewritten, clock).memory["gpu"].total == again.peak_live
    for old, new in zip(ndpir.run(module, seed=3), ndpir.run(rewritten, seed=3), strict=True):
        assert np.array_equal(old, new)
