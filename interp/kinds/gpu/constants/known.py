"""The constants that apply to a GPU's kernels: from its own calibration, from its own or a similar family, or plausible
values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from interp.kinds.gpu.chip import INTEGERS
from interp.kinds.gpu.constants.calibration import MODELS, Calibration, Record, power_of
from interp.kinds.gpu.constants.families import equivalent_elements, like_class, near_architectures, near_elements
from interp.kinds.gpu.constants.files import calibrations_for
from interp.kinds.gpu.kernel_class import GpuModel
from interp.kinds.gpu.power import BOARD
from interp.machine.records import Gpu


@dataclass(frozen=True)
class KnownConstants:
    """The constants of a kernel class and element type, with a description of their origin."""

    constants: Mapping[str, float]
    origin: str
    transferred: bool
    """True if the constants were not fitted to this GPU's own measurements of this class and element type."""


def constants_for(gpu: Gpu, kernel_class: str, element: str) -> KnownConstants:
    """The constants of a kernel class and element type on a GPU, from the first of these sources that has them: the
    GPU's own calibration, for the type or for a type with the same units and width; the calibration of a GPU that it
    is a variant of; its family's calibration; the same sources for a similar type; a similar family's calibration;
    all of these sources for a class with similar kernels. Without any, the plausible values of the constants; likewise
    for a model of GPUs whose constants don't transfer, if the GPU and its family have none.
    Constants of memory traffic transfer between element types; a share of the peak rate that was fitted for floats
    is not used for integers if it is below the plausible share."""
    plausible = {constant.name: constant.start for constant in MODELS[kernel_class].constants}
    for owner, name, record in _records(gpu, kernel_class, element):
        own = (owner, name) == ("gpu", gpu.name) and (record.kernel_class, record.element) == (kernel_class, element)
        shared = {name: value for name, value in record.constants.items() if name in plausible}
        words = _words(owner, name, record, kernel_class, element, own)
        if element in INTEGERS and record.element not in INTEGERS:
            issue, least = shared.get("issue"), plausible.get("issue")
            if issue is not None and least is not None and issue < least:
                shared["issue"] = least
                words += "; its share of the peak rate is of floats, whose exponentials count as one operation each"
        return KnownConstants({**plausible, **shared}, words, not own)
    return KnownConstants(plausible, "plausible values", True)


def power_in_words(gpu: Gpu, kernel_class: str, element: str) -> str:
    """The origin of the board's power for kernels of a class and element type, and the error of their energy."""
    board = constants_for(gpu, BOARD.name, BOARD.element)
    unknown = f"error unknown for {'this GPU' if board.transferred else f'{kernel_class} {element}'}; {board.origin}"
    return error_of_power(gpu, kernel_class, element) or unknown


def error_of_power(gpu: Gpu, kernel_class: str, element: str) -> str | None:
    """The error of the board's energy on held-out kernels of a class and element type, in words; None unless the file
    that states the constants of this GPU's power states it."""
    for calibration in calibrations_for(gpu).get(("gpu", gpu.name), ()):
        if (BOARD.name, BOARD.element) in calibration.records:
            record = calibration.records.get((power_of(kernel_class), element))
            return None if record is None else record.origin
    return None


def _words(owner: str, name: str, record: Record, kernel_class: str, element: str, own: bool) -> str:
    """The origin of constants in words: `transferred from the ampere family: fitted on …`."""
    if own:
        return record.origin
    whose = f"the {name} family" if owner == "family" else name
    others = [record.kernel_class] if record.kernel_class != kernel_class else []
    others += [record.element] if record.element != element else []
    what = f"{' '.join(others)} of {whose}" if others else whose
    return f"transferred from {what}" + (f": {record.origin}" if record.origin else "")


def _records(gpu: Gpu, kernel_class: str, element: str) -> Iterator[tuple[str, str, Record]]:
    """The records that may supply the constants, each as (owner, name, record), nearest first."""
    held = calibrations_for(gpu)
    owners = [*(("gpu", name) for name in (gpu.name, *gpu.bases)), ("family", gpu.architecture)]
    far = [("family", name) for name in near_architectures(gpu.architecture)]
    for name in (kernel_class, *like_class(kernel_class)):
        same, near = equivalent_elements(element, name), near_elements(name, element)
        yield from _stated(held, owners, name, same)
        yield from _stated(held, owners, name, near)
        if isinstance(model := MODELS[name], GpuModel) and not model.transfers:
            continue
        yield from _stated(held, far, name, (*same, *near))


def _stated(
    held: Mapping[tuple[str, str], Sequence[Calibration]],
    owners: Sequence[tuple[str, str]],
    kernel_class: str,
    elements: Sequence[str],
) -> Iterator[tuple[str, str, Record]]:
    for owner, name in owners:
        for element in elements:
            for calibration in held.get((owner, name), ()):
                record = calibration.records.get((kernel_class, element))
                if record is not None:
                    yield owner, name, record
