"""Laws of placements with streams, and with arguments that stay on other devices: the makespan of a schedule equals
that of the timeline, and placement keeps numbers."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from xdsl.ir import Operation

from dialects.diagnostics import InputError
from interp.machine.cost import Cost
from interp.simulate.events.loop import by_rank
from interp.simulate.schedule.routes import Copy
from interp.simulate.schedule.what_if import retimed
from interp.simulate.simulation import simulate
from interp.walk.run import run_module
from lowering.instance.of_program import PlacementProblem
from lowering.instance.problem import Problem, Schedule
from lowering.optimise.policies import POLICIES
from lowering.place.place import place_function
from tests.laws.placement.test_policies import THREE, function_of, graphs
from tests.programs import parse
from tests.table_clock import TableClock


class StreamClock(TableClock):
    """A clock of a machine whose device @left can process operands as streams, with ops of two and of three phases."""

    def __init__(self, clock: TableClock) -> None:
        left = replace(clock.machine.devices["left"], flies="both", interference=2.0)
        super().__init__(replace(clock.machine, devices={**clock.machine.devices, "left": left}), clock.times)

    def op_cost(self, op: Operation, device: str) -> Cost:
        cost, name = super().op_cost(op, device), self.name_of(op)
        shares = {"neg": (0.5, 0.5), "mul": (0.25, 0.5, 0.25)}.get(name, ()) if device == "left" else ()
        return replace(cost, phases=tuple(cost.ns * share for share in shares))


def drawn(problem: Problem, seed: int) -> Schedule:
    """A schedule with random choices and a random order, in which some ops process operands as streams, and some
    movable arguments are initially on random devices."""
    random = Random(seed)
    placement = [random.choice(node.choices) for node in problem.nodes]
    input_devices = {value: random.choice(problem.devices) for value in problem.movable if random.random() < 0.7}
    jobs, steps = problem.jobs(placement, input_devices), problem.walk(placement, input_devices)
    streams: list[tuple[int, int]] = []
    for index, job in enumerate(jobs):
        _, taker = steps[index]
        for other in dict.fromkeys(job.after):
            _, maker = steps[other]
            source = taker.source if isinstance(taker, Copy) else maker.source if isinstance(maker, Copy) else ""
            target = taker.target if isinstance(taker, Copy) else taker.device
            if source and problem.clock.machine.streams(source, target) and random.random() < 0.7:
                streams.append((index, other))
    order = by_rank(jobs, [random.random() for _ in jobs]) if random.random() < 0.5 else ()
    return Schedule(placement, tuple(order), streams=tuple(streams), input_devices=input_devices)


@pytest.mark.slow
@given(graphs(), THREE, st.integers(0, 1 << 30), st.booleans())
def test_the_schedule_equals_the_timeline(text: str, table: TableClock, seed: int, donated: bool) -> None:
    if donated:
        text = text.replace("(%x: tensor<2x3xf32>", '(%x: tensor<2x3xf32> {task.state = "overwritten, result 0"}')
    clock, module = StreamClock(table), parse(text)
    problem = PlacementProblem(function_of(parse(text)), clock)
    schedule = drawn(problem, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(POLICIES, "drawn", lambda problem: drawn(problem, seed))
        try:
            place_function(function_of(module), clock, "drawn")
        except InputError as error:
            assume("a view of several values can be streamed only if all of these values are" not in str(error))
            raise
    module.verify()
    timeline = simulate(parse(str(module)), clock)
    assert problem.ends(schedule) == timeline.makespan_ns
    assert problem.needs(schedule) == timeline.memory
    assert problem.ends(replace(schedule, streams=())) >= timeline.bound_ns
    assert retimed(timeline, clock, ()).ns == timeline.makespan_ns
    for before, after in zip(run_module(parse(text)), run_module(module), strict=True):
        np.testing.assert_array_equal(before, after)
