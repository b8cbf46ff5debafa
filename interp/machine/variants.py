"""A PIM in many variants, which differ in the values of timing constraints, refresh intervals, latencies and clocks."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from interp.machine.records import Pim, Scope

Cycles: TypeAlias = NDArray[np.int64]
"""Numbers of cycles; the last dimension is that of the variants."""
Reals: TypeAlias = NDArray[np.float64]


class VariedCosts(NamedTuple):
    """The costs of one launch of a program in all variants of a device: `ns` and `energy_nj`, (variants), as in `Cost`;
    and the positions of variants that must be costed alone."""

    ns: Reals
    energy_nj: Reals
    alone: Sequence[int]


@dataclass(frozen=True, eq=False)
class PimVariants:
    """Variants of a device. Fields that are not stated here are those of `pim` in all of them.

    `cycles`: (constraints of the device, variants), the cycles of each timing constraint; `interval`: (variants), of
    refreshes, None on a device without refresh; `latency`: (variants) each, of the commands of a verb and scope, for
    those that differ; `command_cycles`, `end_cycles`: (variants) each; `clock_hz`: (variants), in Hz.
    """

    pim: Pim
    cycles: Cycles
    interval: Cycles | None
    latency: Mapping[tuple[str, Scope], Cycles]
    command_cycles: Cycles
    end_cycles: Cycles
    clock_hz: Reals

    @property
    def count(self) -> int:
        """The number of variants."""
        return self.cycles.shape[1]

    @property
    def cycle_ns(self) -> Reals:
        """(variants) The duration of a cycle, ns."""
        return 1e9 / self.clock_hz

    @property
    def idle_w(self) -> Reals:
        """(variants) As `Pim.idle_w`, W."""
        pim, refresh_w = self.pim, np.zeros(self.count)
        if self.interval is not None:
            refresh_w = pim.refresh_nj / (self.interval * self.cycle_ns)
        return pim.device_idle_w + pim.channels * (pim.channel_idle_w + refresh_w)

    @classmethod
    def of(cls, pims: Sequence[Pim]) -> PimVariants:
        """The variants that some records describe, all of which state the same commands and constraints."""
        first = pims[0]
        forms: list[tuple[str, Scope]] = [(verb.name, scope) for verb in first.verbs.values() for scope in verb.forms]
        latency: dict[tuple[str, Scope], list[int]] = {}
        latency |= {(verb, scope): [pim.verbs[verb].forms[scope].latency for pim in pims] for verb, scope in forms}
        refresh = [pim.refresh.interval for pim in pims if pim.refresh is not None]
        return cls(
            first,
            np.array([[each.cycles for each in pim.constraints] for pim in pims], np.int64).reshape(len(pims), -1).T,
            np.array(refresh, np.int64) if refresh else None,
            {form: np.array(each, np.int64) for form, each in latency.items() if len(set(each)) > 1},
            np.array([pim.command_cycles for pim in pims], np.int64),
            np.array([pim.end_cycles for pim in pims], np.int64),
            np.array([pim.clock_hz for pim in pims], np.float64),
        )

    def at(self, chosen: NDArray[np.int64] | slice) -> PimVariants:
        """Some of the variants."""
        return replace(
            self,
            cycles=self.cycles[:, chosen],
            interval=None if self.interval is None else self.interval[chosen],
            latency={form: each[chosen] for form, each in self.latency.items()},
            command_cycles=self.command_cycles[chosen],
            end_cycles=self.end_cycles[chosen],
            clock_hz=self.clock_hz[chosen],
        )

    def one(self, at: int) -> Pim:
        """The record of one variant, for the clock for one device."""
        pim, verbs = self.pim, dict(self.pim.verbs)
        for (verb, scope), each in self.latency.items():
            forms = dict(verbs[verb].forms)
            forms[scope] = replace(forms[scope], latency=int(each[at]))
            verbs[verb] = replace(verbs[verb], forms=forms)
        refresh = pim.refresh
        if refresh is not None and self.interval is not None:
            refresh = replace(refresh, interval=int(self.interval[at]))
        return replace(
            pim,
            constraints=tuple(
                replace(each, cycles=int(cycles))
                for each, cycles in zip(pim.constraints, self.cycles[:, at], strict=True)
            ),
            verbs=verbs,
            refresh=refresh,
            command_cycles=int(self.command_cycles[at]),
            end_cycles=int(self.end_cycles[at]),
            clock_hz=float(self.clock_hz[at]),
        )

    @cached_property
    def widest(self) -> Pim:
        """A record with the largest value of each number: every constraint that some variant has, and refreshes that
        leave time for commands."""
        refresh = self.pim.refresh
        return replace(
            self.pim,
            constraints=tuple(
                replace(each, cycles=int(cycles))
                for each, cycles in zip(self.pim.constraints, self.cycles.max(axis=1), strict=True)
            ),
            refresh=refresh and replace(refresh, interval=1 << 40),
        )

    @cached_property
    def banks_key(self) -> Hashable:
        """A key that is equal for variants in which bank programs take equal times and energies, whatever a launch
        takes."""
        arrays = (self.cycles, self.interval, self.command_cycles, self.end_cycles, self.clock_hz)
        latency = sorted((form, each.tobytes()) for form, each in self.latency.items())
        texts = (repr(latency).encode(), *(b"" if each is None else each.tobytes() for each in arrays))
        return self.pim.banks_alone, self.count, blake2b(b"|".join(texts)).digest()

    @cached_property
    def fastest(self) -> Pim:
        """A record with the least of each number, but the largest refresh interval and clock frequency."""
        least = replace(
            self,
            cycles=self.cycles.min(axis=1, keepdims=True),
            interval=None if self.interval is None else self.interval.max(keepdims=True),
            latency={form: each.min(keepdims=True) for form, each in self.latency.items()},
            command_cycles=self.command_cycles.min(keepdims=True),
            end_cycles=self.end_cycles.min(keepdims=True),
            clock_hz=self.clock_hz.max(keepdims=True),
        )
        return least.one(0)

    @property
    def numbers(self) -> Reals:
        """(numbers, variants) All numbers that differ between variants."""
        rows = [*self.cycles, *self.latency.values(), self.command_cycles, self.end_cycles, self.clock_hz]
        rows += [] if self.interval is None else [self.interval]
        return np.array([row for row in rows if (row != row[0]).any()], np.float64).reshape(-1, self.count)

    def least(self, tied: Sequence[int]) -> Cycles:
        """(variants) The longest of some timing constraints, by their indices; 0 without any."""
        return self.cycles[list(tied)].max(axis=0) if tied else np.zeros(self.count, np.int64)
