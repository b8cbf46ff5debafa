"""Which constants hold for a GPU's kernels: its own calibration's, its family's, or plausible values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interp.gpu.calibration_files import calibrations_of, known_calibrations
from interp.gpu.classes import CLASSES
from interp.gpu.families import near_architectures
from interp.gpu.power import BOARD
from interp.sheet import Gpu
from interp.sheets.files import load_device


@dataclass(frozen=True)
class Known:
    """Constants, and in words where they come from."""

    constants: Mapping[str, float]
    origin: str
    transferred: bool
    """Whether they are not of this GPU's own measurements."""


def constants_for(gpu: Gpu, kernel_class: str, element: str) -> Known:
    """The constants of a class of kernels of an element type on a GPU."""
    for owner, name in (("gpu", gpu.name), ("family", gpu.architecture)):
        for calibration in calibrations_of(gpu, owner, name):
            record = calibration.records.get((kernel_class, element))
            if record is not None:
                return Known(record.constants, record.origin, owner == "family")
    if kernel_class == BOARD.name and (board := _nearest_board(gpu)) is not None:
        return board
    declared = BOARD.constants if kernel_class == BOARD.name else CLASSES[kernel_class].constants
    return Known({constant.name: constant.start for constant in declared}, "plausible values", True)


def _nearest_board(gpu: Gpu) -> Known | None:
    """The power of a measured board for one that was not: of the nearest architecture, then of the nearest power limit;
    its constants are shares of that limit."""
    near = [gpu.architecture, *near_architectures(gpu.architecture)]
    found: list[tuple[int, float, str]] = []
    for (owner, name), calibration in known_calibrations().items():
        other = load_device(name) if owner == "gpu" and (BOARD.name, BOARD.element) in calibration.records else None
        if isinstance(other, Gpu) and other.architecture in near:
            apart = abs(other.tdp_w - gpu.tdp_w)
            found.append((near.index(other.architecture), apart, name))
    if not found:
        return None
    nearest = min(found)[2]
    record = known_calibrations()["gpu", nearest].records[BOARD.name, BOARD.element]
    return Known(record.constants, f"of {nearest}, as shares of the board's power limit: {record.origin}", True)
