"""Laws of plans for memory on a GPU beside a second device: every plan runs and changes no value, no bound exceeds the
time of a plan, and no policy that minimises the makespan makes a program slower than the GPU alone.

`python -m benchmarks beside` checks them on 200 programs, for all policies.
"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from dialects.diagnostics import InputError
from interp.machine.memory_system import MemorySystem
from interp.simulate.events.jobs import BoundError, above
from interp.simulate.memory.engine import Regime
from interp.simulate.memory.problem import Move
from interp.simulate.memory.replay import replay
from interp.simulate.program_trace import trace_of
from interp.walk.run import run_module
from lowering.banks.templates import clock_for
from lowering.memory.intervals import Mode
from lowering.memory.planning import plan
from tests.amount import cases
from tests.laws.memory.beside import PARTS, WAYS, Second, drawn, moved, placed, short_memory

SEEDS, SECOND = st.integers(0, 199), st.sampled_from(("pim", "ndp"))
RULES = ("gpu", "pim-first", "greedy", "xla-ndp")


@pytest.mark.slow
@given(SEEDS, SECOND, st.sampled_from(PARTS), st.sampled_from(RULES), st.sampled_from(tuple(WAYS)))
@example(14, "ndp", PARTS[2], "optimal", "pump")  # a prefetch becomes urgent only as its queue is served
@example(84, "ndp", PARTS[0], "optimal", "lookahead")  # a fault cancels no byte of an eviction, again and again
@settings(max_examples=cases(12), phases=[Phase.explicit, Phase.generate])
def test_every_plan_runs_and_changes_no_value(seed: int, second: Second, part: float, policy: str, way: str) -> None:
    program = drawn(seed, second)
    memory = short_memory(program, part)
    if memory is None or not (program.faults or way.startswith("plan")):
        return
    module = placed(program.text(memory), policy)
    expected = run_module(module.clone())
    timeline, bound = moved(module, way)
    if bound is not None:
        above(timeline.makespan_ns, bound, "any plan of moves")
    for array, other in zip(run_module(module), expected, strict=True):
        np.testing.assert_array_equal(array, other)


@pytest.mark.slow
@given(SEEDS, SECOND, st.sampled_from(PARTS), st.sampled_from(("optimal", "overlap")))
@settings(max_examples=cases(4), phases=[Phase.generate])
def test_a_second_device_makes_no_program_slower(seed: int, second: Second, part: float, policy: str) -> None:
    program = drawn(seed, second, marks=False)
    if (memory := short_memory(program, part)) is None:
        return
    alone = moved(placed(program.text(memory, alone=True), "gpu"), "plan").timeline.makespan_ns
    both = moved(placed(program.text(memory), policy), "plan").timeline.makespan_ns
    assert both <= alone * (1 + 1e-9)


@pytest.mark.slow
@given(SEEDS, SECOND, st.sampled_from(("move", "copy")))
@settings(max_examples=cases(6), phases=[Phase.generate])
def test_our_plan_is_sound_and_no_random_plan_beats_the_bound(seed: int, second: Second, mode: Mode) -> None:
    """The checker accepts the transfers of our plan. Each random plan moves the tensors of a subset of the idle
    intervals out and back in at random kernels; each one that can be carried out takes at least the time of the
    bound."""
    program, draw = drawn(seed, second, most=5), random.Random(seed)
    module = placed(program.text(), draw.choice(("pim-first", "greedy", "gpu")))
    clock = clock_for(module)
    trace, system = trace_of(module, clock).trace, MemorySystem.of(clock.machine)
    assert system is not None
    least, most = trace.largest_working_set, trace.peak_live
    system = replace(system, capacity=round(least + 0.4 * (most - least)), faults=None)
    if least == most:
        return
    ours = plan(trace, system, mode)
    bound = ours.relaxation.bound_ns
    assert ours.run.violations(system, ours.regime) == []
    idle, count = trace.idle, len(trace.kernels)
    spans = list(zip(idle.tensor.tolist(), idle.after.tolist(), idle.before.tolist(), strict=True))
    draw.shuffle(spans)
    for chosen in product((False, True), repeat=min(len(spans), 6)):
        moves: list[Move] = []
        for (tensor, after, before), taken in zip(spans, chosen, strict=False):
            if taken:
                moves.append(Move("evict", tensor, after + 1, tier=draw.choice(system.tiers).name))
                moves.append(Move("prefetch", tensor, draw.randint(after + 2, before) % count))
        try:
            run = replay(trace, system, moves, Regime(mode=mode), iterations=6)
        except InputError:
            continue
        if run.steady:
            assert run.spans[-1] >= bound * (1 - 1e-6)


def test_a_bound_above_a_time_is_an_internal_error() -> None:
    assert above(100.0, 80.0) == pytest.approx(0.25)
    assert above(100.0, 100.0 + 1e-7) == 0.0
    with pytest.raises(
        BoundError, match=r"the lower bound 119\.65 ns on the time of any plan exceeds the time 102\.22 ns"
    ):
        above(102.22, 119.65, "any plan")
