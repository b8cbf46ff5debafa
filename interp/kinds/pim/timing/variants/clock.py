"""The times and energies of a bank program for many variants of a device.

Left to the clock for one device (interp/kinds/pim/timing/clock.py), variant by variant: all variants of a device whose
controllers reorder commands, or whose decoder stalls all channels; few variants (`FEWEST`); and single variants
whose refreshes leave no time for a command, for which that clock raises the error. `BankTimes.alone` holds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dialects.diagnostics import InputError
from dialects.pim import REFRESH, KernelOp
from interp.kinds.pim.checks.accesses import check_accesses
from interp.kinds.pim.checks.hazards import check_hazards
from interp.kinds.pim.program import Slot, check_kernel, programs_of
from interp.kinds.pim.timing.clock import BankTime, energy_of, sound_time
from interp.kinds.pim.timing.controller_managed.clock import are_independent
from interp.kinds.pim.timing.requests.kernel import is_reordered
from interp.kinds.pim.timing.streams import stream_of
from interp.kinds.pim.timing.variants.by_controller import stream_times
from interp.kinds.pim.timing.variants.by_program import channel_times
from interp.kinds.pim.timing.variants.loops import Mask
from interp.machine.variants import Cycles, PimVariants, Reals

FEWEST = 16
"""The number of variants below which each is timed alone, unless a caller states another one: programs of simple loops
are timed faster together from here on."""


@dataclass(frozen=True)
class BankTimes:
    """The times and energies of one launch of a kernel in all variants, without launch overheads.

    `ns`, `cycles`: (variants), as in `BankTime`; `counts`: commands by slot, over all channels, (variants) where they
    differ; `energy_nj`: by cause, (variants) where it differs. Entries of variants in `alone` are those of the clock
    for one device, `ns` not-a-number where it raised an error.
    """

    ns: Reals
    cycles: Cycles
    energy_nj: dict[str, Reals]
    alone: Mapping[int, BankTime | InputError]

    @property
    def launch_nj(self) -> Reals:
        """(variants) The energy of a launch, nJ, without that of refreshes, which belongs to idle power."""
        total = np.zeros(len(self.ns))
        for verb, each in self.energy_nj.items():
            if verb != REFRESH:
                total = total + each
        for at, time in self.alone.items():
            if isinstance(time, BankTime):
                total[at] = sum(nj for verb, nj in time.energy_nj.items() if verb != REFRESH)
        return total


def kernel_times(kernel: KernelOp, variants: PimVariants, fewest: int = FEWEST) -> BankTimes:
    """The times of a kernel for all variants; fewer than `fewest` are timed one by one. Raises InputError, at the op,
    for a command that the device does not have and for a hazard."""
    pim = variants.pim
    check_kernel(kernel, pim)
    if pim.checked:
        check_hazards(kernel, pim)
        check_accesses(kernel)
    ns, cycles, energy = np.zeros(variants.count), np.zeros(variants.count, np.int64), dict[str, Reals]()
    left: Mask = np.ones(variants.count, np.bool_)
    if variants.count >= fewest and pim.decoder is None and not is_reordered(kernel, pim):
        left = ~left
        slots: dict[Slot, Cycles | int] = {}
        moved = 0
        for each in _classes(kernel, variants):
            bus_ns = each.bus_bytes / pim.bus_bandwidth * 1e9
            ns = np.maximum(ns, np.maximum(each.cycles * variants.cycle_ns, bus_ns))
            longer = each.cycles > cycles
            cycles = np.where(longer, each.cycles, cycles)
            moved += each.bus_bytes * each.channels
            left |= each.left
            for slot, count in each.slots.items():
                slots[slot] = slots.get(slot, 0) + count * each.channels
        energy = {cause: np.broadcast_to(nj, (variants.count,)) for cause, nj in energy_of(slots, moved, pim).items()}
    alone: dict[int, BankTime | InputError] = {}
    for at in map(int, np.flatnonzero(left)):
        try:
            time = alone[at] = sound_time(kernel, variants.one(at))
            ns[at], cycles[at] = time.ns, time.cycles
        except InputError as error:
            alone[at], ns[at] = error, np.nan
    return BankTimes(ns, cycles, energy, alone)


@dataclass(frozen=True)
class _Class:
    """Channels that receive the same commands: their number, the bytes transferred between each of them and the host,
    the cycles and command counts of one of them, and the variants left to the clock for one device."""

    channels: int
    bus_bytes: int
    cycles: Cycles
    slots: Mapping[Slot, Cycles | int]
    left: Mask


def _classes(kernel: KernelOp, variants: PimVariants) -> Iterator[_Class]:
    pim = variants.pim
    if pim.rows_by == "program":
        for program in programs_of(kernel, pim):
            time = channel_times(program.steps, variants, False)
            yield _Class(len(program.channels), program.bus_bytes, time.cycles, time.slots, time.left)
        return
    stream = stream_of(kernel, pim)
    parts = stream.by_class if are_independent(stream, pim) else (stream,)
    times = [stream_times(part, variants, False) for part in parts]
    cycles = np.array([time.cycles for time in times]).max(axis=0)
    left: Mask = np.logical_or.reduce([time.left for time in times])
    classes = (each for time in times for each in time.classes)
    for channels, moved, each in zip(stream.classes, stream.bus_bytes, classes, strict=True):
        yield _Class(len(channels), moved, cycles, each.counts, left)
