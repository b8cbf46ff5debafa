"""Requests of loops, of which repeating iterations are skipped, take as long as the same requests without loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ndpir
from dialects.diagnostics import InputError
from dialects.pim import KernelOp
from interp.kinds.pim.timing.periods import Repeat
from interp.kinds.pim.timing.requests.kernel import Item, Shift, requests_of, stream_of_requests
from interp.kinds.pim.timing.requests.open_rows import window
from interp.kinds.pim.timing.requests.request import Request
from interp.kinds.pim.timing.requests.run import RequestTime, run_requests
from interp.machine.records import Pim
from interp.machine.sheets import list_devices, load_device
from tests.amount import cases
from tests.laws.banks.test_request_jumps import device, reordered

REORDERING = [
    name
    for name, kind, _ in list_devices()
    if kind == "pim"
    and isinstance(record := load_device(name), Pim)
    and record.scheduler is not None
    and record.scheduler.picks == "ready"
]
PRODUCT = """
hw.device @gpu = "a100"
hw.device @pim = "{0}"
hw.link @gpu to @pim = "on_board" {{bandwidth = "400 GB/s"}}
func.func @main(%x: tensor<1x{1}xf16>) -> tensor<1x{1}xf16> {{
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<{1}x{1}xf16>
  %y = graph.matmul %x, %w : tensor<1x{1}xf16>, tensor<{1}x{1}xf16>
  func.return %y : tensor<1x{1}xf16>
}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", REORDERING)
def test_products(name: str) -> None:
    for size in (256, 640):
        module = ndpir.compile(ndpir.parse(PRODUCT.format(name, size)), "place{policy=pim-first},to-pim")
        for kernel in module.walk():
            if isinstance(kernel, KernelOp):
                pim = device(name)
                stream = stream_of_requests(kernel, pim)
                assert run_requests(stream, pim) == run_requests(requests_of(kernel, pim), pim)


def without_loops(items: Iterable[Item]) -> list[Request]:
    """The requests of a stream whose shifts concern all rows."""
    found: list[Request] = []
    rows = 0

    def walk(items: Iterable[Item]) -> None:
        nonlocal rows
        for item in items:
            match item:
                case Shift():
                    rows += item.rows
                case Repeat():
                    for _ in range(item.times):
                        walk(item.body)
                case Request():
                    found.append(item if item.row < 0 else item._replace(row=item.row + rows))

    walk(items)
    return found


@st.composite
def loops(draw: st.DrawFn, depth: int = 2) -> tuple[Item, ...]:
    """Random requests to AttAcc's channels with loops, in which all rows move."""
    found: list[Item] = [each._replace(row=each.row + 400) if each.row >= 0 else each for each in draw(some())]
    pim = device("attacc_ramulator")
    everywhere = tuple(range(pim.channels)), tuple(range(pim.banks_per_channel))
    for _ in range(draw(st.integers(1, 2)) if depth else 0):
        times, rows = draw(st.integers(2, 24)), draw(st.sampled_from((0, 1, 1, 2, -1)))
        body = draw(loops(depth - 1 if draw(st.booleans()) else 0))
        found.append(Repeat(times, (*body, Shift(*everywhere, rows))))
        if draw(st.booleans()):
            found.append(Shift(*everywhere, -rows * times))
    return tuple(found)


def some() -> st.SearchStrategy[list[Request]]:
    return st.lists(reordered(), min_size=1, max_size=5)


def timed(items: Iterable[Any], pim: Pim) -> RequestTime | str:
    try:
        return run_requests(items, pim)
    except InputError as error:
        return error.message


@pytest.mark.slow
@settings(
    max_examples=cases(25),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(loops(), st.sampled_from(("attacc_ramulator", "attacc_norefresh_ramulator")))
def test_random_loops(items: tuple[Item, ...], name: str) -> None:
    pim = device(name)
    assert timed(items, pim) == timed(without_loops(items), pim)


def test_a_run_of_open_rows_does_not_stand_for_another_one() -> None:
    """A row that stays open behind a loop's requests, and that moves with them, and several rows that stay open are
    different states, though they end at the same row."""
    everywhere, both, all4 = (tuple(range(16)), tuple(range(64))), (0, 1), (0, 1, 2, 3)
    rising = (_macs(402, all4, 9, 4), _macs(401, (1,), 17, 9), _macs(400, both, 1, 18), Shift(*everywhere, 1))
    written = Request("write", "bank", 1, 402, (1,), 1, True)
    twin = Request("mac", "twin", 1, 402, (1,), 1, times=7)
    after = (written, _macs(400, (1,), 1, 7), _macs(400, (1,), 17, 25), Request("load", channels=all4, bank=17), twin)
    body = (_macs(401, (1,), 4, 1), Repeat(18, rising), Shift(*everywhere, -18))
    outer = Repeat(6, (*body, Repeat(2, (*after, Shift(*everywhere, 2)))))
    pim = device("attacc_ramulator")
    assert run_requests([outer], pim) == run_requests(without_loops([outer]), pim)


def _macs(row: int, channels: tuple[int, ...], bank: int, times: int) -> Request:
    return Request("mac", "all", 0, row, channels, bank, times=times)


@settings(max_examples=cases(200), deadline=None, derandomize=True)
@given(loops(), st.booleans())
def test_windows_contain_all_later_rows(items: tuple[Item, ...], turned: bool) -> None:
    """A window is the smallest and the largest row of all later requests, counted from any earlier origin, or more."""
    if turned:
        items = _turned(items)
    requests = {item.row for item in _flat(items) if isinstance(item, Request) and item.row >= 0}
    found = window(items, 0, 0, requests)
    lowest = highest = origin = 0
    for item in _flat(items):
        if isinstance(item, Shift):
            origin += item.rows
            lowest, highest = min(lowest, origin), max(highest, origin)
        elif item.row >= 0:
            assert found.first <= item.row + origin - highest
            assert item.row + origin - lowest <= found.last


def test_a_window_is_no_wider_than_the_rows_that_are_addressed_later() -> None:
    everywhere = tuple(range(16)), tuple(range(64))
    requests = _macs(402, (0,), 9, 4), _macs(400, (0,), 1, 18)
    assert window([Repeat(18, (*requests, Shift(*everywhere, 1)))], 0, 0, {400, 402}) == (400, 402 + 17)
    assert window([Repeat(18, (*requests, Shift(*everywhere, -1)))], 0, 0, {400, 402}) == (400 - 17, 402)
    back = Repeat(3, (Repeat(18, (*requests, Shift(*everywhere, 1))), Shift(*everywhere, -18)))
    assert window([back], 0, 0, {400, 402}) == (400 - 18, 402 + 17)


def _flat(items: Iterable[Item]) -> Iterator[Request | Shift]:
    for item in items:
        if isinstance(item, Repeat):
            for _ in range(item.times):
                yield from _flat(item.body)
        else:
            yield item


def _turned(items: Iterable[Item]) -> tuple[Item, ...]:
    """The items with shifts in the opposite direction."""
    return tuple(
        item._replace(body=_turned(item.body))
        if isinstance(item, Repeat)
        else item._replace(rows=-item.rows)
        if isinstance(item, Shift)
        else item
        for item in items
    )
