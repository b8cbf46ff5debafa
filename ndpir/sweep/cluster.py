"""Evaluation of points on a cluster, through Dask: `--scheduler tcp://HOST:PORT`, or `--scheduler local` for a Dask
cluster on this computer.

Workers need ndpir in the same version, and the model and sheets under the same paths; a worker whose files differ
reports an error. The part of the sweep (`parts_of`) of a worker that is lost is computed by another worker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import islice
from threading import Lock
from typing import Any

from dialects.dependencies import Dependencies
from dialects.diagnostics import InputError
from ndpir.sweep.code import states_of_code
from ndpir.sweep.evaluation import Evaluator, Outcome
from ndpir.sweep.processes import Numbered, Part, Results, parts_of
from ndpir.sweep.request import Request
from ndpir.sweep.sampling import Point
from ndpir.sweep.structures import Table

AHEAD = 3
"""The number of groups of points that are submitted in advance for each thread of the cluster."""
GROUP = 4
"""The number of points, each timed alone, that a worker is given at once; they are neighbours in the order of
evaluation, which share results."""


def evaluated_on(scheduler: str, request: Request, points: Sequence[Numbered], jobs: int) -> Iterator[Results]:
    """The results of points in order of completion, computed on a Dask cluster. `scheduler`: the address of Dask's
    scheduler, or `local`, for a cluster of `jobs` processes. Raises InputError if Dask is missing or does not
    answer."""
    try:
        dask: Any = import_module("distributed")  # without types
    except ImportError:
        raise InputError("--scheduler needs Dask; install it with pip install 'ndpir[sweep]'") from None
    cluster: Any = None
    if scheduler == "local":
        cluster = dask.LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
    try:
        client = dask.Client(cluster if cluster is not None else scheduler, timeout="10s")
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answers at {scheduler}: {error}; start one (dask scheduler), or use --scheduler local"
        ) from None
    text = request.text()
    given: dict[str, list[Numbered]] = {}
    known = dict(states_of_code())
    groups: Iterator[list[Numbered]] = iter(())

    def submitted() -> Any:
        if (group := next(groups, None)) is None:
            return None
        future = client.submit(_results, text, [point for _, _, point in group], pure=False)
        given[future.key] = group
        return future

    try:
        threads = sum(client.nthreads().values()) or 1
        groups = _groups(parts_of(request, points, threads))
        first = [future for _ in range(AHEAD * threads) if (future := submitted()) is not None]
        running = dask.as_completed(first)
        for future in running:
            group = given.pop(future.key)
            error = future.exception()
            if error is None:
                rest = iter(group)
                for results in future.result():
                    some = list(islice(rest, len(results)))
                    yield some, _checked(some, results, known)
            else:
                wrong = f"the cluster failed on this point: {error}"
                yield group, [Outcome(question, {}, wrong, 0, False) for _, question, _ in group]
            if (following := submitted()) is not None:
                running.add(following)
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


def _groups(parts: Sequence[Part]) -> Iterator[list[Numbered]]:
    """The points of each part, and of up to `GROUP` consecutive parts of one point together."""
    group: list[Numbered] = []
    for part in parts:
        if group and len(group) + len(part.points) > GROUP:
            yield group
            group = []
        group = [*group, *part.points]
    if group:
        yield group


def _checked(
    points: Sequence[Numbered], results: list[Outcome] | Table, known: dict[str, str]
) -> list[Outcome] | Table:
    """The results of points. A result that depends on other contents of a file than those on this computer is replaced
    by an error. `known`: the states of files on this computer that were determined so far."""
    if isinstance(results, Table):
        if not (other := Dependencies(dict(results.found)).outdated(known)):
            return results
        return [_refused(question, other, results.seconds) for _, question, _ in points]
    checked: list[Outcome] = []
    for (_, question, _), outcome in zip(points, results, strict=True):
        if other := Dependencies(dict(outcome.found)).outdated(known):
            checked.append(_refused(question, other, outcome.seconds))
        elif outcome.question != question:
            checked.append(Outcome(question, {}, outcome.error, outcome.seconds, False))
        else:
            checked.append(outcome)
    return checked


def _refused(question: str, other: str, seconds: float) -> Outcome:
    """The outcome of a point whose result depends on the file `other`, which differs here."""
    error = f"{other} differs between the worker and this computer; give workers the same files and packages"
    return Outcome(question, {}, error, seconds, False)


def _results(text: str, points: Sequence[Point]) -> list[list[Outcome] | Table]:
    """The results of points, evaluated on a worker. `text`: the sweep's request as JSON."""
    with _TURN:
        return list(_evaluator(text).outcomes(points))


_TURN = Lock()
"""A lock that is held during an evaluation, since the threads of a worker share caches."""


@lru_cache(maxsize=2)
def _evaluator(text: str) -> Evaluator:
    """The evaluator of a request on this worker, which keeps it for later groups. `text`: the request as JSON."""
    return Evaluator(Request.from_text(text))
