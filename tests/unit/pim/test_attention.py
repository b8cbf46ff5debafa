"""Tests of attention in the banks: cycles beside those of AttAcc's own generator, export, and reasons against it."""

from __future__ import annotations

import csv
from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest

import ndpir
from dialects.graph import AttentionOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.composition import Machine
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from lowering.banks.attention.kernel import attention_kernel
from lowering.banks.attention.mapping import AttentionWork, attention_mapping
from lowering.banks.templates import PimTemplates
from ndpir.traces.reading import read_trace
from tests.unit.pim.traces import trace_text

DATA = Path(__file__).resolve().parents[2] / "data" / "attacc" / "attention.csv"
SHEETS = {"bank": "attacc", "bg": "attacc_bg", "buffer": "attacc_buffer"}
ROWS = list(csv.DictReader(DATA.read_text().splitlines()))


def device(name: str) -> Pim:
    sheet = load_device(name)
    assert isinstance(sheet, Pim)
    return sheet


def work(caches: int, keys: int, queries: int = 1, kept: int | None = None) -> AttentionWork:
    seen = (range(keys),) * queries
    return AttentionWork(caches, queries, keys, 128, 128, "f16", 1 / sqrt(128), seen, keys if kept is None else kept)


def cycles(sheet: str, attention: AttentionWork) -> int:
    pim = device(sheet)
    mapping = attention_mapping(attention, pim)
    assert not isinstance(mapping, str)
    return kernel_time(attention_kernel(mapping, pim), pim).cycles


OVER = {
    ("bank", "32", "512"): 1,
    ("buffer", "1", "256"): 11,
    ("buffer", "16", "512"): 35,
    ("buffer", "16", "2048"): 256,
}
"""The cycles by which a program on the plain sheet exceeds those of the generator's program on its simulator. The plain
sheet also counts the way of the last data to the host (21 cycles), reopens each row after a refresh when a command
needs it, and issues commands in order: on the buffer die, where multiplies follow each other after 2 cycles, they wait
4 cycles for each pair of moves to the softmax buffer."""


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(row.values()))
def test_attention_takes_at_most_the_generators_cycles(row: dict[str, str]) -> None:
    """On the clock of the generator's simulator, and, but for a few cycles, on the plain sheet."""
    sheet, attention, most = SHEETS[row["placement"]], work(int(row["heads"]), int(row["length"])), int(row["cycles"])
    assert cycles(f"{sheet}_ramulator", attention) <= most
    assert cycles(sheet, attention) <= most + OVER.get((row["placement"], row["heads"], row["length"]), 0)


EXPORTED = list(csv.DictReader((DATA.parent / "exported.csv").read_text().splitlines()))


@pytest.mark.slow
@pytest.mark.parametrize("row", EXPORTED, ids=lambda row: "-".join(row.values()))
def test_the_simulator_takes_the_clocks_cycles_for_exported_traces(row: dict[str, str]) -> None:
    attention = work(int(row["heads"]), int(row["length"]))
    assert cycles(f"{SHEETS[row['placement']]}_ramulator", attention) == int(row["cycles"])


@pytest.mark.parametrize("placement", SHEETS)
def test_scores_move_by_as_many_commands_as_in_the_generators_trace(placement: str) -> None:
    pim = device(SHEETS[placement])
    mapping = attention_mapping(work(1, 256), pim)
    assert not isinstance(mapping, str)
    ours = trace_text(attention_kernel(mapping, pim), pim)
    theirs = (DATA.parent / "traces" / "k_bank_l256_h1.trace").read_text()  # as many in the other placements
    assert [text[: text.index("PIM_SFM")].count("PIM_MV_SB") for text in (ours, theirs)] == [8, 8]


@pytest.mark.slow
@pytest.mark.parametrize("sheet", ["attacc", "attacc_bg", "attacc_buffer"])
@pytest.mark.parametrize(("caches", "keys", "queries"), [(1, 256, 1), (17, 300, 4), (33, 65, 1), (3, 1, 2)])
def test_an_exported_trace_takes_the_kernels_cycles(sheet: str, caches: int, keys: int, queries: int) -> None:
    """The programs for the device and for its simulator have the same trace, and the simulator's timing variant gives
    the trace and the program the same cycles. The device's own sheet counts the data's way to the host in addition."""
    pim, variant, attention = device(sheet), device(f"{sheet}_ramulator"), work(caches, keys, queries)
    mapping, other = attention_mapping(attention, pim), attention_mapping(attention, variant)
    assert not isinstance(mapping, str)
    assert not isinstance(other, str)
    kernel, of_variant = attention_kernel(mapping, pim), attention_kernel(other, variant)
    text = trace_text(kernel, pim)
    assert text == trace_text(of_variant, variant)
    assert {line.split()[0] for line in text.splitlines()} >= {"PIM_WR_GB", "PIM_MV_SB", "PIM_SFM", "PIM_MV_GB"}
    simulated = kernel_time(read_trace(text, variant), variant).cycles
    assert simulated == kernel_time(of_variant, variant).cycles
    assert simulated <= kernel_time(kernel, pim).cycles <= 1.15 * simulated + 2 * pim.end_cycles


def test_heads_that_share_a_cache_open_each_row_once() -> None:
    """Four heads with one cache multiply four times as often as one, but open no more rows."""
    counts: list[dict[str, int]] = []
    for queries in (1, 4):
        mapping = attention_mapping(work(16, 512, queries), device("attacc"))
        assert not isinstance(mapping, str)
        counts.append(kernel_time(attention_kernel(mapping, device("attacc")), device("attacc")).counts)
    one, four = counts
    assert four["mac"] == 4 * one["mac"]
    assert four["act"] == one["act"]


@pytest.mark.slow
@pytest.mark.parametrize("sheet", ["attacc_bg", "attacc_buffer"])
def test_programs_with_appends_are_exported_too(sheet: str) -> None:
    variant = device(f"{sheet}_ramulator")
    mapping = attention_mapping(work(16, 512, kept=511), variant)
    assert not isinstance(mapping, str)
    kernel = attention_kernel(mapping, variant)
    text = trace_text(kernel, variant)
    assert text.count("ST ") == 16 * (8 + 2 * 64)  # a key is 8 columns of a bank, and a value one of 2 x 64 outputs
    assert kernel_time(read_trace(text, variant), variant).cycles == kernel_time(kernel, variant).cycles


@pytest.mark.parametrize("sheet", ["attacc", "attacc_buffer"])
def test_keys_that_no_query_sees_are_not_read(sheet: str) -> None:
    """The last 512 of 2048 keys, or the first 512, take as many commands as a cache of 512 keys."""
    pim, counts = device(sheet), list[dict[str, int]]()
    for keys, seen in ((512, range(512)), (2048, range(512)), (2048, range(1536, 2048))):
        mapping = attention_mapping(replace(work(16, keys), seen=(seen,)), pim)
        assert not isinstance(mapping, str)
        counts.append(kernel_time(attention_kernel(mapping, pim), pim).counts)
    short, first, last = ({verb: count for verb, count in each.items() if verb != "refresh"} for each in counts)
    assert short == first == last


PROGRAM = """
hw.device @pim = "{sheet}"
func.func @main(%q: tensor<2x4x1x{depth}xf16>, %k: tensor<2x4x8x{depth}xf16>, %v: tensor<2x4x8x8xf16>)
    -> tensor<2x4x1x8xf16> {{
  %lengths = graph.constant {lengths} : tensor<2xi64>
  %sinks = graph.constant 0.5 : tensor<4xf16>
  %y = graph.attention %q, %k, %v{words}
    : tensor<2x4x1x{depth}xf16>, tensor<2x4x8x{depth}xf16>, tensor<2x4x8x8xf16>{more}
  func.return %y : tensor<2x4x1x8xf16>
}}
"""


@pytest.mark.parametrize(
    ("sheet", "depth", "words", "why"),
    [
        ("newton", 64, "", "has no softmax buffer: it lacks the verbs collect, softmax, spread"),
        ("attacc", 64, " softcap = 2.0", "the softmax buffer has no command for a softcap"),
        ("attacc", 64, ", %sinks sinks", "the softmax buffer has no command for sinks"),
        ("attacc", 64, " window = 3", "a window that begins inside of a column of 16 values"),
        ("attacc", 64, ", %lengths", "channels whose caches have different lengths would need different programs"),
        ("attacc", 1024, "", "a key of 1024 elements exceeds a row or the global buffer of attacc, of 512 elements"),
    ],
)
def test_the_reason_against_a_bank_program_is_stated(sheet: str, depth: int, words: str, why: str) -> None:
    more = ", tensor<2xi64>" if "lengths" in words else ", tensor<4xf16>" if "sinks" in words else ""
    module = ndpir.parse(PROGRAM.format(sheet=sheet, depth=depth, words=words, lengths="[3, 8]", more=more))
    (op,) = (op for op in module.walk() if isinstance(op, AttentionOp))
    assert why in (PimTemplates.of(module).why_not(op, Machine.of(module).pim("pim", op)) or "")
