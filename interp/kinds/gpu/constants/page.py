"""The constants that apply to a GPU's kernels as readable text: values, origin, and a remark on constants transferred
from other GPUs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping

from interp.kinds.gpu.classes import CLASSES
from interp.kinds.gpu.constants.calibration import GENERIC, GPU_MODELS
from interp.kinds.gpu.constants.known import KnownConstants, constants_for, error_of_power
from interp.kinds.gpu.kernel_class import Constant
from interp.machine.records import Gpu

WIDTH = 110


def constants_page(gpu: Gpu) -> list[str]:
    """Lines of text with one paragraph for each class and each set of element types that share constants; classes with
    only plausible values come last."""
    lines = ["", f"constants of kernels: library {gpu.library or GENERIC}"]
    unfitted: list[str] = []
    shown: list[Mapping[str, float]] = []
    for name, constants, elements in _classes(gpu):
        for known, element_types in _by_equal_constants(gpu, name, elements):
            what = f"{name} {', '.join(element_types)}"
            if known.transferred and not _fitted(known, constants):
                unfitted.append(name if len(element_types) == len(elements) else what)
                continue
            if known.constants in shown:
                lines += _wrapped(f"{what}: {known.origin.partition(': ')[0]}, as above", "  ", "    ")
                continue
            shown.append(known.constants)
            whose = (
                "" if known.origin.startswith("transferred") else " (transferred)" if known.transferred else " (own)"
            )
            lines += _wrapped(f"{what}{whose}: {known.origin}", "  ", "    ")
            for group in _of_chip_and_library(constants, known.constants, name in CLASSES):
                lines += _wrapped(group, "    ", "    ")
            if known.left_out:
                lines += _wrapped(f"not measured on this GPU: {known.left_out}", "    ", "    ")
    for kernel_class in CLASSES:
        for element in _elements(gpu):
            if (origin := error_of_power(gpu, kernel_class, element)) is not None:
                lines += _wrapped(f"power of {kernel_class} {element}: {origin}", "  ", "    ")
    if unfitted:
        lines += _wrapped(f"plausible values, not fitted: {'; '.join(unfitted)}", "  ", "    ")
    return lines


def _classes(gpu: Gpu) -> Iterator[tuple[str, tuple[Constant, ...], list[str]]]:
    """Each class with its constants and the element types for which the sheet has a rate."""
    for kernel_class in CLASSES.values():
        yield kernel_class.name, kernel_class.constants, _elements(gpu)
    for model in GPU_MODELS:
        yield model.name, model.constants, [model.element]


def _elements(gpu: Gpu) -> list[str]:
    return list(dict.fromkeys([*gpu.rates, *gpu.matrix_rates]))


def _by_equal_constants(gpu: Gpu, name: str, elements: Iterable[str]) -> Iterator[tuple[KnownConstants, list[str]]]:
    """The element types of a class, grouped by equal constants; the groups fitted to measurements of this GPU come
    first."""
    groups: list[tuple[KnownConstants, list[str]]] = []
    for element in elements:
        known = constants_for(gpu, name, element)
        same = next((element_types for other, element_types in groups if other == known), None)
        if same is None:
            groups.append((known, [element]))
        else:
            same.append(element)
    yield from sorted(groups, key=lambda group: group[0].transferred)


def _fitted(known: KnownConstants, constants: Iterable[Constant]) -> bool:
    """True if any constant differs from its plausible value."""
    return any(known.constants.get(constant.name, constant.start) != constant.start for constant in constants)


def _of_chip_and_library(constants: Iterable[Constant], held: Mapping[str, float], of_kernels: bool) -> Iterator[str]:
    """The constants of a model with their values: first the properties of the chip, then those of the library's
    kernels, then those that fits leave unchanged, each with their number. `of_kernels`: False for a model of the whole
    GPU, whose constants are all properties of the chip."""
    groups: dict[str, list[Constant]] = {"of the chip": [], "of the library": [], "not fitted": []}
    for constant in constants:
        of_chip = constant.of_chip or not of_kernels
        whose = "not fitted" if constant.fixed else "of the chip" if of_chip else "of the library"
        groups[whose].append(constant)
    for whose, group in groups.items():
        if group:
            yield f"{len(group)} {whose}: {_values(group, held)}"


def _values(constants: Iterable[Constant], held: Mapping[str, float]) -> str:
    numbers = [(constant, held.get(constant.name, constant.start)) for constant in constants]
    return ", ".join(f"{constant.name} {value:.4g} {constant.unit}".rstrip() for constant, value in numbers)


def _wrapped(text: str, first: str, later: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=later, break_long_words=False)
