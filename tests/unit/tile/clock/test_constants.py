"""Constants of the model of thread blocks: from calibrations of a GPU and of its family, else from the sheet alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from interp.kinds.gpu.constants.calibration import calibration_of
from interp.kinds.gpu.multiprocessor import SHEET, Constants, Multiprocessor
from interp.kinds.gpu.thread_blocks import THREAD_BLOCKS
from interp.machine.sheets import load_device
from lowering.tile.schedule import Problem, Schedule
from lowering.tile.search.trials import simulated_ns

ADA = Constants(matrix=0.953, shared=0.996, store=2.26, dram=0.858, contention=0.482)


def unit_of(name: str) -> Multiprocessor:
    return Multiprocessor.of(load_device(name, {}, None), ModuleOp([]))


def test_the_sheet_alone_has_the_plausible_values() -> None:
    assert Constants(**{each.name: each.start for each in THREAD_BLOCKS.constants}) == SHEET


@pytest.mark.parametrize("name", ["l4", "l20", "l40s", "rtx4090"])
def test_a_family_states_constants(name: str) -> None:
    assert unit_of(name).constants == ADA


@pytest.mark.parametrize("name", ["v100_sxm2", "a100_80_sxm", "h100_sxm"])
def test_constants_are_not_transferred_to_other_families(name: str) -> None:
    assert unit_of(name).constants == SHEET


def test_a_sheet_of_ones_own_may_have_constants(tmp_path: Path) -> None:
    """They stand in a calibration beside the sheet, and replace those of the family; numbers that it does not state are
    those of the sheet alone."""
    (tmp_path / "mine.sheet").write_text('device mine = l20 "a board at half its clock"\n')
    stated = "calibration gpu mine\n  class tile multiprocessor\n    matrix 0.5\n    store 3 cycles\n"
    (tmp_path / "mine.calibration").write_text(stated)
    unit = unit_of(str(tmp_path / "mine.sheet"))
    assert unit.constants == replace(SHEET, matrix=0.5, store=3.0)
    problem, schedule = Problem(512, 512, 512), Schedule((64, 64, 32), (2, 2), stages=2, pad=8)
    assert simulated_ns(problem, schedule, unit) > simulated_ns(problem, schedule, unit_of("l20"))


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("class tile f16\n    matrix 0.5", "2:14", "write `class tile multiprocessor`"),
        ("class tile multiprocessor\n    dram 2", "3:10", "must lie within 0.05 to 1.5"),
        ("class tile multiprocessor\n    store 2 ns", "3:13", "is a number of cycles"),
        ("class tile multiprocessor\n    speed 2", "3:5", "tile has no constant `speed`"),
    ],
)
def test_errors_have_locations(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        calibration_of(f"calibration gpu mine\n  {text}\n", "mine.calibration")
    assert caught.value.place == f"mine.calibration:{place}"
