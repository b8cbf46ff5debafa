"""Runs a sweep: computes the points that its journal does not contain, and stores each result as soon as it is
known."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from operator import itemgetter

from interp.host import cores
from ndpir.sweep.code import states_of_code
from ndpir.sweep.evaluation import Evaluator, Outcome, in_words, stays_whole
from ndpir.sweep.journal import Journal, Row, figures_in
from ndpir.sweep.processes import Numbered, Results, evaluated
from ndpir.sweep.request import Request
from ndpir.sweep.sampling import in_order_of_evaluation
from ndpir.sweep.structures import Table, structures_of


@dataclass(frozen=True)
class Swept:
    """The rows of a sweep in the order of its design, and numbers of points: failed, read from the journal, and timed
    together with others."""

    rows: list[Row]
    failed: int
    held: int
    shared: int = 0


def sweep(
    request: Request, journal: str | None = None, *, jobs: int | None = None, scheduler: str | None = None
) -> Swept:
    """Compute the points of a request that `journal`, an SQLite file, does not contain yet; also points that it
    contains, if their results may depend on others that are computed (`stays_whole`).

    `jobs`: the number of processes, by default one for each core. `scheduler`: the address of a Dask scheduler, or
    `local` for a Dask cluster on this computer. Raises InputError and UsageError for a request that can't be run; an
    error of one point is part of the point's row.
    """
    points, text = request.points(), request.text()
    Evaluator(request)  # loads plugins and sheets: errors in these concern all points
    with Journal(journal) as kept:
        asked: list[Numbered] = []
        unusable: list[tuple[Numbered, Outcome]] = []
        together: list[list[Numbered]] = []
        for structure in structures_of(request, points):
            try:
                given = list(zip(structure.places, structure.questions(), structure.points, strict=True))
            except Exception as error:
                for number, point in zip(structure.places, structure.points, strict=True):
                    each = (number, f"invalid {dict(point)}", point)
                    unusable.append((each, Outcome(each[1], {}, in_words(error), 0)))
                continue
            asked += given
            if stays_whole(structure):
                together.append(given)
        asked.sort(key=itemgetter(0))
        keys = kept.held({question for _, question, _ in asked}, dict(states_of_code()))
        firsts = {question: number for number, question, _ in reversed(asked)}
        for given in together:
            # Sizes that are rounded alike ask the same twice: only the first of such points is evaluated.
            questions = [question for number, question, _ in given if firsts[question] == number]
            if any(question not in keys for question in questions):
                for question in questions:
                    keys.pop(question, None)
        fresh = [each for each in asked if each[1] not in keys and firsts[each[1]] == each[0]]
        anew = [*fresh, *(each for each, _ in unusable)]
        kept.forget([question for _, question, _ in anew], [point for _, _, point in anew])
        fresh = in_order_of_evaluation(fresh, lambda each: each[2], request.axes)
        kept.note("request", text)
        for (number, _, point), outcome in unusable:
            kept.add(number, point, outcome)
        count, shared = jobs or cores(), 0
        with _progress(len(points), len(points) - len(fresh)) as tick:
            for given, results in _results(request, fresh, count, scheduler):
                if isinstance(results, Table):
                    stored = kept.add_table(given, results)
                    shared += len(results)
                else:
                    pairs = zip(given, results, strict=True)
                    stored = kept.add_all([(number, point, outcome) for (number, _, point), outcome in pairs])
                keys |= zip((question for _, question, _ in given), stored, strict=True)
                tick(len(results))
        every = sorted((*asked, *(each for each, _ in unusable)))
        found = (kept.known[keys.get(question, question)] for _, question, _ in every)
        rows = [row if row.number == place else replace(row, number=place) for place, row in enumerate(found)]
        kept.show_columns([axis.name for axis in request.axes], figures_in(rows))
    failed = sum(bool(row.error) for row in rows)
    return Swept(rows, failed, len(points) - len(fresh) - len(unusable), shared)


def _results(request: Request, points: Sequence[Numbered], jobs: int, scheduler: str | None) -> Iterator[Results]:
    if not points:
        return
    if scheduler is None:
        found = evaluated(request, points, jobs)
        with closing(found):  # pyright: ignore[reportArgumentType] - a generator
            yield from found
        return
    from ndpir.sweep.cluster import evaluated_on

    found = evaluated_on(scheduler, request, points, jobs)
    with closing(found):  # pyright: ignore[reportArgumentType] - a generator
        yield from found


@contextmanager
def _progress(points: int, held: int) -> Generator[Callable[[int], None]]:
    """A progress bar on stderr with the points done and the remaining time, only if stderr is a terminal; yields a
    function to call with the number of further points done."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("points"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(compact=True),
    )
    # Without a thread of its own: worker processes are forked, and a fork must not meet another thread's locks.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("points", total=points, completed=held)

        def tick(count: int) -> None:
            bar.advance(task, count)
            bar.refresh()

        yield tick
