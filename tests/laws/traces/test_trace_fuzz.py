"""A corrupted command trace is either read, printed and timed, or rejected with a message and a location."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.diagnostics import InputError
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from ndpir.traces.reading import read_trace
from tests.unit.pim.traces import trace_text

DATA = Path(__file__).parents[2] / "data"
LINES = {
    "newton": (DATA / "newton" / "p06_two_tiles.trace").read_text(encoding="utf-8").splitlines()[:60],
    "aim_ramulator": (DATA / "aim" / "traces" / "x4_host.trace").read_text(encoding="utf-8").splitlines(),
    "attacc_ramulator": (DATA / "attacc" / "traces" / "t04_wrgb_mac.trace").read_text(encoding="utf-8").splitlines(),
}
WORDS = (
    "0x0",
    "0xFFFFFFFFFFFFFFFF",
    "READRES",
    "GWRITE_4",
    "G_ACT",
    "G_ACT77",
    "COMP",
    "REF",
    "PREA",
    "AiM",
    "MAC_ABK",
    "ISR_AF",
    "MEM",
    "CFR",
    "LD",
    "PIM_SFM",
    "R",
    "0",
    "3",
    "31",
    "200",
    "4294967295",
    "-1",
    "#",
    "é",
    "\x00",
)


@st.composite
def traces(draw: st.DrawFn, sheet: str) -> str:
    lines = list(LINES[sheet])
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.integers(0, 5)):
            case 0:
                lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
            case 1:
                lines[at] = " ".join([*lines[at].split(), draw(st.sampled_from(WORDS))])
            case 2:
                lines[at] = f"{draw(st.sampled_from(WORDS))} {draw(st.sampled_from(WORDS))}"
            case 3:
                lines.insert(at, lines[draw(st.integers(0, len(lines) - 1))])
            case 4:
                words = lines[at].split() or [""]
                words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(WORDS))
                lines[at] = " ".join(words)
            case _:
                lines = lines[at:] or [""]
    return draw(st.sampled_from(("\n", "\r\n"))).join(lines)


def device(name: str) -> Pim:
    pim = load_device(name)
    assert isinstance(pim, Pim)
    return pim


@pytest.mark.parametrize("sheet", LINES)
@given(data=st.data())
def test_no_trace_breaks_the_reader(sheet: str, data: st.DataObject) -> None:
    pim = device(sheet)
    text = data.draw(traces(sheet))
    try:
        kernel = read_trace(text, pim, "t.pim")
        kernel.verify()
        printed = trace_text(kernel, pim)
        cycles = kernel_time(kernel, pim).cycles
    except InputError as error:
        place = error.place or ""
    else:
        again = read_trace(printed, pim, "t.pim")
        assert trace_text(again, pim) == printed
        assert kernel_time(again, pim).cycles == cycles
        return
    assert place.startswith("t.pim:")


@pytest.mark.parametrize("text", ["", "\n", "  # nothing\n\n"])
def test_an_empty_trace(text: str) -> None:
    with pytest.raises(InputError, match="the trace holds no command; write at least one"):
        read_trace(text, device("newton"), "t.pim")
