"""A program whose values fit into a memory all together needs no moves between memories."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from interp.simulate import simulation
from interp.simulate.simulation import simulate_unlimited
from lowering.banks.templates import clock_for
from tests.amount import cases
from tests.laws.partition.test_plans import function_of, placed, problems
from tests.programs import parse

most_bytes = simulation._most_bytes  # pyright: ignore[reportPrivateUsage]


@given(problems(), st.sampled_from(("", "gpu", "greedy", "pim-first")))
@settings(max_examples=cases(60), phases=[Phase.generate])
def test_values_take_no_more_than_all_of_them_together(text: str, policy: str) -> None:
    try:
        module = placed(text, policy) if policy else parse(text)
        clock = clock_for(module)
        record = clock.machine.devices[clock.machine.primary]
        need = simulate_unlimited(module, clock).memory[clock.machine.primary]
    except Exception:
        pytest.skip("no device can run some op")
    most = most_bytes(function_of(module), record)
    assert most is not None
    assert need.total <= most
