"""Lower bounds on the time of grids of thread blocks, without simulating them: no grid is faster on the clock.

A block's barriers part its steps into segments. Nobody passes a barrier before the last warp is there, so a segment
takes at least as long as a warp that waits for nobody else, and as each unit works for all warps of the block. A wave
of blocks takes at least as long as one of them, and as each unit works for all of them. What nobody waits for costs
nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, lcm

from dialects.tile.loops import WARP
from interp.machine.multiprocessor import PARTITIONS, SHARED_BYTES, Multiprocessor
from interp.tile.clock import Constants, combined_ns, constants_of, latency_of
from interp.tile.events import MEETING, READ, TICKS, Rates
from interp.tile.outline import Outline
from interp.tile.traffic import traffic_of
from interp.tile.walk import value_of
from interp.tile.work import Loop, Step, Steps, When, occupancy, period_of


def least_ns(outline: Outline, unit: Multiprocessor, constants: Constants | None = None) -> float | None:
    """A bound on the time of a grid with this outline (its steps timed on `slowed(unit, constants)`), in ns; None if no
    multiprocessor holds a block of it."""
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
    """A bound on the cycles that a multiprocessor takes for so many blocks that begin together."""
    block = _Block(warps, rates)
    block.do(steps, ())
    # All blocks want as much of each unit, and neither what a warp does before its first work there nor what it does
    # behind its last can be spared.
    busy = (
        unit.head + floor(blocks * unit.waited * unit.evenly) + (block.alone - unit.then)
        for unit in block.units.values()
        if unit.waited
    )
    return max(block.times["path"], block.times["last"], *busy, 0) / TICKS


@dataclass
class _Unit:
    """A block's requests of a unit, in ticks."""

    share: int
    """Warps that take turns at it."""
    evenly: float = 1.0
    """Of the work of all blocks, the part that one of several such units has at least, where a block's warps are shared
    unevenly among them."""
    head: int = 0
    """Time at which its first work may begin."""
    asked: int = 0
    waited: int = 0
    """Work so far, of all warps that share it; of that, what warps have waited for."""
    then: int = 0
    """Time for which the waiting warp itself had work by then (see `_Block.alone`)."""
    begin: int | None = None
    """Time at which the first work of this segment may begin."""
    segment: int = 0
    """Work of this segment."""


KEPT = 64
"""Requests for fragments and groups of copies that are remembered, the last ones."""


def _period(steps: Steps) -> int:
    """Turns of any loop after which all conditions are what they were."""
    found = 1
    for step in steps:
        if isinstance(step, Loop | When):
            found = lcm(found, _period(step.body), period_of(step.zero) if isinstance(step, When) else 1)
    return found


class _Block:
    """A block that has a multiprocessor for itself: bounds on when its steps are done, in ticks."""

    def __init__(self, warps: int, rates: Rates) -> None:
        self.rates = rates
        self.times = {"path": 0, "last": 0, "copies": 0, "copied": 0, "served": 0, "port": 0}
        """`path`, `last`: when the first warp and when the last one is there; `copies`, `copied`: when copies since the
        last commit are, of the first warp and of the last; `served`, `port`: when shared memory and the port have
        served a warp that is alone."""
        self.asked: list[int] = []
        """Times at which fragments are there that a warp asked for, the last ones last."""
        self.groups: list[tuple[int, int]] = []
        """Of each group of copies, when it is there, of the first warp and of the last."""
        self.loads: tuple[str, int, int, int] | None = None
        """Of loads that follow each other at once their kind, and ticks for their lines, at the port and for what they
        write to shared memory."""
        self.alone = 0
        """Time that a warp takes for the steps so far that it can't but wait for."""
        turns = ceil(warps / PARTITIONS)
        matrix = _Unit(turns, warps / PARTITIONS / turns)
        self.units = {"shared": _Unit(warps), "matrix": matrix, "store": _Unit(warps)}

    def do(self, steps: Steps, values: tuple[int, ...]) -> None:
        """Do some steps; `values`: of the variables of the loops around, from outside."""
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
        """Do all turns of a loop. Where one leaves all times as far apart as the one before, so do those behind it."""
        period = _period(loop.body)
        turn, before = 0, None
        while turn < loop.turns:
            self.do(loop.body, (*values, loop.start + turn))
            turn += 1
            if not values and turn % period == 0:
                now = self._state()
                if before is not None and before[0] == now[0]:
                    periods = (loop.turns - turn) // period
                    self._pass([periods * (one - two) for one, two in zip(now[1], before[1], strict=True)])
                    turn += periods * period
                    now = self._state()
                before = now

    def _state(self) -> tuple[object, list[int]]:
        """Distances between times, and all that grows by as much in each period."""
        path = self.times["path"]
        apart = (
            *(max(each - path, -1) for each in self.times.values()),
            *_ahead([max(each) - path for each in self.groups], [min(each) - path for each in self.groups]),
            *_ahead([each - path for each in self.asked]),
            *((unit.segment, None if unit.begin is None else unit.begin - path) for unit in self.units.values()),
        )
        work = [each for unit in self.units.values() for each in (unit.asked, unit.waited, unit.then)]
        return apart, [path, self.alone, *work]

    def _pass(self, grown: list[int]) -> None:
        """Let so much time and work pass."""
        path, alone, *work = grown
        self.times = {name: each + path for name, each in self.times.items()}
        self.groups = [(first + path, last + path) for first, last in self.groups]
        self.asked = [each + path for each in self.asked]
        self.alone += alone
        for number, unit in enumerate(self.units.values()):
            unit.asked, unit.waited, unit.then = (
                now + more for now, more in zip((unit.asked, unit.waited, unit.then), work[3 * number :], strict=False)
            )
            unit.begin = None if unit.begin is None else unit.begin + path

    def _step(self, step: Step) -> None:
        """Do one step of each warp, as the multiprocessor does it for one that is alone, and for the last of all."""
        times, amount = self.times, step.amount
        match step.kind:
            case "shared":
                self._serve(_ticks(amount))
                self.asked = [*self.asked[1 - KEPT :], times["served"] + READ * TICKS]
            case "multiply":
                ticks = _ticks(amount)
                early = round(ticks * (1 - 1 / step.parts))
                there = self.asked[-1 - step.ahead] if step.ahead < len(self.asked) else 0
                if not step.ahead:
                    self._wait("shared", READ * TICKS - early)
                self._work("matrix", ticks, max(times["path"], there - early))
            case "lanes":
                begin = max(times["path"], *self.asked[-1:], 0)
                self._wait("shared", READ * TICKS if self.asked else 0)
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
                self.groups = [*self.groups[1 - KEPT :], (times["copies"], times["copied"])]
                times["copies"] = times["copied"] = 0
            case "wait":
                arrived = self.groups[: len(self.groups) - int(amount)]
                times["path"] = max(times["path"], *(first for first, _ in arrived), 0)
                times["last"] = max(times["last"], times["path"], *(last for _, last in arrived), 0)
            case "barrier":
                self._meet()
            case "bring" | "load":
                pass  # what threads that multiply alone ask for takes no time here

    def _load(self) -> None:
        """Ask for all that is loaded by steps that follow each other at once."""
        if not self.loads:
            return
        times = self.times
        kind, lines, port, moved = self.loads
        self.loads = None
        behind = lines + _ticks(self.rates.latency)
        self._serve(lines + (moved if kind == "fetch" else 0))
        times["port"] = max(times["port"], times["path"] + behind) + port
        there = times["last"] + behind + port
        if kind == "prefetch":
            times["copies"], times["copied"] = times["port"], max(times["copied"], there)
            return
        times["path"], times["last"] = times["port"], max(times["port"], there)
        self._serve(moved)
        times["path"] = times["served"] + READ * TICKS
        times["last"] = max(times["last"], times["path"])
        self._wait("shared", READ * TICKS)

    def _serve(self, ticks: int) -> None:
        """Let each warp ask shared memory for so much."""
        unit = self._begun("shared", self.times["path"])
        self.times["served"] = max(self.times["served"], self.times["path"]) + ticks
        unit.segment += ticks * unit.share
        unit.asked += ticks * unit.share

    def _begun(self, name: str, begin: int) -> _Unit:
        unit = self.units[name]
        if not unit.asked:
            unit.head = begin
        if unit.begin is None:
            unit.begin = begin
        return unit

    def _wait(self, name: str, behind: int) -> None:
        """Let each warp wait for all that it has asked of a unit in this segment, and so long behind it."""
        unit = self.units[name]
        if unit.begin is not None:
            self.times["last"] = max(self.times["last"], unit.begin + unit.segment + behind)
        unit.waited, unit.then = unit.asked, self.alone

    def _spend(self, begin: int, ticks: int) -> None:
        """Let each warp take so long itself."""
        self.times["path"] = begin + ticks
        self.times["last"] = max(self.times["last"] + ticks, self.times["path"])
        self.alone += ticks

    def _work(self, name: str, ticks: int, begin: int) -> None:
        """Let each warp wait while a unit works for it."""
        unit = self._begun(name, begin)
        unit.segment += ticks * unit.share
        unit.asked += ticks * unit.share
        self._spend(begin, ticks)
        self._wait(name, 0)

    def _meet(self) -> None:
        """Let all warps wait for each other."""
        there = max(self.times["path"], self.times["last"]) + MEETING * TICKS
        self.times["path"] = self.times["last"] = there
        for unit in self.units.values():
            unit.begin, unit.segment = None, 0


def _ahead(*times: list[int]) -> list[tuple[int, ...]]:
    """Times of what is there one after the other, from the first on that is not there yet."""
    found = [tuple(max(each, -1) for each in row) for row in zip(*times, strict=True)]
    return found[next((place for place, row in enumerate(found) if max(row) > 0), len(found)) :]


def _ticks(cycles: float) -> int:
    return round(cycles * TICKS)
