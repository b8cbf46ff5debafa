"""Ordinary accesses alone, on controllers that serve the oldest request that may issue (reordering.py), as operations
on arrays of integers, which numba compiles where it is installed (the extra `fast`). The rules and their order are
those of `Reordering`; unit commands and barriers are left to it.

A channel's state is a row of each array. Numbers of commands, registers and histories are those of `MomentLayout`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dialects.pim import PREACT
from interp.kinds.pim.timing.requests.layout import AddressedMove, MomentLayout
from interp.kinds.pim.timing.requests.queues import Want
from interp.kinds.pim.timing.requests.reordering import Reordering
from interp.kinds.pim.timing.requests.request import Request

Ints = NDArray[np.int64]
Function = TypeVar("Function", bound=Callable[..., Any])

LEAST = 2000
"""The number of requests from which on compiled code is used: loading it takes as long as simulating some."""
ROWS = 16
"""The largest number of rows that are open in a bank at once; more are left to `Reordering`."""
FAR = 1 << 62
ACTIVE, READS, WRITES = 0, 1, 2
"""The queues of a channel."""
KIND, READ, OPENS, CLOSES, HALF, LATENCY, BANK = range(7)
"""The columns of the table of commands."""
MOVE, PRE, ACT, FIRST, WANT_ROW, WANT_BANK = range(6)
"""The columns of the table of wants: the command; its precharge, activate, and the command that begins to open its row;
its row and its bank."""
WRITING, ROWS_WANTED, DUE, WAKE, EVENT, LAST, RETURNED, SERVED, OPEN, URGENT = range(10)
"""The columns of the state of a channel."""
QUEUE, ABOVE, BELOW, FORWARDS, SHARES, INTERVAL, UNITS, PATIENCE = range(8)
"""The entries of the rules of a scheduler."""


def compiled(function: Function) -> Function:
    """The function, compiled if numba is installed."""
    numba = _numba()
    return cast(Function, numba.njit(cache=True)(function)) if numba is not None else function


@cache
def _numba() -> Any:
    try:
        import numba  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    return numba


class Moves(NamedTuple):
    """All commands as arrays: their properties, and for each the ranges of its banks, checks, updates and n-th-last
    constraints in shared lists."""

    facts: Ints
    banks_at: Ints
    banks: Ints
    checks_at: Ints
    checks: Ints
    updates_at: Ints
    updates: Ints
    nths_at: Ints
    nths: Ints
    """History, length, cycles, and the range of the registers that a constraint updates."""
    nth_registers: Ints


class State(NamedTuple):
    """The state of all channels."""

    of: Ints
    ready: Ints
    histories: Ints
    history_sizes: Ints
    rows: Ints
    row_counts: Ints
    halves: Ints
    sizes: Ints
    wants: Ints
    arrivals: Ints
    tags: Ints
    counts: Ints


@compiled
def _next(want: Ints, c: int, s: State) -> int:
    bank = want[WANT_BANK]
    count = s.row_counts[c, bank]
    if count == 0:
        return want[FIRST]
    if s.halves[c, bank]:
        return want[ACT]
    for at in range(count):
        if s.rows[c, bank, at] == want[WANT_ROW]:
            return want[MOVE]
    return want[PRE]


@compiled
def _moment(move: int, c: int, s: State, m: Moves) -> int:
    latest = 0
    for at in range(m.checks_at[move], m.checks_at[move + 1]):
        latest = max(latest, s.ready[c, m.checks[at]])
    return latest


@compiled
def _may(move: int, now: int, c: int, s: State, m: Moves) -> bool:
    for at in range(m.checks_at[move], m.checks_at[move + 1]):
        if s.ready[c, m.checks[at]] > now:
            break
    else:
        return True
    return False


@compiled
def _issue(move: int, row: int, now: int, c: int, s: State, m: Moves) -> bool:
    """Issue a command. Returns False if a bank has too many open rows."""
    for at in range(m.updates_at[move], m.updates_at[move + 1]):
        register, cycles = m.updates[at, 0], m.updates[at, 1]
        s.ready[c, register] = max(s.ready[c, register], now + cycles)
    begin, end = m.nths_at[move], m.nths_at[move + 1]
    for at in range(begin, end):
        history, is_new = m.nths[at, 0], True
        for before in range(begin, at):
            is_new = is_new and m.nths[before, 0] != history
        if is_new:
            for place in range(s.histories.shape[2] - 1, 0, -1):
                s.histories[c, history, place] = s.histories[c, history, place - 1]
            s.histories[c, history, 0] = now
            s.history_sizes[c, history] += 1
    for at in range(begin, end):
        history, length, cycles = m.nths[at, 0], m.nths[at, 1], m.nths[at, 2]
        if s.history_sizes[c, history] >= length:
            moment = s.histories[c, history, length - 1] + cycles
            for place in range(m.nths[at, 3], m.nths[at, 4]):
                register = m.nth_registers[place]
                s.ready[c, register] = max(s.ready[c, register], moment)
    s.counts[c, move] += 1
    opens, closes, half = m.facts[move, OPENS], m.facts[move, CLOSES], m.facts[move, HALF]
    for at in range(m.banks_at[move], m.banks_at[move + 1]):
        bank = m.banks[at]
        if opens or half:
            count, is_new = s.row_counts[c, bank], True
            for place in range(count):
                is_new = is_new and s.rows[c, bank, place] != row
            if is_new:
                if count == s.rows.shape[2]:
                    return False
                s.rows[c, bank, count] = row
                s.row_counts[c, bank] += 1
                s.of[c, OPEN] += count == 0
            s.halves[c, bank] = 0 if opens else 1
        elif closes:
            s.of[c, OPEN] -= s.row_counts[c, bank] > 0
            s.row_counts[c, bank] = s.halves[c, bank] = 0
    return True


@compiled
def _add(queue: int, want: int, arrival: int, tag: int, c: int, s: State) -> None:
    at = s.sizes[c, queue]
    s.wants[c, queue, at], s.arrivals[c, queue, at], s.tags[c, queue, at] = want, arrival, tag
    s.sizes[c, queue] += 1


@compiled
def _remove(queue: int, index: int, c: int, s: State) -> None:
    for at in range(index, s.sizes[c, queue] - 1):
        s.wants[c, queue, at] = s.wants[c, queue, at + 1]
        s.arrivals[c, queue, at] = s.arrivals[c, queue, at + 1]
        s.tags[c, queue, at] = s.tags[c, queue, at + 1]
    s.sizes[c, queue] -= 1


@compiled
def _hits(queue: int, bank: int, c: int, s: State, wants: Ints) -> bool:
    """True if a request waits for the row that is open in a bank."""
    for at in range(s.sizes[c, queue]):
        want = wants[s.wants[c, queue, at]]
        if want[WANT_BANK] == bank and _next(want, c, s) == want[MOVE]:
            return True
    return False


@compiled
def _best(queue: int, now: int, c: int, s: State, m: Moves, wants: Ints) -> tuple[int, int]:
    head = s.wants[c, queue, 0]
    if queue == ACTIVE:
        best, chosen = 0, _next(wants[head], c, s)
        ready = _may(chosen, now, c, s, m)
        for at in range(1, s.sizes[c, queue]):
            if ready and s.arrivals[c, queue, at] >= s.arrivals[c, queue, best]:
                continue
            want = wants[s.wants[c, queue, at]]
            move = _next(want, c, s)
            may = _may(move, now, c, s, m)
            if may == ready:
                if s.arrivals[c, queue, at] < s.arrivals[c, queue, best]:
                    best, chosen = at, move
            elif may and (move == want[MOVE] or not _hits(queue, want[WANT_BANK], c, s, wants)):
                best, chosen, ready = at, move, True
        return best, chosen
    for at in range(s.sizes[c, queue]):
        number = s.wants[c, queue, at]
        want = wants[number]
        move = _next(want, c, s)
        if _may(move, now, c, s, m):
            if number != head and move != want[MOVE] and _hits(queue, want[WANT_BANK], c, s, wants):
                continue
            return at, move
    return 0, _next(wants[head], c, s)


@compiled
def _serves_writes(c: int, s: State, rules: Ints) -> int:
    waiting, reads = s.sizes[c, WRITES], s.sizes[c, READS]
    if not s.of[c, WRITING]:
        s.of[c, WRITING] = waiting > rules[ABOVE] or reads == 0
    else:
        s.of[c, WRITING] = not (waiting < rules[BELOW] and reads > 0)
    return WRITES if s.of[c, WRITING] else READS


@compiled
def _interrupts(move: int, c: int, s: State, m: Moves, wants: Ints) -> bool:
    if m.facts[move, CLOSES]:
        for at in range(s.sizes[c, ACTIVE]):
            if m.facts[wants[s.wants[c, ACTIVE, at], MOVE], BANK] == m.facts[move, BANK]:
                return True
    return False


@compiled
def _settle(queue: int, index: int, move: int, now: int, c: int, s: State, m: Moves, wants: Ints, rules: Ints) -> int:
    """1 if a request's command issued, 0 if it would close a row that an access waits for, -1 if it can't be told."""
    if _interrupts(move, c, s, m, wants):
        return 0
    number = s.wants[c, queue, index]
    want = wants[number]
    if not _issue(move, want[WANT_ROW], now, c, s, m):
        return -1
    if move == want[MOVE]:
        if m.facts[move, READ]:
            s.of[c, RETURNED] = max(now + m.facts[move, LATENCY], s.of[c, RETURNED] + 1)
        _remove(queue, index, c, s)
        s.of[c, SERVED] += 1
    elif m.facts[move, OPENS]:
        if s.sizes[c, ACTIVE] < rules[QUEUE]:
            _add(ACTIVE, number, s.arrivals[c, queue, index], s.tags[c, queue, index], c, s)
        _remove(queue, index, c, s)
    return 1


@compiled
def _urgent_move(c: int, s: State, refreshes: Ints, rules: Ints) -> int:
    """The next command for the oldest waiting refresh. Waiting refreshes end with complete rounds over all units."""
    unit = -s.of[c, URGENT] % rules[UNITS]
    return refreshes[unit, PRE] if s.of[c, OPEN] else refreshes[unit, MOVE]


@compiled
def _issue_urgent(move: int, now: int, c: int, s: State, m: Moves, refreshes: Ints, rules: Ints) -> None:
    unit = -s.of[c, URGENT] % rules[UNITS]
    _issue(move, -1, now, c, s, m)
    if move == refreshes[unit, MOVE]:
        s.of[c, URGENT] -= 1


@compiled
def _first(now: int, c: int, s: State, m: Moves, wants: Ints, refreshes: Ints, rules: Ints) -> tuple[int, int]:
    if s.sizes[c, ACTIVE]:
        index, move = _best(ACTIVE, now, c, s, m, wants)
        if _may(move, now, c, s, m):
            return m.facts[move, KIND], _settle(ACTIVE, index, move, now, c, s, m, wants, rules)
    if s.of[c, URGENT]:
        move = _urgent_move(c, s, refreshes, rules)
        kind = m.facts[move, KIND]
        if not _may(move, now, c, s, m) or _interrupts(move, c, s, m, wants):
            return kind, 0
        _issue_urgent(move, now, c, s, m, refreshes, rules)
        return kind, 1
    queue = _serves_writes(c, s, rules)
    if s.sizes[c, queue]:
        index, move = _best(queue, now, c, s, m, wants)
        kind = m.facts[move, KIND]
        if _may(move, now, c, s, m):
            return kind, _settle(queue, index, move, now, c, s, m, wants, rules)
        return kind, 0
    return 2, 0


@compiled
def _second(now: int, first: int, c: int, s: State, m: Moves, wants: Ints, refreshes: Ints, rules: Ints) -> int:
    other = 1 - first
    if other < 0 or (other == 0 and not s.of[c, ROWS_WANTED] and not s.of[c, URGENT]):
        _serves_writes(c, s, rules)
        return 0
    if s.sizes[c, ACTIVE]:
        index, move = _best(ACTIVE, now, c, s, m, wants)
        if m.facts[move, KIND] == other and _may(move, now, c, s, m):
            return _settle(ACTIVE, index, move, now, c, s, m, wants, rules)
    if s.of[c, URGENT]:
        move = _urgent_move(c, s, refreshes, rules)
        if m.facts[move, KIND] == other:
            if not _may(move, now, c, s, m) or _interrupts(move, c, s, m, wants):
                return 0
            _issue_urgent(move, now, c, s, m, refreshes, rules)
            return 1
    queue = _serves_writes(c, s, rules)
    if s.sizes[c, queue]:
        index, move = _best(queue, now, c, s, m, wants)
        if m.facts[move, KIND] == other and _may(move, now, c, s, m):
            return _settle(queue, index, move, now, c, s, m, wants, rules)
    return 0


@compiled
def _event(now: int, changed: bool, c: int, s: State, m: Moves, wants: Ints, refreshes: Ints, rules: Ints) -> int:
    soonest, least = FAR, 0 if changed else now + 1
    s.of[c, ROWS_WANTED] = 1
    wanted = s.of[c, URGENT] > 0 or s.sizes[c, ACTIVE] > 0
    if s.of[c, URGENT]:
        moment = _moment(_urgent_move(c, s, refreshes, rules), c, s, m)
        if moment >= least:
            soonest = min(soonest, moment)
    for queue in range(3):
        for at in range(s.sizes[c, queue]):
            move = _next(wants[s.wants[c, queue, at]], c, s)
            wanted = wanted or m.facts[move, KIND] == 0
            moment = 0
            for place in range(m.checks_at[move], m.checks_at[move + 1]):
                moment = max(moment, s.ready[c, m.checks[place]])
                if moment >= soonest:
                    break
            if least <= moment < soonest:
                soonest = moment
                if moment <= now + 1:
                    return now + 1
    s.of[c, ROWS_WANTED] = wanted
    return max(soonest, now + 1)


@compiled
def _pass(now: int, c: int, s: State, rules: Ints) -> None:
    if s.of[c, LAST] < now - 1:
        s.of[c, LAST] = now - 1
        _serves_writes(c, s, rules)


@compiled
def _act(now: int, s: State, m: Moves, wants: Ints, refreshes: Ints, rules: Ints) -> bool:
    """Simulate a cycle of all controllers. Returns False if a bank has too many open rows."""
    for c in range(s.of.shape[0]):
        if s.of[c, WAKE] > now:
            continue
        _pass(now, c, s, rules)
        s.of[c, LAST] = now
        while s.of[c, DUE] <= now:
            s.of[c, DUE] += rules[INTERVAL]
            s.of[c, URGENT] += rules[UNITS]
        kind, first = _first(now, c, s, m, wants, refreshes, rules)
        second = _second(now, kind if rules[SHARES] or not first else 2, c, s, m, wants, refreshes, rules)
        if first < 0 or second < 0:
            return False
        s.of[c, EVENT] = _event(now, first > 0 or second > 0, c, s, m, wants, refreshes, rules)
        s.of[c, WAKE] = min(s.of[c, EVENT], s.of[c, DUE])
    return True


@compiled
def _send(want: int, tag: int, now: int, c: int, s: State, m: Moves, wants: Ints, rules: Ints) -> bool:
    _pass(now, c, s, rules)
    s.of[c, ROWS_WANTED] = 1
    queue = WRITES
    if m.facts[wants[want, MOVE], READ]:
        waiting = s.sizes[c, WRITES]
        found = rules[FORWARDS] and waiting > 0
        for at in range(waiting):
            found = found or s.tags[c, WRITES, at] == tag
        if found:
            s.of[c, RETURNED] = max(now, s.of[c, RETURNED] + 1)
            return True
        queue = READS
    if s.sizes[c, queue] >= rules[QUEUE]:
        return False
    s.of[c, EVENT] = min(s.of[c, EVENT], now)
    s.of[c, WAKE] = min(s.of[c, WAKE], now)
    _add(queue, want, now - 1, tag, c, s)
    return True


@compiled
def _soonest(now: int, s: State) -> int:
    soonest = FAR
    for c in range(s.of.shape[0]):
        soonest = min(soonest, s.of[c, WAKE])
        if now < s.of[c, RETURNED] < soonest:
            soonest = s.of[c, RETURNED]
    return max(soonest, now + 1)


@compiled
def _run(sends: Ints, s: State, m: Moves, wants: Ints, refreshes: Ints, rules: Ints) -> int:
    """The cycles of requests (class of channels, want, address), in order; -1 if `Reordering` must simulate them."""
    now = 1
    for at in range(sends.shape[0]):
        c, want, tag = sends[at]
        waited = 0
        while not _send(want, tag, now, c, s, m, wants, rules):
            if not _act(now, s, m, wants, refreshes, rules):
                return -1
            queue = READS if m.facts[wants[want, MOVE], READ] else WRITES
            now = now + 1 if s.sizes[c, queue] < rules[QUEUE] else _soonest(now, s)
            waited += 1
            if waited > rules[PATIENCE] or now >= FAR:
                return -1
    waited = served = 0
    while True:
        if not _act(now, s, m, wants, refreshes, rules):
            return -1
        pending, before, served = False, served, 0
        for c in range(s.of.shape[0]):
            served += s.of[c, SERVED]
            pending = pending or s.of[c, URGENT] > 0 or s.of[c, RETURNED] > now
            pending = pending or s.sizes[c].sum() > 0
        if not pending:
            return now
        now = _soonest(now, s)
        waited = waited + 1 if served == before else 0
        if waited > rules[PATIENCE] or now >= FAR:
            return -1


class AccessTime(NamedTuple):
    """The cycles of a stream of accesses, and for each class of channels the number of each command of one channel."""

    cycles: int
    counts: list[dict[AddressedMove, int]]


def is_fast(requests: Sequence[Request]) -> bool:
    """True if compiled code is installed, and a stream is long enough for it."""
    return len(requests) >= LEAST and _numba() is not None


def access_time(
    requests: Sequence[Request], classes: Sequence[tuple[int, ...]], channel: Reordering, patience: int
) -> AccessTime | None:
    """The time of ordinary accesses, equal to that of `Reordering`; None for requests that `Reordering` must simulate.
    `classes`: the channels that receive the same requests; `channel`: a channel of the device, which has simulated
    nothing; `patience`: the number of events without a served request after which `Reordering` refuses a stream."""
    if not all(request.host and request.times == 1 for request in requests):
        return None
    class_of = {number: index for index, numbers in enumerate(classes) for number in numbers}
    found = [channel.want(request) for request in requests]
    known: dict[Want, int] = {}
    numbers = [known.setdefault(want, len(known)) for want in found]
    if any(not want.move.uses or want.banks != (want.bank,) for want in known):
        return None
    addresses: dict[tuple[int, int, int], int] = {}
    sends: list[tuple[int, int, int]] = []
    for request, want, number in zip(requests, found, numbers, strict=True):
        tag = addresses.setdefault((want.bank, want.row, request.tag), len(addresses))
        sends += [(index, number, tag) for index in dict.fromkeys(class_of[each] for each in request.channels)]
    refreshes = channel.refresh_wants()
    channel.grow()
    steps = [step for want in (*known, *refreshes) for step in (want.move, want.pre, want.act, want.half) if step]
    index = {move: at for at, move in enumerate(dict.fromkeys(steps))}
    wants = np.array([_row(want, index) for want in known], np.int64)
    urgent = np.array([_row(want, index) for want in refreshes] or [[0] * 6], np.int64)
    scheduler, pim = channel.scheduler, channel.pim
    interval = pim.refresh.interval if pim.refresh is not None else FAR
    rules = np.array(
        (
            *(scheduler.queue, scheduler.drain_above, scheduler.drain_below, scheduler.forwards == "any"),
            *(scheduler.shares, interval, max(len(refreshes), 1), patience),
        ),
        np.int64,
    )
    state = _state(len(classes), channel, len(index), interval)
    cycles = int(_run(np.array(sends, np.int64), state, _moves(list(index), channel.layout), wants, urgent, rules))
    if cycles < 0:
        return None
    moves = list(index)
    each: list[list[int]] = state.counts.tolist()
    return AccessTime(cycles, [{moves[at]: count for at, count in enumerate(row) if count} for row in each])


def _row(want: Want, index: dict[AddressedMove, int]) -> tuple[int, ...]:
    """A row of the table of wants."""
    begins = want.act if want.first else want.half or want.act
    pre, act, begin = (-1 if move is None else index[move] for move in (want.pre, want.act, begins))
    return index[want.move], pre, act, begin, want.row, want.bank


def _state(classes: int, channel: Reordering, moves: int, interval: int) -> State:
    """The state before the first request."""
    banks, queue, layout = channel.pim.banks_per_channel, channel.scheduler.queue, channel.layout
    histories, longest = len(layout.history_lengths), max(layout.history_lengths, default=1)

    def zeros(*shape: int) -> Ints:
        return np.zeros((classes, *shape), np.int64)

    of = zeros(10)
    of[:, ROWS_WANTED], of[:, DUE], of[:, WAKE], of[:, EVENT] = 1, interval, interval, FAR
    return State(
        of,
        ready=zeros(len(channel.ready)),
        histories=zeros(max(histories, 1), longest),
        history_sizes=zeros(max(histories, 1)),
        rows=zeros(banks, ROWS),
        row_counts=zeros(banks),
        halves=zeros(banks),
        sizes=zeros(3),
        wants=zeros(3, queue),
        arrivals=zeros(3, queue),
        tags=zeros(3, queue),
        counts=zeros(moves),
    )


def _moves(moves: Sequence[AddressedMove], layout: MomentLayout) -> Moves:
    """The table of commands."""
    facts = [
        (move.kind, move.verb == "read", move.opens, move.closes, move.verb == PREACT, move.latency, move.bank)
        for move in moves
    ]
    registers: list[int] = []
    nths: list[list[tuple[int, ...]]] = []
    for move in moves:
        nths.append([])
        for constraint in move.nth_last:
            begin = len(registers)
            registers += constraint.registers
            nths[-1].append((constraint.history, constraint.length, constraint.cycles, begin, len(registers)))
    return Moves(
        np.array(facts, np.int64),
        *_lists([[(bank,) for bank in move.banks] for move in moves], 1),
        *_lists([[(register,) for register in move.checks] for move in moves], 1),
        *_lists([list(move.updates) for move in moves], 2),
        *_lists(nths, 5),
        np.array(registers or [0], np.int64),
    )


def _lists(lists: Sequence[Sequence[tuple[int, ...]]], width: int) -> tuple[Ints, Ints]:
    """Lists of rows of numbers as one array, and the index of the first row of each list; rows of one number are
    numbers."""
    begins = np.concatenate(([0], np.cumsum([len(rows) for rows in lists]))).astype(np.int64)
    joined = np.array([row for rows in lists for row in rows] or [(0,) * width], np.int64)
    return begins, joined[:, 0].copy() if width == 1 else joined
