"""Checks that shipped machines' PIMs get ops of programs in every floating-point type, in every placing pipeline."""

from __future__ import annotations

import pytest

import ndpir
from dialects.diagnostics import notes_to
from dialects.hw import DeviceOp
from interp.machine.composition import machine_ops, record_of
from interp.machine.records import Pim
from interp.machine.sheets import list_devices
from tests.pipelines import PLACING

PROGRAM = """
func.func @main(%x: tensor<1x64xELEMENT>) -> tensor<1x64xELEMENT> {
  %w = graph.weight "w" = uniform(-0.1, 0.1, 1) : tensor<64x64xELEMENT>
  %y = graph.matmul %x, %w : tensor<1x64xELEMENT>, tensor<64x64xELEMENT>
  func.return %y : tensor<1x64xELEMENT>
}
"""
IDLE = "no op is placed there"


def pims_of(machine: str) -> tuple[str, ...]:
    """The names of the sheets of a machine's PIMs."""
    ops = [op for op in machine_ops(machine) if isinstance(op, DeviceOp)]
    return tuple(op.sheet.data for op in ops if isinstance(record_of(op), Pim))


MACHINES = {pims: name for name, kind, _ in list_devices() if kind == "machine" and (pims := pims_of(name))}
"""One machine for each PIM: types depend on the PIM alone."""


def notes_of_compiling(element: str, machine: str, passes: str, keep_types: bool = False) -> list[str]:
    notes: list[str] = []
    with notes_to(lambda message, place: notes.append(message)):
        ndpir.compile(ndpir.parse(PROGRAM.replace("ELEMENT", element)), passes, machine=machine, keep_types=keep_types)
    return notes


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES.values())
def test_a_pim_gets_ops_of_programs_in_every_type(machine: str) -> None:
    for element in ("f16", "bf16", "f32", "f64"):
        passes = "canonicalize,reduce-precision,fuse,place{policy=greedy}"
        assert not [each for each in notes_of_compiling(element, machine, passes) if IDLE in each], element


@pytest.mark.slow
@pytest.mark.parametrize("pipeline", PLACING)
def test_every_placing_pipeline_considers_the_pim_s_type(pipeline: str) -> None:
    """Our pipelines choose the type by the makespan; those of published methods always convert."""
    for element in ("f16", "f32"):
        notes = notes_of_compiling(element, "a100-aim", pipeline)
        assert not [each for each in notes if IDLE in each]
        chosen = [each for each in notes if "is compiled in form" in each and "bf16" in each]
        converted = [each for each in notes if "computes in bf16, as @pim (aim) does, and not in" in each]
        assert converted if pipeline == "pimflow" else chosen


def test_without_conversion_a_note_explains_that_the_pim_stays_idle() -> None:
    notes = notes_of_compiling("f16", "a100-aim", "offload", keep_types=True)
    assert [each for each in notes if f"computes in bf16, and @main in f16: {IDLE}; run reduce-precision first" in each]
    assert not [each for each in notes if "keep their types" in each]
