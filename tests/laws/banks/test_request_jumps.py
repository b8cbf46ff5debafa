"""Simulated controllers that skip to the next cycle with an event give the same cycles as simulation of every cycle."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialects.diagnostics import InputError
from interp.kinds.pim.timing.requests.channel import Issued
from interp.kinds.pim.timing.requests.in_order import InOrder
from interp.kinds.pim.timing.requests.reordering import Reordering
from interp.kinds.pim.timing.requests.request import Request
from interp.kinds.pim.timing.requests.run import RequestTime, run_requests
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from tests.amount import cases

ROWS, BANKS = st.integers(0, 2), st.sampled_from((0, 1, 4, 9, 17, 33))
CHANNELS = st.sampled_from(((0,), (1,), (0, 1), (0, 1, 2, 3)))


@st.composite
def reordered(draw: st.DrawFn) -> Request:
    """A random request to AttAcc's channels, whose controllers reorder requests."""
    verb = draw(st.sampled_from(("mac", "mac", "twin", "load", "softmax", "barrier", "read", "write")))
    bank, row, channels = draw(BANKS), draw(ROWS), draw(CHANNELS)
    match verb:
        case "mac":
            return Request("mac", "all", 0, row, channels, bank, times=draw(st.integers(1, 40)))
        case "twin":
            return Request("mac", "twin", bank % 32, row, channels, bank, times=draw(st.integers(1, 9)))
        case "read" | "write":
            return Request(verb, "bank", bank, row, channels, bank, True, draw(st.integers(0, 2)))
        case _:
            return Request(verb, channels=channels, bank=bank)


@st.composite
def in_order(draw: st.DrawFn) -> Request:
    """A random request to AiM's channels, whose controllers issue requests in order."""
    verb = draw(
        st.sampled_from(("mac", "mac", "mac bank", "load", "bias", "drain", "ewmul", "barrier", "read", "write"))
    )
    bank, row, channels = draw(BANKS) % 16, draw(ROWS), draw(CHANNELS)
    match verb:
        case "barrier":
            return Request("barrier", channels=tuple(range(32)))
        case "mac bank":
            return Request("mac", "bank", bank, row, channels, bank, times=draw(st.integers(1, 50)))
        case "read" | "write":
            return Request(verb, "bank", bank, row, channels, bank, True)
        case "mac" | "ewmul":
            return Request(verb, "all", 0, row, channels, times=draw(st.integers(1, 90)))
        case _:
            return Request(verb, channels=channels, times=draw(st.integers(1, 40)) if verb == "load" else 1)


@contextmanager
def each_cycle() -> Generator[None]:
    """A context in which the simulation visits every cycle."""

    def soon(_channel: object, now: int, _changed: bool) -> int:
        return now + 1

    def never(_channel: object, *_: object) -> None:
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Reordering, "_event", soon)
        patch.setattr(InOrder, "_wake", soon)
        patch.setattr(InOrder, "_issue_ahead", never)
        yield


def run(requests: list[Request], pim: Pim) -> tuple[RequestTime | None, list[Issued]]:
    log: list[Issued] = []
    try:
        return run_requests(requests, pim, log), log
    except InputError:
        return None, []


def device(name: str) -> Pim:
    record = load_device(name)
    assert isinstance(record, Pim)
    return record


SETTINGS = settings(
    max_examples=cases(40), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.mark.slow
@SETTINGS
@given(
    st.lists(reordered(), min_size=1, max_size=40), st.sampled_from(("attacc_ramulator", "attacc_norefresh_ramulator"))
)
def test_reordering_controllers(requests: list[Request], name: str):
    jumped = run(requests, device(name))
    with each_cycle():
        assert run(requests, device(name)) == jumped


@SETTINGS
@given(st.lists(in_order(), min_size=1, max_size=25), st.sampled_from(("aim_ramulator", "aim_lpddr5_ramulator")))
def test_in_order_controllers(requests: list[Request], name: str):
    jumped = run(requests, device(name))
    with each_cycle():
        assert run(requests, device(name)) == jumped
