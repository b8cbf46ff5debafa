"""Lower bounds on the time of grids of thread blocks, without simulating them: no grid is faster on the clock.

A block's barriers part its steps into segments. Nobody passes a barrier before the last warp is there, so a segment
takes at least as long as a warp that waits for nobody else, and as each unit works for all warps of the block. A
multiprocessor is busy for at least as long as its blocks take one after another in the places that it has, and as each
unit works for all of its blocks. What nobody waits for costs nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from xdsl.ir import SSAValue

from dialects.tile.loops import WARP
from interp.machine.multiprocessor import PARTITIONS, SHARED_BYTES, Multiprocessor
from interp.tile.clock import Constants, constants_of
from interp.tile.events import BARRIER, KEPT, READ, TICKS, Flat, Rates
from interp.tile.outline import Outline
from interp.tile.traffic import traffic_of
from interp.tile.work import Loop, Step, Steps, When, occupancy


def least_ns(outline: Outline, unit: Multiprocessor, constants: Constants | None = None) -> float | None:
    """A bound on the time of a grid with this outline (its steps timed on `slowed(unit, constants)`), in ns; None if no
    multiprocessor holds a block of it."""
    constants = constants_of(unit) if constants is None else constants
    held = occupancy(outline.shared_bytes, outline.registers, outline.warps * WARP, unit)
    if not held.blocks:
        return None
    at_once = min(outline.count, held.blocks * unit.count)
    traffic = traffic_of(outline.streams, outline.written, at_once, unit.l2_bytes)
    latency = unit.l2_latency + traffic.miss * (unit.dram_latency - unit.l2_latency)
    rates = Rates(latency, unit.dram_bytes * constants.store, constants.staging)
    each = ceil(outline.count / unit.count)
    cycles = least_cycles(outline.steps, outline.warps, each, held.blocks, rates)
    moved = (traffic.missed + traffic.written) / (unit.dram_bytes * unit.count * constants.dram)
    return max(cycles, moved) / unit.clock_hz * 1e9


def least_cycles(steps: Steps, warps: int, blocks: int, places: int, rates: Rates) -> float:
    """A bound on the cycles that a multiprocessor takes for so many blocks in so many places."""
    block = _Block(warps, rates)
    block.do(steps, {})
    # All blocks want as much of each unit, and neither what a warp does before its first work there nor what it does
    # behind its last can be spared.
    busy = (
        unit.head + blocks * unit.waited + (block.alone - unit.then) for unit in block.units.values() if unit.waited
    )
    return max(ceil(blocks / places) * max(block.times["path"], block.times["last"]), *busy, 0) / TICKS


@dataclass
class _Unit:
    """What a block asks of a unit, in ticks."""

    share: int
    """Warps that take turns at it."""
    head: int = 0
    """Time at which its first work may begin."""
    asked: int = 0
    waited: int = 0
    """Work so far, of all warps that share it; of that, what warps have waited for."""
    then: int = 0
    """What the waiting warp itself had done by then (see `_Block.alone`)."""
    begin: int | None = None
    """Time at which the first work of this segment may begin."""
    segment: int = 0
    """Work of this segment."""


class _Block:
    """A block that has a multiprocessor for itself: bounds on when its steps are done, in ticks."""

    def __init__(self, warps: int, rates: Rates) -> None:
        self.rates = rates
        self.times = {"path": 0, "last": 0, "fragments": 0, "copies": 0, "copied": 0, "served": 0}
        """`path`, `last`: when the first warp and when the last one is there; `fragments`: when those are there that a
        warp asked for last; `copies`, `copied`: when copies since the last commit are, of the first warp and of the
        last; `served`: when shared memory has served a warp that is alone."""
        self.groups: list[tuple[int, int]] = []
        """Of each group of copies, when it is there, of the first warp and of the last."""
        self.fetched = 0.0
        """Bytes on their way to registers."""
        self.alone = 0
        """Time that a warp takes for the steps so far that it can't but wait for."""
        self.units = {"shared": _Unit(warps), "matrix": _Unit(ceil(warps / PARTITIONS)), "store": _Unit(warps)}

    def do(self, steps: Steps, values: dict[SSAValue, int], outermost: bool = True) -> None:
        """Do some steps."""
        for step in steps:
            match step:
                case Step():
                    if self.fetched and step.kind != "fetch":
                        self._stage()
                    self._step(step.kind, step.amount, step.parts)
                case Loop():
                    self._loop(step, values, outermost)
                case When():
                    if step.done(values):
                        self.do(step.body, values, False)

    def _loop(self, loop: Loop, values: dict[SSAValue, int], outermost: bool) -> None:
        """Do all turns of a loop. Where one leaves all times as far apart as the one before, so do those behind it."""
        period = Flat(loop.body).period
        turn, before = 0, None
        while turn < loop.turns:
            self.do(loop.body, {**values, loop.variable: loop.start + turn}, False)
            turn += 1
            if outermost and turn % period == 0:
                now = self._state()
                if before is not None and before[0] == now[0]:
                    periods = (loop.turns - turn) // period
                    self._pass([periods * (one - two) for one, two in zip(now[1], before[1], strict=True)])
                    turn += periods * period
                    now = self._state()
                before = now

    def _state(self) -> tuple[object, list[int]]:
        """How far times are apart, and all that grows by as much in each period."""
        path = self.times["path"]
        apart = (
            *(max(each - path, -1) for each in self.times.values()),
            *((max(first - path, -1), max(last - path, -1)) for first, last in self.groups),
            *((unit.segment, None if unit.begin is None else unit.begin - path) for unit in self.units.values()),
            self.fetched,
        )
        work = [each for unit in self.units.values() for each in (unit.asked, unit.waited, unit.then)]
        return apart, [path, self.alone, *work]

    def _pass(self, grown: list[int]) -> None:
        """Let so much time and work pass."""
        path, alone, *work = grown
        self.times = {name: each + path for name, each in self.times.items()}
        self.groups = [(first + path, last + path) for first, last in self.groups]
        self.alone += alone
        for number, unit in enumerate(self.units.values()):
            unit.asked, unit.waited, unit.then = (
                now + more for now, more in zip((unit.asked, unit.waited, unit.then), work[3 * number :], strict=False)
            )
            unit.begin = None if unit.begin is None else unit.begin + path

    def _step(self, kind: str, amount: float, parts: float) -> None:
        """Do one step of each warp, as the multiprocessor does it for one that is alone, and for the last of all."""
        times = self.times
        match kind:
            case "shared":
                self._serve(_ticks(amount))
                times["fragments"] = times["served"] + READ * TICKS
            case "multiply":
                ticks = _ticks(amount)
                early = round(ticks * (1 - 1 / parts))
                begin = max(times["path"], times["fragments"] - early)
                self._wait("shared", READ * TICKS - early)
                self._work("matrix", ticks, begin)
            case "lanes":
                begin = max(times["path"], times["fragments"])
                self._wait("shared", READ * TICKS if times["fragments"] else 0)
                self._spend(begin, _ticks(amount))
            case "prefetch":
                arrives = _ticks(self.rates.latency)
                times["copies"] = max(times["copies"], times["path"] + arrives)
                times["copied"] = max(times["copied"], times["last"] + arrives)
                self._serve(_ticks(amount / SHARED_BYTES))
            case "fetch":
                self.fetched += amount
            case "store":
                self._work("store", _ticks(amount / self.rates.store), times["path"])
            case "commit":
                self.groups = [*self.groups[1 - KEPT :], (times["copies"], times["copied"])]
                times["copies"] = times["copied"] = 0
            case "wait":
                arrived = self.groups[: len(self.groups) - int(amount)]
                times["path"] = max(times["path"], *(first for first, _ in arrived), 0)
                times["last"] = max(times["last"], times["path"], *(last for _, last in arrived), 0)
            case "barrier":
                self._meet()
            case _:
                pass  # what this file does not know takes no time here

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

    def _stage(self) -> None:
        """Let each warp store to shared memory what it has loaded, when it is there."""
        ticks = _ticks(self.fetched / SHARED_BYTES)
        self.fetched = 0.0
        arrives = self.times["path"] + _ticks(self.rates.latency) + _ticks(self.rates.staging)
        self.times["last"] += _ticks(self.rates.latency) + _ticks(self.rates.staging)
        unit = self._begun("shared", self.times["path"])
        unit.segment += ticks * unit.share
        unit.asked += ticks * unit.share
        self.times["served"] = max(self.times["served"], arrives) + ticks
        self._spend(max(self.times["served"], arrives), 0)
        self._wait("shared", 0)

    def _meet(self) -> None:
        """Let all warps wait for each other."""
        there = max(self.times["path"], self.times["last"]) + BARRIER * TICKS
        self.times["path"] = self.times["last"] = there
        for unit in self.units.values():
            unit.begin, unit.segment = None, 0


def _ticks(cycles: float) -> int:
    return round(cycles * TICKS)
