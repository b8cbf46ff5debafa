"""Tests of programs compiled for AttAcc: they are printed in AttAcc's trace format, and take the cycles that its
simulator prints for these traces."""

from __future__ import annotations

import pytest

import ndpir
from dialects.pim import KernelOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from ndpir.traces.reading import read_trace
from tests.unit.pim.traces import trace_text

MATMUL = """
hw.device @gpu = "a100"
hw.device @pim = "{sheet}"
hw.link @gpu to @pim = "on_board"
func.func @g(%x: tensor<{m}x{k}xf16>) -> tensor<{m}x{n}xf16> {{
  %w = graph.weight "w" = uniform(-1.0, 1.0, 7) : tensor<{k}x{n}xf16>
  %y = graph.matmul %x, %w : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16> -> tensor<{m}x{n}xf16>
  func.return %y : tensor<{m}x{n}xf16>
}}
"""


def device(name: str) -> Pim:
    sheet = load_device(name)
    assert isinstance(sheet, Pim)
    return sheet


def compiled(sheet: str, m: int, k: int, n: int) -> KernelOp:
    module = ndpir.parse(MATMUL.format(sheet=sheet, m=m, k=k, n=n))
    (kernel,) = (
        op for op in ndpir.compile(module, "place{policy=pim-first},to-pim").walk() if isinstance(op, KernelOp)
    )
    return kernel


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sheet", "word", "shape", "cycles"),
    [  # cycles printed by attacc_simulator, commit c600051, with refresh
        ("attacc_ramulator", "PIM_MAC_AB", (1, 256, 100), 33),
        ("attacc_ramulator", "PIM_MAC_AB", (1, 37, 5), 25),
        ("attacc_ramulator", "PIM_MAC_AB", (1, 1000, 777), 443),
        ("attacc_ramulator", "PIM_MAC_AB", (4, 513, 333), 343),
        ("attacc_bg_ramulator", "PIM_MAC_SB", (4, 256, 100), 206),
        ("attacc_bg_ramulator", "PIM_MAC_SB", (1, 128, 2048), 398),
        ("attacc_buffer_ramulator", "PIM_MAC_PB", (4, 256, 100), 538),
        ("attacc_buffer_ramulator", "PIM_MAC_PB", (1, 128, 2048), 1050),
        ("attacc", "PIM_MAC_AB", (1, 1000, 777), 443),
        ("attacc_bg", "PIM_MAC_SB", (1, 37, 5), 38),
        ("attacc_bg", "PIM_MAC_SB", (4, 256, 100), 206),
        ("attacc_buffer", "PIM_MAC_PB", (1, 37, 5), 82),
        ("attacc_buffer", "PIM_MAC_PB", (1, 256, 100), 146),
        ("attacc_buffer", "PIM_MAC_PB", (1, 128, 2048), 1042),
    ],
)
def test_compiled_kernels_take_the_simulators_cycles(
    sheet: str, word: str, shape: tuple[int, int, int], cycles: int
) -> None:
    kernel, variant = compiled(sheet, *shape), device(sheet.removesuffix("_ramulator") + "_ramulator")
    text = trace_text(kernel, device(sheet))
    assert {line.split()[0] for line in text.splitlines()} == {"PIM_WR_GB", word, "PIM_MV_SB"}
    again = read_trace(text, variant)
    assert trace_text(again, variant) == text
    assert kernel_time(again, variant).cycles == cycles
    if sheet == variant.name:
        assert kernel_time(kernel, variant).cycles == cycles


def test_columns_on_the_buffer_die_alternate_between_bank_groups() -> None:
    """AttAcc's generator (trace_gen/gen_trace_attacc_buffer.py) alternates between bank groups: for 128 sums over 128
    elements in a channel, its program of 512 multiplies takes 1053 cycles on the simulator. Without alternation,
    consecutive columns would be tCCD_L apart, which takes twice as long. The plain sheet also counts the way of the
    last sums to the host, which the simulator does not."""
    for sheet, above in (("attacc_buffer_ramulator", 1.0), ("attacc_buffer", 1.06)):
        pim = device(sheet)
        assert kernel_time(compiled(sheet, 1, 128, 2048), pim).cycles - pim.end_cycles <= above * 1053


@pytest.mark.parametrize(
    "sheet", ["attacc_ramulator", "attacc_bg_ramulator", "attacc_buffer_ramulator", "newton_pimflow"]
)
def test_programs_for_a_timing_variant_use_only_verbs_of_the_device(sheet: str) -> None:
    """A simulator's timing variant also accepts commands for units that the device lacks; compiled programs must not
    use them."""
    variant = device(sheet)
    clean = device(variant.variant_of)
    assert variant.written == {name: verb.scopes for name, verb in clean.verbs.items()}
    assert all(set(variant.scopes_written(verb)) <= set(variant.verbs[verb].forms) for verb in clean.verbs)


KERNEL = """
hw.device @pim = "attacc_ramulator"
pim.kernel @k on @pim (%x: memref<64x16xf16>) -> (%y: memref<64xf32>) {{
  pim.act all row 3
  {commands}
}}
"""


def printed(commands: str) -> list[str]:
    module = ndpir.parse(KERNEL.format(commands=commands))
    (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
    return trace_text(kernel, device("attacc_ramulator")).splitlines()


def test_ordinary_writes_are_stores_to_the_named_row() -> None:
    lines = printed("pim.write bank 1 columns 2 to 4 from %x[0 to 2, 0 to 16] {host}")
    assert lines == ["ST 0x01000c40", "ST 0x01000c60"]


def test_a_barrier_of_all_channels_is_a_line_per_channel() -> None:
    assert printed("pim.barrier") == [f"PIM_BARRIER 0x{channel << 30:08x}" for channel in range(16)]


def test_a_write_in_program_order_is_an_ordinary_store() -> None:
    assert printed("pim.write bank 1 columns 2 to 4 from %x[0 to 2, 0 to 16]") == ["ST 0x01000c40", "ST 0x01000c60"]
