"""A trace timed straight from its lines has the same time, counts, waits and energy as its kernel; its lines as arrays
are the lines that the reader of single lines finds."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialects.diagnostics import InputError
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import list_devices, load_device
from ndpir.traces import aim, attacc, pimflow
from ndpir.traces.bulk import bulk_lines
from ndpir.traces.lines import lines_of
from ndpir.traces.reading import READERS, read_trace
from ndpir.traces.timing import flat_time_of, has_loops, trace_time

GRAMMARS = {"aim": aim.GRAMMAR, "attacc": attacc.GRAMMAR, "pimflow": pimflow.GRAMMAR}


@cache
def tracing() -> dict[str, Pim]:
    """The devices that read traces, by name."""
    found = {name: load_device(name) for name, kind, _ in list_devices() if kind == "pim"}
    return {name: pim for name, pim in found.items() if isinstance(pim, Pim) and pim.trace in READERS}


def of_aim(pick: st.DrawFn, hosted: bool) -> str:
    def number(size: int) -> int:
        return pick(st.integers(0, size - 1))

    ops, bank, row, gpr = pick(st.sampled_from((1, 2, 5, 33))), number(16), number(3), number(4)
    mask = pick(st.sampled_from((1, 2, 3, 5, 11, 1 << 31, (1 << 32) - 1, 0xFFFF0000)))
    lines = [
        f"AiM MAC_ABK {ops} {mask} {row}",
        f"AiM MAC_SBK {ops} {mask} {bank} {row}",
        f"AiM WR_GB {ops} {gpr} {mask}",
        f"AiM WR_BIAS {gpr} {mask}",
        f"AiM RD_MAC {gpr} {mask}",
        f"AiM RD_AF {gpr} {mask}",
        f"AiM AF {mask}",
        f"AiM EWMUL {ops} {mask} {row}",
        f"AiM COPY_BKGB {ops} {mask} {bank} {row}",
        f"AiM COPY_GBBK {ops} {mask} {bank} {row}",
        f"AiM WR_ABK {gpr} {1 << number(32)} {row}",
        f"AiM ISR_EWADD {ops} {gpr} 0",
        "AiM SYNC",
        f"W CFR 2 {number(3)}",
        f"W CFR 0 {number(3)}",
        f"R CFR 1 {number(3)}",
        f"W GPR {gpr}",
        "AiM MAC_ABK 0 1 0",
    ]
    if hosted:
        lines += [
            f"W MEM {number(32)} {bank} {row}",
            f"R MEM {number(4)} {bank} {row}",
            f"AiM WR_SBK {gpr} {mask} {bank} {row}",
            f"AiM RD_SBK {gpr} {mask} {bank} {row}",
        ]
    return pick(st.sampled_from(lines))


@st.composite
def traces(draw: st.DrawFn, pim: Pim) -> str:
    count = draw(st.integers(1, 24))
    if pim.trace == "aim":
        hosted = draw(st.booleans())
        return "".join(f"{of_aim(draw, hosted)}\n" for _ in range(count)) + "AiM EOC\n"
    if pim.trace == "attacc":
        words = draw(st.lists(st.sampled_from(list(attacc.WORDS)), min_size=1, max_size=4))
        places = attacc.layout(pim)
        found: list[str] = []
        for _ in range(count):
            word = draw(st.sampled_from(words))
            parts = {field.name: draw(st.integers(0, min(field.size, 70) - 1)) for field in places.fields}
            low = draw(st.sampled_from((0, 0, 0, 3)))
            step = draw(st.sampled_from((0, places.number(column=1), places.number(channel=1))))
            for at in range(draw(st.sampled_from((1, 1, 4)))):
                address = places.number(**parts) + low + at * step
                found.append(f"{word} 0x{min(address, places.size - 1):08x}\n")
        return "".join(found)
    words = ("GWRITE", "GWRITE_4", "G_ACT", "G_ACT0", "G_ACT3", "COMP", "COMP", "COMP", "READRES")
    found = []
    for _ in range(count):
        word, row, column = draw(st.sampled_from(words)), draw(st.integers(0, 3)), draw(st.integers(0, 30))
        repeats = draw(st.sampled_from((1, 1, 5))) if word == "COMP" else 1
        for at in range(repeats):
            address = pimflow.layout(pim).number(row=row, column=min(column + at, pim.columns - 1))
            found.append("READRES\n" if word == "READRES" else f"0x{address:08x} {word}\n")
    return "".join(found)


@pytest.mark.parametrize("sheet", tracing())
@given(data=st.data())
def test_both_roads_give_one_time(sheet: str, data: st.DataObject) -> None:
    pim = tracing()[sheet]
    text = data.draw(traces(pim))
    flat = flat_time_of(text, pim)
    try:
        expected = kernel_time(read_trace(text, pim), pim)
    except InputError:
        assert flat is None
        return
    assert flat == (None if pim.checked else expected)
    assert trace_time(text, pim) == expected


@pytest.mark.parametrize(
    ("text", "vendor"),
    [
        ("AiM  MAC_ABK 5 1 0 # c 4\r\n\n#d\n\tW MEM 1 02 0xfF\r\nAiM ISR_AF 3\nAiM EOC", "aim"),
        ("LD 0x10\nPIM_MAC_AB  16\n  # 3\nLD 7", "attacc"),
        ("0x00000040 COMP\n0x0 GWRITE_4 64 2 3\nREADRES\n0x1 G_ACT2", "pimflow"),
    ],
)
def test_lines_as_arrays(text: str, vendor: str) -> None:
    grammar = GRAMMARS[vendor]
    found = bulk_lines(text, grammar)
    assert found is not None
    expected = [(number, grammar.instruction(line, ("", number))) for number, line in lines_of(text)]
    assert found.lines.tolist() == [number for number, _ in expected]
    assert [found.forms[code] for code in found.codes.tolist()] == [line.form for _, line in expected]
    for row, (_, line) in zip(found.numbers.tolist(), expected, strict=True):
        assert row == [*line.numbers, *[0] * (len(row) - len(line.numbers))]


@pytest.mark.parametrize("line", ["W MEM 1 2", "W MEM 1 2 9f", "W MEM 0x 1 2", "W MEM 1 2 -3", "W MEM 1 é 3", "\x0c"])
def test_unusual_lines_are_left_to_the_reader_of_lines(line: str) -> None:
    assert bulk_lines(f"AiM SYNC\n{line}\nAiM EOC\n", aim.GRAMMAR) is None


def test_an_error_is_found_at_its_line() -> None:
    text = "W MEM 0 1 2\n" * 300 + "W MEM 0 16 2\nAiM EOC\n"
    with pytest.raises(InputError, match="bank 16 is out of range") as found:
        trace_time(text, tracing()["aim_ramulator"], "t.trace")
    assert found.value.place == "t.trace:301:9"


def test_regular_traces_are_found() -> None:
    pim = tracing()["aim_ramulator"]
    regular = "".join(f"AiM MAC_ABK 64 1 {row % 16000}\n" for row in range(1000))
    assert has_loops(f"{regular}AiM EOC\n", pim)
    irregular = "".join(f"AiM MAC_ABK {1 + at * at % 61} 1 {at * at % 101}\n" for at in range(1000))
    assert not has_loops(f"{irregular}AiM EOC\n", pim)
