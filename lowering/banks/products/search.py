"""Search for the fastest mapping of a product on a device: the times of all candidates are estimated, and the
candidates with the best estimates are simulated."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import inf
from weakref import WeakValueDictionary

from dialects.pim import (
    ActivatedOp,
    ActivateOp,
    ActOp,
    BiasOp,
    CommandOp,
    DrainOp,
    KernelOp,
    LoadOp,
    MacOp,
    MappingAttr,
    PreOp,
    WriteOp,
)
from interp.kinds.pim.program import ChannelProgram
from interp.kinds.pim.timing.clock import BankTime, programs_time, sound_time, total_of_stream
from interp.kinds.pim.timing.requests.kernel import is_reordered
from interp.kinds.pim.timing.streams import Stream, stream_of
from interp.machine.records import Pim
from lowering.banks.plan import BankProgram, TimedWay
from lowering.banks.products.bounds import least_cycles, note_cycles
from lowering.banks.products.estimate import estimated_cycles, estimated_ns
from lowering.banks.products.kernel import bytes_of, kernel_of
from lowering.banks.products.mapping import Mapping, Product, mapping_of, mappings
from lowering.banks.products.paths import cycles_of_multiplies, cycles_on_path
from lowering.banks.products.steps import programs_by
from lowering.banks.products.traversal import closes_rows, sets_sums, written_for
from lowering.limits import LIMITS

BY_COMMAND = 3
"""Mappings of a product that are timed by the clock if a controller schedules writes by itself, so that every command
is simulated."""
CLOSE = 1.02
"""Ratio of times: mappings that are slower than the fastest one, both without refreshes, by at most this factor are
timed with refreshes, too."""
REFRESHED = 2
"""Mappings of a product, at most, that are timed with refreshes."""


@dataclass(frozen=True)
class FoundMapping:
    """The fastest mapping and its program."""

    mapping: Mapping
    program: BankProgram
    listed: Callable[[], tuple[TimedWay, ...]]
    """Returns `candidates`, some of which are timed only then."""
    likely: tuple[Mapping, ...]
    """The mappings among which this one is the fastest."""

    @property
    def candidates(self) -> tuple[TimedWay, ...]:
        """All candidates with their times: the chosen mapping first, then the others by time."""
        return self.listed()

    @property
    def kernel(self) -> KernelOp:
        return self.program.kernel

    @property
    def time(self) -> BankTime:
        return self.program.time


def needed_verbs(product: Product, pim: Pim) -> list[str]:
    """The verbs that a device must have for a product."""
    ops: list[type[CommandOp]] = [LoadOp, ActOp, *([WriteOp] if product.written else [])]
    ops += [BiasOp] if sets_sums(product, pim) else []
    ops += [MacOp, *([ActivateOp, ActivatedOp] if product.function else [DrainOp])]
    return [op.COMMAND.verb for op in (*ops, *([PreOp] if closes_rows(pim) else []))]


@lru_cache(maxsize=4096)
def search(product: Product, pim: Pim, rows: int = 1 << 40) -> FoundMapping | str:
    """The mapping of a product on a device with the least simulated time, among the mappings with the best estimates;
    or the reason why no mapping is possible.

    The mapping takes at most `rows` rows of each bank; if no mapping fits, the mappings with the fewest rows are
    candidates.
    """
    likely = _likely(product, pim, rows)
    if isinstance(likely, str):
        return likely
    return _fastest(likely, pim, pim if _is_by_command(product, pim) else in_order(pim))


def least_ns(product: Product, pim: Pim, rows: int = 1 << 40, enough: float = inf) -> float:
    """A lower bound on the time in ns of the program that `search` finds, without a simulation; infinite if it finds
    none. A bound above `enough` is as good as any larger one."""
    if lacking(product, pim):
        return inf
    if (ns := cycles_of_multiplies(product, pim) * pim.cycle_ns) > enough:
        return ns
    likely = _likely(product, pim, rows)
    if isinstance(likely, str):
        return inf
    return min((cycles_on_path(mapping, pim) for mapping in likely), default=0) * pim.cycle_ns


def _is_by_command(product: Product, pim: Pim) -> bool:
    """True if every command of a product's programs is simulated."""
    return pim.scheduler is not None and (product.written or product.grows != "")


@lru_cache(maxsize=4096)
def _likely(product: Product, pim: Pim, rows: int) -> tuple[Mapping, ...] | str:
    """The mappings of a product that are timed, the fastest ones by their estimates; or the reason why no mapping is
    possible. `rows`: as for `search`."""
    if why := lacking(product, pim):
        return why
    tries = _mappings(product, written_for(pim))
    if not tries:
        return (
            f"{pim.name} takes a sum of {product.inner} in parts, which are added by the host, but "
            f"`{product.function}` is of the whole sum"
        )
    fewest = min(mapping.rows_needed() for mapping in tries)
    if fewest > pim.rows:
        return f"the weight needs at least {fewest} rows of each bank, but banks of {pim.name} have {pim.rows}"
    most = max(min(rows, pim.rows), fewest)
    cycles = {mapping: estimated_cycles(mapping, pim) for mapping in tries if mapping.rows_needed() <= most}
    fitting = [mapping for mapping in cycles if mapping.survives(pim, cycles[mapping])]
    likely = sorted(fitting, key=lambda mapping: estimated_ns(mapping, pim, cycles[mapping]))
    safe = next((mapping for mapping in likely if mapping.survives(pim, sys.maxsize)), None)
    first = likely[: BY_COMMAND if _is_by_command(product, pim) else LIMITS.mappings]
    return tuple(first) if safe is None or safe in first else (*first, safe)


@lru_cache(maxsize=4096)
def planned(product: Product, pim: Pim, plan: MappingAttr) -> FoundMapping | str:
    """The mapping of a product that a plan specifies, or the reason why this mapping is not possible."""
    mapping = mapping_of(plan, product, pim)
    if isinstance(mapping, str):
        return mapping
    program = _PROGRAMS.get((mapping, pim)) or _program(mapping, pim, time_of(mapping, pim))
    if not mapping.survives(pim, program.time.cycles):
        return f"takes {program.time.cycles} cycles, but {pim.name} forgets open rows at a refresh; write order buffer"
    return FoundMapping(mapping, program, lambda: (TimedWay(str(mapping), program.time.ns, True),), (mapping,))


def lacking(product: Product, pim: Pim) -> str:
    """The verbs that a device lacks for a product, as the reason why it can't run the product; empty if it lacks
    none."""
    missing = [verb for verb in needed_verbs(product, pim) if not pim.scopes_written(verb)]
    return f"{pim.name} lacks the verbs {', '.join(missing)}" if missing else ""


def _fastest(likely: Sequence[Mapping], pim: Pim, plain: Pim) -> FoundMapping:
    """The fastest of the mappings `likely`. They are timed first on the `plain` device (without refreshes, commands in
    program order), where simulation is fast regardless of the program's length. Only mappings close to the fastest
    of these are timed on the actual device."""
    clock = _Clock(pim)
    times = _times_of_best(likely, clock, plain, REFRESHED if plain is not pim else 1)
    exact = _exact(times, clock, pim, plain)
    best = min(exact, key=lambda mapping: _rank(exact[mapping]))
    program = _program(best, pim, exact[best])
    return FoundMapping(best, program, partial(_listed, likely, pim, plain, best), tuple(likely))


def _times_of_best(likely: Sequence[Mapping], clock: _Clock, plain: Pim, needed: int) -> dict[Mapping, BankTime]:
    """The times on the `plain` device of those mappings that work on the device, at least of the `needed` fastest ones,
    by time: mappings whose lower bound exceeds the times of these are not timed."""
    bounds = {mapping: least_cycles(mapping, plain) * plain.cycle_ns for mapping in likely}
    times: dict[Mapping, BankTime] = {}
    for mapping in sorted(likely, key=lambda mapping: bounds[mapping]):
        if len(times) >= needed and bounds[mapping] > sorted(time.ns for time in times.values())[needed - 1]:
            break
        time = clock.time(mapping, plain)
        note_cycles(mapping, plain, time.cycles)
        if mapping.survives(clock.pim, time.cycles):
            times[mapping] = time
    ranked = sorted((mapping for mapping in likely if mapping in times), key=lambda mapping: _rank(times[mapping]))
    return {mapping: times[mapping] for mapping in ranked}


def _exact(times: dict[Mapping, BankTime], clock: _Clock, pim: Pim, plain: Pim) -> dict[Mapping, BankTime]:
    """The times on the actual device of mappings close to the fastest one; `times`: those on the plain device."""
    if plain is pim:
        return times
    limit = CLOSE * min(time.ns for time in times.values())
    close = [mapping for mapping, time in times.items() if time.ns <= limit]
    return {mapping: clock.time(mapping, pim) for mapping in close[:REFRESHED]}


def _listed(likely: Sequence[Mapping], pim: Pim, plain: Pim, best: Mapping) -> tuple[TimedWay, ...]:
    """All candidates with their times: the chosen mapping first, then the others by time."""
    clock = _Clock(pim)
    times = _times_of_best(likely, clock, plain, len(likely))
    exact = _exact(times, clock, pim, plain)
    timed = [(each, exact.get(each) or times[each]) for each in (best, *(each for each in times if each != best))]
    return tuple(TimedWay(str(mapping), time.ns, mapping in exact) for mapping, time in timed)


_PROGRAMS: WeakValueDictionary[tuple[Mapping, Pim], BankProgram] = WeakValueDictionary()
"""The programs in use, by mapping: a mapping that is found again, by search or from a plan, shares its kernel."""


def _program(mapping: Mapping, pim: Pim, time: BankTime) -> BankProgram:
    """The bank program of a mapping whose time is known."""
    write = partial(_kernel, mapping, written_for(pim))
    return _PROGRAMS.setdefault((mapping, pim), BankProgram(write, time, bytes_of(mapping, pim)))


# Devices that differ in timing only share programs (`written_for`): each is written once for many timings.


@lru_cache(maxsize=4096)
def _mappings(product: Product, pim: Pim) -> tuple[Mapping, ...]:
    return tuple(mappings(product, pim))


@lru_cache(maxsize=4096)
def _channel_programs(mapping: Mapping, pim: Pim) -> tuple[ChannelProgram, ...]:
    return tuple(programs_by(mapping, pim))


def kernel_for(mapping: Mapping, pim: Pim) -> KernelOp:
    """The program of a mapping on a device; devices that differ in timing only share it, so clone it before inserting
    it."""
    return _kernel(mapping, written_for(pim))


@lru_cache(maxsize=1024)
def _kernel(mapping: Mapping, pim: Pim) -> KernelOp:
    return kernel_of(mapping, pim, name_of(mapping.product))


@lru_cache(maxsize=4096)  # the candidate mappings of all products of a network's layers and of their shards
def _stream(mapping: Mapping, pim: Pim) -> Stream:
    return stream_of(kernel_of(mapping, pim, name_of(mapping.product)), pim)


class _Clock:
    """The times of mappings on a device and on its simplified variant; each mapping's program is made once for both."""

    def __init__(self, pim: Pim) -> None:
        self.pim, self.writes = pim, written_for(pim)

    def time(self, mapping: Mapping, pim: Pim) -> BankTime:
        """The time of a mapping on `pim`, which is the device or its simplified variant."""
        if pim.rows_by == "program" and not mapping.product.grows:
            return programs_time(_channel_programs(mapping, self.writes), pim)
        if pim.rows_by == "program" or (pim.scheduler is not None and is_reordered(self._kernel(mapping), pim)):
            return sound_time(self._kernel(mapping), pim)
        return total_of_stream(_stream(mapping, self.writes), pim)

    def _kernel(self, mapping: Mapping) -> KernelOp:
        return _kernel(mapping, self.writes)


def time_of(mapping: Mapping, pim: Pim) -> BankTime:
    """The time of a mapping's program on a device."""
    return _Clock(pim).time(mapping, pim)


def _rank(time: BankTime) -> tuple[float, float]:
    """The sort key of mappings: time in ns, then energy in nJ."""
    return time.ns, sum(time.energy_nj.values())


@lru_cache(maxsize=256)
def in_order(pim: Pim) -> Pim:
    """The simplified variant of a device: no refreshes, and commands in program order."""
    return pim if pim.refresh is None and pim.scheduler is None else replace(pim, refresh=None, scheduler=None)


def name_of(product: Product) -> str:
    """The name of a product's kernel."""
    batch = f"{product.batch}x" if product.batch > 1 else ""
    extras = ("_written" if product.written else "_appended" if product.grows else "") + (
        "_bias" if product.bias else ""
    )
    extras += f"_{product.function}" if product.function else ""
    return f"matmul_{batch}{product.vectors}x{product.outputs}x{product.inner}_{product.element}{extras}"
