"""Tests of a device's timing variants (specification and simulator): their differences, and kernels that are adapted to
each of them."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import ndpir
from dialects.diagnostics import InputError
from dialects.pim import KernelOp, PreOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.records import Pim
from interp.machine.sheets import load_device
from interp.machine.sheets.timing_variants import timing_variants_of
from lowering.banks.close_rows import with_rows_closed
from ndpir.reports.banks.timing_variants import TimingVariantsTarget

OWN = """device mine = toy_pim with tCCD 2
device toy_read = toy_pim "toy_pim with an invented timing variant"
  variant of toy_pim "a book"
  timing  tRCD 11    "one thing"
  timing  tRP 12     "another"
  gap bank: mac -> pre 9   "another"
  timing  tCCD 1     "stated again"
"""
KERNEL = """hw.device @pim = "{sheet}"
pim.kernel @k on @pim (%x: memref<4xf32>, %w: memref<1x3x2x1x4xf32> at row 0) -> (%y: memref<3x2xf32>) {{
  pim.load %x
  pim.for %r = 0 to 3 {{
    pim.act all row %r
    pim.mac all columns 0 to 1
    pim.drain all to %y[%r]
    {pre}
  }}
}}
"""


def module(sheet: str, pre: str = "pim.pre all") -> ModuleOp:
    return ndpir.parse(KERNEL.format(sheet=sheet, pre=pre))


def kernel(pre: str = "pim.pre all") -> KernelOp:
    return next(op for op in module("toy_pim", pre).walk() if isinstance(op, KernelOp))


def text(sheet: str, pre: str = "pim.pre all") -> str:
    output = StringIO()
    TimingVariantsTarget().emit(Context(), module(sheet, pre), output)
    return output.getvalue()


def pim(name: str) -> Pim:
    record = load_device(name)
    assert isinstance(record, Pim)
    return record


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.sheet").write_text(OWN)
    monkeypatch.setattr("interp.machine.sheets.search._added", [tmp_path])


@pytest.mark.usefixtures("own")
def test_lines_with_one_source_are_one_difference():
    (variant,) = timing_variants_of("toy_pim", {})
    assert (variant.specified.name, variant.compatible.name, variant.source) == ("toy_pim", "toy_read", "a book")
    assert [(each.text, each.source) for each in variant.differences] == [
        ("timing tRCD 11", "one thing"),
        ("timing tRP 12; gap bank: mac -> pre 9", "another"),
    ]
    alone = [each.alone for each in variant.differences]
    assert [(each.timing["tRCD"], each.timing["tRP"]) for each in alone if isinstance(each, Pim)] == [
        (11, 10),
        (10, 12),
    ]


@pytest.mark.usefixtures("own")
def test_a_variant_inherits_the_timing_variants_of_its_base():
    (variant,) = timing_variants_of("mine", {"tRAS": 50})
    assert [(each.timing["tCCD"], each.timing["tRCD"]) for each in (variant.specified, variant.compatible)] == [
        (2, 10),
        (2, 11),
    ]
    assert variant.compatible.timing["tRAS"] == 50
    assert timing_variants_of("toy_read", {})[0].specified.name == "toy_pim"
    assert timing_variants_of("toy_simd", {})[0].compatible.verbs.keys() >= {"add", "mul"}


@pytest.mark.usefixtures("own")
def test_each_effect_is_printed():
    lines = [" ".join(line.split()) for line in text("toy_pim").splitlines()]
    alone = [each.alone for each in timing_variants_of("toy_pim", {})[0].differences]
    devices = [pim("toy_pim"), *(each for each in alone if isinstance(each, Pim)), pim("toy_read")]
    specified, first, second, both = (kernel_time(kernel(), device).cycles for device in devices)
    assert lines[0] == "@k on @pim"
    assert lines[2:] == [
        f"{specified} toy_pim as the standard specifies",
        f"{first - specified:+d} timing tRCD 11 one thing",
        f"{second - specified:+d} timing tRP 12; gap bank: mac -> pre 9 another",
        f"{both} {both - specified:+d} toy_read a book",
    ]


def test_a_device_without_timing_variants():
    assert text("toy_pim").endswith("cycles on toy_pim; no simulator's timing variant of it is known\n")


def test_a_program_with_hazards_is_timed_with_a_message():
    program = """hw.device @pim = "newton"
pim.kernel @k on @pim (%w: memref<1x1x16x32x16xf16> at row 0) -> (%y: memref<16xf32>) {
  pim.act group 0 row 0
  pim.mac all columns 0 to 32
  pim.drain all to %y
}
"""
    output = StringIO()
    TimingVariantsTarget().emit(Context(), ndpir.parse(program), output)
    assert "newton refuses this program: " in output.getvalue()


def test_a_program_without_kernels():
    with pytest.raises(InputError, match="the program holds no"):
        TimingVariantsTarget().emit(Context(), ndpir.parse('hw.device @pim = "newton"'), StringIO())


def test_a_kernel_on_a_gpu():
    program = """
hw.device @gpu = "toy_gpu"
pim.kernel @k on @gpu (%x: memref<32xf32>) -> (%y: memref<2xf32>) {
  pim.load %x
}
"""
    with pytest.raises(InputError, match=r"@gpu \(toy_gpu\) has no banks"):
        TimingVariantsTarget().emit(Context(), ndpir.parse(program), StringIO())


def closes(fitted: KernelOp) -> int:
    return sum(isinstance(op, PreOp) for op in fitted.walk())


def test_kernels_close_rows_if_the_device_needs_it():
    toy = pim("toy_pim")
    assert with_rows_closed(kernel(), toy) is not None
    assert closes(with_rows_closed(kernel(), toy)) == 1
    assert closes(with_rows_closed(kernel(""), toy)) == 1
    assert closes(with_rows_closed(kernel(), pim("newton_pimflow"))) == 0
    assert closes(kernel()) == 1  # the given kernel is not changed
    assert str(with_rows_closed(kernel(""), toy)).index("pim.pre") < str(with_rows_closed(kernel(""), toy)).index(
        "pim.act"
    )


def test_a_timing_variant_of_an_unknown_device_is_an_error(tmp_path: Path):
    path = tmp_path / "own.sheet"
    path.write_text('device lost = toy_pim\n  variant of toy_pimm "a book"\n')
    with pytest.raises(InputError, match="there is no data sheet `toy_pimm`; did you mean `toy_pim`") as caught:
        timing_variants_of(f"{path}:lost", {})
    assert caught.value.place == f"{path}:2:14"
