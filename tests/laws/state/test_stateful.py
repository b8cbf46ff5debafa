"""Laws of programs with state: no pass changes what a step computes or leaves, wherever states rest, and no op works on
a whole state that only grows by rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.context import Context

import ndpir
from dialects.graph import shape_of
from interp.walk.entry import entry_of, states_of
from interp.walk.inputs import seeded_inputs
from interp.walk.run import run_module
from lowering.graph.state import StatePass
from tests.amount import EXAMPLES
from tests.laws.state.stateful import Cache, caches, step
from tests.programs import parse

PIMS = ('"attacc" {channels = 2}', '"newton" {channels = 2}', '"hbm_pim" {channels = 4}', '"toy_gpu"')
START = "inline,canonicalize,state,choose-form{types=keep}"
PIPELINES = (f"{START},place{{policy=gpu}}", f"{START},place{{policy=pim-first}},to-pim", f"{START},place,order,to-pim")
slowly = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.slow
@slowly
@given(st.lists(caches, min_size=1, max_size=3), st.sampled_from(PIMS), st.sampled_from(PIPELINES))
def test_steps_compute_the_same_on_every_level(states: list[Cache], pim: str, pipeline: str) -> None:
    module = parse(step(states, pim))
    inputs = seeded_inputs(entry_of(module), 3)
    lowered = ndpir.compile(module, pipeline)
    for _ in range(2):
        wanted, found = run_module(module, inputs), run_module(lowered, inputs)
        for one, two in zip(wanted, found, strict=True):
            np.testing.assert_allclose(two.astype(np.float64), one.astype(np.float64), rtol=0, atol=2e-2)
        inputs = _handed_on(lowered, inputs, found)


@slowly
@given(
    st.lists(caches, min_size=1, max_size=3), st.sampled_from(PIMS), st.sampled_from(("gpu", "pim-first", "optimal"))
)
def test_the_predicted_time_is_the_simulated_one(states: list[Cache], pim: str, policy: str) -> None:
    placed = ndpir.compile(parse(step(states, pim)), f"{START},place{{policy={policy}}}")
    plan = ndpir.answer(placed, "summary").plan
    assert plan is not None
    assert plan.predicted_ns == pytest.approx(ndpir.simulate(placed).makespan_ns, rel=1e-6)


def _handed_on(module: Any, inputs: list[NDArray[Any]], results: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """The inputs of the next step: a state of the same type has the content that the last step left."""
    function = entry_of(module)
    states = states_of(function)
    return [
        results[state.result]
        if (state := states.get(argument)) is not None
        and state.result is not None
        and results[state.result].shape == array.shape
        else array
        for argument, array in zip(function.args, inputs, strict=True)
    ]


@slowly
@given(st.lists(caches, min_size=1, max_size=3), st.sampled_from(PIMS), st.sampled_from(PIPELINES[:2]))
def test_no_op_works_on_a_whole_cache_that_grows(states: list[Cache], pim: str, pipeline: str) -> None:
    # Rows that are arguments, and are returned as they came, say nothing of a cache.
    kinds = ["appended" if s.kind == "overwritten" or (s.kind == "rows" and not s.made) else s.kind for s in states]
    growing = [state._replace(kind=kind) for state, kind in zip(states, kinds, strict=True)]
    placed = ndpir.compile(parse(step(growing, pim)), pipeline)
    moved = {"concat", "slice", "dynamic_update_slice"}
    rows = max(state.new for state in growing) * 2 * 16 * 2 * 2
    for event in ndpir.simulate(placed).events:
        if moved.intersection(event.name.split()[0].split("+")):
            assert event.cost.bytes <= rows, event.name


def test_states_are_found_whatever_they_are_called() -> None:
    module = parse(step([Cache("appended", 5, 1, True, True), Cache("ring", 5, 1, False, True)], PIMS[0]))
    StatePass().apply(Context(), module)
    found = states_of(entry_of(module))
    assert [(shape_of(value), state.text) for value, state in found.items()] == [
        ((2, 5, 16), "appended, result 0"),
        ((2, 5, 16), "appended, result 2"),
    ]


@pytest.mark.parametrize("kind", ["appended", "rows", "ring", "updated"])
def test_a_cache_rests_where_its_products_run(kind: str) -> None:
    state = Cache(kind, 4096, 1, True, True)
    text = step([state], '"attacc" {channels = 80}').replace('"toy_gpu"', '"h100_sxm"').replace("toy_link", "on_board")
    wide = text.replace("tensor<2x", "tensor<512x").replace("ends = [2,", "ends = [512,")
    placed = ndpir.compile(parse(wide), f"{START},place")
    cache = entry_of(placed).args[0]
    assert "on<@pim" in str(cache.type)
