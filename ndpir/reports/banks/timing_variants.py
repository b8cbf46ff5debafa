"""`-t timing-variants`: cycles of kernels by a device's specification, and by the timing variants of published
simulators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from dialects.text.columns import table
from ndpir.reports.banks.variants import (
    KernelCycles,
    KernelVariants,
    TimingVariantsAnswer,
    VariantCycles,
    timing_variants_answer,
)
from ndpir.reports.target import AnswerTarget


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
        yield f"{head}\n{_compared(variant)}"


def _shortened(text: str, width: int = 60) -> str:
    """The first lines of a deviation's text, as many as fit into `width` characters, and the number of omitted
    lines."""
    first, *others = text.split("; ")
    while others and len(first) + len(others[0]) + 2 <= width:
        first += f"; {others.pop(0)}"
    return f"{first}; and {len(others)} more" if others else first


def _compared(one: VariantCycles) -> str:
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
