"""A controller that serves its queue of unit commands in order, and ordinary accesses only while that queue is
empty."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from dialects.pim import MODE, SYNC
from interp.kinds.pim.timing.requests.channel import Issued, RequestChannel
from interp.kinds.pim.timing.requests.layout import AddressedMove, CommandAddress, MomentLayout
from interp.kinds.pim.timing.requests.queues import FAR, Queue, Want


class Pending(NamedTuple):
    """A command whose completion the channel has yet to report: the cycle in which its data is ready, whether the
    decoder waits for the report, and whether all writes must be complete before it (`mark`)."""

    moment: int
    awaited: bool
    mark: bool


class RequestRun:
    """`count` consecutive requests for the same command."""

    __slots__ = ("awaited", "count", "want")

    def __init__(self, want: Want, count: int, awaited: bool) -> None:
        self.want, self.count, self.awaited = want, count, awaited


class InOrder(RequestChannel):
    """A channel with an in-order queue. `spill`: requests that the decoder has sent and for which the queues have no
    room yet.

    `answered`: the number of requests awaited by the decoder whose completion was reported in the last simulated cycle.
    """

    def __init__(self, layout: MomentLayout, log: list[Issued] | None) -> None:
        super().__init__(layout, log)
        self.queue: deque[RequestRun] = deque()
        self.queued = 0
        self.spill: deque[tuple[Want, int, bool, bool]] = deque()
        self.pending: deque[Pending] = deque()
        self.mode = ""
        self.synced = -1
        """The last cycle in which the data clock is synchronised."""
        self.written = 0
        """The time at which all issued writes are complete."""
        self.ahead = 0
        """The cycle up to which commands were issued ahead of time (`_issue_ahead`)."""
        self.answered = 0
        self.last = self.popped = 0
        of_channel = CommandAddress("channel", 0)
        verbs = self.pim.verbs
        self.switch = self.layout.move(MODE, "all", 0, of_channel) if MODE in verbs else None
        self.grow()

    def refuses(self, host: bool) -> bool:
        """True if the queues have no room for another request. `host`: True for an ordinary access, False for a unit
        command."""
        if host:
            full = self.reads.full and self.writes.full
            return full or (not self.scheduler.mixes and self.queued > 0)
        accesses = bool(self.reads.wants or self.writes.wants)
        return self.queued >= self.scheduler.queue or (not self.scheduler.mixes and accesses)

    # Accepting requests.

    def take(self, want: Want, count: int, host: bool, awaited: bool, now: int) -> int:
        """Accepts as many of `count` equal requests as the queues have room for in cycle `now`. Returns the number of
        accepted requests."""
        if now <= self.ahead:
            return 0
        if host:
            return sum(self._access(want, now) for _ in range(count))
        if not self.scheduler.mixes and (self.reads.wants or self.writes.wants):
            return 0
        taken = min(count, self.scheduler.queue - self.queued)
        if taken > 0:
            tail = self.queue[-1] if self.queue else None
            if tail is not None and tail.want is want and tail.awaited == awaited:
                tail.count += taken
            else:
                self.queue.append(RequestRun(want, taken, awaited))
                if len(self.queue) == 1:
                    self.wake = min(self.wake, max(now, self._moment(want, now)))
            self.queued += taken
        return max(taken, 0)

    def _access(self, want: Want, now: int) -> bool:
        if not self.scheduler.mixes and self.queued:
            return False
        self._pass(now)
        self.wake = min(self.wake, now)
        address = want.bank, want.row
        if want.move.verb == "read":
            if (self.scheduler.forwards == "any" and self.writes.wants) or address in self.writes.tags:
                self.pending.append(Pending(now, False, False))
                return True
            queue = self.reads
        else:
            queue = self.writes
        if queue.full:
            return False
        queue.add(want, now - 1, address)
        return True

    # Simulating a cycle.

    def tick(self, now: int) -> None:
        """Simulates one cycle. Afterwards `wake` is the next cycle in which the state can change."""
        self._pass(now)
        self.last = now
        self._answer(now)
        self.refresh_due(now)
        changed = self._schedule(now)
        self.wake = self.ahead + 1 if self.ahead > now else self._wake(now, changed)

    def _pass(self, now: int) -> None:
        if self.last < now - 1:
            self.last = now - 1
            if not self.queue and not self.urgent:
                self.serves_writes()

    def _answer(self, now: int) -> None:
        self.answered = 0
        while self.pending:
            first = self.pending[0]
            moment = max(first.moment, self.popped + 1)
            if moment > now or (first.mark and self.written >= now):
                return
            self.pending.popleft()
            self.popped = now if first.awaited else moment
            self.answered += first.awaited

    def _next_answer(self) -> int:
        """The cycle of the next completion that the decoder waits for."""
        moment = self.popped
        for waiting in self.pending:
            moment = max(moment + 1, waiting.moment)
            if waiting.awaited:
                return max(moment, self.written + 1 if waiting.mark else 0)
        return FAR

    def _schedule(self, now: int) -> bool:
        """Issues the command with the highest priority. Returns True if one issued."""
        if self.active.wants:
            index, move = self._best(self.active, now)
            if self.may(move, now):
                return self._serve(self.active, index, move, now)
        if self.urgent:
            want, move = self.urgent[0], self.urgent_move()
            if not self.may(move, now):
                return False
            if self._switches("", want, now):
                return True
            self.issue(move, want, now)
            if move is want.move:
                del self.urgent[0]
            return True
        if self.queue:
            return self._unit(now)
        queue = self.writes if self.serves_writes() else self.reads
        if queue.wants:
            index, move = self._best(queue, now)
            if self.may(move, now):
                return self._serve(queue, index, move, now)
        return False

    def _unit(self, now: int) -> bool:
        run = self.queue[0]
        want = run.want
        if want.barrier:
            self.pending.append(Pending(now, True, True))
            self._done(run, 1)
            return True
        move = self._next(want, now)
        if not self.may(move, now) or self.interrupts(move):
            return False
        if self._switches(self.pim.verbs[want.move.verb].mode, want, now):
            return True
        self.issue(move, want, now)
        if move is want.move:
            self._complete(move, run.awaited, now)
            self._done(run, 1)
            if self.spill and not run.awaited:
                self._issue_ahead(run, now)
        return True

    def _done(self, run: RequestRun, count: int) -> None:
        self.served += count
        run.count -= count
        self.queued -= count
        if not run.count:
            self.queue.popleft()

    def _issue_ahead(self, run: RequestRun, now: int) -> None:
        """Issues several of the equal commands of `run` in one step of the simulation, at their least distance and up
        to the next refresh. The requests of `run` fill the queue, and further requests for the same command wait in
        `spill`."""
        want, count, host, awaited = self.spill[0]
        move = want.move
        if run.want is not want or self.queued != self.scheduler.queue - 1:
            return
        if len(self.queue) != 1 or self.queue[0] is not run:  # other requests are ahead of the spilled ones
            return
        if host or self.active.wants or self.urgent or move.nth_last:
            return
        pace = max(1, self.moment(move) - now)
        if move.closes or (self._in_step(move) and pace > move.latency):
            return
        more = min(count - 1, (self.due - 1 - now) // pace)
        if more <= 0:
            return
        end = now + more * pace
        if self.log is not None:
            self.log += [Issued(at, move.mnemonic, want.bank, want.row) for at in range(now + pace, end, pace)]
        self.counts[move] = self.counts.get(move, 0) + more - 1
        self.issue(move, want, end)
        self._complete(move, False, end)
        self.served += more
        self.spill[0] = want, count - more, host, awaited
        self.ahead = self.last = end

    def _serve(self, queue: Queue, index: int, move: AddressedMove, now: int) -> bool:
        """Issues the command of an ordinary access, unless it would close a row that another access waits for."""
        if self.interrupts(move):
            return False
        want = queue.wants[index]
        if self._switches("", want, now):
            return True
        self.issue(move, want, now)
        if move is want.move:
            self._complete(move, False, now)
            queue.remove(index)
            self.served += 1
        elif move.opens:
            arrival, tag = queue.arrivals[index], queue.tags[index]
            if not self.active.full:
                self.active.add(want, arrival, tag)
            queue.remove(index)
        return True

    def _complete(self, move: AddressedMove, awaited: bool, now: int) -> None:
        moment = now + move.latency
        if awaited or move.verb == "read":
            self.pending.append(Pending(moment, awaited, False))
        else:
            self.written = max(self.written, moment)
        if self._in_step(move):
            self.synced = moment

    def _switches(self, mode: str, want: Want, now: int) -> bool:
        """Issues a mode switch if the channel is in another mode than `mode`, which the next command needs. Returns
        True if it issued one."""
        if mode == self.mode or self.switch is None:
            return False
        self.issue(self.switch, want, now)
        self.mode = mode
        return True

    # The next command of a request.

    def _in_step(self, move: AddressedMove) -> bool:
        return move.verb in self.pim.sync

    def _next(self, want: Want, now: int) -> AddressedMove:
        move = want.next(self.rows)
        if move is want.move and self.synced < now and self._in_step(move):
            return self.layout.before(move)
        return move

    def issue(self, move: AddressedMove, want: Want, now: int) -> None:
        super().issue(move, want, now)
        if move.verb == SYNC:
            self.synced = now + want.move.latency + 1

    def _best(self, queue: Queue, now: int) -> tuple[int, AddressedMove]:
        """The access to serve, by its index in the queue, with its next command: the oldest access whose next command
        may issue now; if there is none, the oldest access."""
        wants, arrivals, versions = queue.wants, queue.arrivals, self.rows.versions
        if queue is not self.active:
            for want in queue.kinds():
                if want.until > now and want.version == versions[want.place] and not self.pim.sync:
                    continue
                move = self._next(want, now)
                if self.may(move, now):
                    return wants.index(want), move
            return 0, self._next(wants[0], now)
        best, chosen = 0, self._next(wants[0], now)
        ready = self.may(chosen, now)
        for index in range(1, len(wants)):
            if ready and arrivals[index] >= arrivals[best]:
                continue
            move = self._next(wants[index], now)
            may = self.may(move, now)
            if (may and not ready) or (may == ready and arrivals[index] < arrivals[best]):
                best, chosen, ready = index, move, may
        return best, chosen

    # Waiting.

    def _moment(self, want: Want, now: int) -> int:
        """The earliest cycle in which the next command of a request may issue."""
        if want.barrier:
            return now
        moment = self.moment_of(want)
        if moment < now:
            moment = now
        move = want.needed
        if move is want.move and self._in_step(move) and self.synced < moment:
            return max(now, self.synced + 1, self.moment(self.layout.before(move)))
        return moment

    def _wake(self, now: int, changed: bool) -> int:
        soonest = min(self.due, self._next_answer())
        later = now + 1
        if self.urgent:
            moment = self.moment(self.urgent_move())
            if changed or moment > now:
                soonest = min(soonest, moment)
        elif self.queue:
            moment = self._moment(self.queue[0].want, later)
            if changed or moment > later or not self.active.wants:
                soonest = min(soonest, moment)
        versions, syncs = self.rows.versions, self.pim.sync
        for queue in (self.active, self.reads, self.writes):
            if not queue.wants:
                continue
            for want in queue.kinds():
                if want.until >= soonest and want.version == versions[want.place] and not syncs:
                    continue
                moment = self._moment(want, later)
                if moment < soonest and (changed or moment > later or self._moment(want, now) > now):
                    if moment <= later:
                        return later
                    soonest = moment
        return max(soonest, later)

    def finished(self, now: int) -> bool:
        queues = self.reads, self.writes, self.active
        waits = self.queue or self.spill or self.pending or self.urgent or any(queue.wants for queue in queues)
        return not waits and self.written <= now
