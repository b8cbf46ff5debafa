"""The rows of weights that a trace works on, as operands of its kernel: no trace says what lies in them."""

from __future__ import annotations

from collections.abc import Iterable

from dialects.element_types import element_type_named
from interp.machine.records import Pim
from ndpir.banks.read.building import Argument

MOST = 8
"""Most operands for weights; further rows belong to none, which only a run of numbers would miss."""


def weight_rows(rows: Iterable[int], channels: int, pim: Pim) -> list[Argument]:
    """An operand for each stretch of rows, [channels, rows, banks, columns, lanes] from its first row on."""
    stretches: list[list[int]] = []
    for row in sorted(rows):
        if stretches and row == stretches[-1][1]:
            stretches[-1][1] += 1
        else:
            stretches.append([row, row + 1])
    shape = pim.banks_per_channel, pim.columns, pim.lanes
    return [
        Argument(f"w{at}" if at else "w", (channels, end - first, *shape), element_type_named(pim.element), first)
        for at, (first, end) in enumerate(stretches[:MOST])
    ]
