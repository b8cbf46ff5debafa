"""A controller that serves the oldest request that may issue, and issues a row and a column command in one cycle where
the bus has room for both."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from interp.kinds.pim.timing.requests.channel import Issued, RequestChannel
from interp.kinds.pim.timing.requests.layout import ALONE, COLUMN, ROW, AddressedMove, MomentLayout
from interp.kinds.pim.timing.requests.open_rows import Window, kept, restored
from interp.kinds.pim.timing.requests.queues import FAR, Asked, Queue, Tag, Want

QueuedRequest: TypeAlias = tuple[Asked, int, int, int, int]
"""A request in a queue: verb, scope, unit and bank; the first bank that it addresses (-1 if it uses no row); its row,
relative to the origin of that bank's rows; the rest of its address; and the cycles from now to its arrival."""


class Reordering(RequestChannel):
    """A channel that also reorders unit commands."""

    def __init__(self, layout: MomentLayout, log: list[Issued] | None) -> None:
        super().__init__(layout, log)
        self.unit_last = False
        """True if the last search ended at a unit command. Such a request stays in its queue while its row is being
        opened."""
        self.rows_wanted = True
        """True if some request may need a row command."""
        self.was_blocked = False
        """True if a command could issue in this cycle, but would close a row that an access waits for."""
        self.is_settled = self.scheduler.drain_below <= self.scheduler.drain_above
        """True if asking twice whether the channel serves writes (`serves_writes`) gives the same answer."""
        self.last = 0
        """The last simulated cycle."""
        self.event = FAR
        """The next cycle in which a command may issue if no refresh falls due before."""
        self.watched: tuple[int, ...] = ()
        """The earliest issue times that some command of the program must respect."""
        self.watched_histories: dict[int, int] = {}
        """The lists of past issues that some command of the program checks, each with the largest number of cycles for
        which an issue may delay a command."""
        self.windows = [Window()] * len(self.rows.opened)
        """For each bank, the rows that the program may still address; others are left out of the state."""
        self.moves: list[AddressedMove] = []
        """All commands that the program needs."""
        self.tells_ignored = False
        """True if `has_ignored` is to be determined."""
        self.has_ignored = False
        """True if the last simulated cycle had the same effect as with or without a waiting refresh."""
        self.since: int | None = None
        """The cycle in which the refresh fell due that waits now, as long as it has changed nothing."""

    def room(self, want: Want, host: bool) -> bool:
        """True if the queue for a request has room."""
        if not host:
            return len(self.units.wants) < self.units.size
        queue = self.reads if want.move.verb == "read" else self.writes
        return len(queue.wants) < queue.size

    def send(self, want: Want, host: bool, tag: int, now: int) -> bool:
        """Accepts a request in cycle `now`. Returns False if there is no room."""
        if host:
            self._pass(now)
            self.rows_wanted = True
        if not host:
            queue = self.units
            if len(queue.wants) >= queue.size:
                return False
            if want.barrier or not queue.holds(want):
                self.rows_wanted = True
                self._expect(max(now, 0 if want.barrier else self._moment(want)))
        elif want.move.verb == "read":
            queue = self.reads
            address = (want.bank, want.row, tag)
            if address in self.writes.tags or (self.scheduler.forwards == "any" and self.writes.tags):
                self.returned = max(now, self.returned + 1)
                return True
        else:
            queue = self.writes
        if len(queue.wants) >= queue.size:
            return False
        if host:
            self._expect(now)
        queue.add(want, now - 1, (want.bank, want.row, tag))
        return True

    def _expect(self, moment: int) -> None:
        """Record that a command may issue at `moment`."""
        self.event, self.wake = min(self.event, moment), min(self.wake, moment)

    def pending(self, now: int) -> bool:
        queues = self.units, self.reads, self.writes, self.active
        return bool(self.urgent) or self.returned > now or any(queue.wants for queue in queues)

    def tick(self, now: int) -> None:
        """Simulates one cycle. Afterwards `wake` is the next cycle in which the state can change."""
        self._pass(now)
        self.last = now
        self.refresh_due(now)
        can_ignore = self.tells_ignored and self._can_ignore(now)
        held = len(self.units.wants)
        self.was_blocked = False
        kind, first = self._first(now)
        if not first and not self.was_blocked and not self.units.wants and not self.urgent and self.is_settled:
            second = self.unit_last = False  # no command may issue
        else:
            second = self._second(now, kind if self.scheduler.shares or not first else ALONE)
        self.has_ignored = can_ignore and self._has_ignored(now, kind, first, second)
        changed = first or second or len(self.units.wants) != held
        self.event = self._event(now, changed)
        self.wake = min(self.event, self.due)

    def _pass(self, now: int) -> None:
        """Applies the effects of skipped cycles, in which no command could issue."""
        if self.last < now - 1:
            self.last = now - 1
            self.unit_last = False
            self.serves_writes()

    # The search for a command. The steps are in the order of the published controller.

    def _first(self, now: int) -> tuple[int, bool]:
        """Issues the first command of a cycle, if any can issue. Returns the class (ROW, COLUMN or ALONE) of the
        command that was considered last, and True if it issued."""
        kind = ALONE
        if self.active.wants:
            index, move = self._best(self.active, now)
            kind = move.kind
            if self.may(move, now):
                return self._settle(self.active, index, move, now)
        if self.urgent:
            move = self.urgent_move()
            if not self.may(move, now):
                return move.kind, False
            self.unit_last = False
            if self.interrupts(move):
                return move.kind, False
            self._issue_urgent(move, now)
            return move.kind, True
        self.unit_last = False
        queue = self.units
        if queue.wants:
            index, move = self._best(queue, now)
            if index >= 0 and self.may(move, now):
                self.unit_last = True
                return self._settle(queue, index, move, now)
        kind = ALONE
        queue = self.writes if self.serves_writes() else self.reads
        if queue.wants:
            index, move = self._best(queue, now)
            kind = move.kind
            if self.may(move, now):
                return self._settle(queue, index, move, now)
        return kind, False

    def _second(self, now: int, first: int) -> bool:
        """Issues a second command in the same cycle: a column command if the class `first` of the cycle's first command
        is ROW, a row command if it is COLUMN. Returns True if one issued."""
        other = 1 - first
        if other < ROW or (other == ROW and not self.rows_wanted and not self.urgent):  # no command of the other kind
            self.unit_last = False
            if self.units.wants and self.units.wants[0].barrier:
                self.units.remove(0)
            self.serves_writes()
            return False
        if self.active.wants:
            index, move = self._best(self.active, now)
            if move.kind == other and self.may(move, now):
                return self._settle(self.active, index, move, now)[1]
        if self.urgent:
            move = self.urgent_move()
            if move.kind == other:
                if not self.may(move, now):
                    return False
                self.unit_last = False
                if self.interrupts(move):
                    return False
                self._issue_urgent(move, now)
                return True
        self.unit_last = False
        if self.units.wants:
            index, move = self._best(self.units, now)
            if index >= 0 and move.kind == other and self.may(move, now):
                self.unit_last = True
                return self._settle(self.units, index, move, now)[1]
        queue = self.writes if self.serves_writes() else self.reads
        if queue.wants:
            index, move = self._best(queue, now)
            if move.kind == other and self.may(move, now):
                return self._settle(queue, index, move, now)[1]
        return False

    def _settle(self, queue: Queue, index: int, move: AddressedMove, now: int) -> tuple[int, bool]:
        """Issues a request's command, unless it would close a row that another access waits for."""
        if self.interrupts(move):
            self.was_blocked = True
            return move.kind, False
        want = queue.wants[index]
        self.issue(move, want, now)
        if move is want.move:
            if move.verb == "read":
                self.returned = max(now + move.latency, self.returned + 1)
            queue.remove(index)
            self.served += 1
        elif move.opens and not self.unit_last:
            arrival, tag = queue.arrivals[index], queue.tags[index]
            if len(self.active.wants) < self.active.size:
                self.active.add(want, arrival, tag)
            queue.remove(index)
        return move.kind, True

    def _issue_urgent(self, move: AddressedMove, now: int) -> None:
        self.issue(move, self.urgent[0], now)
        if move is self.urgent[0].move:
            del self.urgent[0]

    def _best(self, queue: Queue, now: int) -> tuple[int, AddressedMove]:
        """The request to serve, by its index in the queue, with its next command: the oldest request whose next command
        may issue now; if there is none, the oldest request. Index -1: the queue held only a barrier, which was
        removed."""
        if queue is self.active:
            return self._best_active(now)
        wants, rows, ready = queue.wants, self.rows, self.ready
        if wants[0].barrier:
            queue.remove(0)
            if not wants or wants[0].barrier:
                return (0, wants[0].move) if wants else (-1, _NOTHING)
        chosen = wants[0].next(rows)
        hits: set[int] | None = None
        head = wants[0]
        versions = rows.versions
        for want, behind in queue.kinds().items():
            if want.version == versions[want.place]:
                if want.until > now:
                    continue
                move = want.needed
            else:
                move = want.next(rows)
            if behind and not (move.opens or move.closes):
                continue
            for register in move.checks:
                if ready[register] > now:
                    want.until = ready[register]
                    break
            else:
                if want is not head and (move is not want.move or not move.uses):
                    if hits is None:
                        hits = self._hits(queue)
                    if want.bank in hits:
                        continue
                return wants.index(want), move
        return 0, chosen

    def _best_active(self, now: int) -> tuple[int, AddressedMove]:
        """The access to serve among those whose row was opened for them, chosen as in `_best`; they are not queued in
        order of arrival, so arrival times are compared."""
        wants, arrivals, rows = self.active.wants, self.active.arrivals, self.rows
        best, chosen = 0, wants[0].next(rows)
        ready, versions = self.moment_of(wants[0]) <= now, rows.versions
        hits: set[int] | None = None
        for index in range(1, len(wants)):
            if ready and arrivals[index] >= arrivals[best]:
                continue
            want = wants[index]
            move = want.needed if want.version == versions[want.place] else want.next(rows)
            may = want.until <= now and self.moment_of(want) <= now
            if may == ready:
                if arrivals[index] < arrivals[best]:
                    best, chosen = index, move
            elif may:
                if move is not want.move:
                    hits = self._hits(self.active) if hits is None else hits
                    if want.bank in hits:
                        continue
                best, chosen, ready = index, move, True
        return best, chosen

    def _hits(self, queue: Queue) -> set[int]:
        """The banks in which a request waits for the row that is open."""
        rows, versions = self.rows, self.rows.versions
        return {
            want.bank
            for want in queue.kinds()
            if want.move.uses
            and (want.needed if want.version == versions[want.place] else want.next(rows)) is want.move
        }

    # Waiting.

    def _moment(self, want: Want) -> int:
        return self.moment_of(want)

    def _event(self, now: int, changed: bool) -> int:
        """The next cycle in which some command may issue, if no refresh falls due before."""
        soonest = FAR
        least = 0 if changed else now + 1
        self.rows_wanted, wanted = True, bool(self.urgent or self.active.wants)
        if self.urgent:
            moment = self.moment(self.urgent_move())
            if moment >= least:
                soonest = min(soonest, moment)
        wants = self.units.wants
        if wants and wants[0].barrier:
            return now + 1
        rows, ready, versions = self.rows, self.ready, self.rows.versions
        for queue in (self.units, self.active, self.reads, self.writes):
            if not queue.wants:
                continue
            for want, behind in queue.kinds().items():
                move = want.needed if want.version == versions[want.place] else want.next(rows)
                if move.kind == ROW:
                    wanted = True
                elif behind and not move.closes:
                    continue
                if want.until >= soonest:
                    continue
                moment = 0
                for register in move.checks:
                    if ready[register] > moment:
                        moment = ready[register]
                        if moment >= soonest:
                            break
                want.until = moment
                if least <= moment < soonest:
                    soonest = moment
                    if moment <= now + 1:
                        return now + 1
        self.rows_wanted = wanted
        return max(soonest, now + 1)

    # The effect of a waiting refresh.

    def _can_ignore(self, now: int) -> bool:
        """True if the commands that issue in a cycle may be the same with and without a waiting refresh: there are only
        unit commands, and the first command of a refresh, a row command, can't issue yet."""
        if self.units.barriers or not self.writing or any(queue.wants for queue in self._queues()[1:]):
            return False
        move = self.refreshing(self.urgent[0] if self.urgent else self.refresh_wants()[0])
        return move.kind == ROW and self.moment(move) > now

    def _has_ignored(self, now: int, kind: int, first: bool, second: bool) -> bool:
        """True if a cycle in which `_can_ignore` was true would have had the same effect without the refresh that
        waits, or with one if none waits. While a refresh waits, only a column command issues, in the second step;
        without one, the same command issues in the first step, unless row commands precede or follow it. `kind`,
        `first`: the result of `_first`; `second`: that of `_second`."""
        if not self.urgent:
            return not second and (kind == COLUMN or not first)
        next_moves = (want.next(self.rows) for want in self.units.kinds())
        return not first and not any(move.kind == ROW and self.may(move, now) for move in next_moves)

    # Saving and restoring the state.

    def prepare(self) -> None:
        """Note which issue times and past issues the commands of the program depend on, once all of these are known."""
        self.grow()
        self.refresh_wants()
        self.moves = list(dict.fromkeys(move for steps in self.steps.values() for move in steps if move is not None))
        self.watched = tuple(sorted({register for move in self.moves for register in move.checks}))
        for move in self.moves:
            for history, _, cycles, _ in move.nth_last:
                self.watched_histories[history] = max(cycles, self.watched_histories.get(history, 0))

    def state(self, now: int, origins: Sequence[int]) -> Hashable:
        """Everything in the past of the channel that affects its future, except for the time until the next refresh:
        times relative to `now`, and the rows of each bank relative to its row in `origins`."""
        ready, histories = self.ready, self.histories
        entries = tuple([_entries(queue, now, origins, queue is not self.units) for queue in self._queues()])
        waiting = {row for each in entries for _, _, row, _, _ in each}
        return (
            tuple([moment - now if (moment := ready[register]) > now else 0 for register in self.watched]),
            tuple([tuple([max(t - now, -far) for t in histories[at]]) for at, far in self.watched_histories.items()]),
            kept(self.windows, self.rows.opened, origins, waiting),
            frozenset(self.rows.halves),
            entries,
            tuple(self.urgent),
            (self.writing, self.unit_last, self.rows_wanted),
            (max(self.last - now, -2), FAR if self.event == FAR else max(self.event - now, 0)),
            max(self.returned - now, -1),
        )

    def resume(self, state: Any, now: int, due: int, origins: Sequence[int]) -> None:
        """Continue from a state that `state` returned, at another time, with other origins of rows; the next refresh
        falls due at `due`."""
        ready, histories, opened, halves, queues, urgent, flags, (last, event), returned = state
        for register, cycles in zip(self.watched, ready, strict=True):
            self.ready[register] = now + cycles
        for at, ages in zip(self.watched_histories, histories, strict=True):
            self.histories[at] = [now + age for age in ages]
        self.rows.replace(list(map(restored, opened, origins)), halves)
        for queue, entries in zip(self._queues(), queues, strict=True):
            queue.refill(self._refilled(entries, now, origins))
        self.urgent = list(urgent)
        self.writing, self.unit_last, self.rows_wanted = flags
        self.last, self.returned = now + last, now + returned
        self.event, self.due = FAR if event == FAR else now + event, due
        self.wake = min(self.event, self.due)

    def _refilled(
        self, entries: Iterable[QueuedRequest], now: int, origins: Sequence[int]
    ) -> Iterator[tuple[Want, int, Tag]]:
        for asked, home, row, tag, arrival in entries:
            want = self.want_of(asked, home, row + origins[home] if home >= 0 else row)
            yield want, now + arrival, (want.bank, want.row, tag)

    def _queues(self) -> tuple[Queue, ...]:
        return self.units, self.active, self.reads, self.writes


def _entries(queue: Queue, now: int, origins: Sequence[int], is_timed: bool) -> tuple[QueuedRequest, ...]:
    """The requests of a queue, with rows relative to `origins`, and arrivals relative to `now`. Without `is_timed`,
    arrivals are 0: requests of equal commands are served in their order in the queue."""
    return tuple(
        [
            (
                want.asked,
                home := want.home,
                want.row - origins[home] if home >= 0 else want.row,
                tag[2],
                arrival - now if is_timed else 0,
            )
            for want, arrival, tag in zip(queue.wants, queue.arrivals, queue.tags, strict=True)
        ]
    )


_NOTHING = AddressedMove("", "all", "", -1)
