"""The answer of `-t timing-variants`: cycles of kernels by a device's specification, and by the timing variants of
published simulators."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from dialects.hw import DeviceOp
from dialects.pim import KernelOp
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.composition import Machine
from interp.machine.records import Pim
from interp.machine.sheets.timing_variants import TimingVariant, timing_variants_of
from lowering.banks.close_rows import with_rows_closed


@dataclass(frozen=True)
class KernelCycles:
    """The cycles of a kernel on a device."""

    sheet: str
    cycles: int | None
    """The number of cycles; null if the kernel can't be timed. A kernel that the device refuses for its hazards still
    has cycles."""
    refused: str | None
    """The reason why the device refuses the kernel; null if it accepts it."""
    refused_at: str | None
    """The line of the program at which the device refuses the kernel; null if it is unknown."""


@dataclass(frozen=True)
class Deviation:
    """Lines of a simulator's sheet that form one deviation from the specification."""

    lines: str
    source: str
    """The place in the simulator's source or documentation that the lines follow."""
    cycles: int | None
    """The kernel's cycles by the specification with only these lines changed; null if the kernel can't be timed so."""
    needs_others: bool
    """True if the specification with only these lines changed is not a valid sheet, so that `cycles` is null."""


@dataclass(frozen=True)
class VariantCycles:
    """The cycles of a kernel by a simulator's timing variant of the device, compared with those by the
    specification."""

    source: str
    specified: KernelCycles
    variant: KernelCycles
    deviations: tuple[Deviation, ...]
    """The deviations, each with its individual effect; effects need not add up, since deviations may interact."""


@dataclass(frozen=True)
class KernelVariants:
    """A kernel and the timing variants of its device."""

    kernel: str
    on: str
    own: KernelCycles
    """Cycles on the device as the program declares it."""
    variants: tuple[VariantCycles, ...]
    """The cycles by each timing variant; empty if no simulator's timing variant of the device is known."""


@dataclass(frozen=True)
class TimingVariantsAnswer:
    """The cycles of a program's kernels by each timing variant, in the program's order."""

    kernels: tuple[KernelVariants, ...]


def timing_variants_answer(module: ModuleOp) -> TimingVariantsAnswer:
    """The cycles of a program's kernels by the specification and by each timing variant. Raises InputError if there are
    no kernels."""
    kernels = [op for op in module.walk() if isinstance(op, KernelOp)]
    if not kernels:
        raise InputError("the program holds no pim.kernel to be timed; lower it first (-p offload)", module)
    return TimingVariantsAnswer(tuple(_kernel(module, kernel) for kernel in kernels))


def _kernel(module: ModuleOp, kernel: KernelOp) -> KernelVariants:
    device = Machine.of(module).pim(kernel.place, kernel)
    op = next(op for op in module.body.block.ops if isinstance(op, DeviceOp) and op.sym_name.data == kernel.place)
    variants = timing_variants_of(op.sheet.data, op.changed(), op)
    return KernelVariants(
        kernel.sym_name.data,
        kernel.place,
        _cycles(kernel, device),
        tuple(_compared(kernel, variant) for variant in variants),
    )


def _compared(kernel: KernelOp, variant: TimingVariant) -> VariantCycles:
    deviations: list[Deviation] = []
    for each in variant.differences:
        alone = None if isinstance(each.alone, InputError) else _cycles(kernel, each.alone).cycles
        deviations.append(Deviation(each.text, each.source, alone, isinstance(each.alone, InputError)))
    specified, compatible = _cycles(kernel, variant.specified), _cycles(kernel, variant.compatible)
    return VariantCycles(variant.source, specified, compatible, tuple(deviations))


def _cycles(kernel: KernelOp, pim: Pim) -> KernelCycles:
    fitted = with_rows_closed(kernel, pim)
    try:
        return KernelCycles(pim.name, kernel_time(fitted, pim).cycles, None, None)
    except InputError as error:
        unchecked = _cycles(kernel, replace(pim, checked=False)).cycles if pim.checked else None
        return KernelCycles(pim.name, unchecked, error.message, error.place)
