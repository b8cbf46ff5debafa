"""Whatever a command trace becomes, it is read and timed, or refused with a sentence and a place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.diagnostics import InputError
from interp.bank_clock import kernel_time
from interp.sheet import Pim
from interp.sheets import load_device
from ndpir.frontends.traces import read_trace

DATA = Path(__file__).parent.parent / "data" / "newton"
LINES = (DATA / "p06_two_tiles.trace").read_text(encoding="utf-8").splitlines()[:60]
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
    "R",
    "-1",
    "#",
    "é",
    "\x00",
)


@st.composite
def traces(draw: st.DrawFn) -> str:
    lines = list(LINES)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.integers(0, 4)):
            case 0:
                lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
            case 1:
                lines[at] = " ".join([*lines[at].split(), draw(st.sampled_from(WORDS))])
            case 2:
                lines[at] = f"{draw(st.sampled_from(WORDS))} {draw(st.sampled_from(WORDS))}"
            case 3:
                lines.insert(at, lines[draw(st.integers(0, len(lines) - 1))])
            case _:
                lines = lines[at:] or [""]
    return draw(st.sampled_from(("\n", "\r\n"))).join(lines)


@given(traces())
def test_no_trace_breaks_the_reader(text: str) -> None:
    pim = load_device("newton")
    assert isinstance(pim, Pim)
    try:
        kernel = read_trace(text, pim, "t.pim")
        kernel.verify()
        kernel_time(kernel, pim)
    except InputError as error:
        place = error.place or ""
    else:
        return
    assert place.startswith("t.pim:")


@pytest.mark.parametrize("text", ["", "\n", "  # nothing\n\n"])
def test_an_empty_trace(text: str) -> None:
    pim = load_device("newton")
    assert isinstance(pim, Pim)
    with pytest.raises(InputError, match="the trace holds no command"):
        read_trace(text, pim, "t.pim")
