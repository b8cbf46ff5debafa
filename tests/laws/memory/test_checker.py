"""The engine's logs obey the checker's rules for any plan; manipulated logs do not."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interp.machine.memory_system import Bus, MemorySystem, Tier
from interp.simulate.memory.engine import Refused, Regime
from interp.simulate.memory.log import Act, TransferLog
from interp.simulate.memory.problem import KernelTrace, Move, MoveKind
from interp.simulate.memory.replay import Run, replay
from tests.amount import cases
from tests.laws.memory.traces import traces

UNIT = 64


@st.composite
def plans(draw: st.DrawFn, trace: KernelTrace, copies: bool) -> list[Move]:
    """Random moves in some idle intervals of tensors: a part of the tensor or all of it is evicted to the host, to the
    SSD or to any tier, and prefetched early or late."""
    idle, kernels, moves = trace.idle, len(trace.kernels), list[Move]()
    tiers = st.sampled_from(["host", "ssd", ""])
    for number in range(len(idle)):
        if not draw(st.booleans()):
            continue
        tensor, after, before = (int(each[number]) for each in (idle.tensor, idle.after, idle.before))
        nbytes, tier = int(idle.nbytes[number]), draw(tiers)
        first = draw(st.integers(0, nbytes))
        gone = draw(st.integers(after + 1, before))
        back = draw(st.integers(gone, before))
        if copies and draw(st.booleans()):
            kept = draw(st.integers(after + 1, gone))
            moves.append(Move("write_back", tensor, kept % kernels, first, tier=tier))
        if draw(st.booleans()):  # what other moves say, too: of other bytes, to another tier, again
            kinds: list[MoveKind] = ["write_back", "evict"] if copies else ["evict"]
            kind, other = draw(st.sampled_from(kinds)), draw(tiers)
            moves.append(Move(kind, tensor, gone % kernels, draw(st.integers(0, nbytes)), tier=other))
            moves.append(Move("prefetch", tensor, back % kernels))
        moves.append(Move("evict", tensor, gone % kernels, first, tier=tier))
        moves.append(Move("prefetch", tensor, back % kernels, first))
    return moves


def _system(trace: KernelTrace, room: int, host: int, delays: bool, apart: bool) -> MemorySystem:
    ssd = Tier("ssd", 1 << 40, 0.25e9, 0.125e9, in_ns=3.0 if delays else 0.0, bus=int(apart))
    capacity = trace.largest_working_set + room
    buses = (Bus(1e9, 1e9, 2.0 if delays else 0.0), *([Bus(0.5e9, 0.5e9)] if apart else []))
    tiers = Tier("host", host, 1e9, 0.75e9), ssd
    return MemorySystem("gpu", capacity, tiers, buses, 0.5 if delays else 0.0, UNIT)


@st.composite
def runs(draw: st.DrawFn) -> tuple[MemorySystem, Regime, Run] | None:
    """A complete run with its memory system and regime; None for an invalid plan."""
    trace = draw(traces(unit=UNIT))
    mode: Literal["move", "copy"] = draw(st.sampled_from(["move", "copy"]))
    regime = Regime(mode=mode)
    moves = draw(plans(trace, mode == "copy"))
    host = draw(st.sampled_from([0, 4 * UNIT, 1 << 40]))
    system = _system(trace, UNIT * draw(st.integers(0, 12)), host, draw(st.booleans()), draw(st.booleans()))
    try:
        return system, regime, replay(trace, system, moves, regime)
    except Refused:
        return None


@settings(max_examples=cases(400), deadline=None)
@given(runs())
def test_logs_of_the_engine_are_sound(found: tuple[MemorySystem, Regime, Run] | None) -> None:
    if found is not None:
        system, regime, run = found
        assert run.violations(system, regime) == []
        assert run.score <= 1 + 1e-9


def _tampered(log: TransferLog, how: str, random: Random) -> TransferLog | None:
    """A copy of the log with a line about many bytes changed as `how` says; None if the log has no suitable line."""
    log = deepcopy(log)
    lines = [n for n in range(len(log)) if log.act[n] in (Act.IN, Act.OUT) and log.last[n] - log.first[n] > UNIT / 2]
    if not lines:
        return None
    line = random.choice(lines)
    if how == "left out":
        for column in (getattr(log, name) for name in TransferLog.__dataclass_fields__):
            del column[line]
    elif how == "too fast":
        log.since[line] = (log.since[line] + 2 * log.until[line]) / 3
        log.begun[line] = log.done[line]
    elif how == "the other way":
        log.act[line] = Act.IN if log.act[line] == Act.OUT else Act.OUT
    elif how == "another tier":
        log.tier[line] = 1 - log.tier[line]
    elif how == "twice":
        for column in (getattr(log, name) for name in TransferLog.__dataclass_fields__):
            column.insert(line, column[line])
    return log


@pytest.mark.parametrize("how", ["left out", "too fast", "the other way", "another tier", "twice"])
@settings(max_examples=cases(120), deadline=None)
@given(runs(), st.integers(0, 1 << 20))
def test_tampered_logs_are_found_out(how: str, found: tuple[MemorySystem, Regime, Run] | None, seed: int) -> None:
    if found is None:
        return
    system, regime, run = found
    log = _tampered(run.log, how, Random(seed))
    if log is not None:
        assert replace(run, log=log).violations(system, regime)


@settings(max_examples=cases(200), deadline=None)
@given(runs(), st.integers(0, 1 << 20))
def test_a_copy_over_the_link_of_a_transfer_is_found_out(
    found: tuple[MemorySystem, Regime, Run] | None, seed: int
) -> None:
    """While a copy of the program occupies a direction of a link, no byte of a move passes there."""
    if found is None:
        return
    system, regime, run = found
    log = run.log
    lines = [n for n in range(len(log)) if log.act[n] == Act.IN and log.last[n] - log.first[n] > UNIT / 2]
    if lines:
        line = Random(seed).choice(lines)
        system = replace(system, buses=tuple(replace(bus, into=f"{n}->gpu") for n, bus in enumerate(system.buses)))
        way = system.buses[system.tiers[log.tier[line]].bus].into
        run = replace(run, copies=[(way, log.since[line], log.until[line])])
        assert any("carries in" in each for each in run.violations(system, regime))
        assert replace(run, copies=[("0->other", 0.0, 1e9)]).violations(system, regime) == []


@settings(max_examples=cases(200), deadline=None)
@given(runs())
def test_a_smaller_memory_is_found_out(found: tuple[MemorySystem, Regime, Run] | None) -> None:
    if found is not None:
        system, regime, run = found
        peak = max(used for _, used, _ in run.samples)
        if peak > 2 * UNIT:
            assert run.violations(replace(system, capacity=int(peak) - UNIT), regime)
