"""The functions on arrays that numba compiles, here run by Python, give the time and the counts of the controller that
they follow, for any stream of ordinary accesses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interp.kinds.pim.timing.requests.request import Request
from interp.kinds.pim.timing.requests.run import compiled_time, run_requests
from interp.machine.records import Pim
from interp.machine.sheets import load_device


def device(name: str) -> Pim:
    found = load_device(name)
    assert isinstance(found, Pim)
    return found


@st.composite
def accesses(draw: st.DrawFn, pim: Pim) -> list[Request]:
    banks, rows, columns = (draw(st.integers(1, most)) for most in (pim.banks_per_channel, 4, 3))
    channels = draw(st.lists(st.integers(0, pim.channels - 1), min_size=1, max_size=3, unique=True))
    verbs = draw(st.sampled_from((("read",), ("write",), ("read", "write"))))
    found: list[Request] = []
    for _ in range(draw(st.integers(1, 90))):
        bank, row, column = (draw(st.integers(0, most - 1)) for most in (banks, rows, columns))
        verb, channel = draw(st.sampled_from(verbs)), draw(st.sampled_from(channels))
        found.append(Request(verb, "bank", bank, row, (channel,), bank, True, column * 64))
    return found


@pytest.mark.parametrize("sheet", ["attacc_ramulator", "attacc_norefresh_ramulator"])
@given(data=st.data())
def test_compiled_accesses(sheet: str, data: st.DataObject) -> None:
    pim = device(sheet)
    requests = data.draw(accesses(pim))
    assert compiled_time(requests, pim) == run_requests(requests, pim)


def test_refreshes_of_long_streams() -> None:
    pim = device("attacc_ramulator")
    requests = [Request("read", "bank", 0, at, (0,), 0, True) for at in range(150)]
    found = compiled_time(requests, pim)
    assert found == run_requests(requests, pim)
    assert found is not None
    assert any(verb == "refresh" for verb, _ in found.counts)


def test_other_requests_are_left_to_the_controller() -> None:
    assert compiled_time([Request("mac", "all", 0, 1, (0,), 0)], device("attacc_ramulator")) is None
