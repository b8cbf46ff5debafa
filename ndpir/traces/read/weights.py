"""The weight rows used by a trace, as operands of its kernel: traces do not contain their values."""

from __future__ import annotations

from collections.abc import Iterable

from dialects.element_types import element_type_named
from interp.machine.records import Pim
from interp.ranges import joined
from ndpir.traces.read.building import Argument

MOST = 8
"""The largest number of weight operands; further rows have no operand, which only matters for numeric execution."""


def weight_rows(rows: Iterable[int], channels: int, pim: Pim) -> list[Argument]:
    """An operand of the kernel for each interval of consecutive rows; it has the shape [channels, rows, banks, columns,
    lanes] and starts at the interval's first row."""
    stretches = joined((row, row + 1) for row in rows)
    shape = pim.banks_per_channel, pim.columns, pim.lanes
    return [
        Argument(f"w{at}" if at else "w", (channels, end - first, *shape), element_type_named(pim.element), first)
        for at, (first, end) in enumerate(stretches[:MOST])
    ]
