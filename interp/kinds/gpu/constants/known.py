"""The constants that apply to a GPU's kernels: properties of the chip from calibrations of GPUs, properties of kernels
from calibrations of libraries.

A record of a calibration states some of a class's constants. Records are asked in order, and the first that states a
constant decides it:

1. the GPU's own calibration, and those of the GPUs that it is a variant of. What they state of a library's kernels
   applies only to this library;
2. the library's calibration, for the GPU's compute capability; then what the GPUs' calibrations state of the kernels
   of other libraries;
3. the mean over all libraries (`generic`) for this compute capability;
4. the library's calibration for other capabilities with the same major number, lower ones first, and for any;
5. the mean over all libraries for other capabilities with the same major number;
6. the calibration of the GPU's family, and then the mean over all libraries for any capability;

each for the element type, and then for types that the same units compute; then the same for similar classes and for
near types; at the end, the plausible values.

A GPU is *measured* for a class of kernels if its own calibration has a record of this class or of its family of
classes. For another GPU, a fit knows at most the kernels, and the class's error is that of fits in which a chip was
left out with its siblings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from interp.kinds.gpu.chip import INTEGERS
from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.calibration import GENERIC, MODELS, Calibration, Record, key_of, power_of
from interp.kinds.gpu.constants.families import equivalent_elements, like_class, near_architectures, near_elements
from interp.kinds.gpu.constants.files import calibrations_for
from interp.kinds.gpu.kernel_class import GpuModel
from interp.kinds.gpu.power import BOARD
from interp.machine.records import Gpu

Held = Mapping[tuple[str, str], Sequence[Calibration]]
"""Calibrations by owner and name, nearest first."""


@dataclass(frozen=True)
class KnownConstants:
    """The constants of a kernel class and element type, with a description of their origin."""

    constants: Mapping[str, float]
    origin: str
    transferred: bool
    """True if the constants of kernels were fitted neither to this GPU nor to another one of its compute capability."""
    library: str = ""
    """The library whose kernels the constants describe: `generic` for the mean over libraries; empty if none is
    known."""
    substitute: str = ""
    """The kernels that stand for those of the library, which are not measured for this class, element type and compute
    capability, in words; empty if the kernels are the library's own."""
    error: str = ""
    """The error of the kernels' times in words, as their record states it; empty if it states none."""
    chip: str = ""
    """The origin of the constants of the chip, in words; empty if the class has none."""
    left_out: str = ""
    """For a GPU that is not measured for the class: the class's error where a chip was left out with its siblings, in
    words; empty for a measured GPU."""
    of_type: bool = False
    """True if kernels of the element type, or of one that the same units compute, were measured on any GPU."""


class _Source(NamedTuple):
    """A record that may supply constants, with its owner."""

    owner: str
    name: str
    record: Record
    chip_only: bool = False
    """True if only its properties of the chip apply: its kernels are another library's."""


def constants_for(gpu: Gpu, kernel_class: str, element: str, library: str | None = None) -> KnownConstants:
    """The constants of a kernel class and element type on a GPU, with the kernels of its library or of the given one. A
    share of the peak rate that was fitted for floats is not used for integers if it is below the plausible share."""
    model, library = MODELS[kernel_class], gpu.library if library is None else library
    plausible = {constant.name: constant.start for constant in model.constants}
    of_chip = {constant.name for constant in model.constants if constant.of_chip}
    held = calibrations_for(gpu, library)
    found: dict[str, float] = {}
    first: _Source | None = None
    nearest: _Source | None = None
    of_chips: _Source | None = None
    complete = False  # once a library or family has stated kernels, what it leaves out has plausible values
    for source in _sources(held, gpu, kernel_class, element, library):
        nearest = nearest or source
        stated = source.record.constants
        new = {name for name in stated if name in plausible and name not in found}
        if source.chip_only or complete:
            new &= of_chip
        if new - of_chip and first is None:
            first = source
        if new & of_chip and of_chips is None:
            of_chips = source
        complete = complete or (source.owner != "gpu" and bool(new - of_chip))
        found |= {name: stated[name] for name in new}
        if len(found) == len(plausible) or isinstance(model, GpuModel):  # a model of a GPU is stated as a whole
            break
    first = first or nearest
    left_out = "" if _is_measured(held, gpu, kernel_class) else _left_out(held, kernel_class, element, library)
    if first is None:
        return KnownConstants(plausible, PLAUSIBLE, True, "", PLAUSIBLE, "", PLAUSIBLE, left_out)
    words, record = _words(gpu, first, kernel_class, element), first.record
    if element in INTEGERS and record.element not in INTEGERS:
        issue, least = found.get("issue"), plausible.get("issue")
        if issue is not None and least is not None and issue < least:
            found["issue"] = least
            words += "; its share of the peak rate is of floats, whose exponentials count as one operation each"
    whose = first.name if first.owner == "library" else record.library
    return KnownConstants(
        {**plausible, **found},
        words,
        not _is_own(gpu, first, kernel_class, element),
        whose,
        "" if _is_of_library(gpu, first, kernel_class, element, library) else _whose(gpu, first, kernel_class, element),
        _error(record.origin),
        _chip_in_words(gpu, of_chips, kernel_class, element) if of_chip else "",
        left_out,
        record.element in equivalent_elements(element, record.kernel_class),
    )


PLAUSIBLE = "plausible values"
"""The origin of constants that no calibration states."""


def _is_measured(held: Held, gpu: Gpu, kernel_class: str) -> bool:
    """True if a GPU is measured for a class of kernels: if its own calibration has a record of this class or of its
    family of classes. Also true for a model of the whole GPU, which is no class."""
    if kernel_class not in CLASSES:
        return True
    kin = CLASSES[kernel_class].kin
    records = [record for each in held.get(("gpu", gpu.name), ()) for record in each.records.values()]
    return any(record.kernel_class in CLASSES and CLASSES[record.kernel_class].kin == kin for record in records)


def _left_out(held: Held, kernel_class: str, element: str, library: str) -> str:
    """The error of a class where a chip was left out of the fit, in words: that of the library's records for any
    compute capability, or else that of the mean over libraries."""
    for owner in dict.fromkeys((library or GENERIC, GENERIC)):
        for each in (*equivalent_elements(element, kernel_class), *near_elements(kernel_class, element)):
            for source in _stated(held, ("library", owner), key_of(kernel_class, each)):
                if error := _error(source.record.origin):
                    return error
    return "the error where a chip was left out with its siblings is unknown"


def _chip_in_words(gpu: Gpu, source: _Source | None, kernel_class: str, element: str) -> str:
    """The origin of the constants of a chip, in words."""
    if source is None:
        return PLAUSIBLE
    whose, origin = _whose(gpu, source, kernel_class, element), source.record.origin
    return f"{whose}: {origin}" if origin and (source.owner, source.name) == ("gpu", gpu.name) else whose


def _error(origin: str) -> str:
    """The error in the origin of a record, `1,737 kernels of h200_sxm; 6.1 % off on 400 others`: its last part."""
    return origin.rpartition("; ")[2] if "; " in origin else ""


def power_in_words(gpu: Gpu, kernel_class: str, element: str) -> str:
    """The origin of the board's power for kernels of a class and element type, and the error of their energy."""
    board = constants_for(gpu, BOARD.name, BOARD.element)
    unknown = f"error unknown for {'this GPU' if board.transferred else f'{kernel_class} {element}'}; {board.origin}"
    return error_of_power(gpu, kernel_class, element) or unknown


def error_of_power(gpu: Gpu, kernel_class: str, element: str) -> str | None:
    """The error of the board's energy on held-out kernels of a class and element type, in words; None unless the file
    that states the constants of this GPU's power states it."""
    for calibration in calibrations_for(gpu, gpu.library).get(("gpu", gpu.name), ()):
        if (BOARD.name, BOARD.element) in calibration.records:
            record = calibration.records.get((power_of(kernel_class), element))
            return None if record is None else record.origin
    return None


def _is_own(gpu: Gpu, source: _Source, kernel_class: str, element: str) -> bool:
    """True if a record is for this GPU or for its compute capability, and for the class and element type."""
    record = source.record
    if (record.kernel_class, record.element) != (kernel_class, element):
        return False
    if source.owner == "library":
        return source.name != GENERIC and 0 < record.capability == gpu.capability
    return (source.owner, source.name) == ("gpu", gpu.name)


def _is_of_library(gpu: Gpu, source: _Source, kernel_class: str, element: str, library: str) -> bool:
    """True if a record states the kernels of a library for the class, the compute capability and the element type, or
    for one that the same units compute."""
    record = source.record
    if record.kernel_class != kernel_class or record.element not in equivalent_elements(element, kernel_class):
        return False
    if source.owner == "library":
        return source.name == (library or GENERIC) and 0 < record.capability == gpu.capability
    return source.owner == "gpu" and record.library in ("", library)


def _words(gpu: Gpu, source: _Source, kernel_class: str, element: str) -> str:
    """The origin of constants in words: `transferred from the ampere family: fitted on …`."""
    owner, name, record = source.owner, source.name, source.record
    if _is_own(gpu, source, kernel_class, element):
        return f"{name}: {record.origin}" if owner == "library" and record.origin else record.origin
    what = _whose(gpu, source, kernel_class, element)
    return f"transferred from {what}" + (f": {record.origin}" if record.origin else "")


def _whose(gpu: Gpu, source: _Source, kernel_class: str, element: str) -> str:
    """The kernels that a record states, in words: `bf16 of vllm for other compute capabilities`."""
    owner, name, record = source.owner, source.name, source.record
    if owner == "library":
        whose = "the mean of all libraries" if name == GENERIC else name
        if record.capability != gpu.capability or not record.capability:
            whose += " for other compute capabilities"
    else:
        whose = f"the {name} family" if owner == "family" else name
        whose = f"{record.library} on {name}" if record.library else whose
    others = [record.kernel_class] if record.kernel_class != kernel_class else []
    others += [record.element] if record.element != element else []
    return f"{' '.join(others)} of {whose}" if others else whose


def _sources(held: Held, gpu: Gpu, kernel_class: str, element: str, library: str) -> Iterator[_Source]:
    """The records that may supply the constants, nearest first."""
    for name in (kernel_class, *like_class(kernel_class)):
        same, near = equivalent_elements(element, name), near_elements(name, element)
        for elements in (same, near):
            for owner in (gpu.name, *gpu.bases):  # a chip is the same for all types that the same units compute
                for each in elements:
                    yield from _of_gpus(held, owner, name, each, library)
            for owner, capability in _kernels(held, name, library, gpu.capability):
                if (owner, capability) == (GENERIC, 0.0):
                    for each in elements:
                        yield from _stated(held, ("family", gpu.architecture), key_of(name, each))
                for each in elements:
                    yield from _stated(held, ("library", owner), key_of(name, each, capability=capability))
                if (owner, capability) == (library, gpu.capability):
                    for each in elements:
                        yield from _of_other_libraries(held, (gpu.name, *gpu.bases), name, each, library)
        if isinstance(model := MODELS[name], GpuModel) and not model.transfers:
            continue
        for other in near_architectures(gpu.architecture):
            for each in (*same, *near):
                yield from _stated(held, ("family", other), key_of(name, each))


def _kernels(held: Held, kernel_class: str, library: str, capability: float) -> Iterator[tuple[str, float]]:
    """The libraries and compute capabilities whose records are asked, in order."""
    own, others = library or GENERIC, _compatible(held, kernel_class, capability)
    asked = [
        *((name, each) for each in others[:1] for name in (own, GENERIC)),
        *((own, each) for each in (*others[1:], 0.0)),
        *((GENERIC, each) for each in (*others[1:], 0.0)),
    ]
    yield from dict.fromkeys(asked)


def _compatible(held: Held, kernel_class: str, capability: float) -> list[float]:
    """The compute capabilities whose kernels a GPU of `capability` runs, nearest first: its own, and those with the
    same major number that were measured, lower ones first (CUDA programming guide, binary compatibility)."""
    if not capability:
        return []
    measured = {
        record.capability
        for calibration in held.get(("library", GENERIC), ())
        for record in calibration.records.values()
        if record.kernel_class == kernel_class and int(record.capability) == int(capability)
    }
    others = sorted(measured - {0.0, capability}, key=lambda each: (each > capability, abs(each - capability)))
    return [capability, *others]


def _of_gpus(held: Held, gpu: str, kernel_class: str, element: str, library: str) -> Iterator[_Source]:
    """Records of a GPU's own calibration: those for the library or for any, and then those for other libraries."""
    keys = dict.fromkeys((key_of(kernel_class, element, library), key_of(kernel_class, element)))
    for key in keys:
        yield from _stated(held, ("gpu", gpu), key)
    for source in _of_other_libraries(held, (gpu,), kernel_class, element, library):
        yield source._replace(chip_only=True)


def _of_other_libraries(
    held: Held, names: Sequence[str], kernel_class: str, element: str, library: str
) -> Iterator[_Source]:
    """Records of GPUs' own calibrations for kernels of other libraries."""
    for name in names:
        for calibration in held.get(("gpu", name), ()):
            for record in calibration.records.values():
                same = (record.kernel_class, record.element) == (kernel_class, element)
                if same and record.library not in ("", library):
                    yield _Source("gpu", name, record)


def _stated(held: Held, owner: tuple[str, str], key: tuple[str, ...]) -> Iterator[_Source]:
    for calibration in held.get(owner, ()):
        record = calibration.records.get(key)
        if record is not None:
            yield _Source(*owner, record)
