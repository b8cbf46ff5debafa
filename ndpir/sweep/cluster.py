"""Evaluation of points on a cluster, through Dask: `--scheduler tcp://HOST:PORT`, or `--scheduler local` for a Dask
cluster on this computer.

Workers need ndpir in the same version, and the model and sheets under the same paths; a worker whose files differ
reports an error. Points of a worker that is lost are computed by another worker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from dialects.dependencies import Dependencies
from dialects.diagnostics import InputError
from ndpir.sweep.code import states_of_code
from ndpir.sweep.evaluation import Evaluator, Outcome
from ndpir.sweep.processes import Numbered
from ndpir.sweep.request import Request
from ndpir.sweep.sampling import Point

AHEAD = 3
"""The number of groups of points that are submitted in advance for each thread of the cluster."""
GROUP = 4
"""The number of points that a worker evaluates together; they are neighbours in the design, which share results."""


def evaluated_on(
    scheduler: str, request: Request, points: Sequence[Numbered], jobs: int
) -> Iterator[tuple[Numbered, Outcome]]:
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
    groups = iter([points[at : at + GROUP] for at in range(0, len(points), GROUP)])
    given: dict[str, Sequence[Numbered]] = {}
    known = dict(states_of_code())

    def submitted() -> Any:
        if (group := next(groups, None)) is None:
            return None
        future = client.submit(_group, text, [point for _, _, point in group], pure=False)
        given[future.key] = group
        return future

    try:
        threads = sum(client.nthreads().values()) or 1
        first = [future for _ in range(AHEAD * threads) if (future := submitted()) is not None]
        running = dask.as_completed(first)
        for future in running:
            group = given.pop(future.key)
            error = future.exception()
            if error is None:
                yield from zip(group, _checked(group, future.result(), known), strict=True)
            else:
                for each in group:
                    yield each, Outcome(each[1], {}, f"the cluster failed on this point: {error}", 0, False)
            if (following := submitted()) is not None:
                running.add(following)
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


def _checked(group: Sequence[Numbered], outcomes: Sequence[Outcome], known: dict[str, str]) -> Iterator[Outcome]:
    """The outcomes of a group of points. An outcome that depends on other contents of a file than those on this
    computer is replaced by an error. `known`: the states of files on this computer that were determined so far."""
    for (_, question, _), outcome in zip(group, outcomes, strict=True):
        other = Dependencies(dict(outcome.found)).outdated(known)
        if outcome.question == question and not other:
            yield outcome
            continue
        error = f"{other} differs between the worker and this computer; give workers the same files and packages"
        yield Outcome(question, {}, error if other else outcome.error, outcome.seconds, False)


def _group(text: str, points: Sequence[Point]) -> list[Outcome]:
    """The outcomes of points, evaluated on a worker. `text`: the sweep's request as JSON."""
    evaluator = _evaluator(text)
    return [evaluator.outcome(point) for point in points]


@lru_cache(maxsize=2)
def _evaluator(text: str) -> Evaluator:
    """The evaluator of a request on this worker, which keeps it for later groups. `text`: the request as JSON."""
    return Evaluator(Request.from_text(text))
