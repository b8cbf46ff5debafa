"""Sheet `newton_pimflow` gives the cycles of PIMFlow's simulator, and its issue times where it logged them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from dialects.diagnostics import InputError
from dialects.pim import LoadOp
from interp.banks.program import Issue, Repeat, Slot, Step
from interp.banks.timing.clock import ChannelTime, channel_time, kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from lowering.banks.products.mapping import Product
from lowering.banks.products.search import FoundMapping, search
from ndpir.banks.read import read_trace
from ndpir.banks.write.emit import trace_lines

DATA = Path(__file__).parents[2] / "data" / "newton"
CYCLES = list(csv.DictReader((DATA / "cycles.csv").open(encoding="utf-8")))


def newton(hiding: bool = True) -> Pim:
    sheet = load_device("newton_pimflow" if hiding else "newton_plus_pimflow")
    assert isinstance(sheet, Pim)
    return sheet


@pytest.mark.parametrize("row", CYCLES, ids=lambda row: f"{row['trace']}-{row['hiding']}")
def test_published_cycles(row: dict[str, str]) -> None:
    pim = newton(row["hiding"] == "1")
    kernel = read_trace((DATA / row["trace"]).read_text(encoding="utf-8"), pim, row["trace"])
    assert kernel_time(kernel, pim).cycles == int(row["cycles"])


def test_command_log() -> None:
    """Issue times one by one: what is cut off behind a command takes as long as the log says it is issued."""
    pim = newton()
    log = list(csv.DictReader((DATA / "p09_tiles16.commands.csv").open(encoding="utf-8")))
    lines = (DATA / "p09_tiles16.trace").read_text(encoding="utf-8").splitlines()
    own = [row for row in log if row["command"] not in ("PREA", "REF")]
    assert len(own) == len(lines)
    for count in (1, 2, 5, 6, 37, 38, 74, 300, 513):
        if own[count - 1]["command"] != "READRES":
            kernel = read_trace("\n".join(lines[:count]), pim)
            # A run takes a cycle a request, and one in which there is none left.
            assert kernel_time(kernel, pim).cycles == max(int(own[count - 1]["cycle"]), count + 1)


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
def test_published_cycles_of_loops(steps: tuple[Step, ...], hiding: bool, cycles: int, refreshes: int) -> None:
    """Traces of ten thousand lines as loops."""
    time = channel_time(steps, newton(hiding))
    assert (time.cycles, time.counts["refresh"]) == (cycles, refreshes)


@pytest.mark.parametrize(
    ("vectors", "outputs", "inner", "published"),
    [(49, 960, 160, 10045), (49, 160, 960, 11473), (1, 1000, 1280, 1532), (196, 24, 144, 1572), (49, 64, 576, 2000)],
)
@pytest.mark.parametrize("sheet", ["newton", "newton_pimflow"])
def test_never_worse_than_pimflow(sheet: str, vectors: int, outputs: int, inner: int, published: int) -> None:
    """Our mappings against those of PIMFlow's code generator (which drops work in the fourth), also where rows that a
    refresh closes are paid for."""
    pim = load_device(sheet)
    assert isinstance(pim, Pim)
    plan = search(Product(1, vectors, outputs, inner, "f16"), pim)
    assert isinstance(plan, FoundMapping)
    assert plan.time.cycles <= published


ROW = (Issue(Slot("load")), *ACTS, Repeat(50, (Issue(Slot("mac"), 32), Issue(Slot("drain")))))


@pytest.mark.parametrize(
    ("sheet", "cycles", "counts"),
    [
        # Macs from 64 on, 64 cycles a round; the drain in 1919 lets the refresh in: PREA in 1920, REF in 1931. Then
        # G_ACT0 in 1931 + 350, the others 17 apart, the next mac 11 later: in 2343 instead of 1920.
        ("newton", 3699, {"load": 1, "act": 8, "mac": 1600, "drain": 50, "pre": 1, "refresh": 1}),
        (
            "newton_pimflow",
            3288,  # the next mac in 1932
            {"load": 1, "act": 4, "mac": 1600, "drain": 50, "pre": 1, "refresh": 1},
        ),
    ],
)
def test_a_row_closed_by_a_refresh(sheet: str, cycles: int, counts: dict[str, int]) -> None:
    """The clean timing variant opens the row again and pays for it; the simulator goes on with closed banks."""
    pim = load_device(sheet)
    assert isinstance(pim, Pim)
    time = channel_time(ROW, pim)
    assert (time.cycles, time.counts) == (cycles, counts)


def test_trace_and_back() -> None:
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


def test_commands_have_places() -> None:
    kernel = read_trace("# a comment\n\n0x00000000 GWRITE_2 1 2 3\r\nREADRES\n", newton(), "some.pim")
    load = next(op for op in kernel.body.block.ops if isinstance(op, LoadOp))
    assert str(load.location) == 'loc("some.pim":3:1)'


@pytest.mark.parametrize(
    ("text", "place", "message"),
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
def test_wrong_traces(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        kernel_time(read_trace(text, newton(), "t"), newton())
    assert message in caught.value.message
    assert caught.value.place == place


def test_empty_trace() -> None:
    time = channel_time((), newton())
    assert time == ChannelTime(1, {}, {})


def test_an_activation_function_takes_a_command():
    """As PIMFlow's simulator (akothen/PIMFlow_ramulator, commit 8dbb92f) prints it: GWRITE 1, G_ACT0 2, COMP 52, ACT_OP
    54, READRES 55, and 13 cycles until its data is there."""
    text = "0x00000000 GWRITE\n0x00000000 G_ACT0\n0x00000040 COMP\n0x00000040 ACT_OP\nREADRES\n"
    assert kernel_time(read_trace(text, newton()), newton()).cycles == 68
