"""Lower bounds on the time of grids of thread blocks, computed without simulation; the time by event simulation is
never below them.

The barriers of a block divide its steps into segments. No warp passes a barrier before the last warp has reached it, so
a segment takes at least as long as one warp needs without waiting for other warps, and at least as long as each unit is
busy for all warps of the block. Likewise, a wave of blocks takes at least as long as one block alone, and at least as
long as each unit is busy for all of its blocks. Work that no warp waits for is not counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, lcm

from dialects.programs.index import period_of, value_of
from dialects.tile.loops import WARP
from interp.machine.multiprocessor import PARTITIONS, SHARED_BYTES, Multiprocessor
from interp.tile.clock import Constants, combined_ns, constants_of, latency_of
from interp.tile.events import MEETING, READ, TICKS, Rates
from interp.tile.outline import Outline
from interp.tile.traffic import traffic_of
from interp.tile.work import Loop, Step, Steps, When, occupancy


def least_ns(outline: Outline, unit: Multiprocessor, constants: Constants | None = None) -> float | None:
    """Return a lower bound on the time of a grid in ns, or None if a multiprocessor can't hold one of its blocks. The
    steps of `outline` must have been computed for `slowed(unit, constants)`."""
    constants = constants_of(unit) if constants is None else constants
    held = occupancy(outline.shared_bytes, outline.registers, outline.warps * WARP, unit)
    if not held.blocks:
        return None
    at_once = min(outline.count, held.blocks * unit.count)
    traffic = traffic_of(outline.streams, outline.written, at_once, unit.l2_bytes, unit.warm)
    rates = Rates(latency_of(traffic, unit), constants.store, unit.port_bytes)
    waves, rest = divmod(ceil(outline.count / unit.count), held.blocks)
    cycles = waves * least_cycles(outline.steps, outline.warps, held.blocks, rates) if waves else 0.0
    cycles += least_cycles(outline.steps, outline.warps, rest, rates) if rest else 0.0
    return combined_ns(cycles, traffic, unit, constants)


def least_cycles(steps: Steps, warps: int, blocks: int, rates: Rates) -> float:
    """Return a lower bound on the cycles that a multiprocessor takes for `blocks` blocks that start together."""
    block = _Block(warps, rates)
    block.do(steps, ())
    # Each block uses each unit for the same time. Neither the time before a warp's first work on the unit nor the time
    # after its last work can overlap with that work.
    busy = (
        unit.head + floor(blocks * unit.waited * unit.evenly) + (block.alone - unit.alone_then)
        for unit in block.units.values()
        if unit.waited
    )
    return max(block.times["path"], block.times["last"], *busy, 0) / TICKS


@dataclass
class _Unit:
    """The work that a block requests from one unit (shared memory, a partition's matrix units, …), in ticks. Times are
    in ticks, too."""

    warps: int
    """Number of warps that share the unit; it serves them serially."""
    evenly: float = 1.0
    """Average number of a block's warps per unit of this kind, divided by the number of warps at the unit that has
    most. Over many blocks, the busiest unit works for at least this fraction of `waited` per block."""
    head: int = 0
    """Time at which the unit's first work may start."""
    requested: int = 0
    waited: int = 0
    """Ticks of work for all warps that share the unit: `requested` is the work so far, `waited` the part of it that
    warps have waited for."""
    alone_then: int = 0
    """Value of `_Block.alone` at the time when warps last waited for the unit."""
    begin: int | None = None
    """Time at which the first work requested since the last barrier may start; None if there is none yet."""
    segment: int = 0
    """Ticks of work requested from the unit since the last barrier."""


MAX_REMEMBERED = 64
"""Number of the latest requests for fragments, and of the latest groups of copies, whose arrival times are kept."""


def _period(steps: Steps) -> int:
    """Return the period of a loop with body `steps`: a number of iterations after which all conditions in the body and
    its inner loops repeat."""
    found = 1
    for step in steps:
        if isinstance(step, Loop | When):
            found = lcm(found, _period(step.body), period_of(step.zero) if isinstance(step, When) else 1)
    return found


class _Block:
    """A block alone on a multiprocessor: lower bounds on the times at which its steps end, in ticks."""

    def __init__(self, warps: int, rates: Rates) -> None:
        self.rates = rates
        self.times = {"path": 0, "last": 0, "copies": 0, "copied": 0, "served": 0, "port": 0}
        """Times in ticks. `path`, `last`: the first and the last warp have reached this step. `copies`, `copied`: the
        copies since the last commit of the first and of the last warp have arrived. `served`, `port`: shared memory and
        the port have served a warp that runs alone.
        """
        self.arrivals: list[int] = []
        """Arrival times of the fragments that a warp requested, latest request last."""
        self.groups: list[tuple[int, int]] = []
        """Arrival times of each group of copies, of the first and of the last warp."""
        self.loads: tuple[str, int, int, int] | None = None
        """Consecutive loads that are issued together: their kind, and the ticks for looking up their lines, at the
        port, and for writing them to shared memory.
        """
        self.alone = 0
        """Total time of the steps so far that a warp must wait for even when it runs alone."""
        per_partition = ceil(warps / PARTITIONS)
        matrix = _Unit(per_partition, warps / PARTITIONS / per_partition)
        self.units = {"shared": _Unit(warps), "matrix": matrix, "store": _Unit(warps)}

    def do(self, steps: Steps, values: tuple[int, ...]) -> None:
        """Execute `steps`. `values`: values of the variables of the enclosing loops, outermost first."""
        for step in steps:
            match step:
                case Step():
                    if self.loads and step.kind != self.loads[0]:
                        self._load()
                    self._step(step)
                case Loop():
                    self._load()
                    self._loop(step, values)
                case When():
                    self._load()
                    if value_of(step.zero, values) == 0:
                        self.do(step.body, values)
        self._load()

    def _loop(self, loop: Loop, values: tuple[int, ...]) -> None:
        """Execute all iterations of a loop. If all distances between times are equal after two successive periods of
        the loop (`_period`), they stay equal, and the remaining periods are skipped at once.
        """
        period = _period(loop.body)
        iteration, before = 0, None
        while iteration < loop.iterations:
            self.do(loop.body, (*values, loop.start + iteration))
            iteration += 1
            if not values and iteration % period == 0:
                now = self._state()
                if before is not None and before[0] == now[0]:
                    periods = (loop.iterations - iteration) // period
                    self._pass([periods * (one - two) for one, two in zip(now[1], before[1], strict=True)])
                    iteration += periods * period
                    now = self._state()
                before = now

    def _state(self) -> tuple[object, list[int]]:
        """Return the state in two parts: distances between times, which stay equal once a loop is in a steady state;
        and times and amounts of work, which then grow by a constant in each period of the loop."""
        path = self.times["path"]
        apart = (
            *(max(each - path, -1) for each in self.times.values()),
            *_ahead([max(each) - path for each in self.groups], [min(each) - path for each in self.groups]),
            *_ahead([each - path for each in self.arrivals]),
            *((unit.segment, None if unit.begin is None else unit.begin - path) for unit in self.units.values()),
        )
        work = [each for unit in self.units.values() for each in (unit.requested, unit.waited, unit.alone_then)]
        return apart, [path, self.alone, *work]

    def _pass(self, grown: list[int]) -> None:
        """Add `grown`, the growth over a number of periods, to all times and all amounts of work."""
        path, alone, *work = grown
        self.times = {name: each + path for name, each in self.times.items()}
        self.groups = [(first + path, last + path) for first, last in self.groups]
        self.arrivals = [each + path for each in self.arrivals]
        self.alone += alone
        for number, unit in enumerate(self.units.values()):
            unit.requested, unit.waited, unit.alone_then = (
                now + more
                for now, more in zip((unit.requested, unit.waited, unit.alone_then), work[3 * number :], strict=False)
            )
            unit.begin = None if unit.begin is None else unit.begin + path

    def _step(self, step: Step) -> None:
        """Execute one step twice: for a warp that runs alone (as the simulator executes it), and for the last of all
        warps of the block."""
        times, amount = self.times, step.amount
        match step.kind:
            case "shared":
                self._serve(_ticks(amount))
                self.arrivals = [*self.arrivals[1 - MAX_REMEMBERED :], times["served"] + READ * TICKS]
            case "multiply":
                ticks = _ticks(amount)
                early = round(ticks * (1 - 1 / step.parts))
                arrival = self.arrivals[-1 - step.ahead] if step.ahead < len(self.arrivals) else 0
                if not step.ahead:
                    self._wait("shared", READ * TICKS - early)
                self._work("matrix", ticks, max(times["path"], arrival - early))
            case "lanes":
                begin = max(times["path"], *self.arrivals[-1:], 0)
                self._wait("shared", READ * TICKS if self.arrivals else 0)
                self._spend(begin, _ticks(amount))
            case "prefetch" | "fetch":
                ticks = (_ticks(step.parts), _ticks(amount / self.rates.port), _ticks(amount / SHARED_BYTES))
                before = self.loads[1:] if self.loads else (0, 0, 0)
                lines, port, moved = (one + two for one, two in zip(before, ticks, strict=True))
                self.loads = step.kind, lines, port, moved
            case "store":
                self._serve(_ticks(step.parts))
                self._wait("shared", 0)
                self._work("store", _ticks(step.parts * self.rates.store), max(times["path"], times["served"]))
            case "commit":
                self.groups = [*self.groups[1 - MAX_REMEMBERED :], (times["copies"], times["copied"])]
                times["copies"] = times["copied"] = 0
            case "wait":
                arrived = self.groups[: len(self.groups) - int(amount)]
                times["path"] = max(times["path"], *(first for first, _ in arrived), 0)
                times["last"] = max(times["last"], times["path"], *(last for _, last in arrived), 0)
            case "barrier":
                self._meet()
            case "bring" | "load":
                pass  # requests of `mma threads` are not charged, which keeps this a lower bound

    def _load(self) -> None:
        """Issue the pending consecutive loads together."""
        if not self.loads:
            return
        times = self.times
        kind, lines, port, moved = self.loads
        self.loads = None
        behind = lines + _ticks(self.rates.latency)
        self._serve(lines + (moved if kind == "fetch" else 0))
        times["port"] = max(times["port"], times["path"] + behind) + port
        arrival = times["last"] + behind + port
        if kind == "prefetch":
            times["copies"], times["copied"] = times["port"], max(times["copied"], arrival)
            return
        times["path"], times["last"] = times["port"], max(times["port"], arrival)
        self._serve(moved)
        times["path"] = times["served"] + READ * TICKS
        times["last"] = max(times["last"], times["path"])
        self._wait("shared", READ * TICKS)

    def _serve(self, ticks: int) -> None:
        """Let each warp of the block occupy shared memory for `ticks` ticks."""
        unit = self._begun("shared", self.times["path"])
        self.times["served"] = max(self.times["served"], self.times["path"]) + ticks
        unit.segment += ticks * unit.warps
        unit.requested += ticks * unit.warps

    def _begun(self, name: str, begin: int) -> _Unit:
        unit = self.units[name]
        if not unit.requested:
            unit.head = begin
        if unit.begin is None:
            unit.begin = begin
        return unit

    def _wait(self, name: str, behind: int) -> None:
        """Let each warp wait until the unit has done all work requested from it since the last barrier, and `behind`
        ticks longer."""
        unit = self.units[name]
        if unit.begin is not None:
            self.times["last"] = max(self.times["last"], unit.begin + unit.segment + behind)
        unit.waited, unit.alone_then = unit.requested, self.alone

    def _spend(self, begin: int, ticks: int) -> None:
        """Let each warp compute for `ticks` ticks without using a shared unit."""
        self.times["path"] = begin + ticks
        self.times["last"] = max(self.times["last"] + ticks, self.times["path"])
        self.alone += ticks

    def _work(self, name: str, ticks: int, begin: int) -> None:
        """Let each warp occupy a unit for `ticks` ticks, from `begin` on at the earliest, and wait until the unit is
        done."""
        unit = self._begun(name, begin)
        unit.segment += ticks * unit.warps
        unit.requested += ticks * unit.warps
        self._spend(begin, ticks)
        self._wait(name, 0)

    def _meet(self) -> None:
        """Let all warps wait for each other at a barrier."""
        arrival = max(self.times["path"], self.times["last"]) + MEETING * TICKS
        self.times["path"] = self.times["last"] = arrival
        for unit in self.units.values():
            unit.begin, unit.segment = None, 0


def _ahead(*times: list[int]) -> list[tuple[int, ...]]:
    """Return the rows of `times` (row i has the i-th time of each list), from the first row on that has a time after 0,
    which is the current time; times before it are replaced by -1."""
    found = [tuple(max(each, -1) for each in row) for row in zip(*times, strict=True)]
    return found[next((place for place, row in enumerate(found) if max(row) > 0), len(found)) :]


def _ticks(cycles: float) -> int:
    return round(cycles * TICKS)
