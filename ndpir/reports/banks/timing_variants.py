"""`-t timing-variants`: cycles of kernels by a device's specification, and by the timing variants of published
simulators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from dialects.diagnostics import InputError
from dialects.hw import DeviceOp
from dialects.pim import KernelOp
from dialects.text.columns import table
from interp.kinds.pim.timing.clock import kernel_time
from interp.machine.composition import Machine
from interp.machine.records import Pim
from interp.machine.sheets.timing_variants import TimingVariant, timing_variants_of
from lowering.banks.close_rows import with_rows_closed
from ndpir.reports.target import AnswerTarget


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


@dataclass(frozen=True)
class TimingVariantsTarget(AnswerTarget[TimingVariantsAnswer]):
    """For each kernel its cycles by the device's specification and by each simulator's timing variant, the difference,
    and each deviation of the variant's sheet from the specification, with its individual effect on cycles.

    If only the specification, or only the simulator, accepts programs that open a row while another row of the bank is
    open, the kernel is timed for each of the two with exactly the precharges that it needs there. `json`: the answer as
    JSON.
    """

    name: ClassVar[str] = "timing-variants"

    def answer(self, module: ModuleOp) -> TimingVariantsAnswer:
        return timing_variants_answer(module)

    def text(self, answer: TimingVariantsAnswer) -> str:
        return "\n".join(part for kernel in answer.kernels for part in _parts(kernel))


def _parts(one: KernelVariants) -> Iterator[str]:
    """The report on a kernel, a paragraph for each simulator."""
    head = f"@{one.kernel} on @{one.on}"
    if not one.variants:
        yield f"{head}: {_number(one.own)} cycles on {one.own.sheet}; no simulator's timing variant of it is known\n"
    for variant in one.variants:
        yield f"{head}\n{_comparison(variant)}"


def _shortened(text: str, width: int = 60) -> str:
    """The first lines of a deviation's text, as many as fit into `width` characters, and the number of omitted
    lines."""
    first, *others = text.split("; ")
    while others and len(first) + len(others[0]) + 2 <= width:
        first += f"; {others.pop(0)}"
    return f"{first}; and {len(others)} more" if others else first


def _comparison(one: VariantCycles) -> str:
    specified, variant = one.specified, one.variant
    rows = [(_number(specified), "", specified.sheet, "as the standard specifies")]
    for each in one.deviations:
        alone = "with others" if each.needs_others else _delta(each.cycles, specified)
        rows.append(("", alone, _shortened(each.lines), each.source))
    rows.append((_number(variant), _delta(variant.cycles, specified), variant.sheet, one.source))
    lines = table(("cycles", "delta", "sheet lines", "source"), rows, left=(2, 3))
    for cycles in (specified, variant):
        if cycles.refused is not None:
            where = f"{cycles.refused_at}: " if cycles.refused_at else ""
            lines += f"{cycles.sheet} refuses this program: {where}{cycles.refused}\n"
    return lines


def _number(one: KernelCycles) -> str:
    return "none" if one.cycles is None else str(one.cycles)


def _delta(cycles: int | None, specified: KernelCycles) -> str:
    """The difference between `cycles` and the cycles by the specification; `?` if one of the two is unknown."""
    return f"{cycles - specified.cycles:+d}" if cycles is not None and specified.cycles is not None else "?"
