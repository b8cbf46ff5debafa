"""The sheet of HBM-PIM: figures from its papers, and a program's cycles computed by hand."""

from __future__ import annotations

import pytest

import ndpir
from dialects.diagnostics import InputError
from dialects.pim import KernelOp
from interp.kinds.pages import derived
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import load_device

PROGRAM = """hw.device @pim = "hbm_pim"
pim.kernel @gemv on @pim (%x: memref<8x16xf16>, %w: memref<1x1x8x32x16xf16> at row 0) -> (%y: memref<8x16xf32>) {
  pim.load %x
  pim.act all row 0
  pim.mac all columns 0 to 8
  pim.for %b = 0 to 8 {
    pim.drain bank %b to %y[%b]
  }
}
"""


def hbm_pim() -> Pim:
    record = load_device("hbm_pim")
    assert isinstance(record, Pim)
    return record


def test_a_field_that_the_sheet_lacks_is_reported_with_all_that_begin_like_it():
    with pytest.raises(InputError) as caught:
        load_device("hbm_pim", {"tCCD": 2})
    assert caught.value.message == "there is no field `tCCD` in hbm_pim; did you mean `tCCDL` or `tCCDS`?"


def test_figures_equal_the_papers():
    figures = {name: value for name, value, _ in derived(hbm_pim())}
    assert figures["peak operations"] == "1.2288 TFLOP/s"
    assert figures["capacity"] == "2 GiB"
    assert figures["bandwidth of all data buses"] == "307.2 GB/s"
    assert hbm_pim().channels * hbm_pim().banks_per_channel == 128  # units


def test_cycles_by_hand():
    """The cycles of the program equal a sum computed by hand.

    The sum has a mode switch (119 cycles), 8 loads, an activate, 8 multiplies, the depth of the arithmetic pipeline,
    the switch back, and drains of 8 registers: 4 cycles between two banks of a group, 2 cycles between banks of
    different groups.
    """
    kernel = next(op for op in ndpir.parse(PROGRAM).walk() if isinstance(op, KernelOp))
    pim = hbm_pim()
    loads = 1 + 119 + 7 * 4
    macs = loads + 1 + pim.timing["tRCD"] + 7 * 4
    drains = macs + 5 * 4 + 119 + 4 * 4 + 3 * 2
    time = kernel_time(kernel, pim)
    assert time.cycles == drains + pim.timing["tCL"] + 2
    assert time.counts == {"mode": 2, "load": 8, "act": 1, "mac": 8, "drain": 8}
