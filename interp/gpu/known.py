"""Which constants hold for a GPU's kernels: its own calibration, its family's, or plausible values; and which it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from interp.gpu.calibration import known_calibrations
from interp.gpu.classes import CLASSES
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
    found = known_calibrations()
    for owner, name in (("gpu", gpu.name), ("family", gpu.architecture)):
        calibration = found.get((owner, name))
        record = calibration.records.get((kernel_class, element)) if calibration else None
        if record is not None:
            return Known(record.constants, record.origin, owner == "family")
    return Known(CLASSES[kernel_class].defaults(), "plausible values", True)
