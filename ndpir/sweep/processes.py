"""Evaluation of points on all cores of this computer: one process per core, each with its own caches.

A process is given whole parts of a sweep (`parts_of`). If it dies (killed, or out of memory), the result of the point
that it was computing is an error with the reason, and a new process is started; if that point's results depend on
others of its part, all points of the part fail alike.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TypeAlias, cast

from interp.host import collect_rarely
from ndpir.sweep.evaluation import FEWEST, Evaluator, Outcome, may_batch, may_divide, stays_whole
from ndpir.sweep.request import Request
from ndpir.sweep.sampling import Point, program_of
from ndpir.sweep.structures import Table, structures_of

Numbered: TypeAlias = tuple[int, str, Point]
"""A point with its number and its question (`question_of`)."""


@dataclass
class Part:
    """Points that one worker evaluates. `is_whole`: their results may depend on each other, so that they must be
    evaluated together (`stays_whole`)."""

    points: list[Numbered]
    is_whole: bool = False


def parts_of(request: Request, points: Sequence[Numbered], workers: int) -> list[Part]:
    """Points in parts, in the order of their first points. Points that may be timed together are one part, as all
    points of a structure are; structures whose results do not depend on it are divided, so that all workers have
    parts. Points that are timed alone are parts of their own."""
    if not may_batch(request):
        return [Part([each]) for each in points]
    most = max(FEWEST, min(TOGETHER, -(-len(points) // workers)))
    parts: list[Part] = []
    for structure in structures_of(request, [point for _, _, point in points]):
        members = [points[place] for place in structure.places]
        count = len(members)
        if stays_whole(structure):
            parts.append(Part(members, True))
            continue
        size = most if may_divide(structure) else 1
        parts += [Part(members[at : at + size]) for at in range(0, count, size)]
    return parts


@dataclass
class _Worker:
    """A worker process, this process's end of the pipe to it, and the parts that were sent to it, without the points
    whose results are known; the worker computes the first of them."""

    process: BaseProcess
    pipe: Connection
    given: deque[Part] = field(default_factory=deque[Part])
    programs: set[Hashable] = field(default_factory=set[Hashable])
    """The points that the worker has received, without their timing parameters: it keeps the bank programs of these."""

    def take(self, count: int) -> list[Numbered]:
        """Remove the first `count` points of the first part, and return them."""
        part = self.given[0]
        taken, part.points = part.points[:count], part.points[count:]
        if not part.points:
            self.given.popleft()
        return taken


Results: TypeAlias = tuple[list[Numbered], list[Outcome] | Table]
"""Points with their results."""


def evaluated(request: Request, points: Sequence[Numbered], jobs: int) -> Iterator[Results]:
    """The results of points in order of completion, each list or table as soon as it is known. They are computed
    by `jobs` processes; by this process if `jobs` is 1, or if there is only one point."""
    parts = parts_of(request, points, jobs)
    if jobs == 1 or len(points) == 1:
        evaluator = Evaluator(request)
        for part in parts:
            rest = iter(part.points)
            for outcomes in evaluator.outcomes([point for _, _, point in part.points]):
                yield list(islice(rest, len(outcomes))), outcomes
        return
    waiting = deque(parts)
    # Neighbours share programs, so each process takes a run of them; short runs at the end keep all processes busy.
    run = max(1, min(8, len(parts) // (4 * jobs)))
    workers = [_started(request) for _ in range(min(jobs, len(parts)))]
    held = set[Hashable]()  # the programs of all workers together
    try:
        for worker in workers:
            _give(worker, held, waiting, run)
        while any(worker.given for worker in workers):
            ready = cast("list[Connection]", wait([worker.pipe for worker in workers if worker.given]))
            for worker in [worker for worker in workers if worker.pipe in ready]:
                try:
                    outcomes = cast("list[Outcome] | Table", worker.pipe.recv())
                except (EOFError, OSError):
                    worker.process.join()
                    lost = worker.take(len(worker.given[0].points) if worker.given[0].is_whole else 1)
                    waiting.extendleft(reversed(worker.given))
                    yield lost, [_lost(question, worker.process.exitcode) for _, question, _ in lost]
                    worker.pipe.close()
                    workers[workers.index(worker)] = fresh = _started(request)
                    held = set[Hashable]().union(*(each.programs for each in workers))
                    _give(fresh, held, waiting, run)
                    continue
                yield worker.take(len(outcomes)), outcomes
                if not worker.given:
                    _give(worker, held, waiting, run)
    finally:
        for worker in workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in workers:
            worker.process.join()


def _give(worker: _Worker, held: set[Hashable], waiting: deque[Part], run: int) -> None:
    """Move a part from `waiting` to a worker, or up to `run` consecutive points that are parts of their own, and send
    them to it: points of which it has the bank programs if there are any, else points of which no worker has them, else
    the first ones. `held`: the programs of all workers, to which those of the points are added."""
    known: int | None = None
    unknown: int | None = None
    for at, part in enumerate(islice(waiting, LOOKED_AHEAD)):
        if (program := _program_of(part)) in worker.programs:
            known = at
            break
        if unknown is None and program not in held:
            unknown = at
    first = known if known is not None else unknown or 0
    waiting.rotate(-first)
    while waiting and len(worker.given) < run:
        program = _program_of(waiting[0])
        is_long = len(waiting[0].points) > 1
        if worker.given and (is_long or program not in worker.programs):
            break
        worker.programs.add(program)
        held.add(program)
        worker.given.append(waiting.popleft())
        if is_long:
            break
    waiting.rotate(first)
    if not worker.given:
        return
    with suppress(OSError):  # a dead worker is noticed when its pipe is read
        worker.pipe.send([point for part in worker.given for _, _, point in part.points])


def _program_of(part: Part) -> Hashable:
    """The part of its points on which bank programs depend; all of them have the same."""
    return program_of(part.points[0][2])


TOGETHER = 8192
"""The largest number of points of a part that may be divided: its results are stored when all of them are known."""
LOOKED_AHEAD = 256
"""The number of waiting parts among which a worker's next part is chosen."""


def _lost(question: str, status: int | None) -> Outcome:
    """The outcome of a point whose process ended. The outcome is not final: a later run computes the point again."""
    why = f"signal {-status}" if status is not None and status < 0 else f"exit status {status}"
    return Outcome(
        question, {}, f"the process that computed this point ended ({why}); it is tried again on resume", 0, False
    )


def _started(request: Request) -> _Worker:
    """A new worker. On systems where forking is safe, it is forked, so that all modules are loaded already."""
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    ours, its = context.Pipe()
    process = context.Process(target=_work, args=(request.text(), its, ours), daemon=True)
    process.start()
    its.close()
    return _Worker(process, ours)


def _work(text: str, pipe: Connection, parents: Connection) -> None:
    """Evaluate points from `pipe` until it is closed. `text`: the sweep's request as JSON; `parents`: the parent
    process's end of the pipe, which this process closes."""
    parents.close()  # otherwise this process would not notice the end of its parent
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent ends them
    collect_rarely()  # also if no command started the sweep
    with suppress(EOFError, OSError):
        evaluator = Evaluator(Request.from_text(text))
        is_frozen = False  # kept here, since gc.get_freeze_count() visits all objects
        while True:
            for outcomes in evaluator.outcomes(cast("list[Point]", pipe.recv())):
                pipe.send(outcomes)
            if not is_frozen:  # caches stay: later collections need not scan them
                gc.collect()
                gc.freeze()
                is_frozen = True
