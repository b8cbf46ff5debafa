"""`-t timing-variants`: cycles of kernels by the timing rules of a device's specification, and by those of published
simulators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from dialects.diagnostics import InputError
from dialects.hw import DeviceOp
from dialects.pim import KernelOp
from interp.banks.timing.clock import kernel_time
from interp.figures import table
from interp.machine.composition import Machine
from interp.machine.records import Pim
from interp.machine.sheets.timing_variants import TimingVariant, timing_variants_of
from lowering.banks.close_rows import with_rows_closed


@dataclass(frozen=True)
class TimingVariantsTarget(Target):
    """For each kernel its cycles by the device's specification and by each simulator's timing variant, the difference,
    and every deviation in the variant's sheet, with its individual effect on cycles.

    If only one of specification and simulator accepts programs that open a row while another row of the bank is open,
    each times the kernel with exactly the precharges that it needs.
    """

    name: ClassVar[str] = "timing-variants"
    NEEDS_MACHINE: ClassVar[bool] = True

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        kernels = [op for op in module.walk() if isinstance(op, KernelOp)]
        if not kernels:
            raise InputError("the program holds no pim.kernel to be timed; lower it first (-p offload)", module)
        output.write("\n".join(part for kernel in kernels for part in _parts(module, kernel)))


def _parts(module: ModuleOp, kernel: KernelOp) -> Iterator[str]:
    """The report on a kernel, a paragraph for each simulator."""
    device = Machine.of(module).pim(kernel.place, kernel)
    op = next(op for op in module.body.block.ops if isinstance(op, DeviceOp) and op.sym_name.data == kernel.place)
    head = f"@{kernel.sym_name.data} on @{kernel.place}"
    variants = timing_variants_of(op.sheet.data, op.changed(), op)
    if not variants:
        cycles = f"{_Time.of(kernel, device)} cycles on {device.name}"
        yield f"{head}: {cycles}; no simulator's timing variant of it is known\n"
    for variant in variants:
        yield f"{head}\n{_compared(kernel, variant)}"


def _shortened(text: str, width: int = 60) -> str:
    """The first lines of a difference, as many as fit into `width` characters, and the number of the others."""
    first, *others = text.split("; ")
    while others and len(first) + len(others[0]) + 2 <= width:
        first += f"; {others.pop(0)}"
    return f"{first}; and {len(others)} more" if others else first


def _compared(kernel: KernelOp, variant: TimingVariant) -> str:
    specified, compatible = _Time.of(kernel, variant.specified), _Time.of(kernel, variant.compatible)
    rows = [(str(specified), "", variant.specified.name, "as the standard specifies")]
    for each in variant.differences:
        alone = "with others"  # the sheet is invalid with only this change
        if not isinstance(each.alone, InputError):
            alone = _Time.of(kernel, each.alone).apart(specified)
        rows.append(("", alone, _shortened(each.text), each.source))
    rows.append((str(compatible), compatible.apart(specified), variant.compatible.name, variant.source))
    lines = table(("cycles", "delta", "sheet lines", "source"), rows, left=(2, 3))
    for device, time in ((variant.specified, specified), (variant.compatible, compatible)):
        if time.refused is not None:
            where = f"{place}: " if (place := time.refused.place) else ""
            lines += f"{device.name} refuses this program: {where}{time.refused.message}\n"
    return lines


@dataclass(frozen=True)
class _Time:
    """The cycles of a kernel on a device, None if it can't be timed; and the error if the device refuses the program. A
    program refused for its hazards still has cycles."""

    cycles: int | None
    refused: InputError | None = None

    @classmethod
    def of(cls, kernel: KernelOp, pim: Pim) -> _Time:
        fitted = with_rows_closed(kernel, pim)
        try:
            return cls(kernel_time(fitted, pim).cycles)
        except InputError as error:
            if not pim.checked:
                return cls(None, error)
            return cls(cls.of(kernel, replace(pim, checked=False)).cycles, error)

    def apart(self, specified: _Time) -> str:
        """The difference in cycles from the time by the specification; `?` if one of the two times is missing."""
        return (
            f"{self.cycles - specified.cycles:+d}" if self.cycles is not None and specified.cycles is not None else "?"
        )

    def __str__(self) -> str:
        return "none" if self.cycles is None else str(self.cycles)
