"""Which constants hold for a GPU's kernels: its own calibration's, its family's, or plausible values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interp.gpu.calibration_files import calibrations_of
from interp.gpu.classes import CLASSES
from interp.gpu.power import BOARD
from interp.sheet import Gpu


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
    declared = BOARD.constants if kernel_class == BOARD.name else CLASSES[kernel_class].constants
    return Known({constant.name: constant.start for constant in declared}, "plausible values", True)
