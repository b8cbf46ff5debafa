"""A check of a run's log, from start to end, for events that no machine could perform.

It uses the rules of the memory, the trace and the log, and nothing of the engine that wrote the log. Each tensor is
divided into parts wherever a line of the log begins or ends; the checker follows the parts through all lines and
kernels in order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from interp.machine.memory_system import MemorySystem
from interp.simulate.memory.log import Act, TransferLog
from interp.simulate.memory.problem import KernelTrace

ROUNDING = 2.0
"""The tolerance, in bytes, for rounding of times."""
RELATIVE = 1e-6
"""The relative tolerance of rates for rounding."""

_MOVES = (Act.IN, Act.OUT, Act.COPY)


@dataclass
class _Part:
    """Bytes [first, last) of a tensor; every line of the log covers all of these bytes or none."""

    first: float
    last: float
    here: bool = False
    full: bool = False
    copy: int = -1
    """The number of the tier that holds the part's contents; -1 if none does."""
    moving: int = -1
    """The line of the log that is moving the part at the current time; -1 if none is."""

    @property
    def nbytes(self) -> float:
        return self.last - self.first


def violations(
    trace: KernelTrace,
    system: MemorySystem,
    log: TransferLog,
    start: Sequence[Sequence[tuple[float, float, bool, int]]],
    begins: Sequence[float],
    ends: Sequence[float],
    *,
    copies: bool = False,
    reuse: bool = True,
    factors: Sequence[float] | None = None,
    occupied: Sequence[tuple[str, float, float]] = (),
) -> list[str]:
    """The errors of a log, one sentence for each impossible event, in order of time; empty for a correct log.

    `start`: for each tensor its byte ranges with contents, each as (first byte, end, True if the range is on the
    device, number of the tier that also holds its contents or -1). `begins` and `ends`: times of the kernels, numbered
    consecutively over all iterations. `copies`: True if a tier keeps its copy of bytes that return to the device.
    `reuse`: True if the memory of dead tensors is free. `occupied`: the copies of the program over links, each with the
    name of the link's direction, its begin and its end.
    """
    check = _Check(trace, system, log, start, copies, reuse)
    check.found += _times(trace, begins, ends, factors)
    check.found += _rates(system, log, occupied)
    for when, kind, number in _events(log, begins, ends):
        check.at(when)
        if kind == "begin":
            check.begin(number)
        elif kind == "end":
            check.end(number)
        elif kind == "line begins":
            check.line_begins(number)
        else:
            check.line_ends(number)
        check.capacities()
    return check.found


def _times(
    trace: KernelTrace, begins: Sequence[float], ends: Sequence[float], factors: Sequence[float] | None
) -> Iterator[str]:
    before = 0.0
    for step, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        kernel, least = trace.kernels[step % len(trace.kernels)], float(trace.least_ns[step % len(trace.kernels)])
        ns = least * (factors[step % len(trace.kernels)] if factors is not None else 1.0)
        if begin < before:
            yield f"step {step} ({kernel.name}) begins at {begin} ns, before the one before it ends at {before} ns"
        if end - begin < ns - 1e-6 * max(1.0, ns):
            yield f"step {step} ({kernel.name}) takes {end - begin} ns, less than its {ns} ns"
        before = end


def _rates(system: MemorySystem, log: TransferLog, occupied: Sequence[tuple[str, float, float]]) -> Iterator[str]:
    """A sentence for each direction of a bus, and of each tier, whose transfers together exceed its rate at some time.
    Copies of the program take all of their direction."""
    for way, acts, name in (("in", (Act.IN,), "into"), ("out", (Act.OUT, Act.COPY), "out_of")):
        lines = [line for line in range(len(log)) if log.act[line] in acts]
        for number, bus in enumerate(system.buses):
            chosen = [line for line in lines if system.tiers[log.tier[line]].bus == number]
            copies = [(since, until) for resource, since, until in occupied if resource == getattr(bus, name)]
            what = f"the bus to {' and '.join(tier.name for tier in system.tiers if tier.bus == number)} carries {way}"
            yield from _sums(log, chosen, getattr(bus, f"{way}_rate") / 1e9, what, copies)
        for number, tier in enumerate(system.tiers):
            chosen = [line for line in lines if log.tier[line] == number]
            yield from _sums(log, chosen, getattr(tier, f"{way}_rate") / 1e9, f"{tier.name} moves {way}")


def _sums(
    log: TransferLog, lines: Sequence[int], most: float, what: str, copies: Sequence[tuple[float, float]] = ()
) -> Iterator[str]:
    changes: list[tuple[float, float]] = []
    for since, until in copies:
        if since < until:
            changes += [(since, most), (until, -most)]
    for line in lines:
        span, nbytes = log.until[line] - log.since[line], log.last[line] - log.first[line]
        if span <= 0 or nbytes < 0:
            if nbytes > ROUNDING or span < 0 or nbytes < 0:
                yield f"{what} {nbytes} bytes in {span} ns at {log.since[line]} ns"
            continue
        rate = max(0.0, nbytes - ROUNDING) / span
        changes += [(log.since[line], rate), (log.until[line], -rate)]
    changes.sort()
    rate = 0.0
    for when, change in changes:
        rate += change
        if rate > most * (1 + RELATIVE):
            yield f"{what} {rate} bytes/ns from {when} ns on, more than {most}"
            return


def _events(log: TransferLog, begins: Sequence[float], ends: Sequence[float]) -> list[tuple[float, str, int]]:
    """All starts and ends of kernels and of lines of the log, as (time, kind, number of the kernel or line). They are
    ordered by the number of starts and ends of kernels before them, then by time; at equal times, lines that end
    come before lines that begin."""
    events: list[tuple[float, float, int, int, str]] = []
    for step, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        events.append((2 * step + 0.5, begin, 0, step, "begin"))
        events.append((2 * step + 1.5, end, 0, step, "end"))
    for line in range(len(log)):
        if log.act[line] in _MOVES:
            events.append((log.begun[line], log.since[line], 2, line, "line begins"))
            events.append((log.done[line], log.until[line], 0, line, "line ends"))
        else:
            events.append((log.done[line], log.until[line], 1, line, "line ends"))
    events.sort()
    return [(when, kind, number) for _, when, _, number, kind in events]


class _Check:
    """The state of a check at the current time: the memory that holds each part of each tensor, and the number of bytes
    in each memory."""

    def __init__(
        self,
        trace: KernelTrace,
        system: MemorySystem,
        log: TransferLog,
        start: Sequence[Sequence[tuple[float, float, bool, int]]],
        copies: bool,
        reuse: bool,
    ) -> None:
        self.trace, self.system, self.log, self.copies, self.reuse = trace, system, log, copies, reuse
        self.found: list[str] = []
        self.now = 0.0
        self.device = self.device_rate = 0.0
        self.tiers, self.tier_rates = [0.0] * len(system.tiers), [0.0] * len(system.tiers)
        self.reserved = 0.0
        self.running: int | None = None
        self.lines: dict[int, list[int]] = {}
        for line, tensor in enumerate(log.tensor):
            self.lines.setdefault(tensor, []).append(line)
        self.parts = [self._cut(tensor, start[tensor]) for tensor in range(len(trace.tensors))]
        self.firsts = [[part.first for part in parts] for parts in self.parts]
        self.born: list[set[int]] = [set() for _ in trace.kernels]
        self.dead: list[set[int]] = [set() for _ in trace.kernels]
        """The non-persistent tensors of which each kernel is the first (`born`) or the last (`dead`) user."""
        for tensor, record in enumerate(trace.tensors):
            uses = [k for k, kernel in enumerate(trace.kernels) if tensor in kernel.reads + kernel.writes]
            if uses and not record.persistent:
                self.born[uses[0]].add(tensor)
                self.dead[uses[-1]].add(tensor)
        for parts in self.parts:
            for part in parts:
                self.device += part.nbytes * part.here
                if part.copy >= 0:
                    self.tiers[part.copy] += part.nbytes
        self.capacities()

    def _cut(self, tensor: int, start: Sequence[tuple[float, float, bool, int]]) -> list[_Part]:
        cuts = {0.0, float(self.trace.tensors[tensor].nbytes)}
        for first, last, _, _ in start:
            cuts |= {float(first), float(last)}
        for line in self.lines.get(tensor, ()):
            cuts |= {float(self.log.first[line]), float(self.log.last[line])}
        marks = sorted(cuts)
        parts = [_Part(first, last) for first, last in pairwise(marks)]
        for part in parts:
            for first, last, here, copy in start:
                if first <= part.first and part.last <= last:
                    part.here, part.full, part.copy = here, True, copy
        return parts

    def _report(self, what: str) -> None:
        self.found.append(f"at {self.now} ns {what}")

    def at(self, when: float) -> None:
        """Advance to time `when`; the number of bytes in each memory changes by the bytes that the current transfers
        have moved since the previous call."""
        span = when - self.now
        if span < 0:
            self._report(f"an event is logged for {when} ns, which is earlier")
            return
        self.device += self.device_rate * span
        for tier, rate in enumerate(self.tier_rates):
            self.tiers[tier] += rate * span
        self.now = when

    def capacities(self) -> None:
        """Report each memory that holds more bytes than its capacity."""
        memories = [(self.system.device, self.device, self.system.capacity)]
        memories += [(tier.name, used, tier.capacity) for tier, used in zip(self.system.tiers, self.tiers, strict=True)]
        for name, used, capacity in memories:
            if not -ROUNDING * 4 <= used <= capacity + ROUNDING * 4:
                self._report(f"{name} holds {used} of {capacity} bytes")

    # Kernels

    def begin(self, step: int) -> None:
        """Process the start of a kernel: all its operands must be on the device."""
        number = step % len(self.trace.kernels)
        kernel = self.trace.kernels[number]
        self.device -= self.reserved
        self.reserved = 0.0
        self.device += kernel.workspace
        for tensor in {*kernel.reads, *kernel.writes}:
            for part in self.parts[tensor]:
                who = f"step {step} ({kernel.name})"
                self._use(part, who, tensor, tensor in kernel.writes, tensor in self.born[number])
        self.running = step

    def _use(self, part: _Part, who: str, tensor: int, written: bool, first_use: bool) -> None:
        name = f"bytes {part.first} to {part.last} of {self.trace.tensors[tensor].name}"
        if part.moving >= 0 and (written or self.log.act[part.moving] != Act.COPY):
            self._report(f"{who} starts while {name} are being moved")
        if part.full and not part.here:
            self._report(f"{who} starts, but {name} are not on the device")
        if not part.full and not (written or first_use):
            self._report(f"{who} starts and reads {name}, which hold nothing")
        if not part.here:
            self.device += part.nbytes
            part.here = True
        if written and part.copy >= 0:
            self.tiers[part.copy] -= part.nbytes
            part.copy = -1
        part.full = True

    def end(self, step: int) -> None:
        """Process the end of a kernel, and the deaths of tensors."""
        self.running = None
        number = step % len(self.trace.kernels)
        self.device -= self.trace.kernels[number].workspace
        for tensor in self.dead[number] if self.reuse else ():
            for part in self.parts[tensor]:
                if part.moving >= 0:
                    self._report(f"{self.trace.tensors[tensor].name} is dead, but still being moved")
                self._forget(part)

    def _forget(self, part: _Part) -> None:
        self.device -= part.nbytes * part.here
        if part.copy >= 0:
            self.tiers[part.copy] -= part.nbytes
        part.here, part.full, part.copy = False, False, -1

    # Lines

    def _touched(self, line: int) -> list[_Part]:
        tensor = self.log.tensor[line]
        begin = bisect_left(self.firsts[tensor], self.log.first[line])
        end = bisect_left(self.firsts[tensor], self.log.last[line])
        return self.parts[tensor][begin:end]

    def _change(self, line: int, sign: int) -> None:
        """Start (`sign` 1) or stop (-1) the flow of a line's bytes."""
        log, act, tier = self.log, self.log.act[line], self.log.tier[line]
        span = log.until[line] - log.since[line]
        rate = sign * (log.last[line] - log.first[line]) / span if span > 0 else 0.0
        instant = log.last[line] - log.first[line] if span <= 0 and sign < 0 else 0.0
        of_device = {Act.IN: 1, Act.OUT: -1}.get(Act(act), 0)
        of_tier = (0 if self.copies else -1) if act == Act.IN else 1
        self.device_rate += of_device * rate
        self.device += of_device * instant
        self.tier_rates[tier] += of_tier * rate
        self.tiers[tier] += of_tier * instant

    def _in_use(self, line: int, writing: bool) -> bool:
        """True if the running kernel uses (or, with `writing`, writes) the tensor of a line."""
        if self.running is None:
            return False
        kernel = self.trace.kernels[self.running % len(self.trace.kernels)]
        return self.log.tensor[line] in (kernel.writes if writing else kernel.reads + kernel.writes)

    def line_begins(self, line: int) -> None:
        """Process the start of a transfer."""
        act, tier = Act(self.log.act[line]), self.log.tier[line]
        for part in self._touched(line):
            if part.moving >= 0:
                self._wrong(line, part, "are being moved already")
            if act == Act.IN and (part.here or not part.full or part.copy != tier):
                self._wrong(line, part, "are not there to be fetched")
            if act != Act.IN and not (part.here and part.full and part.copy < 0):
                self._wrong(line, part, "are not on the device, or have a copy")
            part.moving = line
        if self._in_use(line, writing=act == Act.COPY):
            self._report(f"line {line} ({act.name}) begins to move bytes that the running kernel uses")
        self._change(line, 1)

    def _wrong(self, line: int, part: _Part, what: str) -> None:
        name = self.trace.tensors[self.log.tensor[line]].name
        act = Act(self.log.act[line]).name
        self._report(f"line {line} ({act}) names bytes {part.first} to {part.last} of {name}, which {what}")

    def line_ends(self, line: int) -> None:
        """Process the end of a transfer, or an event that takes no time."""
        act, tier = Act(self.log.act[line]), self.log.tier[line]
        if act == Act.RESERVE:
            self.reserved += self.log.last[line]
            self.device += self.log.last[line]
            return
        if act in _MOVES:
            self._change(line, -1)
        for part in self._touched(line):
            if act in _MOVES:
                self._arrive(part, act, tier)
            else:
                self._at_once(line, part, act, tier)

    def _arrive(self, part: _Part, act: Act, tier: int) -> None:
        part.moving = -1
        part.here = act != Act.OUT
        part.copy = tier if act != Act.IN or self.copies else -1

    def _at_once(self, line: int, part: _Part, act: Act, tier: int) -> None:
        if part.moving >= 0:
            self._wrong(line, part, "are being moved")
        if act == Act.ALLOCATE:
            if part.here or part.full:
                self._wrong(line, part, "have room already, or contents elsewhere")
            part.here = True
            self.device += part.nbytes
            return
        if act != Act.FORGET and self._in_use(line, writing=False):
            self._wrong(line, part, "the running kernel uses")
        if act == Act.DISCARD:
            self._forget(part)
            return
        if not part.here or part.copy != tier:
            self._wrong(line, part, "are not both on the device and in that tier")
        if act == Act.DROP:
            self.device -= part.nbytes
            part.here = False
        else:
            self.tiers[tier] -= part.nbytes
            part.copy = -1
