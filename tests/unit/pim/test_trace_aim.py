"""Tests of AiM traces: loops are recognized at reading, printing gives the same text, and times equal the
simulator's."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.pim_cycles import Row, Tally, check, rows_of
from dialects.diagnostics import InputError
from dialects.pim import ChannelsOp, ForOp, KernelOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from lowering.banks.products.mapping import Product
from lowering.banks.products.search import FoundMapping, search
from ndpir.traces.reading import read_trace
from tests.unit.pim.traces import trace_text

DATA = Path(__file__).parents[2] / "data" / "aim"
ROWS = list(rows_of(DATA))


def aim(name: str = "aim_ramulator") -> Pim:
    sheet = load_device(name)
    assert isinstance(sheet, Pim)
    return sheet


def text_of(*lines: str) -> str:
    return "".join(f"{line}\n" for line in (*lines, "AiM EOC"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.trace}-{row.sheet}")
def test_cycles_and_logs_equal_published_ones(row: Row) -> None:
    tally = Tally()
    check(row, tally)
    assert tally.wrong == []
    assert (tally.equal, tally.logs_equal) == (1, 1)


@pytest.mark.parametrize("file", sorted((DATA / "traces").iterdir()), ids=lambda file: file.stem)
def test_a_trace_is_printed_as_it_was_read(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    kernel = read_trace(text, aim(), file.name)
    kernel.verify()
    assert trace_text(kernel, aim()) == text


def test_loops_are_recognized() -> None:
    """The tiles become one loop, with a loop of four chunks inside; commands to all channels become one region."""
    kernel = read_trace((DATA / "traces" / "g_1024x4096_ch32_tile.trace").read_text(encoding="utf-8"), aim())
    _, region = kernel.body.block.ops
    assert isinstance(region, ChannelsOp)
    assert region.numbers() == list(range(32))
    (tiles,) = region.body.block.ops
    assert isinstance(tiles, ForOp)
    assert [op.name for op in tiles.body.block.ops] == ["pim.bias", "pim.for", "pim.drain"]
    assert [len(op.values) for op in kernel.walk() if isinstance(op, ForOp)] == [2, 4]


def test_other_spellings_are_read() -> None:
    """The reader accepts prefixes, hexadecimal numbers, comments and blanks; the printer writes one normal form."""
    spelled = "# a comment\n\n  AiM ISR_MAC_ABK  0x40 0xF 0x3  # another\r\nAiM ISR_EOC\n"
    assert trace_text(read_trace(spelled, aim()), aim()) == text_of("AiM MAC_ABK 64 15 3")


def test_a_mask_that_is_no_nest_of_ranges_becomes_several_regions() -> None:
    """A mask of channels that no nest of ranges expresses is read as several regions, marked as joined, since the
    decoder takes them as one instruction."""
    kernel = read_trace(text_of("AiM MAC_ABK 4 11 0"), aim())
    regions = kernel.regions_of_channels
    assert sorted(n for region in regions for n in region.numbers() if region.body.block.first_op is not None) == [
        *(28, 28, 30, 30, 31, 31),
    ]
    assert [region.joined for region in regions] == [False, True, False, True]
    assert trace_text(kernel, aim()) == text_of("AiM MAC_ABK 4 11 0")


def test_consecutive_registers_become_a_loop() -> None:
    """Writes of the host to registers with a constant stride become a loop."""
    lines = [line for at in range(9) for line in (f"W GPR {at * 2}", f"AiM WR_GB 1 {at * 2} 1")]
    kernel = read_trace(text_of(*lines), aim())
    assert [len(op.values) for op in kernel.walk() if isinstance(op, ForOp)] == [9]
    assert 'pim.step "W GPR" {number = array<i64: 0, 2>}' in str(kernel)
    assert trace_text(kernel, aim()) == text_of(*lines)


def test_the_registers_of_a_mask_start_at_the_last_channel() -> None:
    """The mask's lowest bit stands for the last channel, whose result goes to the first register."""
    kernel = read_trace(text_of("AiM RD_MAC 8 15"), aim())
    assert "to %out[-%c + 31]" in str(kernel)
    assert "registers = array<i64: 0, 8>" in str(kernel)
    assert trace_text(kernel, aim()) == text_of("AiM RD_MAC 8 15")


def test_a_row_is_activated_only_where_it_changes() -> None:
    lines = (
        "AiM MAC_ABK 4 1 7",
        "AiM MAC_ABK 4 1 7",
        "AiM MAC_SBK 4 1 3 7",
        "AiM MAC_SBK 4 1 3 8",
        "AiM MAC_ABK 4 1 7",
    )
    kernel = read_trace(text_of(*lines), aim())
    names = [str(op).split(" : ")[0] for op in kernel.walk() if op.name == "pim.act"]
    assert len(names) == 3
    assert trace_text(kernel, aim()) == text_of(*lines)


@pytest.mark.parametrize(
    ("text", "location", "message"),
    [
        ("AiM MAC_ABX 1 1 0\n", "t:1:5", "`MAC_ABX` is not known here; a line is written as in `AiM MAC_ABK 64 1 0`"),
        ("AiM SYNC\nAiM MAC_ABK 64 1\n", "t:2:17", "the line ends too early; MAC_ABK takes ops, mask, row"),
        ("AiM MAC_ABK 64 1 0 9\nAiM EOC\n", "t:1:20", "`9` is not expected here; MAC_ABK takes ops, mask, row"),
        ("AiM MAC_ABK 64 1 16384\nAiM EOC\n", "t:1:18", "row 16384 is out of range; aim_ramulator has 16384"),
        ("AiM MAC_SBK 64 1 16 0\nAiM EOC\n", "t:1:18", "bank 16 is out of range"),
        ("W MEM 32 0 0\nAiM EOC\n", "t:1:7", "channel 32 is out of range"),
        ("AiM MAC_ABK 64 0 0\nAiM EOC\n", "t:1:16", "the mask names no channel"),
        ("AiM MAC_ABK 64 0x100000000 0\nAiM EOC\n", "t:1:16", "has more bits than aim_ramulator has channels"),
        ("AiM WR_ABK 0 3 0\nAiM EOC\n", "t:1:14", "WR_ABK writes to one channel"),
        ("AiM WR_GB 99999999999999 0 1\nAiM EOC\n", "t:1:11", "99999999999999 is too large: ops is a number below"),
        ("W CFR 3 0\nAiM EOC\n", "t:1:7", "register 3 is out of range"),
        ("W CFR 2 7\nAiM EOC\n", "t:1:9", "there is no activation table 7"),
        ("AiM MAC_ABK 64 -1 0\nAiM EOC\n", "t:1:16", "`-1` is not known here"),
        ("AiM SYNC\n", "t:2:1", "the trace ends without the line `AiM EOC`; add it as the last line"),
        ("AiM EOC\nAiM SYNC\n", "t:2:1", "nothing runs behind `AiM EOC`"),
        ("", "t:1:1", "the trace ends without the line `AiM EOC`"),
    ],
)
def test_a_wrong_trace_is_an_error_with_line_and_column(text: str, location: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_trace(text, aim(), "t")
    assert message in caught.value.message
    assert caught.value.place == location


@pytest.mark.slow
@pytest.mark.parametrize("sheet", ["aim_ramulator", "aim_lpddr5_ramulator"])
@pytest.mark.parametrize(
    "product",
    [
        Product(1, 1, 1000, 1280, "bf16"),
        Product(1, 4, 256, 512, "bf16"),
        Product(3, 2, 70, 90, "bf16"),
        Product(1, 1, 300, 200, "bf16", bias=True, function="gelu"),
        Product(2, 1, 64, 48, "bf16", written=True),
    ],
)
def test_a_compiled_kernel_takes_as_long_as_its_trace(product: Product, sheet: str) -> None:
    """The times are equal, since an instruction is one step of the decoder both in a compiled program and in a
    trace."""
    pim = aim(sheet)
    plan = search(product, pim)
    assert isinstance(plan, FoundMapping)
    text = trace_text(plan.kernel, pim)
    assert kernel_time(read_trace(text, pim), pim).cycles == plan.time.cycles
    commands = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
    assert trace_text(read_trace(text, pim), pim) == commands


def test_reading_a_trace_for_a_device_without_trace_format_is_an_error() -> None:
    toy = aim("toy_pim")
    with pytest.raises(InputError, match="toy_pim can't run a trace, since its sheet names no trace format"):
        read_trace("AiM EOC\n", toy, "t")
    assert isinstance(read_trace("AiM EOC\n", aim()), KernelOp)
