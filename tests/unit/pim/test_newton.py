"""Tests of the sheet `newton_pimflow`: the cycles of programs equal those of PIMFlow's simulator, issue times those in
its logs."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from dialects.pim import LoadOp
from interp.kinds.pim.program import Issue, Repeat, Slot, Step
from interp.kinds.pim.timing.clock import ChannelTime, channel_time, kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from lowering.banks.products.mapping import Product
from lowering.banks.products.search import FoundMapping, search
from ndpir.traces.emit import trace_lines
from ndpir.traces.reading import read_trace
from tests.pim_sheets import by_verb

DATA = Path(__file__).parents[2] / "data" / "newton"
CYCLES = list(csv.DictReader((DATA / "cycles.csv").open(encoding="utf-8")))


def newton(hiding: bool = True) -> Pim:
    sheet = load_device("newton_pimflow" if hiding else "newton_plus_pimflow")
    assert isinstance(sheet, Pim)
    return sheet


@pytest.mark.parametrize("row", CYCLES, ids=lambda row: f"{row['trace']}-{row['hiding']}")
def test_cycles_equal_the_simulator_s(row: dict[str, str]) -> None:
    pim = newton(row["hiding"] == "1")
    kernel = read_trace((DATA / row["trace"]).read_text(encoding="utf-8"), pim, row["trace"])
    assert kernel_time(kernel, pim).cycles == int(row["cycles"])


def test_issue_times_equal_the_simulator_s_log() -> None:
    """A trace that is cut off after a command takes as many cycles as the log's issue time of that command."""
    pim = newton()
    log = list(csv.DictReader((DATA / "p09_tiles16.commands.csv").open(encoding="utf-8")))
    lines = (DATA / "p09_tiles16.trace").read_text(encoding="utf-8").splitlines()
    of_trace = [row for row in log if row["command"] not in ("PREA", "REF")]
    assert len(of_trace) == len(lines)
    for count in (1, 2, 5, 6, 37, 38, 74, 300, 513):
        if of_trace[count - 1]["command"] != "READRES":
            kernel = read_trace("\n".join(lines[:count]), pim)
            # The simulator takes at least a cycle per request, and one more.
            assert kernel_time(kernel, pim).cycles == max(int(of_trace[count - 1]["cycle"]), count + 1)


ACTS = tuple(Issue(Slot("act", "group", group)) for group in range(4))
TILE = (*ACTS, Issue(Slot("mac"), 32), Issue(Slot("drain")))


@pytest.mark.parametrize(
    ("steps", "hiding", "cycles", "refreshes"),
    [
        ((Issue(Slot("load")), Repeat(256, TILE)) * 2, True, 79333, 41),  # p11_tiles512_2gw
        ((Issue(Slot("load")), Repeat(256, TILE)) * 2, False, 79459, 41),
        ((*ACTS, Issue(Slot("mac"), 1024)), True, 2121, 1),  # p12_comp1024: no drain lets a refresh in before the end
        ((*ACTS, Issue(Slot("mac"), 8192)), True, 19607, 10),  # p13_comp8192
    ],
)
def test_cycles_of_loops_equal_the_simulator_s(
    steps: tuple[Step, ...], hiding: bool, cycles: int, refreshes: int
) -> None:
    """The loops correspond to published traces of ten thousand lines."""
    time = channel_time(steps, newton(hiding))
    assert (time.cycles, by_verb(time.slots)["refresh"]) == (cycles, refreshes)


@pytest.mark.parametrize(
    ("vectors", "outputs", "inner", "published"),
    [(49, 960, 160, 10045), (49, 160, 960, 11473), (1, 1000, 1280, 1532), (196, 24, 144, 1572), (49, 64, 576, 2000)],
)
@pytest.mark.parametrize("sheet", ["newton", "newton_pimflow"])
def test_mappings_are_never_slower_than_pimflow_s(
    sheet: str, vectors: int, outputs: int, inner: int, published: int
) -> None:
    """The published cycles are those of PIMFlow's code generator (which drops work in the fourth case). `newton` also
    counts activates of rows that a refresh closed."""
    pim = load_device(sheet)
    assert isinstance(pim, Pim)
    plan = search(Product(1, vectors, outputs, inner, "f16"), pim)
    assert isinstance(plan, FoundMapping)
    assert plan.time.cycles <= published


ROW = (Issue(Slot("load")), *ACTS, Repeat(50, (Issue(Slot("mac"), 32), Issue(Slot("drain")))))


@pytest.mark.parametrize(
    ("sheet", "cycles", "counts"),
    [
        # MACs start in cycle 64, and take 64 cycles per iteration; after the drain in 1919, the refresh follows: PREA
        # in 1920, REF in 1931. Then G_ACT0 in 1931 + 350, three further activates 17 cycles apart, and the next MAC 11
        # cycles later: in 2343 instead of 1920.
        ("newton", 3699, {"load": 1, "act": 8, "mac": 1600, "drain": 50, "pre": 1, "refresh": 1}),
        (
            "newton_pimflow",
            3288,  # the next MAC in 1932
            {"load": 1, "act": 4, "mac": 1600, "drain": 50, "pre": 1, "refresh": 1},
        ),
    ],
)
def test_a_row_closed_by_a_refresh_is_activated_again_except_in_the_simulator(
    sheet: str, cycles: int, counts: dict[str, int]
) -> None:
    """The specification's timing variant activates the row again; the simulator multiplies with closed banks."""
    pim = load_device(sheet)
    assert isinstance(pim, Pim)
    time = channel_time(ROW, pim)
    assert (time.cycles, by_verb(time.slots)) == (cycles, counts)


def test_a_printed_trace_is_read_as_the_same_program() -> None:
    pim = newton()
    plan = search(Product(1, 49, 64, 576, "f16"), pim)
    assert isinstance(plan, FoundMapping)
    lines = trace_lines(plan.kernel, pim, 0)
    assert lines is not None
    text = "\n".join(lines)
    kernel = read_trace(text, pim)
    again = trace_lines(kernel, pim, 0)
    assert again is not None
    assert "\n".join(again) == text
    assert kernel_time(kernel, pim).cycles == plan.time.cycles
    assert trace_lines(plan.kernel, pim, 15) is not None
    assert trace_lines(kernel, pim, 1) is None


def test_commands_have_locations() -> None:
    kernel = read_trace("# a comment\n\n0x00000000 GWRITE_2 1 2 3\r\nREADRES\n", newton(), "some.pim")
    load = next(op for op in kernel.body.block.ops if isinstance(op, LoadOp))
    assert str(load.location) == 'loc("some.pim":3:1)'


@pytest.mark.parametrize(
    ("text", "location", "message"),
    [
        ("0x0 GWRITE\n0x0 COMPX\n", "t:2:5", "`COMPX` is not known here; a line is written as in `0x00000040 COMP`"),
        ("0x0 GWRITE\n0y0 COMP\n", "t:2:1", "`0y0` is not known here"),
        ("0x0 GWRITE\nCOMP\n", "t:2:1", "`COMP` is not expected here; a line is written as in `0x00000040 COMP`"),
        ("0x0 REF\n", "t:1:5", "`REF` is not known here"),
        ("0x0 G_ACT9\n", "t:1:5", "there is no group 9; newton_pimflow has 4"),
        ("0x40000000 COMP\n", "t:1:1", "the address lies outside of a channel of newton_pimflow"),
        ("0x0\n", "t:1:4", "the line ends too early"),
    ],
)
def test_a_wrong_trace_is_an_error_with_line_and_column(text: str, location: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        kernel_time(read_trace(text, newton(), "t"), newton())
    assert message in caught.value.message
    assert caught.value.place == location


def test_the_time_of_an_empty_trace_is_one_cycle() -> None:
    time = channel_time((), newton())
    assert time == ChannelTime(1, {}, {})


def test_an_activation_function_takes_one_command():
    """PIMFlow's simulator (akothen/PIMFlow_ramulator, commit 8dbb92f) prints these cycles: GWRITE 1, G_ACT0 2, COMP 52,
    ACT_OP 54, READRES 55; its data arrives 13 cycles later."""
    text = "0x00000000 GWRITE\n0x00000000 G_ACT0\n0x00000040 COMP\n0x00000040 ACT_OP\nREADRES\n"
    assert kernel_time(read_trace(text, newton()), newton()).cycles == 68
